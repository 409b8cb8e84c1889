/* multiply.c - the matrix product on an SPE: cuts it into the tiles of multiply_single.S and
 * multiply_double.S. */
#include "kernels.h"
#include "single.h"

#define TILE_BYTES 64u /* of a column */
#define TILE_VECTORS (TILE_BYTES / VEC_BYTES)

#define SINGLE_COLUMNS 8u /* of a tile */
#define SINGLE_STEPS 4u   /* along the sums, in a turn of the loop over them */
#define DOUBLE_COLUMNS 4u
#define DOUBLE_STEPS 2u

typedef vector unsigned int quads;
typedef vector unsigned short halves;

void multiply_tiles_single (const quads *plan, const char *a, uint32_t a_stride, const char *state, uint32_t b_stride,
                            uint32_t count, uint32_t unused, uint32_t mode);
extern const char multiply_single_states[];

void multiply_tiles_double (char *result, const char *a, const char *b, uint32_t result_stride, uint32_t a_stride,
                            uint32_t b_stride, uint32_t inner, const char *addend, uint32_t addend_stride, uint32_t count);

/* A word of INDEX, from a distance in a and an address in b. */
static uint32_t entry (uint32_t a, uint32_t b)
{
  return a << 16 | (b & 0xffff);
}

static __attribute__ ((noinline)) void copy (char *to, uint32_t to_stride, const char *from, uint32_t from_stride,
                                             uint32_t bytes, uint32_t columns)
{
  for (; columns != 0; columns--, to += to_stride, from += from_stride)
    for (uint32_t at = 0; at < bytes; at += VEC_BYTES)
      vf_store (to + at, vf_load (from + at));
}

/* Makes the sums a multiple of SINGLE_STEPS long: sets to zero what the last vector of each column of b holds
 * beyond its rows.  That is a pad, so it may be anything, and whatever it meets in a, an SPU has no single
 * that times zero is not zero. */
static void clear_pad (const struct kernel_product *p)
{
  char *last = (char *) p->b + p->k / SINGLE_STEPS * VEC_BYTES;
  for (uint32_t j = 0; j < p->n; j++, last += p->b_stride)
    for (uint32_t i = p->k % SINGLE_STEPS; i < SINGLE_STEPS; i++)
      ((float *) last)[i] = 0;
}

/* The last step of double sums of an odd length, to a tile whose columns are TILE_BYTES apart, and what is
 * added to them. */
static void last_step (const struct kernel_product *p, vd *tile, const char *a, const char *b, const char *result,
                       uint32_t columns)
{
  a += (p->k - 1) * p->a_stride;
  b += (p->k - 1) * sizeof (double);
  for (; columns != 0; columns--, b += p->b_stride, result += p->result_stride)
    for (uint32_t at = 0; at < TILE_BYTES; at += VEC_BYTES, tile++) {
      vd sum = vd_fma (vd_load (a + at), vd_splat (*(const double *) b), *tile);
      *tile = sum + (p->accumulate ? vd_load (result + at) : vd_splat (0.0));
    }
}

/* The product of numbers below 2^16. */
static uint32_t times (uint32_t x, uint32_t y)
{
  return si_to_uint (si_mpyu (si_from_uint (x), si_from_uint (y)));
}

/* A rectangle of the result, from byte `row` of its columns and from `column` on: as many strips of 64 bytes
 * a column, and tiles of 8 columns, as there are whole ones, or a part of one. */
static __attribute__ ((noinline)) void rectangle (const struct kernel_product *p, uint32_t row, uint32_t bytes,
                                                  uint32_t column, uint32_t columns)
{
  quads plan[SINGLE_PLAN];
  const quads vector = { 0, 16, 32, 48 };
  uint32_t count = columns < SINGLE_COLUMNS ? 1 : columns / SINGLE_COLUMNS;

  /* Columns of a tile and vectors of a column that are not there are stored where the first will be stored
   * afterwards. */
  uint32_t stride = p->result_stride, to = (uint32_t) p->result + row + times (column, stride);
  plan[SINGLE_STRIDE] = spu_splats (stride);
  plan[SINGLE_VALID] = spu_splats (columns);
  plan[SINGLE_TO] = spu_splats (to) + (vector & (quads) spu_cmpgt (spu_splats (bytes), vector));
  plan[SINGLE_TO_STEP] = spu_splats (SINGLE_COLUMNS * stride);
  plan[SINGLE_STRIP_TO] = spu_splats (TILE_BYTES - times (SINGLE_COLUMNS * count, stride));
  plan[SINGLE_COUNT] = spu_splats (count);
  plan[SINGLE_STRIPS] = spu_splats (bytes < TILE_BYTES ? 1 : bytes / TILE_BYTES);

  /* INDEX counts in 16 bytes: a turn is 4 columns of a and a vector of b, a tile 8 columns of b. */
  uint32_t last_turn = (p->k - 1) / SINGLE_STEPS, turn_a = p->a_stride / 4, tile_b = p->b_stride / 2;
  uint32_t last = times (last_turn, turn_a), turn = entry (turn_a, 1);
  uint32_t first = entry (-last, ((uint32_t) p->b + times (column, p->b_stride)) / VEC_BYTES);
  halves tile = (halves) spu_splats (tile_b), step = (halves) spu_splats (4 * turn);
  halves start = (halves) (spu_splats (first) + (quads){ 0, turn, 2 * turn, 3 * turn }) - tile;
  const char *state = multiply_single_states + SINGLE_TURNS;
  if (last_turn == 0) {
    /* There is no fourth turn: what is added before the last turn cancels out, and the last turn begins with
     * the first tile. */
    state = multiply_single_states + SINGLE_ONLY_TURN;
    start = (halves) spu_splats (first);
    step = -tile;
  } else
    tile -= step;
  plan[SINGLE_START] = (quads) start;
  plan[SINGLE_STEP] = (quads) step;
  plan[SINGLE_TILE] = (quads) tile;
  plan[SINGLE_STRIP] = spu_splats (entry (TILE_BYTES / VEC_BYTES, -times (count, tile_b)));
  multiply_tiles_single (plan, (const char *) p->a + row + last * VEC_BYTES, p->a_stride, state, p->b_stride, count, 0,
                         p->accumulate ? SINGLE_ACCUMULATE : SINGLE_MULTIPLY);
}

void KERNEL (multiply_single) (const struct kernel_product *p)
{
  if (p->k % SINGLE_STEPS != 0)
    clear_pad (p);
  for (uint32_t row = 0, bytes, left = kernel_column_bytes (p->m, MEU_SINGLE); left != 0; left -= bytes, row += bytes) {
    bytes = left;
    if (bytes > TILE_BYTES)
      /* The next strip would begin too late for an only turn. */
      bytes = p->k <= SINGLE_STEPS ? TILE_BYTES : bytes & -TILE_BYTES;
    for (uint32_t column = 0, columns; column < p->n; column += columns) {
      columns = p->n - column;
      if (columns > SINGLE_COLUMNS)
        columns &= -SINGLE_COLUMNS;
      rectangle (p, row, bytes, column, columns);
    }
  }
}

void KERNEL (multiply_double) (const struct kernel_product *p)
{
  vd tile[TILE_VECTORS * DOUBLE_COLUMNS], zero[TILE_VECTORS];
  uint32_t odd = p->k % DOUBLE_STEPS, inner = p->k - odd;
  /* To add +0 makes +0 of -0.  To add -0, before a last step, changes nothing. */
  for (uint32_t i = 0; i < TILE_VECTORS; i++)
    zero[i] = vd_splat (odd ? -0.0 : 0.0);
  uint32_t left = kernel_column_bytes (p->m, MEU_DOUBLE), bytes = TILE_BYTES;
  const char *a = p->a;
  char *row = p->result;
  for (; left != 0; left -= bytes, a += TILE_BYTES, row += TILE_BYTES) {
    if (left < TILE_BYTES)
      bytes = left;
    const char *b = p->b;
    char *result = row;
    for (uint32_t columns_left = p->n, columns; columns_left != 0; columns_left -= columns) {
      uint32_t count = columns_left / DOUBLE_COLUMNS, stride = p->result_stride, addend_stride = 0;
      uint32_t apart = bytes < TILE_BYTES || count == 0 || odd;
      const char *addend = (const char *) zero;
      char *to = result;
      if (p->accumulate && !odd) {
        addend = result;
        addend_stride = stride;
      }
      if (apart) {
        /* It reaches beyond the result, or is not done yet. */
        count = 1;
        to = (char *) tile;
        stride = TILE_BYTES;
      }
      columns = count * DOUBLE_COLUMNS;
      if (columns > columns_left)
        columns = columns_left;
      if (inner != 0)
        multiply_tiles_double (to, a, b, stride, p->a_stride, p->b_stride, inner, addend, addend_stride, count);
      else
        __builtin_memset (tile, 0, sizeof tile);
      if (odd)
        last_step (p, tile, a, b, result, columns);
      if (apart)
        copy (result, p->result_stride, to, stride, bytes, columns);
      b += columns * p->b_stride;
      result += columns * p->result_stride;
    }
  }
}
