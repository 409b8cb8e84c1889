/* vec.h - vectors of VEC_BYTES bytes, in the vector extension of GCC and Clang.
 *
 * The SPE has vectors of 16 bytes.  On the host the kernels are compiled for 16, 32 and 64 bytes.  A kernel
 * must not depend on the width, so that a lane has equal bits in every width.  A lane depends on no other
 * lane, and no kernel uses an estimate that differs between machines.
 */
#ifndef PMATRIX_VEC_H
#define PMATRIX_VEC_H

#include <stdint.h>
#include <string.h>

#ifndef VEC_BYTES
#define VEC_BYTES 16
#endif

#ifdef __SPU__
#include <spu_intrinsics.h>
#elif defined(__AVX2__)
/* Reading it takes longer than compiling most kernels, and vectors of 16 bytes need none of it. */
#include <immintrin.h>
#endif

#define VEC_INLINE static inline __attribute__ ((always_inline))

/* A kernel's name carries the width for which it was compiled.  With VEC_SPU it carries `cell` or
 * `celledp` instead, and single precision is an SPE's (vec_spu.h). */
#define VEC_PASTE_(name, suffix) name##_##suffix
#define VEC_PASTE(name, suffix) VEC_PASTE_ (name, suffix)
#define VEC_WIDTH_(bytes) v##bytes
#define VEC_WIDTH(bytes) VEC_WIDTH_ (bytes)
#ifdef VEC_SPU
#define KERNEL(name) VEC_PASTE (name, VEC_SPU)
#else
#define KERNEL(name) VEC_PASTE (name, VEC_WIDTH (VEC_BYTES))
#endif

#define VF_LANES (VEC_BYTES / 4)
#define VD_LANES (VEC_BYTES / 8)

typedef float vf __attribute__ ((vector_size (VEC_BYTES)));
typedef int32_t vi32 __attribute__ ((vector_size (VEC_BYTES)));
typedef double vd __attribute__ ((vector_size (VEC_BYTES)));
typedef int64_t vi64 __attribute__ ((vector_size (VEC_BYTES)));
typedef uint64_t vu64 __attribute__ ((vector_size (VEC_BYTES)));

/* These vectors in memory.  An SPE loads aligned quadwords only.  The host's kernels are also called on
 * slices without alignment. */
#ifdef __SPU__
typedef vf vf_memory __attribute__ ((may_alias));
typedef vd vd_memory __attribute__ ((may_alias));
#else
typedef vf vf_memory __attribute__ ((may_alias, aligned (4)));
typedef vd vd_memory __attribute__ ((may_alias, aligned (8)));
#endif

VEC_INLINE vf vf_load (const void *from) { return *(const vf_memory *) from; }
VEC_INLINE vd vd_load (const void *from) { return *(const vd_memory *) from; }
VEC_INLINE void vf_store (void *to, vf value) { *(vf_memory *) to = value; }
VEC_INLINE void vd_store (void *to, vd value) { *(vd_memory *) to = value; }

VEC_INLINE vf vf_splat (float value) { return value - (vf) {}; }
VEC_INLINE vd vd_splat (double value) { return value - (vd) {}; }
VEC_INLINE vi32 vi32_splat (int32_t value) { return value - (vi32) {}; }
VEC_INLINE vi64 vi64_splat (int64_t value) { return value - (vi64) {}; }

/* Lane by lane: yes where the mask is all ones, no where it is zero. */
VEC_INLINE vf vf_select (vi32 mask, vf yes, vf no)
{
#ifdef __SPU__
  return (vf) spu_sel ((vector float) no, (vector float) yes, (vector unsigned int) mask);
#else
  return (vf) ((mask & (vi32) yes) | (~mask & (vi32) no));
#endif
}

VEC_INLINE vd vd_select (vi64 mask, vd yes, vd no)
{
#ifdef __SPU__
  return (vd) spu_sel ((vector double) no, (vector double) yes, (vector unsigned long long) mask);
#else
  return (vd) ((mask & (vi64) yes) | (~mask & (vi64) no));
#endif
}

#ifdef VEC_SPU
#include "vec_spu.h"
#else
/* Rounded once; on an SPU truncated. */
VEC_INLINE vf vf_add (vf a, vf b) { return a + b; }
VEC_INLINE vf vf_subtract (vf a, vf b) { return a - b; }
VEC_INLINE vf vf_times (vf a, vf b) { return a * b; }

/* Lane by lane: all ones where a < b, where a == b; false for a NaN. */
VEC_INLINE vi32 vf_less (vf a, vf b)
{
#ifdef __SPU__
  return (vi32) spu_cmpgt ((vector float) b, (vector float) a);
#else
  return a < b;
#endif
}

VEC_INLINE vi32 vf_equal (vf a, vf b)
{
#ifdef __SPU__
  return (vi32) spu_cmpeq ((vector float) a, (vector float) b);
#else
  return a == b;
#endif
}
#endif

#define VF_SIGN vi32_splat ((int32_t) 0x80000000)
#define VD_SIGN vi64_splat ((int64_t) 0x8000000000000000)

VEC_INLINE vf vf_abs (vf x) { return (vf) ((vi32) x & ~VF_SIGN); }
VEC_INLINE vd vd_abs (vd x) { return (vd) ((vi64) x & ~VD_SIGN); }

VEC_INLINE vf vf_copysign (vf size, vf sign)
{
  return vf_select (VF_SIGN, sign, size);
}

VEC_INLINE vd vd_copysign (vd size, vd sign)
{
  return vd_select (VD_SIGN, sign, size);
}

/* Whether any lane of a mask is set. */
VEC_INLINE int vi64_any (vi64 mask)
{
#if defined(__AVX512F__) && VEC_BYTES == 64
  return _mm512_test_epi64_mask ((__m512i) mask, (__m512i) mask) != 0;
#elif defined(__AVX2__) && VEC_BYTES == 32
  return !_mm256_testz_si256 ((__m256i) mask, (__m256i) mask);
#elif defined(__SPU__)
  return spu_extract (spu_gather (spu_cmpeq ((vector unsigned int) mask, 0)), 0) != 15;
#else
  int64_t any = 0;
  for (int lane = 0; lane < VD_LANES; lane++)
    any |= mask[lane];
  return any != 0;
#endif
}

/* a*b + c, rounded once.  On a processor without this instruction the C library's fma gives these bits,
 * slowly: one copy of its calls is enough, and with a copy at each use products take ten times as long to
 * compile. */
#if defined(__SPU__) || defined(__FP_FAST_FMA)
#define VEC_FMA VEC_INLINE
#else
#define VEC_FMA static __attribute__ ((noinline, unused))
#endif

#ifndef VEC_SPU
VEC_FMA vf vf_fma (vf a, vf b, vf c)
{
#if defined(__SPU__)
  return (vf) spu_madd ((vector float) a, (vector float) b, (vector float) c);
#elif defined(__AVX512F__) && VEC_BYTES == 64
  return (vf) _mm512_fmadd_ps ((__m512) a, (__m512) b, (__m512) c);
#elif defined(__FMA__) && VEC_BYTES == 32
  return (vf) _mm256_fmadd_ps ((__m256) a, (__m256) b, (__m256) c);
#else
  vf sum = {};
  for (int lane = 0; lane < VF_LANES; lane++)
    sum[lane] = __builtin_fmaf (a[lane], b[lane], c[lane]);
  return sum;
#endif
}
#endif

VEC_FMA vd vd_fma (vd a, vd b, vd c)
{
#if defined(__SPU__)
  return (vd) spu_madd ((vector double) a, (vector double) b, (vector double) c);
#elif defined(__AVX512F__) && VEC_BYTES == 64
  return (vd) _mm512_fmadd_pd ((__m512d) a, (__m512d) b, (__m512d) c);
#elif defined(__FMA__) && VEC_BYTES == 32
  return (vd) _mm256_fmadd_pd ((__m256d) a, (__m256d) b, (__m256d) c);
#else
  vd sum = {};
  for (int lane = 0; lane < VD_LANES; lane++)
    sum[lane] = __builtin_fma (a[lane], b[lane], c[lane]);
  return sum;
#endif
}

/* Rounded once; NaN of a negative number.  An SPU has no square root (kernels/spu/sqrt.c). */
#ifdef __SPU__
vd vd_sqrt (vd x);
#else
VEC_INLINE vd vd_sqrt (vd x)
{
#if defined(__AVX512F__) && VEC_BYTES == 64
  return (vd) _mm512_sqrt_pd ((__m512d) x);
#elif defined(__AVX2__) && VEC_BYTES == 32
  return (vd) _mm256_sqrt_pd ((__m256d) x);
#else
  vd root = {};
  for (int lane = 0; lane < VD_LANES; lane++)
    root[lane] = __builtin_sqrt (x[lane]);
  return root;
#endif
}
#endif

#include "vec_shared.h"

/* Of singles, rounded once.  An SPU, which has no square root of its own to truncate, computes it in double
 * precision. */
#if defined(__SPU__) || defined(VEC_SPU)
VEC_INLINE vf vf_sqrt (vf x) { return vf_join (vd_sqrt (vf_low (x)), vd_sqrt (vf_high (x))); }
#else
VEC_INLINE vf vf_sqrt (vf x)
{
#if defined(__AVX512F__) && VEC_BYTES == 64
  return (vf) _mm512_sqrt_ps ((__m512) x);
#elif defined(__AVX2__) && VEC_BYTES == 32
  return (vf) _mm256_sqrt_ps ((__m256) x);
#else
  vf root = {};
  for (int lane = 0; lane < VF_LANES; lane++)
    root[lane] = __builtin_sqrtf (x[lane]);
  return root;
#endif
}
#endif

#endif
