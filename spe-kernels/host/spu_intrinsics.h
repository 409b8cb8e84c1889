/* spu_intrinsics.h - takes the place of the SPU compiler's header of this name.  The kernels are written in
 * the compiler's portable vectors (vec.h), so the header is empty. */
#ifndef PMATRIX_HOST_SPU_INTRINSICS_H
#define PMATRIX_HOST_SPU_INTRINSICS_H
#endif
