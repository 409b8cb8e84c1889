/* spu_intrinsics.h - stands where the SPU compiler's header of this name stands.  The kernels are written in the
 * compiler's portable vectors (vec.h), so there is nothing to stand in for here. */
#ifndef PMATRIX_HOST_SPU_INTRINSICS_H
#define PMATRIX_HOST_SPU_INTRINSICS_H
#endif
