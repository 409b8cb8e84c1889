/* vec_spu.h - the SPU's single precision for vectors of the host; part of vec.h.
 *
 * With this header the kernels in kernels/ref/ give an SPE's bits in single precision
 * (kernels/host/spu_single.h). Double precision is the host's.
 */
#include "host/spu_single.h"

#define VEC_SPU_LANES(result, expression)                                                                              \
  do {                                                                                                                 \
    for (int lane = 0; lane < VF_LANES; lane++)                                                                        \
      (result)[lane] = (int32_t) (expression);                                                                         \
  } while (0)

VEC_INLINE vf vf_fma (vf a, vf b, vf c)
{
  vi32 x = (vi32) a, y = (vi32) b, z = (vi32) c, sum = {};
  VEC_SPU_LANES (sum, spu_single_multiply_add ((uint32_t) x[lane], (uint32_t) y[lane], (uint32_t) z[lane]));
  return (vf) sum;
}

VEC_INLINE vf vf_add (vf a, vf b) { return vf_fma (a, vf_splat (1.0f), b); }
VEC_INLINE vf vf_subtract (vf a, vf b) { return vf_fma (b, vf_splat (-1.0f), a); }
VEC_INLINE vf vf_times (vf a, vf b) { return vf_fma (a, b, vf_splat (0.0f)); }

VEC_INLINE vi32 vf_less (vf a, vf b)
{
  vi32 x = (vi32) a, y = (vi32) b, less = {};
  VEC_SPU_LANES (less, spu_single_less ((uint32_t) x[lane], (uint32_t) y[lane]));
  return less;
}

VEC_INLINE vi32 vf_equal (vf a, vf b)
{
  vi32 x = (vi32) a, y = (vi32) b, equal = {};
  VEC_SPU_LANES (equal, spu_single_equal ((uint32_t) x[lane], (uint32_t) y[lane]));
  return equal;
}
