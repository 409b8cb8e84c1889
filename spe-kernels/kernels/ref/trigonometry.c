/* trigonometry.c - sin, cos, and for an SPE tan.
 *
 * x = k pi/2 + r with |r| <= pi/4, r as an unevaluated sum of two doubles.  Below 2^30 the multiple of pi/2
 * is subtracted in three parts of 53 bits, where the first subtraction is exact; above, kernel_reduce_huge
 * does it lane by lane.  Then sin r and cos r by polynomials (fitted at Chebyshev nodes), chosen and signed
 * by k.  Single precision is computed in double and rounded once.
 */
#include "../functions/function.h"
#include "../functions/twofold.h"

/* sin r and cos r; `quadrant` has k in its low bits. */
struct angle {
  vd sine, cosine;
  vi64 quadrant;
};

/* An SPE has no room for a copy in each function. */
#ifdef __SPU__
#define ANGLE static __attribute__ ((noinline)) struct angle
#else
#define ANGLE VEC_INLINE struct angle
#endif

ANGLE angle_of (vd x)
{
  const vd half_pi_1 = vd_splat (0x1.921fb54442d18p+0), half_pi_2 = vd_splat (0x1.1a62633145c07p-54);
  const vd half_pi_3 = vd_splat (-0x1.f1976b7ed8fbcp-110);

  vd shifted = x * vd_splat (0x1.45f306dc9c883p-1) + vd_splat (SHIFTER), k = shifted - vd_splat (SHIFTER);
  vi64 quadrant = (vi64) shifted;
  vd product_1 = k * half_pi_1, product_2 = k * half_pi_2;
  vd rest = x - product_1;
  vd low_1 = vd_fma (k, half_pi_1, -product_1), low_2 = vd_fma (k, half_pi_2, -product_2);
  struct vd2 first = two_sum (rest, -low_1), second = two_sum (first.high, -product_2);
  vd high = second.high, low = first.low + second.low;
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
        quadrant[lane] = (int64_t) reduced.quadrant;
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

  return (struct angle) { sine, cosine, quadrant };
}

/* Bit 0 of the quadrant exchanges sine and cosine, bit 1 changes the sign of the sine. */
VEC_INLINE vd sine_of (struct angle angle)
{
  vd value = vd_select (vi64_bit (angle.quadrant, 0), angle.cosine, angle.sine);
  return (vd) ((vi64) value ^ (vi64_bit (angle.quadrant, 1) & VD_SIGN));
}

/* The cosine is the sine one quadrant further, where bit 1 is the difference of both bits. */
VEC_INLINE vd cosine_of (struct angle angle)
{
  vi64 odd = vi64_bit (angle.quadrant, 0);
  vd value = vd_select (odd, angle.sine, angle.cosine);
  return (vd) ((vi64) value ^ ((odd ^ vi64_bit (angle.quadrant, 1)) & VD_SIGN));
}

/* Below this sin x and tan x are x, to one place at most, and -0 stays what it is. */
VEC_INLINE vi64 is_small (vd x) { return vd_less (vd_abs (x), vd_splat (0x1p-27)); }

FUNCTION sin_d (vd x) { return vd_select (is_small (x), x, sine_of (angle_of (x))); }

FUNCTION cos_d (vd x) { return cosine_of (angle_of (x)); }

RUN_FUNCTION (sin)
RUN_FUNCTION (cos)

#ifdef KERNEL_SPE_ONLY
FUNCTION tan_d (vd x)
{
  struct angle angle = angle_of (x);
  return vd_select (is_small (x), x, vd_divide (sine_of (angle), cosine_of (angle)));
}

RUN_FUNCTION (tan)
#endif
