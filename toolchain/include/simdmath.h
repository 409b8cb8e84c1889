/* simdmath.h - the functions of <math.h> on vectors, by the names that programs for the Cell call them by.
 *
 * Each calls the function of the C library for one element after the other, so it is right and not fast.
 * Link with -lm. */
#ifndef SIMDMATH_H
#define SIMDMATH_H

#include <math.h>
#include <spu_intrinsics.h>

#define SIMDMATH_LANES(type, lanes, expression)                                                                        \
  {                                                                                                                    \
    __vector type simdmath_result = spu_splats ((type) 0);                                                             \
    for (int i = 0; i < lanes; i++)                                                                                    \
      simdmath_result = spu_insert (expression, simdmath_result, i);                                                   \
    return simdmath_result;                                                                                            \
  }

#define SIMDMATH_1(name)                                                                                               \
  static inline __vector float name##f4 (__vector float x) SIMDMATH_LANES (float, 4, name##f (spu_extract (x, i)))     \
  static inline __vector double name##d2 (__vector double x) SIMDMATH_LANES (double, 2, name (spu_extract (x, i)))

#define SIMDMATH_2(name)                                                                                               \
  static inline __vector float name##f4 (__vector float x, __vector float y)                                           \
    SIMDMATH_LANES (float, 4, name##f (spu_extract (x, i), spu_extract (y, i)))                                        \
  static inline __vector double name##d2 (__vector double x, __vector double y)                                        \
    SIMDMATH_LANES (double, 2, name (spu_extract (x, i), spu_extract (y, i)))

SIMDMATH_1 (acos)
SIMDMATH_1 (acosh)
SIMDMATH_1 (asin)
SIMDMATH_1 (asinh)
SIMDMATH_1 (atan)
SIMDMATH_1 (atanh)
SIMDMATH_1 (cbrt)
SIMDMATH_1 (ceil)
SIMDMATH_1 (cos)
SIMDMATH_1 (cosh)
SIMDMATH_1 (erf)
SIMDMATH_1 (erfc)
SIMDMATH_1 (exp)
SIMDMATH_1 (exp2)
SIMDMATH_1 (expm1)
SIMDMATH_1 (fabs)
SIMDMATH_1 (floor)
SIMDMATH_1 (lgamma)
SIMDMATH_1 (log)
SIMDMATH_1 (log10)
SIMDMATH_1 (log1p)
SIMDMATH_1 (log2)
SIMDMATH_1 (nearbyint)
SIMDMATH_1 (rint)
SIMDMATH_1 (round)
SIMDMATH_1 (sin)
SIMDMATH_1 (sinh)
SIMDMATH_1 (sqrt)
SIMDMATH_1 (tan)
SIMDMATH_1 (tanh)
SIMDMATH_1 (tgamma)
SIMDMATH_1 (trunc)

SIMDMATH_2 (atan2)
SIMDMATH_2 (copysign)
SIMDMATH_2 (fdim)
SIMDMATH_2 (fmax)
SIMDMATH_2 (fmin)
SIMDMATH_2 (fmod)
SIMDMATH_2 (hypot)
SIMDMATH_2 (nextafter)
SIMDMATH_2 (pow)
SIMDMATH_2 (remainder)

static inline __vector float divf4 (__vector float x, __vector float y)
  SIMDMATH_LANES (float, 4, spu_extract (x, i) / spu_extract (y, i))
static inline __vector double divd2 (__vector double x, __vector double y)
  SIMDMATH_LANES (double, 2, spu_extract (x, i) / spu_extract (y, i))
static inline __vector float recipf4 (__vector float x) { return divf4 (spu_splats (1.0f), x); }
static inline __vector double recipd2 (__vector double x) { return divd2 (spu_splats (1.0), x); }
static inline __vector float rsqrtf4 (__vector float x) { return recipf4 (sqrtf4 (x)); }
static inline __vector double rsqrtd2 (__vector double x) { return recipd2 (sqrtd2 (x)); }
static inline __vector float negatef4 (__vector float x)
{
  return (__vector float) spu_xor ((__vector unsigned int) x, 0x80000000u);
}

static inline __vector double negated2 (__vector double x)
  SIMDMATH_LANES (double, 2, -spu_extract (x, i))

static inline __vector float fmaf4 (__vector float x, __vector float y, __vector float z)
{
  return spu_madd (x, y, z);
}

static inline __vector double fmad2 (__vector double x, __vector double y, __vector double z)
{
  return spu_madd (x, y, z);
}

static inline __vector float ldexpf4 (__vector float x, __vector signed int exponent)
  SIMDMATH_LANES (float, 4, ldexpf (spu_extract (x, i), spu_extract (exponent, i)))

static inline void sincosf4 (__vector float x, __vector float *sine, __vector float *cosine)
{
  *sine = sinf4 (x);
  *cosine = cosf4 (x);
}

static inline void sincosd2 (__vector double x, __vector double *sine, __vector double *cosine)
{
  *sine = sind2 (x);
  *cosine = cosd2 (x);
}

#undef SIMDMATH_LANES
#undef SIMDMATH_1
#undef SIMDMATH_2

#endif
