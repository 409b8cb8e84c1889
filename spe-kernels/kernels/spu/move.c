/* move.c - moves of blocks, on an SPE (move.h).
 *
 * An SPE loads and stores aligned quadwords, so elements that change their place in a quadword are shuffled.
 */
#include "move.h"
#include "across.h"
#include "copy.h"

/* R(i,j) = A(skip + j, i), `lanes` columns and as many rows of A at a time.  Where a column of A is missing, the
 * last column stands for it.  Rows before and behind the rows that are moved go to a place that nobody reads. */
#define TRANSPOSE(v, lanes, ACROSS)                                                                                    \
  for (uint32_t row = 0; row < rows; row += lanes) {                                                                   \
    const char *sources[lanes];                                                                                        \
    v unread, turned[lanes];                                                                                           \
    _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < lanes; i++)                                                      \
      sources[i] = from + (row + i < rows ? row + i : rows - 1) * from_stride;                                         \
    char *to = to_rows + row * sizeof (unread[0]);                                                                     \
    uint32_t column = 0u - skip;                                                                                       \
    for (uint32_t at = 0; (int32_t) column < (int32_t) columns; at += 16) {                                            \
      ACROSS (turned, sources, at);                                                                                    \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < lanes; i++, column++, to += stride)                            \
        v##_store (column < columns ? to : (char *) &unread, turned[i]);                                               \
    }                                                                                                                  \
  }

static void transpose (const struct kernel_block *result, const struct kernel_block *a, uint32_t skip)
{
  const char *from = a->data;
  uint32_t rows = result->rows, columns = result->columns, stride = result->stride_bytes, from_stride = a->stride_bytes;
  char *to_rows = (char *) result->data - skip * stride;
  if (result->precision == MEU_SINGLE) {
    TRANSPOSE (vf, 4, across_f)
  } else {
    TRANSPOSE (vd, 2, across_d)
  }
}

/* A where low <= column - row <= high, +0 elsewhere. */
static void band (const struct kernel_block *result, const struct kernel_block *a, int32_t low, int32_t high)
{
  uint32_t shift = result->precision == MEU_SINGLE ? 2 : 3, stride = result->stride_bytes;
  int32_t rows = (int32_t) result->rows;
  const char *from = a->data;
  char *to = result->data;
  for (int32_t column = 0; column < (int32_t) result->columns; column++) {
    int32_t first = column - high, end = column - low + 1;
    first = first < 0 ? 0 : first > rows ? rows : first;
    end = end < 0 ? 0 : end > rows ? rows : end;
    /* In bytes of the column, as the places of its words are. */
    const vector signed int before = spu_splats ((int32_t) ((uint32_t) first << shift) - 1);
    const vector signed int behind = spu_splats ((int32_t) ((uint32_t) end << shift));
    vector signed int at = { 0, 4, 8, 12 };
    for (uint32_t left = stride; left != 0; left -= 16, from += 16, to += 16, at = spu_add (at, 16)) {
      vector unsigned int kept = spu_and (spu_cmpgt (at, before), spu_cmpgt (behind, at));
      vf_store (to, (vf) spu_and ((vector unsigned int) vf_load (from), kept));
    }
  }
}

/* The element at an address, at the beginning of a vector. */
VEC_INLINE vf element_at (const char *from)
{
  return (vf) spu_rlqwbyte ((vector float) vf_load ((const char *) ((uint32_t) from & -16u)), (int) from);
}

/* Every so manieth element of a column.  Behind the last one it reads whatever is in the local store. */
static void pick (char *to, const char *from, int32_t step_bytes, uint32_t rows, uint32_t single)
{
  if (single) {
    for (int32_t left = (int32_t) rows; left > 0; left -= 4, to += 16, from += 4 * step_bytes) {
      vf high = shuffled (element_at (from), element_at (from + step_bytes), PAIR_HIGH);
      vf low = shuffled (element_at (from + 2 * step_bytes), element_at (from + 3 * step_bytes), PAIR_HIGH);
      vf_store (to, shuffled (high, low, HALVES_HIGH));
    }
  } else {
    for (int32_t left = (int32_t) rows; left > 0; left -= 2, to += 16, from += 2 * step_bytes)
      vf_store (to, shuffled (element_at (from), element_at (from + step_bytes), HALVES_HIGH));
  }
}

static void picked (const struct kernel_block *result, const struct kernel_block *a, const struct program_step *step)
{
  uint32_t element_bytes = kernel_element_bytes (result->precision), stride = result->stride_bytes;
  int32_t step_bytes = move_number (step, 0) * (int32_t) element_bytes, from_stride = (int32_t) a->stride_bytes;
  const char *from = (const char *) a->data + step->operands[0] * element_bytes;
  char *to = result->data;
  if (step_bytes < 0)
    from -= (int32_t) (result->rows - 1) * step_bytes;
  if (move_number (step, 1) != 0) {
    from += (result->columns - 1) * a->stride_bytes;
    from_stride = -from_stride;
  }
  if (step_bytes == (int32_t) element_bytes) {
    copy (to, stride, from, (uint32_t) from_stride, result->columns, result->rows * element_bytes);
    return;
  }
  for (uint32_t left = result->columns; left != 0; left--, to += stride, from += from_stride)
    pick (to, from, step_bytes, result->rows, element_bytes == 4);
}

uint32_t move_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                       const struct program_step *step)
{
  uint32_t status = move_check (result, operands, count, step);
  if (status != MEU_STATUS_OK)
    return status;
  if (step->form == MEU_MOVE_TRANSPOSED) {
    transpose (result, operands, step->operands[0]);
    return MEU_STATUS_OK;
  }
  if (step->form == MEU_MOVE_BAND) {
    band (result, operands, move_number (step, 0), move_number (step, 1));
    return MEU_STATUS_OK;
  }
  if (step->form == MEU_MOVE_PICKED) {
    picked (result, operands, step);
    return MEU_STATUS_OK;
  }
  uint32_t element_bytes = kernel_element_bytes (result->precision), stride = result->stride_bytes;
  char *to = result->data;
  for (uint32_t number = 0; number < count; number++) {
    const struct kernel_block *a = &operands[number];
    uint32_t skip_bytes = step->operands[number] * element_bytes, moved_bytes = a->rows * element_bytes - skip_bytes;
    const char *from = (const char *) a->data + skip_bytes;
    copy (to, stride, from, a->stride_bytes, a->columns, moved_bytes);
    to += step->form == MEU_MOVE_BELOW ? moved_bytes : a->columns * stride;
  }
  return MEU_STATUS_OK;
}
