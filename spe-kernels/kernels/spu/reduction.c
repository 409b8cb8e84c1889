/* reduction.c - reductions of columns and rows, on an SPE (reduction.h).
 *
 * A result takes one element after the other (direct.h), so the loops work on several results at once: on
 * four singles or two doubles in a vector.  Elements of several columns come into one vector by shuffles.
 *
 * Where fewer columns or quadwords are left than a turn takes, the last column or quadword stands in the
 * place of each missing one.  It is computed several times, with one result.
 */
#include "reduction.h"
#include "across.h"

VEC_INLINE vd sum_d (vd sum, vd x) { return sum + x; }

VEC_INLINE uint32_t at_most (uint32_t x, uint32_t most) { return x < most ? x : most; }

/* What the reduction reads and writes. */
struct reduced {
  char *to;
  const char *from, *before; /* before: null, or what to go on from, with the steps of `to` */
  uint32_t stride;           /* from one column to the next */
  uint32_t rows, columns;
};

#define TURN 4u

/* The rows, a vector of them at a time.  v is vf or vd, and STEP takes one element more. */
#define ROWS(v, STEP, start)                                                                                           \
  uint32_t last = (r->rows * sizeof (start)[0] - 1) & -16u;                                                              \
  for (uint32_t at = 0; at <= last; at += TURN * 16) {                                                                 \
    v sums[TURN];                                                                                                      \
    uint32_t offsets[TURN];                                                                                            \
    _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++)                                                       \
    {                                                                                                                  \
      offsets[i] = at_most (at + i * 16, last);                                                                        \
      sums[i] = r->before == 0 ? start : v##_load (r->before + offsets[i]);                                            \
    }                                                                                                                  \
    const char *from = r->from;                                                                                        \
    for (uint32_t left = r->columns; left != 0; left--, from += r->stride) {                                           \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++)                                                     \
        sums[i] = STEP (sums[i], v##_load (from + offsets[i]));                                                        \
    }                                                                                                                  \
    _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++) v##_store (r->to + offsets[i], sums[i]);              \
  }

/* The columns, `lanes` of them at a time.  Each result begins a quadword. */
#define COLUMNS(v, lanes, ACROSS, STEP, start)                                                                         \
  for (uint32_t first = 0; first < r->columns; first += lanes) {                                                       \
    const char *columns[lanes], *before[lanes];                                                                        \
    uint32_t numbers[lanes];                                                                                           \
    v rows[lanes], sum = start;                                                                                        \
    _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < lanes; i++)                                                      \
    {                                                                                                                  \
      numbers[i] = at_most (first + i, r->columns - 1);                                                                \
      columns[i] = r->from + numbers[i] * r->stride;                                                                   \
      before[i] = r->before + numbers[i] * 16;                                                                         \
    }                                                                                                                  \
    if (r->before != 0) {                                                                                              \
      ACROSS (rows, before, 0);                                                                                        \
      sum = rows[0];                                                                                                   \
    }                                                                                                                  \
    uint32_t left = r->rows, at = 0;                                                                                   \
    for (; left >= lanes; left -= lanes, at += 16) {                                                                   \
      ACROSS (rows, columns, at);                                                                                      \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < lanes; i++) sum = STEP (sum, rows[i]);                         \
    }                                                                                                                  \
    if (left != 0) {                                                                                                   \
      ACROSS (rows, columns, at);                                                                                      \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i + 1 < lanes; i++) if (i < left) sum = STEP (sum, rows[i]);       \
    }                                                                                                                  \
    _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < lanes; i++)                                                      \
      vf_store (r->to + numbers[i] * 16, (vf) spu_rlqwbyte ((vector float) sum, i * sizeof (start)[0]));                 \
  }

/* The four loops of a reduction with these steps. */
#define LOOPS(step_f, step_d, single, twice)                                                                           \
  if (side != 0) {                                                                                                     \
    if (precision == MEU_SINGLE) {                                                                                     \
      ROWS (vf, step_f, single)                                                                                        \
    } else {                                                                                                           \
      ROWS (vd, step_d, twice)                                                                                         \
    }                                                                                                                  \
  } else if (precision == MEU_SINGLE) {                                                                                \
    COLUMNS (vf, 4, across_f, step_f, single)                                                                          \
  } else {                                                                                                             \
    COLUMNS (vd, 2, across_d, step_d, twice)                                                                           \
  }

static void add_up (const struct reduced *r, uint32_t side, uint32_t precision)
{
  const vf single = {};
  const vd twice = {};
  LOOPS (vf_add, sum_d, single, twice)
}

/* All other reductions share their loops, which call these functions. */
typedef vd reduction_step (vd sum, vd x);

static vd product_step_f (vd sum, vd x) { return (vd) vf_times ((vf) sum, (vf) x); }
static vd product_step_d (vd sum, vd x) { return sum * x; }
static vd squares_step_f (vd sum, vd x) { return (vd) vf_add ((vf) sum, vf_times ((vf) x, (vf) x)); }
static vd squares_step_d (vd sum, vd x) { return sum + x * x; }
/* The first of the largest; a NaN only where all are. */
static vd maximum_step_f (vd sum, vd x) { return (vd) vf_select (vf_less ((vf) sum, (vf) x), (vf) x, (vf) sum); }
static vd maximum_step_d (vd sum, vd x) { return vd_select (vd_less (sum, x) | ~vd_equal (sum, sum), x, sum); }
static vd minimum_step_f (vd sum, vd x) { return (vd) vf_select (vf_less ((vf) x, (vf) sum), (vf) x, (vf) sum); }
static vd minimum_step_d (vd sum, vd x) { return vd_select (vd_less (x, sum) | ~vd_equal (sum, sum), x, sum); }

/* Singles that Octave reads as NaN are NaN here too, though the SPU compares them as numbers. */
static vd any_step_f (vd sum, vd x)
{
  vi32 nothing = vf_equal ((vf) x, (vf) {}) | ((vi32) vf_abs ((vf) x) > vi32_splat (0x7f800000));
  return (vd) vf_select (nothing, (vf) sum, vf_splat (1.0f));
}
static vd any_step_d (vd sum, vd x)
{
  return vd_select (vd_equal (x, (vd) {}) | ~vd_equal (x, x), sum, vd_splat (1.0));
}
static vd all_step_f (vd sum, vd x) { return (vd) vf_select (vf_equal ((vf) x, (vf) {}), (vf) {}, (vf) sum); }
static vd all_step_d (vd sum, vd x) { return vd_select (vd_equal (x, (vd) {}), (vd) {}, sum); }

#define CALL_F(sum, x) (vf) step ((vd) (sum), (vd) (x))
#define CALL_D(sum, x) step (sum, x)

static void reduce (const struct reduced *r, uint32_t side, uint32_t precision, reduction_step *step, vd start)
{
  const vf single = (vf) start;
  LOOPS (CALL_F, CALL_D, single, start)
}

#define BITS(value) ((vd) vi32_splat ((int32_t) (value)))
#define ONE_OF(precision, single, twice) ((precision) == MEU_SINGLE ? (single) : (twice))

uint32_t reduction_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                            const struct program_step *step)
{
  uint32_t side = step->form;
  const struct reduced reduced = { .to = result->data,
                                   .from = operands[0].data,
                                   .before = count == 1 ? 0 : operands[1].data,
                                   .stride = operands[0].stride_bytes,
                                   .rows = operands[0].rows,
                                   .columns = operands[0].columns };
  const vd zero = {}, none = vd_splat (__builtin_nan (""));
  uint32_t precision = result->precision;
  vd one = ONE_OF (precision, (vd) vf_splat (1.0f), vd_splat (1.0));
  switch (step->opcode) {
  case DIRECT_OP_SUM:
    add_up (&reduced, side, precision);
    break;
  case DIRECT_OP_PRODUCT:
    reduce (&reduced, side, precision, ONE_OF (precision, product_step_f, product_step_d), one);
    break;
  case DIRECT_OP_SUM_OF_SQUARES:
    reduce (&reduced, side, precision, ONE_OF (precision, squares_step_f, squares_step_d), zero);
    break;
  case DIRECT_OP_ANY:
    reduce (&reduced, side, precision, ONE_OF (precision, any_step_f, any_step_d), zero);
    break;
  case DIRECT_OP_ALL:
    reduce (&reduced, side, precision, ONE_OF (precision, all_step_f, all_step_d), one);
    break;
  case DIRECT_OP_MAXIMUM:
    reduce (&reduced, side, precision, ONE_OF (precision, maximum_step_f, maximum_step_d),
            ONE_OF (precision, BITS (0xffffffff), none));
    break;
  default:
    reduce (&reduced, side, precision, ONE_OF (precision, minimum_step_f, minimum_step_d),
            ONE_OF (precision, BITS (0x7fffffff), none));
  }
  return MEU_STATUS_OK;
}
