/* cumulative.c - cumulative sums, on an SPE (running.h).
 *
 * A sum takes one element after the other (direct.h), so the loops work on several columns or rows at once, as
 * reductions do (reduction.c): where fewer are left than a turn takes, the last one stands in the place of each
 * missing one.
 */
#include "running.h"
#include "across.h"

#define TURN 4u

/* What is read and written.  The result has the steps of the operand. */
struct cumulative {
  char *to;
  const char *from, *before; /* before: null, or what to go on from */
  uint32_t stride;           /* from one column to the next */
  uint32_t rows, columns;
  uint32_t skip;             /* rows of `before` that come before the row to go on from */
};

VEC_INLINE uint32_t at_most (uint32_t x, uint32_t most) { return x < most ? x : most; }

/* Along the rows.  v is vf or vd. */
#define ROWS(v, element_bytes)                                                                                         \
  uint32_t last = (r->rows * element_bytes - 1) & -16u;                                                                \
  for (uint32_t at = 0; at <= last; at += TURN * 16) {                                                                 \
    v sums[TURN];                                                                                                      \
    uint32_t offsets[TURN], left = r->columns;                                                                         \
    const char *from = r->from;                                                                                        \
    char *to = r->to;                                                                                                  \
    _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++)                                                       \
    {                                                                                                                  \
      offsets[i] = at_most (at + i * 16, last);                                                                        \
      sums[i] = v##_load ((r->before == 0 ? from : r->before) + offsets[i]);                                           \
    }                                                                                                                  \
    if (r->before == 0) {                                                                                              \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++) v##_store (to + offsets[i], sums[i]);               \
      from += r->stride;                                                                                               \
      to += r->stride;                                                                                                 \
      left--;                                                                                                          \
    }                                                                                                                  \
    for (; left != 0; left--, from += r->stride, to += r->stride) {                                                    \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++) sums[i] += v##_load (from + offsets[i]);            \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++) v##_store (to + offsets[i], sums[i]);               \
    }                                                                                                                  \
  }

/* Along the columns, `lanes` of them at a time.  Without `before` the first element is the first sum, as it
 * is: an addition to zero would change a -0. */
#define COLUMNS(v, lanes, mask, CROSSED, ACROSS)                                                                       \
  for (uint32_t first = 0; first < r->columns; first += lanes) {                                                       \
    const char *from[lanes], *before[lanes];                                                                           \
    char *to[lanes];                                                                                                   \
    v rows[lanes], next[lanes], sum = {};                                                                              \
    mask begins = r->before == 0 ? ~(mask) {} : (mask) {};                                                             \
    _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < lanes; i++)                                                      \
    {                                                                                                                  \
      uint32_t number = at_most (first + i, r->columns - 1), offset = number * r->stride;                              \
      from[i] = r->from + offset;                                                                                      \
      to[i] = r->to + offset;                                                                                          \
      before[i] = r->before + number * 16;                                                                             \
    }                                                                                                                  \
    if (r->before != 0) {                                                                                              \
      ACROSS (rows, before, 0);                                                                                        \
      sum = rows[r->skip];                                                                                             \
    }                                                                                                                  \
    ACROSS (next, from, 0);                                                                                            \
    for (uint32_t at = 0; at < r->stride; at += 16) {                                                                  \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < lanes; i++) rows[i] = next[i];                                 \
      ACROSS (next, from, at + 16); /* of the last vector not used */                                                  \
      rows[0] = v##_select (begins, rows[0], sum + rows[0]);                                                           \
      begins = (mask) {};                                                                                              \
      _Pragma ("GCC unroll 4") for (uint32_t i = 1; i < lanes; i++) rows[i] += rows[i - 1];                            \
      sum = rows[lanes - 1];                                                                                           \
      CROSSED (rows, rows);                                                                                            \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < lanes; i++) v##_store (to[i] + at, rows[i]);                   \
    }                                                                                                                  \
  }

/* Each in a function of its own, since a function has few registers to give to several loops. */
static __attribute__ ((noinline)) void rows_f (const struct cumulative *r) { ROWS (vf, 4) }
static __attribute__ ((noinline)) void rows_d (const struct cumulative *r) { ROWS (vd, 8) }
static __attribute__ ((noinline)) void columns_f (const struct cumulative *r)
{
  COLUMNS (vf, 4, vi32, crossed_f, across_f)
}
static __attribute__ ((noinline)) void columns_d (const struct cumulative *r)
{
  COLUMNS (vd, 2, vi64, crossed_d, across_d)
}

uint32_t cumulative_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                             const struct program_step *step)
{
  uint32_t status = running_check (result, operands, count, step), single = result->precision == MEU_SINGLE;
  if (status != MEU_STATUS_OK)
    return status;
  const struct cumulative sums = { .to = result->data,
                                   .from = operands[0].data,
                                   .before = count == 1 ? 0 : operands[1].data,
                                   .stride = operands[0].stride_bytes,
                                   .rows = operands[0].rows,
                                   .columns = operands[0].columns,
                                   .skip = step->operands[1] };
  if (step->form != 0)
    (single ? rows_f : rows_d) (&sums);
  else
    (single ? columns_f : columns_d) (&sums);
  return MEU_STATUS_OK;
}
