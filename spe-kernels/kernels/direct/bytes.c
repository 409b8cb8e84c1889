/* bytes.c - reductions of truth values in bytes, 0 or 1.
 *
 * Sums are counts, which doubles hold exactly, so their order does not matter.  A product is 1 where all are
 * true.  `any` and the maximum are one operation, and so are `all` and the minimum. */
#include "element.h"
#include "functions.h"

/* Columns that are counted in bytes before their counts are added to the results of rows. */
#define ABREAST 8

/* Words that are read at a time, and how often a byte takes up another one without an overflow. */
#define WORDS 8u
#define MOST_ADDED 255u

static double *numbers_of (const struct direct_matrix *matrix, uint32_t column)
{
  return (double *) (uintptr_t) (matrix->ea + column * matrix->stride_bytes);
}

/* The sum of the eight bytes of a word. */
static uint32_t sum_of_bytes (uint64_t word)
{
  const uint64_t even = 0x00ff00ff00ff00ff;
  uint64_t pairs = (word & even) + (word >> 8 & even);
  /* The upper 16 bits of the product are the sum of the four pairs. */
  return (uint32_t) (pairs * 0x0001000100010001 >> 48);
}

static double count (const element *from, uint32_t rows)
{
  uint64_t all = 0;
  while (rows >= WORDS * sizeof (uint64_t)) {
    uint64_t sums[WORDS] = { 0 };
    uint32_t runs = rows / (WORDS * sizeof (uint64_t));
    runs = runs < MOST_ADDED ? runs : MOST_ADDED;
    for (uint32_t i = 0; i < runs; i++, from += sizeof sums) {
      uint64_t words[WORDS];
      memcpy (words, from, sizeof words);
      for (uint32_t k = 0; k < WORDS; k++)
        sums[k] += words[k];
    }
    for (uint32_t k = 0; k < WORDS; k++)
      all += sum_of_bytes (sums[k]);
    rows -= runs * (uint32_t) sizeof sums;
  }
  for (uint32_t i = 0; i < rows; i++)
    all += from[i];
  return (double) all;
}

static uint32_t has (const element *from, uint32_t rows, element value)
{
  return memchr (from, value, rows) != 0;
}

static void sum_of_columns (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];
  for (uint32_t j = 0; j < a->columns; j++) {
    double before = operation->operand_count == 2 ? *numbers_of (b, j) : 0;
    *numbers_of (&operation->result, j) = before + count (column_of (a, j), a->rows);
  }
}

static void product_of_columns (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];
  for (uint32_t j = 0; j < a->columns; j++) {
    double before = operation->operand_count == 2 ? *numbers_of (b, j) : 1;
    *numbers_of (&operation->result, j) = has (column_of (a, j), a->rows, 0) ? 0 : before;
  }
}

/* Results of rows begin with `start`, or go on from operand 1. */
static double *begin_rows (const struct direct_operation *operation, double start)
{
  double *r = numbers_of (&operation->result, 0);
  for (uint32_t i = 0; i < operation->result.rows; i++)
    r[i] = operation->operand_count == 2 ? numbers_of (&operation->operands[1], 0)[i] : start;
  return r;
}

static void sum_of_rows (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0];
  double *restrict r = begin_rows (operation, 0);
  uint32_t j = 0;
  for (; j + ABREAST <= a->columns; j += ABREAST) {
    const element *c0 = column_of (a, j), *c1 = column_of (a, j + 1), *c2 = column_of (a, j + 2),
                  *c3 = column_of (a, j + 3), *c4 = column_of (a, j + 4), *c5 = column_of (a, j + 5),
                  *c6 = column_of (a, j + 6), *c7 = column_of (a, j + 7);
    for (uint32_t i = 0; i < a->rows; i++)
      r[i] += (element) (c0[i] + c1[i] + c2[i] + c3[i] + c4[i] + c5[i] + c6[i] + c7[i]);
  }
  for (; j < a->columns; j++) {
    const element *column = column_of (a, j);
    for (uint32_t i = 0; i < a->rows; i++)
      r[i] += column[i];
  }
}

static void product_of_rows (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0];
  double *restrict r = begin_rows (operation, 1);
  for (uint32_t j = 0; j < a->columns; j++) {
    const element *column = column_of (a, j);
    for (uint32_t i = 0; i < a->rows; i++)
      r[i] *= column[i];
  }
}

static void cumulative_sum (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];
  uint32_t goes_on = operation->operand_count == 2;
  for (uint32_t j = 0; j < a->columns; j++) {
    const element *column = column_of (a, j);
    double *restrict to = numbers_of (&operation->result, j);
    if (operation->parameters[0] == 0) {
      /* Additions of integers wait for each other less. */
      double before = goes_on ? *numbers_of (b, j) : 0;
      uint32_t sum = 0;
      for (uint32_t i = 0; i < a->rows; i++) {
        sum += column[i];
        to[i] = before + sum;
      }
    } else {
      const double *before = j > 0 ? numbers_of (&operation->result, j - 1) : goes_on ? numbers_of (b, 0) : 0;
      for (uint32_t i = 0; i < a->rows; i++)
        to[i] = (before ? before[i] : 0) + column[i];
    }
  }
}

/* `decisive`: the truth value that decides, 1 for any, 0 for all. */
static void decide_columns (const struct direct_operation *operation, element decisive)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];
  for (uint32_t j = 0; j < a->columns; j++) {
    uint32_t decided = (operation->operand_count == 2 && *column_of (b, j) == decisive)
                       || has (column_of (a, j), a->rows, decisive);
    *column_of (&operation->result, j) = decided ? decisive : !decisive;
  }
}

static void decide_rows (const struct direct_operation *operation, element decisive)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];
  element *restrict r = column_of (&operation->result, 0);
  /* A byte might lie in the description: a copy spares reading the number again after each store. */
  uint32_t rows = a->rows;
  if (operation->operand_count == 2)
    memcpy (r, column_of (b, 0), rows);
  else
    memset (r, !decisive, rows);
  for (uint32_t j = 0; j < a->columns; j++) {
    const element *column = column_of (a, j);
    if (decisive)
      for (uint32_t i = 0; i < rows; i++)
        r[i] |= column[i];
    else
      for (uint32_t i = 0; i < rows; i++)
        r[i] &= column[i];
  }
}

void direct_reduce_byte (const struct direct_operation *operation)
{
  uint32_t along_rows = operation->parameters[0] != 0;
  switch (operation->opcode) {
  case DIRECT_OP_SUM:
  case DIRECT_OP_SUM_OF_SQUARES:
    (along_rows ? sum_of_rows : sum_of_columns) (operation);
    break;
  case DIRECT_OP_PRODUCT:
    (along_rows ? product_of_rows : product_of_columns) (operation);
    break;
  case DIRECT_OP_CUMULATIVE_SUM:
    cumulative_sum (operation);
    break;
  case DIRECT_OP_ANY:
  case DIRECT_OP_MAXIMUM:
    (along_rows ? decide_rows : decide_columns) (operation, 1);
    break;
  default:
    (along_rows ? decide_rows : decide_columns) (operation, 0);
  }
}
