/* twice.h - fields of the two doubles in a vector of an SPE, for divide.c and sqrt.c. */
#ifndef PMATRIX_TWICE_H
#define PMATRIX_TWICE_H

#include "vec.h"

typedef vector unsigned int word;
typedef vector double twice;

#define HIGH ((word) { 0xffffffff, 0, 0xffffffff, 0 })
#define SIGN ((word) { 0x80000000, 0, 0x80000000, 0 })
#define EXPONENT ((word) { 0x7ff00000, 0, 0x7ff00000, 0 })
#define FIELD_MAX ((word) { 2047, 0, 2047, 0 })

/* The first word of each element in both of its words. */
static inline word first_twice (word x)
{
  return spu_shuffle (x, x, ((vector unsigned char) { 0, 1, 2, 3, 0, 1, 2, 3, 8, 9, 10, 11, 8, 9, 10, 11 }));
}

/* The field of the exponent, in the first word of each element. */
static inline word field_of (twice x) { return spu_and (spu_rlmask ((word) x, -20), FIELD_MAX); }

#endif
