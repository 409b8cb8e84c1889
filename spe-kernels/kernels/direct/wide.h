/* wide.h - vectors of one element type, and the reductions that are written in them. */
#ifndef PMATRIX_DIRECT_WIDE_H
#define PMATRIX_DIRECT_WIDE_H

#include "element.h"
#include "vec.h"

#ifdef DIRECT_DOUBLE
typedef vd lanes;
typedef vi64 lanes_mask;
#define lanes_load vd_load
#define lanes_store vd_store
#define lanes_splat vd_splat
#define lanes_select vd_select
#else
typedef vf lanes;
typedef vi32 lanes_mask;
#define lanes_load vf_load
#define lanes_store vf_store
#define lanes_splat vf_splat
#define lanes_select vf_select
#endif

#define LANES (VEC_BYTES / sizeof (element))
#define NONE ((element) __builtin_nan (""))

/* Lane by lane a where it is larger (smaller), else b: b where one is NaN. */
#if VEC_BYTES == 64 && defined(DIRECT_DOUBLE)
VEC_INLINE lanes lanes_larger (lanes a, lanes b) { return (lanes) _mm512_max_pd ((__m512d) a, (__m512d) b); }
VEC_INLINE lanes lanes_smaller (lanes a, lanes b) { return (lanes) _mm512_min_pd ((__m512d) a, (__m512d) b); }
#elif VEC_BYTES == 64
VEC_INLINE lanes lanes_larger (lanes a, lanes b) { return (lanes) _mm512_max_ps ((__m512) a, (__m512) b); }
VEC_INLINE lanes lanes_smaller (lanes a, lanes b) { return (lanes) _mm512_min_ps ((__m512) a, (__m512) b); }
#elif VEC_BYTES == 32 && defined(DIRECT_DOUBLE)
VEC_INLINE lanes lanes_larger (lanes a, lanes b) { return (lanes) _mm256_max_pd ((__m256d) a, (__m256d) b); }
VEC_INLINE lanes lanes_smaller (lanes a, lanes b) { return (lanes) _mm256_min_pd ((__m256d) a, (__m256d) b); }
#elif VEC_BYTES == 32
VEC_INLINE lanes lanes_larger (lanes a, lanes b) { return (lanes) _mm256_max_ps ((__m256) a, (__m256) b); }
VEC_INLINE lanes lanes_smaller (lanes a, lanes b) { return (lanes) _mm256_min_ps ((__m256) a, (__m256) b); }
#else
VEC_INLINE lanes lanes_larger (lanes a, lanes b) { return lanes_select (a > b, a, b); }
VEC_INLINE lanes lanes_smaller (lanes a, lanes b) { return lanes_select (a < b, a, b); }
#endif

/* extrema.c, truth.c */
void DIRECT_WIDE (maximum_of_rows) (const struct direct_operation *operation);
void DIRECT_WIDE (minimum_of_rows) (const struct direct_operation *operation);
void DIRECT_WIDE (maximum_of_columns) (const struct direct_operation *operation);
void DIRECT_WIDE (minimum_of_columns) (const struct direct_operation *operation);
void DIRECT_WIDE (any_of_columns) (const struct direct_operation *operation);
void DIRECT_WIDE (all_of_columns) (const struct direct_operation *operation);

#endif
