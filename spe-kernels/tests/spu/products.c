/* products.c - the products of an SPE against their definition in kernel.h, on the SPE itself; exit status 0
 * if all agree.
 *
 * With an argument, prints instead what a product of two blocks costs in decrementer ticks.
 */
#include <spu_intrinsics.h>
#include <stdio.h>

#include "kernel.h"

#define REPETITIONS 4u

#define SPACE 36864   /* bytes of the usual block */
#define CHECKED 12288 /* bytes of the largest checked one */

extern kernel_multiply multiply_single_v16, multiply_double_v16;

static char a[SPACE + 4096] __attribute__ ((aligned (128))), b[SPACE + 4096] __attribute__ ((aligned (128)));
static char result[SPACE] __attribute__ ((aligned (128))), expected[SPACE] __attribute__ ((aligned (128)));

static uint32_t state = 20;

static uint32_t random_below (uint32_t limit)
{
  state = state * 1103515245u + 12345u;
  return (state >> 8) % limit;
}

static void fill (char *block, uint32_t bytes, uint32_t precision)
{
  for (uint32_t i = 0; i < bytes / 8; i++) {
    double x = ((int) random_below (65536) - 32768) * 0.001;
    if (precision == MEU_DOUBLE)
      ((double *) block)[i] = x;
    else {
      ((float *) block)[2 * i] = (float) x;
      ((float *) block)[2 * i + 1] = (float) (x * x);
    }
  }
}

static void define (const struct kernel_product *p, uint32_t precision)
{
  for (uint32_t j = 0; j < p->n; j++)
    for (uint32_t i = 0; i < p->m; i++) {
      if (precision == MEU_SINGLE) {
        float *place = (float *) ((char *) p->result + j * p->result_stride) + i, before = *place;
        vector float sum = spu_splats (0.0f);
        for (uint32_t l = 0; l < p->k; l++) {
          float x = ((const float *) ((const char *) p->a + l * p->a_stride))[i];
          float y = ((const float *) ((const char *) p->b + j * p->b_stride))[l];
          sum = spu_madd (spu_splats (x), spu_splats (y), sum);
        }
        *place = spu_extract (spu_add (sum, spu_splats (p->accumulate ? before : 0.0f)), 0);
      } else {
        double *place = (double *) ((char *) p->result + j * p->result_stride) + i, before = *place;
        vector double sum = spu_splats (0.0);
        for (uint32_t l = 0; l < p->k; l++) {
          double x = ((const double *) ((const char *) p->a + l * p->a_stride))[i];
          double y = ((const double *) ((const char *) p->b + j * p->b_stride))[l];
          sum = spu_madd (spu_splats (x), spu_splats (y), sum);
        }
        *place = spu_extract (spu_add (sum, spu_splats (p->accumulate ? before : 0.0)), 0);
      }
    }
}

/* Whether a product of these sides, written into a matrix with `gap` more bytes a column, is as defined, pads
 * apart, and nothing else has changed. */
static int agrees (uint32_t precision, uint32_t m, uint32_t n, uint32_t k, uint32_t gap, uint32_t accumulate)
{
  uint32_t element_bytes = precision == MEU_DOUBLE ? 8 : 4, column_bytes = kernel_column_bytes (m, precision);
  struct kernel_product p = { .result = result, .a = a, .b = b, .m = m, .n = n, .k = k, .accumulate = accumulate,
                              .result_stride = column_bytes + gap, .a_stride = column_bytes,
                              .b_stride = kernel_column_bytes (k, precision) };
  fill (a, CHECKED + 1024, precision);
  fill (b, CHECKED + 1024, precision);
  /* What lies behind the operands must not matter, nor what their pads hold. */
  if (precision == MEU_DOUBLE) {
    for (uint32_t at = k * p.a_stride; at < CHECKED + 1024; at += 8)
      *(double *) (a + at) = __builtin_nan ("");
    for (uint32_t j = 0; j < n && k % 2 != 0; j++)
      *(double *) (b + j * p.b_stride + k * 8) = __builtin_inf ();
  }
  fill (result, CHECKED, precision);
  for (uint32_t at = 0; at < CHECKED; at++)
    expected[at] = result[at];
  if (precision == MEU_DOUBLE)
    multiply_double_v16 (&p);
  else
    multiply_single_v16 (&p);
  p.result = expected;
  define (&p, precision);
  for (uint32_t at = 0; at < CHECKED; at++) {
    uint32_t column = at / p.result_stride, row_bytes = at % p.result_stride;
    int pad = column < n && row_bytes >= m * element_bytes && row_bytes < column_bytes;
    if (!pad && result[at] != expected[at]) {
      printf ("%s %u x %u x %u, gap %u, accumulate %u: byte %u of column %u\n", precision == MEU_DOUBLE ? "double" : "single",
              m, n, k, gap, accumulate, row_bytes, column);
      return 0;
    }
  }
  return 1;
}

static uint32_t ticks (uint32_t precision, uint32_t side, uint32_t accumulate)
{
  uint32_t stride = kernel_column_bytes (side, precision);
  struct kernel_product p = { .result = result, .a = a, .b = b, .m = side, .n = side, .k = side, .accumulate = accumulate,
                              .result_stride = stride, .a_stride = stride, .b_stride = stride };
  spu_writech (SPU_WrDec, 0xffffffff);
  uint32_t since = spu_readch (SPU_RdDec);
  for (uint32_t i = 0; i < REPETITIONS; i++)
    if (precision == MEU_DOUBLE)
      multiply_double_v16 (&p);
    else
      multiply_single_v16 (&p);
  return (since - spu_readch (SPU_RdDec)) / REPETITIONS;
}

static int check (void)
{
  static const uint8_t sides[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 31, 33, 48 };
  uint32_t count = sizeof sides, wrong = 0, checked = 0;
  for (uint32_t precision = MEU_SINGLE; precision <= MEU_DOUBLE; precision++) {
    for (uint32_t i = 0; i < 3 * count; i++)
      for (uint32_t accumulate = 0; accumulate < 2; accumulate++, checked++)
        wrong += !agrees (precision, sides[i % count], sides[random_below (count)], sides[random_below (count)],
                          random_below (3) * 16, accumulate);
    for (uint32_t i = 0; i < count; i++, checked += 3)
      wrong += !agrees (precision, 1, 1, sides[i], 0, 0) + !agrees (precision, 33, sides[i], 3, 16, 1)
               + !agrees (precision, 20, 9, sides[i], 0, 0);
  }
  printf ("%u products, %u wrong\n", checked, wrong);
  return wrong != 0;
}

static void measure (uint32_t precision, uint32_t side)
{
  /* One multiply-add of a vector a cycle. */
  uint32_t ideal = side * side * side / (precision == MEU_DOUBLE ? 2 : 4);
  for (uint32_t accumulate = 0; accumulate < 2; accumulate++) {
    uint32_t took = ticks (precision, side, accumulate);
    printf ("%s %u%s: %u cycles, %.1f %% of one vector a cycle\n", precision == MEU_DOUBLE ? "double" : "single", side,
            accumulate ? ", accumulating" : "", took, 100.0 * ideal / took);
  }
}

int main (unsigned long long spe_id, unsigned long long measures)
{
  (void) spe_id;
  if (measures == 0)
    return check ();
  measure (MEU_SINGLE, 96);
  measure (MEU_SINGLE, 92);
  measure (MEU_SINGLE, 68);
  measure (MEU_SINGLE, 64);
  measure (MEU_DOUBLE, 64);
  measure (MEU_DOUBLE, 68);
  return 0;
}
