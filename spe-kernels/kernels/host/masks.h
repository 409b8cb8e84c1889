/* masks.h - blocks of bytes in a program that is computed in numbers. */
#ifndef PMATRIX_MASKS_H
#define PMATRIX_MASKS_H

#include "step.h"

#define MASKS_MOST (PROGRAM_INPUTS + PROGRAM_RESULTS)

/* Strips at the distance of a power of two would share places of a cache. */
#define MASKS_AREA_BYTES (PROGRAM_STRIP_BYTES + 64)

/* A block of bytes.  The steps know only `block`: the strip of it that they are at, in numbers. */
struct mask {
  struct kernel_block *block;
  char *at;
  uint32_t stride_bytes; /* to the next column; 0: one column is repeated */
  uint32_t is_element;   /* whether one element is repeated along the rows */
};

/* The masks of a program, the inputs first. */
struct masks {
  uint32_t input_count, count;
  uint32_t element_bytes; /* of the numbers */
  uint32_t precision;
  uint32_t rows;          /* of a column, or of a block that counts as one column */
  uint32_t row, column;   /* of the first element of the strip */
  struct mask masks[MASKS_MOST];
  char areas[MASKS_MOST][MASKS_AREA_BYTES] __attribute__ ((aligned (64)));
};

/* Takes the place of all blocks of bytes, which have been marked for step_execute. */
void masks_take (struct masks *masks, struct program *program, uint32_t precision, uint32_t rows);

/* Before the steps: fills the strips of inputs. */
void masks_widen (struct masks *masks, const struct kernel_table *kernels, const struct strip *strip);

/* After the steps: writes the strips of results, and goes on to the next strip.  is_end: columns end with
 * this strip. */
void masks_narrow (struct masks *masks, const struct kernel_table *kernels, const struct strip *strip, uint32_t is_end);

#endif
