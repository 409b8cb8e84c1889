/* kernel.h - the contract of the kernels.
 *
 * A kernel only computes.  It neither waits nor allocates nor checks; program_check and product_check do the
 * checks.  Element (i, j) of a block X of rows x columns elements is at X.data + j * X.stride_bytes + i *
 * sizeof(element).  Every column occupies whole quadwords; blocks of one row become columns where their elements
 * touch (program.h, direct.h).  The elements between `rows` and the end of the
 * last quadword are the pad.  A pad is arbitrary on input, NaN included, and arbitrary on output; it never
 * influences another element.  A result of a product overlaps no operand.  A result of an element-wise
 * operation overlaps no operand either, or it begins where the operand begins and has the operand's columns.
 *
 *   multiply    R(i,j) = s(k), s(0) = +0, s(l) = fma(A(i,l), B(l,j), s(l-1)) for l = 1..k, in this order: one
 *               rounding an addend, equal bits from every implementation, whatever blocks it uses; then what
 *               R(i,j) was, to accumulate, or else +0 is added, rounded once more
 *   add subtract times divide     R = A + B, A - B, A .* B, A ./ B, rounded once
 *   power       R = A .^ B within 1 ulp; exact where B is an integer and the result is representable;
 *               special values as in C99's pow
 *   mod         R = mod(A, B) by Octave's rule (kernels/ref/mod.c)
 *   equal not_equal               R = 1 or 0
 *   abs         clears the sign, also that of a NaN
 *   sin cos     within 1 ulp for every finite argument; NaN for an infinity
 *   sign        -1, +0 or 1; NaN for NaN
 *   round       to an integer, halves away from zero; keeps the sign of a zero
 *   convert     to the precision of R, rounded to nearest
 *
 *   negate      changes the sign, also that of a NaN
 *   floor ceil fix                to an integer, downwards, upwards, towards zero; keep the sign of a zero
 *   sqrt        rounded once
 *   exp, atan2 and all that operations.def says the C library has
 *               what the C library's function of this name and precision gives.  On an SPE, in vector code
 *               (kernels/functions): within 3 ulp of the C library's result; README.md, "On an SPE", says how
 *               near for each function
 *   less less_equal greater greater_equal isnan isinf isfinite
 *               R = 1 or 0.  On an SPE too isnan, isinf and isfinite of singles are of their bits
 *   not and or  R = 1 or 0, of A(i,j) != 0 and B(i,j) != 0
 *   max min     the larger or smaller; the other operand where one is NaN; A where both are equal, as zeros
 *               of both signs are.  max_right, min_right: B where both are equal
 *   rem         R = rem(A, B) by Octave's rule (kernels/ref/rem.c)
 *
 * Some operations have a domain, which operations.def names.  Outside of its domain a result would be
 * complex; `not`, `and` and `or` of NaN would have to take NaN for true or false.
 *
 * These formulas hold for IEEE arithmetic.  Single precision on an SPE is the SPU's own: truncation, no NaN,
 * no infinity, no denormal number.  Sign and payload of a NaN are not defined.
 */
#ifndef PMATRIX_KERNEL_H
#define PMATRIX_KERNEL_H

#include <stdint.h>
#include "meu.h"

/* Bytes of the widest vector of any table.  A repeated element is spread over this many bytes. */
#ifdef __SPU__
#define KERNEL_WIDEST_BYTES 16u
#else
#define KERNEL_WIDEST_BYTES 64u
#endif

/* An element-wise kernel on one contiguous run of `bytes` bytes, a multiple of 16.
 *
 * a_step is the vector width, or 0 for a repeated operand: one element, which the caller has spread over
 * KERNEL_WIDEST_BYTES. b and b_step likewise; unary kernels ignore them.  The result is not zero if an
 * element is outside of the operation's domain. */
typedef uint32_t kernel_elementwise (char *result, const char *a, const char *b, uint32_t a_step, uint32_t b_step,
                                     uint32_t bytes);

/* result(m x n) = a(m x k) b(k x n) with accumulate = 0, and result + a b with accumulate = 1.  Strides
 * are in bytes. */
struct kernel_product {
  void *result;
  const void *a;
  const void *b;
  uint32_t result_stride, a_stride, b_stride;
  uint32_t m, n, k;
  uint32_t accumulate;
} MEU_QUADWORDS;

typedef void kernel_multiply (const struct kernel_product *product);

#ifndef __SPU__
/* A product over several parts of the inner side, in main memory.  Each part has sums of its own, which are
 * added to the result in order: result + s(0) + s(1) + ..., with +0 for the result unless the product
 * accumulates. */
struct kernel_sums {
  struct kernel_product product; /* k: elements of all parts */
  const uint32_t *lengths;       /* of the parts */
  uint32_t parts;
  uint32_t b_step;      /* but for thin: bytes between two elements of a column of B */
  uint32_t result_step; /* for dots: bytes between two elements of a column of the result */
};

typedef void kernel_multiply_sums (const struct kernel_sums *sums);

/* Most columns of B in a product of dots. */
#define KERNEL_DOT_COLUMNS 4

/* to(j, i) = from(i, j) for rows x columns elements of `from`. */
struct kernel_transpose {
  void *to;
  const void *from;
  uint32_t to_stride, from_stride; /* in bytes */
  uint32_t rows, columns;
};

typedef void kernel_transpose_block (const struct kernel_transpose *transpose);

/* Truth values: from bytes, 0 or 1, to numbers, and back.  Nothing beyond the `count` elements is read or
 * written. */
typedef void kernel_truth (char *to, const char *from, uint32_t count);
#endif

/* An SPE has no kernels on bytes. */
#ifdef __SPU__
#define KERNEL_PRECISION_COUNT 2
#else
#define KERNEL_PRECISION_COUNT 3
#endif

/* The kernels of one vector width, indexed by opcode and enum meu_precision.  `elementwise` has no entries
 * for MEU_OP_MULTIPLY and MEU_OP_CONVERT, and on an SPE for opcodes that it does not have.  On bytes it has
 * the operations whose result is a truth value, or the larger or smaller of two.  The entries of an overlay
 * are addresses in the overlay area, where the overlay has to be when they are called. */
struct kernel_table {
  uint32_t vector_bytes;
#ifndef __SPU__
  uint32_t tile_vectors; /* rows of the product's tallest tile, in vectors */
  kernel_multiply_sums *multiply_sums[2];
  kernel_multiply_sums *thin[2]; /* for few columns of B */
  kernel_multiply_sums *dots[2]; /* for up to KERNEL_DOT_COLUMNS columns of B and a transposed A */
  kernel_transpose_block *transpose[2];
  kernel_truth *widen[2];  /* bytes to numbers of this precision */
  kernel_truth *narrow[2]; /* numbers of this precision to bytes: 0 where they are 0, else 1 */
#endif
  kernel_multiply *multiply[2];
  kernel_elementwise *elementwise[MEU_OPCODE_COUNT][KERNEL_PRECISION_COUNT];
};

extern const struct kernel_table kernel_table_v16;
extern const struct kernel_table kernel_table_v32; /* x86-64: needs AVX2 and FMA */
extern const struct kernel_table kernel_table_v64; /* x86-64: needs AVX-512 F, DQ and VL */

/* The kernels of an SPE: all opcodes that its program has, except the product and the conversion.  Single
 * precision is an SPE's.  Functions of the C library are an SPE's vector code, in double precision too. */
extern const struct kernel_table kernel_table_cell, kernel_table_celledp;

struct kernel_block {
  void *data;
  uint32_t stride_bytes;
  uint32_t rows;
  uint32_t columns;
  uint32_t precision; /* enum meu_precision */
} MEU_QUADWORDS;

static inline uint32_t kernel_element_bytes (uint32_t precision)
{
#ifndef __SPU__
  if (precision == MEU_BYTE)
    return 1;
#endif
  return precision == MEU_DOUBLE ? 8u : 4u;
}

/* Bytes of one column with its pad. */
static inline uint32_t kernel_column_bytes (uint32_t rows, uint32_t precision)
{
  return (rows * kernel_element_bytes (precision) + 15u) & ~15u;
}

/* enum meu_status: whether precisions and shapes of a product fit each other.  Looks at no data. */
uint32_t product_check (const struct kernel_block *result, const struct kernel_block operands[2]);

/* Executes a product that product_check has accepted. */
void product_execute (const struct kernel_table *table, const struct kernel_block *result,
                      const struct kernel_block operands[2], uint32_t accumulate);

/* Bits of the fraction of x * 2/pi that reduction of huge arguments yields (kernels/ref/reduce.c). */
struct kernel_reduced {
  uint32_t quadrant; /* modulo 4 */
  double high, low;  /* x - quadrant * pi/2 = high + low, at most pi/4 in size */
};

struct kernel_reduced kernel_reduce_huge (double x);

#endif
