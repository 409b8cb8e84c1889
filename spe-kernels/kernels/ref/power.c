/* power.c - a .^ b.
 *
 * |a|^b = 2^(b log2|a|).  The logarithm is an unevaluated sum of two doubles with a relative error below
 * 2^-66 (twofold.h): b times it may be as large as 1075.  The power of 2 is a sum whose last addition is the
 * only rounding that counts (exponent.h), so that a representable power of an integer comes out exactly.
 *
 * b == 2 is a*a, as in Octave.  Zeros, infinities and NaN go by C99's pow, lane by lane.  Single precision is
 * computed in double and rounded once.
 */
#include "kernels.h"
#include "run.h"

#include "../functions/exponent.h"
#include "../functions/twofold.h"

/* log2 of a positive, finite x */
VEC_INLINE struct vd2 log2_of (vd x)
{
  vd lacking, normal = vd_normal (x, &lacking);
  return log2_of_normal (normal, vd_splat (0.0), lacking);
}

/* C99's pow where x is zero, infinite or NaN, or y is infinite or NaN. */
static double special (double x, double y, int y_is_odd)
{
  const uint64_t infinity = 0x7ff0000000000000u, one = 0x3ff0000000000000u;
  uint64_t x_bits, y_bits;
  memcpy (&x_bits, &x, sizeof x);
  memcpy (&y_bits, &y, sizeof y);
  uint64_t x_size = x_bits & ~(1ull << 63), y_size = y_bits & ~(1ull << 63);
  int y_positive = (int64_t) y_bits >= 0;

  if (y_size == 0 || x_bits == one)
    return 1;
  if (x_size > infinity || y_size > infinity)
    return x + y;
  if (y_size == infinity)
    return x_size == one ? 1 : (x_size > one) == y_positive ? __builtin_inf () : 0;
  double value = (x_size == 0) == y_positive ? 0 : __builtin_inf ();
  return y_is_odd && (int64_t) x_bits < 0 ? -value : value;
}

/* Every lane of *complex that is set afterwards has a complex result (or had before). */
static __attribute__ ((noinline)) vd power_d (vd x, vd y, vi64 *complex)
{
  const vd infinity = vd_splat (__builtin_inf ());
  vd size = vd_abs (x), y_size = vd_abs (y);

  /* y is odd if it is an integer and half of it is none.  From 2^53 on there are only even ones. */
  vd y_floor = vd_floor_positive (y_size), half = y_size * vd_splat (0.5);
  vi64 y_integer = vd_equal (y_floor, y_size);
  vi64 y_odd = y_integer & ~vd_equal (vd_floor_positive (half), half);
  vi64 y_int = y_integer & vd_less (y, vd_splat (2147483647.0)) & vd_less (vd_splat (-2147483648.0), y);
  *complex |= vd_less (x, vd_splat (0.0)) & ~y_int;

  vi64 square = vd_equal (y, vd_splat (2.0));
  vd value = x * x;
  if (vi64_any (~square)) {
    struct vd2 log = log2_of (size), product;
    product.high = y * log.high;
    product.low = vd_fma (y, log.high, -product.high) + y * log.low;
    vi64 above = vd_less (vd_splat (1100.0), product.high), below = vd_less (product.high, vd_splat (-1100.0));
    product.high = vd_select (above, vd_splat (1100.0), vd_select (below, vd_splat (-1100.0), product.high));
    product.low = vd_select (above | below, vd_splat (0.0), product.low);
    vd result = exponent_join (exponent_split (product));
    result = (vd) ((vi64) result | (y_odd & (vi64) x & VD_SIGN));
    value = vd_select (square, value, result);

    vi64 odd_one_out = ~(vd_less (vd_splat (0.0), size) & vd_less (size, infinity) & vd_less (y_size, infinity)) & ~square;
    if (__builtin_expect (vi64_any (odd_one_out), 0))
      for (int lane = 0; lane < VD_LANES; lane++)
        if (odd_one_out[lane])
          value[lane] = special (x[lane], y[lane], y_odd[lane] != 0);
  }
  return value;
}

VEC_INLINE vf power_f (vf x, vf y, vi32 *outside)
{
  vi64 complex = (vi64) *outside;
  vd low = power_d (vf_low (x), vf_low (y), &complex);
  vf value = vf_join (low, power_d (vf_high (x), vf_high (y), &complex));
  *outside = (vi32) complex;
  return value;
}

#ifdef __SPU__
RUN_PARTIAL_BINARY (power)
#else
/* Squares have a loop of their own: programs are full of them, and a power takes twenty times as long. */
VEC_INLINE vf square_f (vf x)
{
  vd low = vf_low (x), high = vf_high (x);
  return vf_join (low * low, high * high);
}

VEC_INLINE vd square_d (vd x) { return x * x; }

uint32_t KERNEL (power_single) (RUN_PARAMETERS)
{
  if (b_step == 0 && *(const float *) b == 2)
    return run_unary_single (result, a, a, a_step, a_step, bytes, square_f);
  return run_partial_single (RUN_ARGUMENTS, power_f);
}

uint32_t KERNEL (power_double) (RUN_PARAMETERS)
{
  if (b_step == 0 && *(const double *) b == 2)
    return run_unary_double (result, a, a, a_step, a_step, bytes, square_d);
  return run_partial_double (RUN_ARGUMENTS, power_d);
}
#endif
