/* element.h - the sources of this folder are compiled once for each element type. */
#ifndef PMATRIX_DIRECT_ELEMENT_H
#define PMATRIX_DIRECT_ELEMENT_H

#include <stddef.h>
#include <string.h>
#include "direct.h"

/* The name of a function for this element type, and also for the width of its vectors. */
#define DIRECT_PASTE_(name, width) name##width
#define DIRECT_PASTE(name, width) DIRECT_PASTE_ (name, width)
#define DIRECT_WIDE(name) DIRECT_PASTE (DIRECT_PASTE (DIRECT (name), _v), VEC_BYTES)

#ifdef DIRECT_BYTE
typedef uint8_t element;
#define DIRECT(name) DIRECT_PASTE (name, _byte)
#elif defined(DIRECT_DOUBLE)
typedef double element;
#define DIRECT(name) DIRECT_PASTE (name, _double)
#define SQUARE_ROOT __builtin_sqrt
#define MAGNITUDE __builtin_fabs
#else
typedef float element;
#define DIRECT(name) DIRECT_PASTE (name, _single)
#define SQUARE_ROOT __builtin_sqrtf
#define MAGNITUDE __builtin_fabsf
#endif

static inline element *column_of (const struct direct_matrix *matrix, uint32_t column)
{
  return (element *) (uintptr_t) (matrix->ea + column * matrix->stride_bytes);
}

#endif
