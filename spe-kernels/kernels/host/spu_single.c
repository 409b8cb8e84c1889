/* spu_single.c - the SPU's single precision in integers. */
#include <string.h>
#include "spu_single.h"

#define SIGN 0x80000000u
#define LARGEST 0x7fffffffu
#define NOT_A_NUMBER 0x7fc00000u

/* (-1)^negative significand 2^exponent; nothing but zero has significand 0. */
struct number {
  uint32_t negative;
  int32_t exponent;
  uint64_t significand;
};

static struct number unpack (uint32_t bits)
{
  int32_t field = (int32_t) (bits >> 23 & 0xff);
  struct number x = { bits >> 31, field - 150, field == 0 ? 0 : (bits & 0x7fffff) | 0x800000 };
  return x;
}

/* Shifts the significand so that its highest bit is bit 60. */
static void normalize (struct number *x)
{
  for (; x->significand >> 60 == 0; x->exponent--)
    x->significand <<= 1;
}

static uint32_t pack (struct number x)
{
  if (x.significand == 0)
    return 0;
  int32_t top = 63 - __builtin_clzll (x.significand);
  uint64_t significand = top >= 23 ? x.significand >> (top - 23) : x.significand << (23 - top);
  int32_t field = x.exponent + top + 127;
  if (field < 1)
    return 0;
  if (field > 255)
    return x.negative << 31 | LARGEST;
  return x.negative << 31 | (uint32_t) field << 23 | ((uint32_t) significand & 0x7fffff);
}

uint32_t spu_single_multiply_add (uint32_t a, uint32_t b, uint32_t c)
{
  struct number x = unpack (a), y = unpack (b), small = unpack (c), large;
  large.negative = x.negative ^ y.negative;
  large.exponent = x.exponent + y.exponent;
  large.significand = x.significand * y.significand;
  if (large.significand == 0)
    return pack (small);
  if (small.significand == 0)
    return pack (large);
  normalize (&large);
  normalize (&small);
  if (small.exponent > large.exponent || (small.exponent == large.exponent && small.significand > large.significand)) {
    struct number other = small;
    small = large;
    large = other;
  }
  /* What is shifted out makes the last bit 1.  If the exact sum lies strictly between two singles, the sum
   * lies between these singles too. */
  int32_t shift = large.exponent - small.exponent;
  uint64_t rest = shift > 60 ? 1 : small.significand >> shift;
  if (shift <= 60 && rest << shift != small.significand)
    rest |= 1;
  large.significand += large.negative == small.negative ? rest : -rest;
  return pack (large);
}

uint32_t spu_single_divide (uint32_t a, uint32_t b)
{
  struct number x = unpack (a), y = unpack (b);
  x.negative ^= y.negative;
  if (x.significand == 0)
    return 0;
  if (y.significand == 0)
    return x.negative << 31 | LARGEST;
  x.significand = (x.significand << 32) / y.significand;
  x.exponent -= y.exponent + 32;
  return pack (x);
}

/* Ordered as the numbers are. */
static int64_t order (uint32_t bits)
{
  int64_t size = (bits >> 23 & 0xff) == 0 ? 0 : bits & ~SIGN;
  return bits & SIGN ? -size : size;
}

uint32_t spu_single_less (uint32_t a, uint32_t b) { return order (a) < order (b) ? ~0u : 0; }
uint32_t spu_single_equal (uint32_t a, uint32_t b) { return order (a) == order (b) ? ~0u : 0; }

double spu_single_extend (uint32_t a, uint32_t flush)
{
  float single;
  if (flush && (a & 0x7f800000) == 0)
    a &= SIGN;
  memcpy (&single, &a, sizeof single);
  return single != single ? __builtin_nan ("") : single;
}

uint32_t spu_single_round (double a)
{
  float single = (float) a;
  uint32_t bits;
  memcpy (&bits, &single, sizeof bits);
  return single != single ? NOT_A_NUMBER : bits;
}
