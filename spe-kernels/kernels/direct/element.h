/* element.h - the sources of this folder are compiled once for each element type. */
#ifndef PMATRIX_DIRECT_ELEMENT_H
#define PMATRIX_DIRECT_ELEMENT_H

#include <stddef.h>
#include <string.h>
#include "direct.h"

#ifdef DIRECT_DOUBLE
typedef double element;
#define DIRECT(name) name##_double
#define SQUARE_ROOT __builtin_sqrt
#else
typedef float element;
#define DIRECT(name) name##_single
#define SQUARE_ROOT __builtin_sqrtf
#endif

static inline element *column_of (const struct direct_matrix *matrix, uint32_t column)
{
  return (element *) (uintptr_t) (matrix->ea + column * matrix->stride_bytes);
}

#endif
