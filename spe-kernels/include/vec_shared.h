/* vec_shared.h - the longer operations on vectors; part of vec.h.
 *
 * These operations are inlined on the host. The local store of an SPE has no room for copies, so on an SPE
 * they are functions (kernels/spu/vec.c), except comparisons of doubles where the SPU has instructions for
 * them.
 */
#ifdef __SPU__
#define VEC_SHARED __attribute__ ((noinline))
#else
#define VEC_SHARED VEC_INLINE
#endif

#if defined(__SPU__) && !defined(__SPU_EDP__)
#define VEC_COMPARE __attribute__ ((noinline))
#else
#define VEC_COMPARE VEC_INLINE
#define VEC_COMPARE_INLINE
#endif

/* Lane by lane: all ones where a < b, where a == b; false for a NaN. */
VEC_COMPARE vi64 vd_less (vd a, vd b);
VEC_COMPARE vi64 vd_equal (vd a, vd b);

/* a / b, rounded once; on an SPU truncated once, the largest number for a / 0, +0 for 0 / 0. */
VEC_SHARED vf vf_divide (vf a, vf b);

/* a / b, rounded once. */
VEC_SHARED vd vd_divide (vd a, vd b);

/* The largest integer not above x, for 0 <= x; a NaN stays one. */
VEC_SHARED vf vf_floor_positive (vf x);
VEC_SHARED vd vd_floor_positive (vd x);

/* The largest integer not above x, with the sign of x on a zero. */
VEC_SHARED vf vf_floor (vf x);
VEC_SHARED vd vd_floor (vd x);

/* The lower and upper half of the lanes in double precision, and back, rounded to nearest. */
VEC_SHARED vd vf_low (vf x);
VEC_SHARED vd vf_high (vf x);
VEC_SHARED vf vf_join (vd low, vd high);

/* All ones where a bit of the low word is set. */
VEC_SHARED vi64 vi64_bit (vi64 x, uint32_t bit);

/* x = m 2^e for a positive, normal x, sqrt(1/2) <= m < sqrt(2): m, and e in *exponent. */
VEC_SHARED vd vd_split (vd x, vd *exponent);

/* x 2^e, where |e| <= 1100 is the low part of the double 1.5 2^52 + e. */
VEC_SHARED vd vd_scale (vd x, vd exponent);

#if defined(VEC_COMPARE_INLINE) || defined(VEC_DEFINE_SHARED)
#ifdef __SPU__
VEC_COMPARE vi64 vd_less (vd a, vd b) { return (vi64) spu_cmpgt ((vector double) b, (vector double) a); }
VEC_COMPARE vi64 vd_equal (vd a, vd b) { return (vi64) spu_cmpeq ((vector double) a, (vector double) b); }
#else
VEC_COMPARE vi64 vd_less (vd a, vd b) { return a < b; }
VEC_COMPARE vi64 vd_equal (vd a, vd b) { return a == b; }
#endif
#endif

#if !defined(__SPU__) || defined(VEC_DEFINE_SHARED)

#if defined(__SPU__)
/* The compiler's division is a truncated quotient where no intermediate result leaves the range, so it
 * gets operands between 1 and 2, and the exponents are subtracted apart. */
VEC_SHARED vf vf_divide (vf a, vf b)
{
  const vector unsigned int one = spu_splats (0x3f800000u), exponent = spu_splats (0x7f800000u);
  vector unsigned int x = (vector unsigned int) a, y = (vector unsigned int) b;
  vector unsigned int quotient
    = (vector unsigned int) ((vf) spu_sel (x, one, exponent) / (vf) spu_sel (y, one, exponent));
  vector signed int x_field = (vector signed int) spu_rlmask (spu_and (x, exponent), -23);
  vector signed int y_field = (vector signed int) spu_rlmask (spu_and (y, exponent), -23);
  vector signed int change = spu_sub (x_field, y_field);
  vector signed int field = spu_add ((vector signed int) spu_rlmask (spu_and (quotient, exponent), -23), change);
  vector unsigned int value = spu_add (quotient, (vector unsigned int) spu_sl (change, 23));
  value = spu_andc (value, spu_cmpgt (spu_splats (1), field));
  vector unsigned int beyond = spu_or (spu_cmpeq (y_field, 0), spu_cmpgt (field, 255));
  value = spu_sel (value, spu_or (quotient, spu_splats (0x7fffffffu)), beyond);
  return (vf) spu_andc (value, spu_cmpeq (x_field, 0));
}
#elif defined(VEC_SPU)
VEC_SHARED vf vf_divide (vf a, vf b)
{
  vi32 x = (vi32) a, y = (vi32) b, quotient = {};
  VEC_SPU_LANES (quotient, spu_single_divide ((uint32_t) x[lane], (uint32_t) y[lane]));
  return (vf) quotient;
}
#else
VEC_SHARED vf vf_divide (vf a, vf b) { return a / b; }
#endif

#ifndef __SPU__ /* kernels/spu/divide.c */
VEC_SHARED vd vd_divide (vd a, vd b) { return a / b; }
#endif

/* Adding 2^52 (2^23) leaves no room for a fraction; the rounding of that sum is undone where it went up. */
VEC_SHARED vf vf_floor_positive (vf x)
{
  const vf big = vf_splat (0x1p23f);
  vf whole = vf_subtract (vf_add (x, big), big);
  whole = vf_subtract (whole, vf_select (vf_less (x, whole), vf_splat (1.0f), vf_splat (0.0f)));
  return vf_select (vf_less (x, big), whole, x);
}

VEC_SHARED vd vd_floor_positive (vd x)
{
  const vd big = vd_splat (0x1p52);
  vd whole = (x + big) - big;
  whole -= vd_select (vd_less (x, whole), vd_splat (1.0), vd_splat (0.0));
  return vd_select (vd_less (x, big), whole, x);
}

VEC_SHARED vf vf_floor (vf x)
{
  vf size = vf_abs (x), whole = vf_floor_positive (size);
  vi32 below = vf_less (x, vf_splat (0.0f)) & ~vf_equal (whole, size);
  whole = vf_add (whole, vf_select (below, vf_splat (1.0f), vf_splat (0.0f)));
  return vf_copysign (whole, x);
}

VEC_SHARED vd vd_floor (vd x)
{
  vd size = vd_abs (x), whole = vd_floor_positive (size);
  vi64 below = vd_less (x, vd_splat (0.0)) & ~vd_equal (whole, size);
  whole += vd_select (below, vd_splat (1.0), vd_splat (0.0));
  return vd_copysign (whole, x);
}

#ifdef __SPU__

/* The instructions convert the elements 0 and 2. */
VEC_SHARED vd vf_low (vf x)
{
  vector float v = (vector float) x;
  return (vd) spu_extend (spu_shuffle (v, v, ((vector unsigned char) { 0, 1, 2, 3, 0, 0, 0, 0, 4, 5, 6, 7, 0, 0, 0, 0 })));
}

VEC_SHARED vd vf_high (vf x) { return vf_low ((vf) spu_rlqwbyte ((vector float) x, 8)); }

VEC_SHARED vf vf_join (vd low, vd high)
{
  return (vf) spu_shuffle (spu_roundtf ((vector double) low), spu_roundtf ((vector double) high),
                           ((vector unsigned char) { 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27 }));
}

/* An SPU has no arithmetic on elements of 64 bits, but every field below lies in one half of the element. */
#define HALF_0_TWICE ((vector unsigned char) { 0, 1, 2, 3, 0, 1, 2, 3, 8, 9, 10, 11, 8, 9, 10, 11 })
#define HALF_1_TWICE ((vector unsigned char) { 4, 5, 6, 7, 4, 5, 6, 7, 12, 13, 14, 15, 12, 13, 14, 15 })
#define HIGH_WORDS ((vector unsigned int) { 0xffffffff, 0, 0xffffffff, 0 })

VEC_SHARED vi64 vi64_bit (vi64 x, uint32_t bit)
{
  vector signed int low = spu_shuffle ((vector signed int) x, (vector signed int) x, HALF_1_TWICE);
  return (vi64) spu_rlmaska (spu_sl (low, 31 - bit), -31);
}

VEC_SHARED vd vd_split (vd x, vd *exponent)
{
  vector unsigned int bits = (vector unsigned int) x;
  /* One more where the significand is at least that of sqrt(1/2): the words compare as one number of 64
   * bits. */
  vector unsigned int field = spu_rlmask (spu_add (bits, 0x3ff00000 - 0x3fe6a09e), -20);
  vector unsigned int shift = spu_sl (spu_sub (field, spu_splats (1023u)), 20);
  *exponent = (vd) spu_sel (spu_shuffle (field, field, HALF_0_TWICE), spu_splats (0x43300000u), HIGH_WORDS)
              - vd_splat (0x1p52 + 1023);
  return (vd) spu_sub (bits, spu_and (shift, HIGH_WORDS));
}

VEC_SHARED vd vd_scale (vd x, vd exponent)
{
  vector signed int e = spu_shuffle ((vector signed int) exponent, (vector signed int) exponent, HALF_1_TWICE);
  vector signed int half = spu_rlmaska (e, -1);
  vector unsigned int scale_1 = (vector unsigned int) spu_sl (spu_add (half, 1023), 20);
  vector unsigned int scale_2 = (vector unsigned int) spu_sl (spu_add (spu_sub (e, half), 1023), 20);
  return x * (vd) spu_and (scale_1, HIGH_WORDS) * (vd) spu_and (scale_2, HIGH_WORDS);
}

#else

#ifdef VEC_SPU
VEC_INLINE vd vf_extend (vf x, int first)
{
  vi32 bits = (vi32) x;
  vd extended = {};
  for (int lane = 0; lane < VD_LANES; lane++)
    extended[lane] = spu_single_extend ((uint32_t) bits[first + lane], VEC_SPU_FLUSH);
  return extended;
}

VEC_SHARED vd vf_low (vf x) { return vf_extend (x, 0); }
VEC_SHARED vd vf_high (vf x) { return vf_extend (x, VD_LANES); }

VEC_SHARED vf vf_join (vd low, vd high)
{
  vi32 bits = {};
  VEC_SPU_LANES (bits, spu_single_round (lane < VD_LANES ? low[lane] : high[lane - VD_LANES]));
  return (vf) bits;
}
#else
typedef float vf_half __attribute__ ((vector_size (VEC_BYTES / 2)));
union vf_halves {
  vf whole;
  vf_half half[2];
};

VEC_SHARED vd vf_low (vf x) { return __builtin_convertvector (((union vf_halves) { x }).half[0], vd); }
VEC_SHARED vd vf_high (vf x) { return __builtin_convertvector (((union vf_halves) { x }).half[1], vd); }

VEC_SHARED vf vf_join (vd low, vd high)
{
  union vf_halves halves;
  halves.half[0] = __builtin_convertvector (low, vf_half);
  halves.half[1] = __builtin_convertvector (high, vf_half);
  return halves.whole;
}
#endif

VEC_SHARED vi64 vi64_bit (vi64 x, uint32_t bit) { return -((vi64) ((vu64) x >> bit) & vi64_splat (1)); }

VEC_SHARED vd vd_split (vd x, vd *exponent)
{
  vu64 bits = (vu64) x;
  /* One more where the significand is at least that of sqrt(1/2), whose high word is 0x3fe6a09e. */
  vu64 field = (bits + (vu64) vi64_splat ((int64_t) (0x3ff00000 - 0x3fe6a09e) << 32)) >> 52;
  /* The field below the 2^52 of a double: that double minus 2^52 is the field. */
  *exponent = (vd) (field | (vu64) vd_splat (0x1p52)) - vd_splat (0x1p52 + 1023);
  return (vd) (bits - ((field - (vu64) vi64_splat (1023)) << 52));
}

/* In two steps: the first stays in range, the second may overflow, or round a denormal number. */
VEC_SHARED vd vd_scale (vd x, vd exponent)
{
  vi64 e = (vi64) exponent - (vi64) vd_splat (0x1.8p52);
  vi64 half = (vi64) ((vu64) (e + vi64_splat (2048)) >> 1) - vi64_splat (1024);
  vd scale_1 = (vd) ((half + vi64_splat (1023)) << 52), scale_2 = (vd) ((e - half + vi64_splat (1023)) << 52);
  return x * scale_1 * scale_2;
}

#endif
#endif
