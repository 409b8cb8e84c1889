/* trigonometry.c - sin and cos.
 *
 * x = k pi/2 + r with |r| <= pi/4, r as an unevaluated sum of two doubles.  Below 2^30 the multiple of pi/2 is
 * subtracted in three parts of 53 bits, where the first subtraction is exact; above, kernel_reduce_huge does it lane by
 * lane.  Then sin r or cos r by polynomials (fitted at Chebyshev nodes), chosen and signed by k; cos x is sin x one
 * quadrant further.  Single precision is computed in double and rounded once.
 */
#include "kernels.h"
#include "run.h"

#define SHIFTER 0x1.8p52 /* x + SHIFTER has the nearest integer of x in its low bits */

/* The sum of a and b, and in *error what it lacks. */
VEC_INLINE vd two_sum (vd a, vd b, vd *error)
{
  vd sum = a + b, part = sum - a;
  *error = (a - (sum - part)) + (b - part);
  return sum;
}

/* sin x, or with `next` = 1 the sine one quadrant further */
static __attribute__ ((noinline)) vd sin_shifted (vd x, uint32_t next)
{
  const vd half_pi_1 = vd_splat (0x1.921fb54442d18p+0), half_pi_2 = vd_splat (0x1.1a62633145c07p-54);
  const vd half_pi_3 = vd_splat (-0x1.f1976b7ed8fbcp-110);

  /* k, and in the low bits of `quadrant` k + next. */
  vd shifted = x * vd_splat (0x1.45f306dc9c883p-1) + vd_splat (SHIFTER), k = shifted - vd_splat (SHIFTER);
  vi64 quadrant = (vi64) (shifted + vd_splat (next ? 1.0 : 0.0));
  vd product_1 = k * half_pi_1, product_2 = k * half_pi_2, error;
  vd rest = x - product_1;
  vd low_1 = vd_fma (k, half_pi_1, -product_1), low_2 = vd_fma (k, half_pi_2, -product_2);
  vd high = two_sum (rest, -low_1, &error);
  vd low = error;
  high = two_sum (high, -product_2, &error);
  low += error;
  low -= low_2;
  low -= k * half_pi_3;
  vd r = high + low;
  vd r_low = low - (r - high);

  vi64 huge = ~vd_less (vd_abs (x), vd_splat (0x1p30));
  if (__builtin_expect (vi64_any (huge), 0))
    for (int lane = 0; lane < VD_LANES; lane++)
      if (huge[lane]) {
        struct kernel_reduced reduced = kernel_reduce_huge (x[lane]);
        r[lane] = reduced.high;
        r_low[lane] = reduced.low;
        quadrant[lane] = (int64_t) (reduced.quadrant + next);
      }

  vd z = r * r;
  vd s = vd_splat (0x1.5e0ab4dd007dap-33);
  s = vd_fma (s, z, vd_splat (-0x1.ae6009e9f7070p-26));
  s = vd_fma (s, z, vd_splat (0x1.71de37957c95cp-19));
  s = vd_fma (s, z, vd_splat (-0x1.a01a019e82db1p-13));
  s = vd_fma (s, z, vd_splat (0x1.1111111110bafp-7));
  s = vd_fma (s, z, vd_splat (-0x1.5555555555555p-3));
  vd half_z = vd_splat (0.5) * z;
  vd sine = r + vd_fma (r * z, s, vd_fma (-half_z, r_low, r_low));

  vd c = vd_splat (-0x1.907d3e3374a42p-37);
  c = vd_fma (c, z, vd_splat (0x1.1eeb685cba14cp-29));
  c = vd_fma (c, z, vd_splat (-0x1.27e4fa17532cap-22));
  c = vd_fma (c, z, vd_splat (0x1.a01a019f4e480p-16));
  c = vd_fma (c, z, vd_splat (-0x1.6c16c16c16965p-10));
  c = vd_fma (c, z, vd_splat (0x1.5555555555555p-5));
  vd whole = vd_splat (1.0) - half_z;
  vd lost = (vd_splat (1.0) - whole) - half_z;
  vd cosine = whole + (lost + vd_fma (z * z, c, -(r * r_low)));

  /* Bit 0 of the quadrant exchanges the two, bit 1 changes the sign. */
  vd value = vd_select (vi64_bit (quadrant, 0), cosine, sine);
  return (vd) ((vi64) value ^ (vi64_bit (quadrant, 1) & VD_SIGN));
}

/* Below 2^-27 x itself is nearest but one at most, and -0 stays what it is. */
VEC_INLINE vd sin_d (vd x)
{
  return vd_select (vd_less (vd_abs (x), vd_splat (0x1p-27)), x, sin_shifted (x, 0));
}

VEC_INLINE vd cos_d (vd x) { return sin_shifted (x, 1); }

VEC_INLINE vf sin_f (vf x) { return vf_join (sin_d (vf_low (x)), sin_d (vf_high (x))); }
VEC_INLINE vf cos_f (vf x) { return vf_join (cos_d (vf_low (x)), cos_d (vf_high (x))); }

RUN_LONG_UNARY (sin)
RUN_LONG_UNARY (cos)
