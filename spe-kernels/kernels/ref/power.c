/* power.c - a .^ b.
 *
 * |a|^b = 2^(b log2|a|), where log2|a| = e + log2 m, sqrt(1/2) <= m < sqrt(2), is an unevaluated sum of two doubles with
 * a relative error below 2^-66: b times it may be as large as 1075.  With s = (m-1)/(m+1) and K = 2/ln 2,
 *
 *     log2 m = s (K + z (K/3 + z (K/5 + z Q(z)))),   z = s^2,
 *
 * in sums of two doubles but for Q.  The integer nearest to b log2|a| becomes the exponent, and 2^rest = exp (rest ln 2)
 * = 1 + t + t^2 P(t).  Q and P are fitted at Chebyshev nodes.  The last addition is the only rounding that counts, so
 * that a representable power of an integer comes out exactly.
 *
 * b == 2 is a*a, as in Octave.  Zeros, infinities and NaN go by C99's pow, lane by lane.  Single precision is computed
 * in double and rounded once.
 */
#include "kernels.h"
#include "run.h"

#define SHIFTER 0x1.8p52

/* An unevaluated sum: |low| is at most half a unit in the last place of high. */
struct vd2 {
  vd high, low;
};

/* a + b, where a is 0 or not the smaller of the two. */
VEC_INLINE struct vd2 quick_sum (vd a, vd b)
{
  vd sum = a + b;
  return (struct vd2) { sum, b - (sum - a) };
}

/* constant + x * y */
VEC_INLINE struct vd2 multiply_add (double constant_high, double constant_low, struct vd2 x, struct vd2 y)
{
  vd product = x.high * y.high;
  vd product_low = vd_fma (x.high, y.high, -product) + vd_fma (x.high, y.low, x.low * y.high);
  struct vd2 sum = quick_sum (vd_splat (constant_high), product);
  sum.low += product_low + vd_splat (constant_low);
  return sum;
}

/* log2 of a positive, finite x */
VEC_INLINE struct vd2 log2_of (vd x)
{
  vi64 tiny = vd_less (x, vd_splat (0x1p-1022));
  x = vd_select (tiny, x * vd_splat (0x1p54), x);
  vd exponent, m = vd_split (x, &exponent);
  exponent -= vd_select (tiny, vd_splat (54.0), vd_splat (0.0));

  const vd one = vd_splat (1.0);
  vd above = m - one, below = m + one, below_low = m - (below - one), inverse = vd_divide (one, below);
  struct vd2 s;
  s.high = above * inverse;
  s.low = vd_fma (-s.high, below_low, vd_fma (-s.high, below, above)) * inverse;

  struct vd2 z;
  z.high = s.high * s.high;
  z.low = vd_fma (s.high, s.high, -z.high) + (s.high + s.high) * s.low;
  vd q = vd_splat (0x1.39b64d4fb0af1p-3);
  q = vd_fma (q, z.high, vd_splat (0x1.356f5ae205075p-3));
  q = vd_fma (q, z.high, vd_splat (0x1.5ba4f82e1d4e8p-3));
  q = vd_fma (q, z.high, vd_splat (0x1.89f38d37da811p-3));
  q = vd_fma (q, z.high, vd_splat (0x1.c68f56d2e63c9p-3));
  q = vd_fma (q, z.high, vd_splat (0x1.0c9a84991f382p-2));
  q = vd_fma (q, z.high, vd_splat (0x1.484b13d7c0366p-2));
  q = vd_fma (q, z.high, vd_splat (0x1.a61762a7aded9p-2));
  struct vd2 sum = quick_sum (vd_splat (0x1.2776c50ef9bfep-1), q * z.high);
  sum.low += vd_splat (0x1.e4b29ccc535d4p-55);
  sum = multiply_add (0x1.ec709dc3a03fdp-1, 0x1.d27f05548af0cp-55, z, sum);
  sum = multiply_add (0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55, z, sum);

  struct vd2 product;
  product.high = s.high * sum.high;
  product.low = vd_fma (s.high, sum.high, -product.high) + vd_fma (s.high, sum.low, s.low * sum.high);
  struct vd2 log = quick_sum (exponent, product.high);
  log.low += product.low;
  return log;
}

/* 2^x for |x| <= 1100 */
VEC_INLINE vd exp2_of (struct vd2 x)
{
  vd shifted = x.high + vd_splat (SHIFTER);
  /* The low part may be a unit of the high one, too much for its share of the result to be approximated below. */
  struct vd2 rest = quick_sum (x.high - (shifted - vd_splat (SHIFTER)), x.low);

  const vd ln2 = vd_splat (0x1.62e42fefa39efp-1), ln2_low = vd_splat (0x1.abc9e3b39803fp-56);
  vd t = rest.high * ln2;
  vd t_low = vd_fma (rest.high, ln2, -t) + vd_fma (rest.high, ln2_low, rest.low * ln2);
  vd p = vd_splat (0x1.1f7340dbc337ep-29);
  p = vd_fma (p, t, vd_splat (0x1.af4e554377204p-26));
  p = vd_fma (p, t, vd_splat (0x1.27e4db46cddd1p-22));
  p = vd_fma (p, t, vd_splat (0x1.71de01fdbf9cap-19));
  p = vd_fma (p, t, vd_splat (0x1.a01a01a6e1e2ap-16));
  p = vd_fma (p, t, vd_splat (0x1.a01a01abf85abp-13));
  p = vd_fma (p, t, vd_splat (0x1.6c16c16c162c3p-10));
  p = vd_fma (p, t, vd_splat (0x1.11111111100bep-7));
  p = vd_fma (p, t, vd_splat (0x1.5555555555556p-5));
  p = vd_fma (p, t, vd_splat (0x1.5555555555557p-3));
  p = vd_fma (p, t, vd_splat (0.5));
  struct vd2 sum = quick_sum (vd_splat (1.0), t);
  vd value = sum.high + (sum.low + vd_fma (t * t, p, vd_fma (t, t_low, t_low)));
  return vd_scale (value, shifted);
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
    vd result = exp2_of (product);
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

RUN_PARTIAL_BINARY (power)
