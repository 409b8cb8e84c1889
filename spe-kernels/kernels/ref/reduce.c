/* reduce.c - x modulo pi/2 for arguments too large to subtract a multiple of pi/2.
 *
 * After Payne and Hanek: x = M 2^e with an integer M of 53 bits.  Of the product M 2^e (2/pi) only the value
 * modulo 4 matters, so the words of 2/pi that contribute multiples of 4 are left out.  The product with the
 * next 7 words is exact to more than 2^-130: no double comes nearer to a multiple of pi/2 than 2^-62.
 */
#include <string.h>
#include "kernel.h"

#define WINDOW 7

/* The binary fraction of 2/pi. */
static const uint32_t two_over_pi[] = {
  0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
  0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
  0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
  0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
  0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

/* product[0..8], least significant first = (high:low) * the window that begins at word `first`. */
static void multiply_window (uint32_t *product, uint32_t high, uint32_t low, uint32_t first)
{
  memset (product, 0, (WINDOW + 2) * sizeof *product);
  for (uint32_t i = 0; i < WINDOW; i++) {
    uint32_t word = two_over_pi[first + WINDOW - 1 - i];
    uint64_t sum = (uint64_t) word * low + product[i];
    product[i] = (uint32_t) sum;
    sum = (uint64_t) word * high + product[i + 1] + (sum >> 32);
    product[i + 1] = (uint32_t) sum;
    product[i + 2] = (uint32_t) (sum >> 32);
  }
}

/* The 32 bits of the product that begin at a bit. */
static uint32_t bits_from (const uint32_t *product, int32_t bit)
{
  uint32_t word = (uint32_t) bit / 32, shift = (uint32_t) bit % 32;
  uint64_t pair = product[word] | (uint64_t) (word + 1 < WINDOW + 2 ? product[word + 1] : 0) << 32;
  return (uint32_t) (pair >> shift);
}

struct kernel_reduced kernel_reduce_huge (double x)
{
  struct kernel_reduced reduced = { 0, 0, 0 };
  uint64_t bits;
  memcpy (&bits, &x, sizeof bits);
  uint32_t biased = (uint32_t) (bits >> 52) & 0x7ff;
  if (biased == 0x7ff) {
    reduced.high = reduced.low = x - x;
    return reduced;
  }
  int32_t exponent = (int32_t) biased - 1075;
  uint64_t significand = (bits & 0xfffffffffffffu) | 0x10000000000000u;

  uint32_t product[WINDOW + 2], first = exponent > 1 ? (uint32_t) (exponent - 2) / 32 : 0;
  multiply_window (product, (uint32_t) (significand >> 32), (uint32_t) significand, first);
  int32_t point = 32 * (int32_t) (first + WINDOW) - exponent; /* bits of the fraction */
  uint32_t fraction[4];
  for (int32_t i = 0; i < 4; i++)
    fraction[i] = bits_from (product, point - 32 * (i + 1));
  uint32_t quadrant = bits_from (product, point) & 3;

  /* To the nearest quadrant: from one half on, the next one and a negative rest. */
  uint32_t negative = fraction[0] >> 31;
  quadrant += negative;
  if (negative) {
    uint32_t carry = 1;
    for (int32_t i = 3; i >= 0; i--) {
      fraction[i] = ~fraction[i] + carry;
      carry = carry && fraction[i] == 0;
    }
  }
  double first_part = (double) fraction[0] * 0x1p-32, second_part = (double) fraction[1] * 0x1p-64;
  double high = first_part + second_part, low = second_part - (high - first_part);
  low += (double) fraction[2] * 0x1p-96;
  low += (double) fraction[3] * 0x1p-128;

  /* Times pi/2. */
  const double half_pi = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;
  double product_high = high * half_pi;
  double product_low = __builtin_fma (high, half_pi, -product_high) + (high * half_pi_low + low * half_pi);
  reduced.high = product_high + product_low;
  reduced.low = product_low - (reduced.high - product_high);
  if (negative) {
    reduced.high = -reduced.high;
    reduced.low = -reduced.low;
  }
  if (x < 0) {
    quadrant = 0u - quadrant;
    reduced.high = -reduced.high;
    reduced.low = -reduced.low;
  }
  reduced.quadrant = quadrant & 3;
  return reduced;
}
