/* The C interface, from C: every function, its results and its errors.  Exit status 0 when all is as
 * pmatrix.h says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmatrix.h"

static int failures;

#define CHECK(condition)                                                              \
  do                                                                                  \
    if (! (condition))                                                                \
      {                                                                               \
        printf ("line %d: %s (%s)\n", __LINE__, #condition, pm_last_error_message ()); \
        failures++;                                                                   \
      }                                                                               \
  while (0)

static int released;

static void release (void *owner)
{
  released++;
  free (owner);
}

/* A session that records every operation, however little work it is, unless `immediate` is 1. */
static pm_session *open_session (const char *engine, uint32_t overlap, uint32_t immediate)
{
  pm_options options;
  pm_session *session = NULL;
  CHECK (pm_options_default (&options) == PM_OK);
  options.engine = engine;
  options.overlap = overlap;
  options.meus = 2;
  options.immediate = immediate;
  CHECK (pm_session_create (&options, &session) == PM_OK);
  return session;
}

/* An n x n matrix of doubles that the session may use in place. */
static pm_value *wrap (pm_session *session, uint64_t n, double element)
{
  double *data = malloc (n * n * sizeof *data);
  for (uint64_t i = 0; i < n * n; i++)
    data[i] = element;
  pm_value *value = NULL;
  CHECK (pm_constant (session, data, n, n, PM_DOUBLE, release, data, &value) == PM_OK);
  return value;
}

/* Logical elements go in and out as bytes, and stay where they are as long as they are needed. */
static void masks (pm_session *session)
{
  enum { ROWS = 37, COLUMNS = 5 };
  unsigned char *truth = malloc (ROWS * COLUMNS), back[ROWS * COLUMNS], part[4];
  double numbers[ROWS * COLUMNS], counts[COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; i++)
    truth[i] = i % 3 == 0;
  pm_value *p = NULL, *not, *count, *sum, *difference;
  CHECK (pm_constant (session, truth, ROWS, COLUMNS, PM_LOGICAL, release, truth, &p) == PM_OK);
  CHECK (pm_value_class (p) == PM_LOGICAL);
  CHECK (pm_unary (PM_NOT, p, NULL, 0, &not) == PM_OK && pm_value_class (not) == PM_LOGICAL);
  CHECK (pm_binary (PM_ADD, not, p, NULL, 0, &sum) == PM_OK && pm_value_class (sum) == PM_DOUBLE);
  CHECK (pm_binary_scalar (PM_LESS, p, 0.5, PM_DOUBLE, 0, NULL, 0, &difference) == PM_OK);
  CHECK (pm_reduce (PM_SUM, p, 0, NULL, 0, &count) == PM_OK && pm_value_class (count) == PM_DOUBLE);
  CHECK (pm_read (not, back, sizeof back) == PM_OK && back[0] == 0 && back[1] == 1 && back[ROWS * COLUMNS - 1] == 1);
  CHECK (pm_read (sum, numbers, sizeof numbers) == PM_OK && numbers[0] == 1 && numbers[ROWS * COLUMNS - 1] == 1);
  CHECK (pm_read (difference, back, sizeof back) == PM_OK && back[0] == 0 && back[1] == 1);
  CHECK (pm_read (count, counts, sizeof counts) == PM_OK && counts[0] == 13 && counts[1] == 12 && counts[2] == 12);
  CHECK (pm_read_view (p, 2, 2, 3, 1, ROWS, part, sizeof part) == PM_OK);
  CHECK (part[0] == 1 && part[1] == 0 && part[2] == 0 && part[3] == 0);
  CHECK (pm_read (p, numbers, sizeof numbers) == PM_ERROR_ARGUMENT);
  pm_value *all[] = { p, not, count, sum, difference };
  for (int i = 0; i < 5; i++)
    pm_value_release (all[i]);
}

static void results (pm_session *session)
{
  enum { N = 150 };
  static double elements[N * N];
  pm_value *a = wrap (session, N, 2), *product, *sum, *same, *again;
  CHECK (pm_binary (PM_MULTIPLY, a, a, "prog.m", 3, &product) == PM_OK);
  CHECK (pm_binary_scalar (PM_SUBTRACT, product, 1000, PM_DOUBLE, 1, "prog.m", 4, &sum) == PM_OK);
  CHECK (! pm_has_result (product) && pm_rows (sum) == N && pm_columns (sum) == N);
  pm_value_release (a);
  CHECK (pm_read (sum, elements, sizeof elements) == PM_OK);
  CHECK (elements[0] == 1000 - 4 * N && elements[N * N - 1] == 1000 - 4 * N);
  CHECK (pm_has_result (sum) && pm_has_result (product));

  unsigned char truth[N * N];
  CHECK (pm_binary (PM_EQUAL, sum, sum, NULL, 0, &same) == PM_OK);
  CHECK (pm_value_class (same) == PM_LOGICAL);
  CHECK (pm_read (same, truth, sizeof truth) == PM_OK && truth[7] == 1);
  CHECK (pm_constant_copy (session, truth, N, N, PM_LOGICAL, &again) == PM_OK);
  CHECK (pm_value_class (again) == PM_LOGICAL && pm_has_result (again));
  pm_value_release (again);

  pm_value *single, *absolute, *kept = pm_value_retain (sum);
  CHECK (pm_convert (kept, PM_SINGLE, NULL, 0, &single) == PM_OK && pm_value_class (single) == PM_SINGLE);
  CHECK (pm_unary (PM_ABS, single, NULL, 0, &absolute) == PM_OK);
  static float floats[N * N];
  CHECK (pm_read (absolute, floats, sizeof floats) == PM_OK && floats[5] == abs (1000 - 4 * N));
  pm_statistics statistics;
  CHECK (pm_session_statistics (session, &statistics) == PM_OK);
  CHECK (statistics.operations_recorded == 5 && statistics.operations_pending == 0);
  CHECK (statistics.flushes_forced > 0);
  CHECK (pm_flush (session) == PM_OK);
  pm_value *values[] = { product, sum, same, single, absolute, kept };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    pm_value_release (values[i]);
}

/* What moves elements, and what reduces columns and rows. */
static pm_progress progress_of (const pm_session *session)
{
  pm_progress now;
  memset (&now, 0xff, sizeof now);
  CHECK (pm_session_progress (session, &now) == PM_OK);
  return now;
}

/* How far the session is before, while and after a product is computed; without overlap there is no while. */
static void progress (pm_session *session, int blocks, uint32_t overlap)
{
  const uint64_t n = blocks ? 500 : 100;
  pm_value *a = wrap (session, n, 1), *product, *cube;
  CHECK (pm_binary (PM_MULTIPLY, a, a, NULL, 0, &product) == PM_OK);
  CHECK (pm_binary (PM_MULTIPLY, product, a, NULL, 0, &cube) == PM_OK);
  pm_progress before = progress_of (session), now = before;
  CHECK (before.operations_pending == 2 && before.operations_in_flight == 0 && before.work_in_flight == 0);
  CHECK (before.meus == 2 && before.block_operations_executed == before.block_operations_lowered);

  const uint64_t work = 2 * n * n * n;
  int done = 0;
  while (! done)
    {
      pm_progress last = now;
      CHECK (pm_wait (cube, overlap ? 1 : UINT64_MAX, &done) == PM_OK);
      now = progress_of (session);
      CHECK (now.operations_pending == 0);
      CHECK (now.operations_in_flight == 2 || now.operations_in_flight == 0);
      CHECK (now.block_operations_executed >= last.block_operations_executed);
      CHECK (now.block_operations_executed <= now.block_operations_lowered && now.chunks_begun <= now.chunks_lowered);
      CHECK (now.work_executed - before.work_executed <= work && now.work_in_flight <= work);
    }
  CHECK (now.work_executed - before.work_executed == work);
  CHECK (! blocks || now.block_operations_executed > before.block_operations_executed);
  CHECK (now.block_operations_executed == now.block_operations_lowered && now.chunks_begun == now.chunks_lowered);
  /* The trace ends a moment after its last value is there. */
  for (int i = 0; i < 10000 && progress_of (session).operations_in_flight > 0; i++)
    usleep (1000);
  now = progress_of (session);
  CHECK (now.operations_in_flight == 0 && now.work_in_flight == 0);

  CHECK (pm_session_progress (NULL, &now) == PM_ERROR_NULL && pm_session_progress (session, NULL) == PM_ERROR_NULL);
  char losses[8] = "unknown";
  CHECK (pm_session_losses (session, losses, sizeof losses) == PM_OK && losses[0] == '\0');
  CHECK (pm_session_losses (session, losses, 0) == PM_ERROR_NULL && pm_session_losses (session, NULL, 8) == PM_ERROR_NULL);
  pm_value_release (a);
  pm_value_release (product);
  pm_value_release (cube);
}

/* Products with transposed operands, recorded and at once. */
static void transposed_products (void)
{
  const double elements[] = { 1, 2, 3, 4, 5, 6 };
  double found[9];
  for (uint32_t immediate = 0; immediate < 2; immediate++)
    {
      pm_session *session = open_session ("host", 1, immediate);
      pm_value *a, *column, *row, *sum, *square, *bad = NULL;
      CHECK (pm_constant_copy (session, elements, 2, 3, PM_DOUBLE, &a) == PM_OK);
      CHECK (pm_constant_copy (session, elements, 3, 1, PM_DOUBLE, &column) == PM_OK);
      CHECK (pm_product (column, 1, column, 0, "m.m", 1, &sum) == PM_OK && pm_has_result (sum) == (int) immediate);
      CHECK (pm_read (sum, found, sizeof *found) == PM_OK && found[0] == 14);
      CHECK (pm_product (a, 1, a, 0, "m.m", 2, &square) == PM_OK && pm_rows (square) == 3 && pm_columns (square) == 3);
      CHECK (pm_read (square, found, 9 * sizeof *found) == PM_OK && found[0] == 5 && found[5] == 39 && found[8] == 61);
      CHECK (pm_product (column, 1, a, 1, "m.m", 3, &row) == PM_OK && pm_rows (row) == 1 && pm_columns (row) == 2);
      CHECK (pm_read (row, found, 2 * sizeof *found) == PM_OK && found[0] == 22 && found[1] == 28);
      CHECK (pm_product (a, 0, a, 0, "m.m", 4, &bad) == PM_ERROR_NONCONFORMANT && bad == NULL);
      CHECK (pm_product (a, 0, NULL, 0, "m.m", 5, &bad) == PM_ERROR_NULL);
      for (pm_value **value = (pm_value *[]) { a, column, row, sum, square, NULL }; *value; value++)
        pm_value_release (*value);
      pm_session_destroy (session);
    }
}

static void direct (pm_session *session)
{
  const double elements[] = { 1, 2, 3, 4, 5, 6 };
  double found[12];
  pm_value *a, *turned, *wide, *sums, *largest, *band, *norm, *diagonal, *repeated, *bad = NULL;
  CHECK (pm_constant_copy (session, elements, 2, 3, PM_DOUBLE, &a) == PM_OK);
  CHECK (pm_view (a, 3, 2, 0, 2, 1, 1, "m.m", 3, &turned) == PM_OK && pm_rows (turned) == 3 && ! pm_has_result (turned));
  int64_t parameters[4];
  CHECK (pm_parameters_of (turned, parameters) == PM_OK);
  CHECK (parameters[0] == 0 && parameters[1] == 2 && parameters[2] == 1 && parameters[3] == 1);
  CHECK (pm_read (turned, found, 6 * sizeof *found) == PM_OK && found[1] == 3 && found[3] == 2 && found[5] == 6);
  CHECK (pm_parameters_of (turned, parameters) == PM_ERROR_ARGUMENT);
  CHECK (pm_read_view (a, 3, 1, 1, 2, 0, found, 3 * sizeof *found) == PM_OK && found[0] == 2 && found[1] == 4 && found[2] == 6);
  CHECK (pm_read_view (a, 3, 2, 5, -1, -3, found, 6 * sizeof *found) == PM_OK && found[0] == 6 && found[2] == 4 && found[5] == 1);
  CHECK (pm_read_view (a, 4, 1, 1, 1, 0, found, 4 * sizeof *found) == PM_OK && found[0] == 2 && found[3] == 5);
  CHECK (pm_read_view (a, 2, 2, 1, 0, 3, found, 4 * sizeof *found) == PM_OK && found[1] == 2 && found[2] == 5 && found[3] == 5);
  CHECK (pm_read_view (a, 4, 1, 3, 1, 0, found, 4 * sizeof *found) == PM_ERROR_ARGUMENT);
  CHECK (pm_read_view (a, 2, 1, 0, 1, 0, found, sizeof *found) == PM_ERROR_ARGUMENT);
  CHECK (pm_constant_view (session, elements, 2, 3, PM_DOUBLE, 3, 2, 5, -2, -1, &wide) == PM_OK && pm_rows (wide) == 3);
  CHECK (pm_read (wide, found, 6 * sizeof *found) == PM_OK && found[0] == 6 && found[1] == 4 && found[3] == 5 && found[5] == 1);
  pm_value_release (wide);
  CHECK (pm_constant_view (session, elements, 2, 3, PM_DOUBLE, 3, 2, 4, -2, -1, &bad) == PM_ERROR_ARGUMENT);
  CHECK (! strcmp (pm_last_error_message (), "a 3x2 view leaves its 2x3 matrix") && bad == NULL);
  CHECK (pm_join (a, a, 1, NULL, 0, &wide) == PM_OK && pm_columns (wide) == 6);
  CHECK (pm_read (wide, found, 12 * sizeof *found) == PM_OK && found[5] == 6 && found[6] == 1);
  CHECK (pm_join (a, turned, 0, NULL, 0, &bad) == PM_ERROR_ARGUMENT);
  CHECK (! strcmp (pm_last_error_message (), "vertical dimensions mismatch (2x3 vs 3x2)"));
  CHECK (pm_join (a, a, 2, NULL, 0, &bad) == PM_ERROR_ARGUMENT);
  CHECK (pm_view (a, 3, 3, 0, 2, 1, 0, NULL, 0, &bad) == PM_ERROR_ARGUMENT);
  CHECK (pm_view (a, 3, 2, 0, 2, 1, 3, NULL, 0, &bad) == PM_ERROR_ARGUMENT);
  CHECK (pm_reduce (PM_SUM, a, 0, NULL, 0, &sums) == PM_OK);
  CHECK (pm_read (sums, found, 3 * sizeof *found) == PM_OK && found[0] == 3 && found[2] == 11);
  CHECK (pm_reduce (PM_MAXIMUM, a, 1, NULL, 0, &largest) == PM_OK);
  CHECK (pm_read (largest, found, 2 * sizeof *found) == PM_OK && found[0] == 5 && found[1] == 6);
  CHECK (pm_reduce (PM_NORM, a, 0, NULL, 0, &norm) == PM_OK);
  CHECK (pm_read (norm, found, sizeof *found) == PM_OK && found[0] > 9.53 && found[0] < 9.54);
  CHECK (pm_reduce (PM_ADD, a, 0, NULL, 0, &bad) == PM_ERROR_ARGUMENT);
  CHECK (pm_band (a, 1, 9, NULL, 0, &band) == PM_OK);
  CHECK (pm_read (band, found, 6 * sizeof *found) == PM_OK && found[0] == 0 && found[2] == 3 && found[3] == 0);
  CHECK (pm_diagonal (sums, -1, NULL, 0, &diagonal) == PM_OK && pm_rows (diagonal) == 4);
  CHECK (pm_diagonal (a, 0, NULL, 0, &bad) == PM_ERROR_ARGUMENT);
  CHECK (pm_repeat (a, 1, 2, NULL, 0, &repeated) == PM_OK && pm_columns (repeated) == 6);
  CHECK (pm_repeat (a, UINT64_MAX, 2, NULL, 0, &bad) == PM_ERROR_MEMORY && bad == NULL);
  pm_value *values[] = { a, turned, wide, sums, largest, norm, band, diagonal, repeated };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    pm_value_release (values[i]);
}

static void errors (pm_session *session)
{
  pm_value *a = wrap (session, 3, 1), *b = wrap (session, 4, 1), *c = NULL;
  CHECK (pm_binary (PM_ADD, a, b, NULL, 0, &c) == PM_ERROR_NONCONFORMANT);
  CHECK (! strcmp (pm_last_error_id (), "Octave:nonconformant-args"));
  CHECK (! strcmp (pm_last_error_message (), "operator +: nonconformant arguments (op1 is 3x3, op2 is 4x4)"));
  CHECK (pm_binary (PM_ADD, NULL, b, NULL, 0, &c) == PM_ERROR_NULL);
  CHECK (pm_binary (PM_ADD, a, a, NULL, 0, NULL) == PM_ERROR_NULL);
  CHECK (pm_binary ((pm_operation) 99, a, a, NULL, 0, &c) == PM_ERROR_ARGUMENT);
  CHECK (pm_unary (PM_ADD, a, NULL, 0, &c) == PM_ERROR_ARGUMENT);
  CHECK (pm_convert (a, PM_LOGICAL, NULL, 0, &c) == PM_ERROR_ARGUMENT);
  CHECK (pm_constant_copy (session, NULL, 2, 2, PM_DOUBLE, &c) == PM_ERROR_NULL);
  CHECK (pm_constant_copy (session, NULL, UINT64_MAX, 2, PM_DOUBLE, &c) == PM_ERROR_MEMORY);
  double one;
  CHECK (pm_read (a, &one, sizeof one) == PM_ERROR_ARGUMENT);
  CHECK (c == NULL);
  int done = 0;
  CHECK (pm_wait (a, 0, &done) == PM_OK && done);

  /* A complex result: the operation and its operands can be had, and the rest of the trace is computed. */
  pm_value *negative, *root, *sum, *good, *first, *second;
  CHECK (pm_binary_scalar (PM_TIMES, a, -8, PM_DOUBLE, 0, NULL, 0, &negative) == PM_OK);
  CHECK (pm_binary_scalar (PM_POWER, negative, 0.5, PM_DOUBLE, 0, "root.m", 7, &root) == PM_OK);
  CHECK (pm_binary (PM_ADD, root, a, NULL, 0, &sum) == PM_OK);
  CHECK (pm_binary (PM_ADD, negative, a, NULL, 0, &good) == PM_OK);
  double elements[9];
  CHECK (pm_read (sum, elements, sizeof elements) == PM_ERROR_DOMAIN);
  CHECK (strstr (pm_last_error_message (), "root.m:7") != NULL);
  CHECK (pm_read (good, elements, sizeof elements) == PM_OK && elements[8] == -7);
  pm_operation operation;
  double scalar;
  int form;
  CHECK (pm_operation_of (sum, &operation, &first, &second, &scalar, &form) == PM_OK);
  CHECK (operation == PM_ADD && form == 0 && first != NULL && second != NULL);
  CHECK (pm_value_identity (first) == pm_value_identity (root) && pm_value_identity (second) == pm_value_identity (a));
  CHECK (pm_value_identity (first) != pm_value_identity (second));
  pm_value_release (first);
  pm_value_release (second);
  CHECK (pm_operation_of (root, &operation, &first, &second, &scalar, &form) == PM_OK);
  CHECK (operation == PM_POWER && form == 1 && scalar == 0.5 && second == NULL && pm_has_result (first));
  pm_value_release (first);
  CHECK (pm_operation_of (good, &operation, &first, &second, &scalar, &form) == PM_ERROR_ARGUMENT);
  /* Likewise of a function outside of its domain, and of what is neither true nor false. */
  pm_value *logarithm, *undefined, *both;
  CHECK (pm_unary (PM_LOG, negative, "log.m", 8, &logarithm) == PM_OK);
  CHECK (pm_read (logarithm, elements, sizeof elements) == PM_ERROR_DOMAIN);
  CHECK (strstr (pm_last_error_message (), "log.m:8: a negative number has a complex result") != NULL);
  CHECK (pm_binary_scalar (PM_TIMES, a, NAN, PM_DOUBLE, 0, NULL, 0, &undefined) == PM_OK);
  CHECK (pm_binary (PM_AND, undefined, a, NULL, 0, &both) == PM_OK && pm_value_class (both) == PM_LOGICAL);
  unsigned char bytes[9];
  CHECK (pm_read (both, bytes, sizeof bytes) == PM_ERROR_DOMAIN);
  CHECK (strstr (pm_last_error_message (), "NaN is neither true nor false") != NULL);
  pm_value *values[] = { a, b, negative, root, sum, good, logarithm, undefined, both };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    pm_value_release (values[i]);
}

/* A session that was given back goes on until its last value has gone. */
static void released_session (void)
{
  pm_session *first = open_session ("host", 1, 0), *second = open_session ("host", 1, 0);
  double numbers[] = { 1, 2, 3 }, results[3] = { 0, 0, 0 };
  pm_value *a = NULL, *sum = NULL, *other = NULL, *mixed = NULL;
  CHECK (pm_constant_copy (first, numbers, 3, 1, PM_DOUBLE, &a) == PM_OK);
  CHECK (pm_binary (PM_ADD, a, a, NULL, 0, &sum) == PM_OK);
  CHECK (pm_value_is_in (sum, first) && ! pm_value_is_in (sum, second) && ! pm_value_is_in (NULL, first));
  CHECK (pm_constant_copy (second, numbers, 3, 1, PM_DOUBLE, &other) == PM_OK);
  pm_session_release (first);
  CHECK (pm_binary (PM_ADD, sum, other, NULL, 0, &mixed) == PM_ERROR_ARGUMENT);
  pm_value_release (a);
  CHECK (pm_value_cancel (sum) == PM_OK);
  CHECK (pm_read (sum, results, sizeof results) == PM_OK && results[2] == 6);
  pm_value_release (sum);
  pm_value_release (other);
  pm_session_destroy (second);
}

static void count_total (const pm_total *total, void *data)
{
  pm_total *sum = data;
  CHECK (! strcmp (total->file, "prog.m") && total->line == 50 && total->operation == PM_MULTIPLY);
  sum->recorded += total->recorded;
  sum->blocks_on_meus += total->blocks_on_meus;
}

/* The timeline begins and ends when it is told to, and knows the program's lines. */
static void profile (void)
{
  pm_session *session = open_session ("host", 1, 0);
  pm_value *a = wrap (session, 200, 1), *product = NULL;
  static double elements[200 * 200];
  pm_total sum = { 0 };
  CHECK (pm_binary (PM_ADD, a, a, "prog.m", 49, &product) == PM_OK);
  pm_value_release (product);
  CHECK (pm_session_profile (NULL, 1) == PM_ERROR_NULL);
  CHECK (pm_session_profile (session, 1) == PM_OK);
  CHECK (pm_binary (PM_MULTIPLY, a, a, "prog.m", 50, &product) == PM_OK);
  CHECK (pm_read (product, elements, sizeof elements) == PM_OK);
  CHECK (pm_session_profile (session, 0) == PM_OK);
  pm_value_release (product);
  CHECK (pm_binary (PM_MULTIPLY, a, a, "prog.m", 51, &product) == PM_OK);
  CHECK (pm_session_totals (session, count_total, &sum) == PM_OK);
  CHECK (sum.recorded == 1 && sum.blocks_on_meus > 0);
  CHECK (pm_session_profile_save (session, "/nowhere/at/all") == PM_ERROR_FILE);
  CHECK (pm_session_profile_clear (session) == PM_OK);
  sum.recorded = 0;
  CHECK (pm_session_totals (session, count_total, &sum) == PM_OK && sum.recorded == 0);
  pm_value_release (product);
  pm_value_release (a);
  pm_session_destroy (session);
}

static void bad_options (void)
{
  pm_options options;
  pm_session *session = NULL;
  CHECK (pm_options_default (NULL) == PM_ERROR_NULL);
  CHECK (pm_options_default (&options) == PM_OK);
  options.meus = 0;
  CHECK (pm_session_create (&options, &session) == PM_ERROR_ARGUMENT);
  options.meus = 0xffffffff;
  CHECK (pm_options_check (&options) == PM_ERROR_ARGUMENT);
  CHECK (! strcmp (pm_last_error_message (), "meus is '4294967295': it must be a whole number from 1 to 4096"));
  options.meus = 1;
  options.overlap = 2;
  CHECK (pm_options_check (&options) == PM_ERROR_ARGUMENT && strstr (pm_last_error_message (), "overlap is '2'"));
  options.overlap = 1;
  options.max_bytes = 0;
  CHECK (pm_options_check (&options) == PM_ERROR_ARGUMENT && strstr (pm_last_error_message (), "max_bytes is '0'"));
  CHECK (pm_session_create (&options, &session) == PM_ERROR_ARGUMENT);
  options.max_bytes = 1 << 20;
  options.model = "/dev/urandom";
  CHECK (pm_options_check (&options) == PM_ERROR_FILE);
  options.model = NULL;
  options.profile = "/nowhere/at/all";
  CHECK (pm_options_check (&options) == PM_ERROR_FILE && strstr (pm_last_error_message (), "/nowhere/at/all"));
  options.profile = NULL;
  CHECK (pm_options_check (&options) == PM_OK);
  CHECK (pm_option_check ("small", "off") == PM_OK && pm_option_check ("small", "2") == PM_ERROR_ARGUMENT);
  int on = 7;
  CHECK (pm_option_variable ("PMATRIX_SMALL", &on) == PM_OK && on == 7);
  setenv ("PMATRIX_SMALL", "off", 1);
  CHECK (pm_option_variable ("PMATRIX_SMALL", &on) == PM_OK && on == 0);
  unsetenv ("PMATRIX_SMALL");
  options.engine = "abacus";
  CHECK (pm_session_create (&options, &session) == PM_ERROR_ARGUMENT);
  options.engine = "host";
  options.model = "/nonexistent/model";
  CHECK (pm_session_create (&options, &session) == PM_ERROR_FILE);
  CHECK (session == NULL);
  setenv ("PMATRIX_MEUS", "many", 1);
  CHECK (pm_options_default (&options) == PM_ERROR_ARGUMENT && strstr (pm_last_error_message (), "PMATRIX_MEUS"));
  unsetenv ("PMATRIX_MEUS");
}

/* A child of fork has no stages and no MEUs: it is told so, and ends. */
static void forked (pm_session *session)
{
  pm_value *a = wrap (session, 50, 1), *b;
  CHECK (pm_binary (PM_MULTIPLY, a, a, NULL, 0, &b) == PM_OK);
  fflush (stdout);
  pid_t child = fork ();
  if (child == 0)
    {
      static double elements[2500];
      int good = pm_read (b, elements, sizeof elements) == PM_ERROR_FORK;
      pm_value_release (b);
      pm_session_destroy (session);
      _exit (good ? 0 : 1);
    }
  int status;
  CHECK (waitpid (child, &status, 0) == child && WIFEXITED (status) && WEXITSTATUS (status) == 0);
  pm_value_release (a);
  pm_value_release (b);
}

static int interrupts;

static int interrupted (void *data)
{
  interrupts++;
  return data == &interrupts;
}

/* Recording waits once many products are in flight: then it asks, and gives up. */
static void interrupt (void)
{
  enum { N = 1000, PRODUCTS = 50 };
  pm_options options;
  pm_session *session = NULL;
  CHECK (pm_options_default (&options) == PM_OK);
  options.max_bytes = PRODUCTS * N * N * sizeof (double);
  CHECK (pm_session_create (&options, &session) == PM_OK);
  CHECK (pm_session_interrupt (NULL, interrupted, NULL) == PM_ERROR_NULL);
  CHECK (pm_session_interrupt (session, interrupted, &interrupts) == PM_OK);
  pm_value *a = wrap (session, N, 0), *product = pm_value_retain (a), *next;
  pm_status status = PM_OK;
  for (int k = 0; k < 10 * PRODUCTS && status == PM_OK; k++)
    {
      status = pm_binary (PM_MULTIPLY, product, a, "prog.m", 30, &next);
      if (status == PM_OK)
        {
          pm_value_release (product);
          product = next;
        }
    }
  CHECK (status == PM_ERROR_CANCELLED && interrupts == 1);
  CHECK (! pm_has_result (product));
  pm_value_release (product);
  pm_value_release (a);
  CHECK (pm_session_interrupt (session, NULL, NULL) == PM_OK);
  pm_session_destroy (session);
}

int main (void)
{
  CHECK (strlen (pm_version ()) > 0);
  released_session ();
  bad_options ();
  profile ();
  interrupt ();
  for (uint32_t overlap = 0; overlap < 2; overlap++)
    for (int engine = 0; engine < 2; engine++)
      {
        pm_session *session = open_session (engine ? "host" : "reference", overlap, 0);
        released = 0;
        results (session);
        masks (session);
        direct (session);
        progress (session, engine, overlap);
        errors (session);
        forked (session);
        pm_value *outlives = wrap (session, 2, 5), *pending;
        CHECK (pm_unary (PM_SIN, outlives, NULL, 0, &pending) == PM_OK);
        pm_session_destroy (session);
        double elements[4];
        int done;
        CHECK (pm_read (outlives, elements, sizeof elements) == PM_OK && elements[3] == 5);
        if (overlap)
          CHECK (pm_wait (pending, 0, &done) == PM_ERROR_ARGUMENT);
        pm_value_release (pending);
        pm_value_release (outlives);
        CHECK (released == 7);
      }
  transposed_products ();
  pm_value_release (NULL);
  pm_session_destroy (NULL);
  printf ("%d failures\n", failures);
  return failures != 0;
}
