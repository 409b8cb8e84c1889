/* spu_single.h - the SPU's single precision in integers, one element at a time, on its bits.
 *
 * A number is sign, exponent field e and fraction f: (1 + f 2^-23) 2^(e-127) for every e from 1 to 255, and
 * zero for e = 0, whatever f is.  Results are truncated.  A result beyond (2 - 2^-23) 2^128 becomes this
 * number.  A result below 2^-126 is +0, and so is every zero.  (SPU Instruction Set Architecture, chapter 9.)
 */
#ifndef PMATRIX_SPU_SINGLE_H
#define PMATRIX_SPU_SINGLE_H

#include <stdint.h>

/* a*b + c, truncated once. */
uint32_t spu_single_multiply_add (uint32_t a, uint32_t b, uint32_t c);

/* a / b, truncated once; the largest number for a / 0, +0 for 0 / 0 (vf_divide in vec_shared.h). */
uint32_t spu_single_divide (uint32_t a, uint32_t b);

/* All ones where a < b, where a == b. */
uint32_t spu_single_less (uint32_t a, uint32_t b);
uint32_t spu_single_equal (uint32_t a, uint32_t b);

/* The conversions take and give IEEE singles, infinities, NaN and denormal numbers included.  There is one
 * NaN.  With `flush` a denormal single counts as a zero of its sign, as on a Cell BE. */
double spu_single_extend (uint32_t a, uint32_t flush);
uint32_t spu_single_round (double a);

#endif
