/* steps.h - what a reduction makes of the result so far and the next element. */
#ifndef PMATRIX_DIRECT_STEPS_H
#define PMATRIX_DIRECT_STEPS_H

#include "element.h"

/* Without branches, so that a compiler can put many of them side by side. */
static inline element sum (element r, element a) { return r + a; }
static inline element product (element r, element a) { return r * a; }
static inline element sum_of_squares (element r, element a) { return r + a * a; }
static inline element any (element r, element a) { return (r != 0) | (a < 0) | (a > 0) ? 1 : 0; }
static inline element all (element r, element a) { return (r != 0) & (a != 0) ? 1 : 0; }
static inline element maximum (element r, element a) { return (a > r) | (r != r) ? a : r; }
static inline element minimum (element r, element a) { return (a < r) | (r != r) ? a : r; }

#endif
