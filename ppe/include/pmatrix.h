/* pmatrix.h - the C interface of pmatrix.
 *
 * Conventions
 *   Every function that can fail returns a pm_status; PM_OK is 0.  After another status,
 *   pm_last_error_message and pm_last_error_id describe the failure; they are kept per thread until the next
 *   failing call on that thread.
 *   A null pointer argument gives PM_ERROR_NULL.  No call unwinds into its caller: a panic inside becomes
 *   PM_ERROR_PANIC.
 *   Matrices are column-major.  A pm_value is one counted reference to a value; pm_value_release gives it
 *   back.
 *   A session and its values may be used from any thread, one call at a time or concurrently.
 *
 * Compiling
 *   After `scripts/install --prefix FOLDER`, with FOLDER/lib/pkgconfig in PKG_CONFIG_PATH:
 *     cc program.c $(pkg-config --cflags --libs --static pmatrix)
 *   With the library as it was built:
 *     cc -IINCLUDE program.c libpmatrix.a -lpthread -ldl -lm
 *   examples/c/power.c is a program to begin with.
 */
#ifndef PMATRIX_PMATRIX_H
#define PMATRIX_PMATRIX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PM_VERSION_MAJOR 0
#define PM_VERSION_MINOR 1

typedef enum pm_status {
  PM_OK = 0,
  PM_ERROR_NULL = 1,          /* a pointer argument is null */
  PM_ERROR_ARGUMENT = 2,      /* an option, size, class or operation number is out of range */
  PM_ERROR_NONCONFORMANT = 3, /* the shapes do not fit; id Octave:nonconformant-args */
  PM_ERROR_DOMAIN = 4,        /* the result would be complex, or a truth value of NaN */
  PM_ERROR_EXECUTION = 5,     /* an engine or an MEU failed; the message names operation, sizes, MEU, place */
  PM_ERROR_MEMORY = 6,
  PM_ERROR_FILE = 7,          /* a model file is missing, malformed, too large, or no regular file */
  PM_ERROR_FORK = 8,          /* the session belongs to the parent process */
  PM_ERROR_PANIC = 9,         /* a mistake of ours */
  PM_ERROR_CANCELLED = 10     /* a recording call was interrupted (pm_session_interrupt) */
} pm_status;

/* Class of a value.  A logical value is handed over as bytes 0 and 1.  Any other byte has no meaning. */
typedef enum pm_class { PM_SINGLE = 0, PM_DOUBLE = 1, PM_LOGICAL = 2 } pm_class;

/* What can be recorded.
 *
 * PM_MULTIPLY scales when one side is 1x1.  PM_CONVERT is recorded by pm_convert, and where classes mix.
 * PM_MAX_RIGHT and PM_MIN_RIGHT are recorded for PM_MAX and PM_MIN.  PM_VIEW and all that follow it are
 * recorded by functions of their own, with which the meaning of the parameters stands.  Outside of its
 * domain a function has a complex result, and PM_NOT, PM_AND and PM_OR of NaN have none: the value then
 * fails with PM_ERROR_DOMAIN.
 *
 * PM_OPERATIONS (X) is X (operation, function, operands, gives, domain, complex) for each operation: the
 * function of Octave that it computes alone, "" where there is none; the number of its values; the class
 * of its result (NUMBER, TRUTH, EXTREMUM, or DIRECT for what moves elements or reduces columns and rows);
 * the elements that it has a real result for (ANY, NOT_NAN, NOT_NEGATIVE, FROM_MINUS_ONE, FROM_ONE,
 * WITHIN_ONE, POWER); and what Octave gives for complex operands (COMPLEX, REAL, REFUSED), in the words of
 * spe-kernels/include/operations.def. */
/* Made of spe-kernels/include/operations.def (UPDATE_HEADER=1 cargo test -p pmatrix --test header). */
typedef enum pm_operation {
  PM_MULTIPLY = 0,           /* the matrix product `a * b` */
  PM_ADD = 1,                /* `a + b` */
  PM_SUBTRACT = 2,           /* `a - b` */
  PM_TIMES = 3,              /* `a .* b`, and `a * s` for a number s */
  PM_DIVIDE = 4,             /* `a ./ b` */
  PM_POWER = 5,              /* `a .^ b` */
  PM_MOD = 6,                /* `mod (a, b)`, by the rule of Octave */
  PM_EQUAL = 7,              /* `a == b` */
  PM_NOT_EQUAL = 8,          /* `a != b` */
  PM_ABS = 9,                /* `abs (a)` */
  PM_SIN = 10,               /* `sin (a)` */
  PM_COS = 11,               /* `cos (a)` */
  PM_SIGN = 12,              /* `sign (a)` */
  PM_ROUND = 13,             /* `round (a)`, halves away from zero */
  PM_CONVERT = 14,           /* `single (a)` or `double (a)` */
  PM_NEGATE = 15,            /* `-a` */
  PM_NOT = 16,               /* `! a` */
  PM_FLOOR = 17,             /* `floor (a)` */
  PM_CEIL = 18,              /* `ceil (a)` */
  PM_FIX = 19,               /* `fix (a)`, towards zero */
  PM_SQRT = 20,              /* `sqrt (a)` */
  PM_EXP = 21,               /* `exp (a)` */
  PM_EXPM1 = 22,             /* `expm1 (a)` */
  PM_LOG = 23,               /* `log (a)` */
  PM_LOG2 = 24,              /* `log2 (a)` */
  PM_LOG10 = 25,             /* `log10 (a)` */
  PM_LOG1P = 26,             /* `log1p (a)` */
  PM_TAN = 27,               /* `tan (a)` */
  PM_ASIN = 28,              /* `asin (a)` */
  PM_ACOS = 29,              /* `acos (a)` */
  PM_ATAN = 30,              /* `atan (a)` */
  PM_SINH = 31,              /* `sinh (a)` */
  PM_COSH = 32,              /* `cosh (a)` */
  PM_TANH = 33,              /* `tanh (a)` */
  PM_ASINH = 34,             /* `asinh (a)` */
  PM_ACOSH = 35,             /* `acosh (a)` */
  PM_ATANH = 36,             /* `atanh (a)` */
  PM_ISNAN = 37,             /* `isnan (a)` */
  PM_ISINF = 38,             /* `isinf (a)` */
  PM_ISFINITE = 39,          /* `isfinite (a)` */
  PM_LESS = 40,              /* `a < b` */
  PM_LESS_EQUAL = 41,        /* `a <= b` */
  PM_GREATER = 42,           /* `a > b` */
  PM_GREATER_EQUAL = 43,     /* `a >= b` */
  PM_AND = 44,               /* `a & b` */
  PM_OR = 45,                /* `a | b` */
  PM_MAX = 46,               /* `max (a, b)`; of two zeros, a */
  PM_MIN = 47,               /* `min (a, b)`; of two zeros, a */
  PM_MAX_RIGHT = 48,         /* `max (a, b)`; of two zeros, b: recorded for max where Octave takes b */
  PM_MIN_RIGHT = 49,         /* `min (a, b)`; of two zeros, b: recorded for min where Octave takes b */
  PM_REM = 50,               /* `rem (a, b)`, by the rule of Octave */
  PM_ATAN2 = 51,             /* `atan2 (a, b)` */
  PM_HYPOT = 52,             /* `hypot (a, b)` */
  PM_ERF = 53,               /* `erf (a)` */
  PM_ERFC = 54,              /* `erfc (a)` */
  PM_CBRT = 55,              /* `cbrt (a)` */
  PM_VIEW = 56,              /* elements of a matrix in another arrangement: a slice, a transpose, a reshaped matrix */
  PM_REPEAT = 57,            /* `repmat (a, m, n)` */
  PM_JOIN = 58,              /* `[a, b]` and `[a; b]` */
  PM_BAND = 59,              /* `tril (a)` and `triu (a)` */
  PM_DIAGONAL = 60,          /* `diag (a)` of a vector */
  PM_SUM = 61,               /* `sum (a)`, one element after the other from +0 on */
  PM_PRODUCT = 62,           /* `prod (a)` */
  PM_SUM_OF_SQUARES = 63,    /* `sumsq (a)` */
  PM_CUMULATIVE_SUM = 64,    /* `cumsum (a)` */
  PM_ANY = 65,               /* `any (a)` */
  PM_ALL = 66,               /* `all (a)` */
  PM_MAXIMUM = 67,           /* `max (a)` of one value */
  PM_MINIMUM = 68,           /* `min (a)` of one value */
  PM_NORM = 69               /* `norm (a, 'fro')` */
} pm_operation;

#define PM_OPERATIONS(X) \
  X (PM_MULTIPLY, "mtimes", 2, NUMBER, ANY, COMPLEX) \
  X (PM_ADD, "plus", 2, NUMBER, ANY, COMPLEX) \
  X (PM_SUBTRACT, "minus", 2, NUMBER, ANY, COMPLEX) \
  X (PM_TIMES, "times", 2, NUMBER, ANY, COMPLEX) \
  X (PM_DIVIDE, "rdivide", 2, NUMBER, ANY, COMPLEX) \
  X (PM_POWER, "power", 2, NUMBER, POWER, COMPLEX) \
  X (PM_MOD, "mod", 2, NUMBER, ANY, REFUSED) \
  X (PM_EQUAL, "eq", 2, TRUTH, ANY, REAL) \
  X (PM_NOT_EQUAL, "ne", 2, TRUTH, ANY, REAL) \
  X (PM_ABS, "abs", 1, NUMBER, ANY, REAL) \
  X (PM_SIN, "sin", 1, NUMBER, ANY, COMPLEX) \
  X (PM_COS, "cos", 1, NUMBER, ANY, COMPLEX) \
  X (PM_SIGN, "sign", 1, NUMBER, ANY, COMPLEX) \
  X (PM_ROUND, "round", 1, NUMBER, ANY, COMPLEX) \
  X (PM_CONVERT, "", 1, NUMBER, ANY, COMPLEX) \
  X (PM_NEGATE, "uminus", 1, NUMBER, ANY, COMPLEX) \
  X (PM_NOT, "not", 1, TRUTH, NOT_NAN, REAL) \
  X (PM_FLOOR, "floor", 1, NUMBER, ANY, COMPLEX) \
  X (PM_CEIL, "ceil", 1, NUMBER, ANY, COMPLEX) \
  X (PM_FIX, "fix", 1, NUMBER, ANY, COMPLEX) \
  X (PM_SQRT, "sqrt", 1, NUMBER, NOT_NEGATIVE, COMPLEX) \
  X (PM_EXP, "exp", 1, NUMBER, ANY, COMPLEX) \
  X (PM_EXPM1, "expm1", 1, NUMBER, ANY, COMPLEX) \
  X (PM_LOG, "log", 1, NUMBER, NOT_NEGATIVE, COMPLEX) \
  X (PM_LOG2, "log2", 1, NUMBER, NOT_NEGATIVE, COMPLEX) \
  X (PM_LOG10, "log10", 1, NUMBER, NOT_NEGATIVE, COMPLEX) \
  X (PM_LOG1P, "log1p", 1, NUMBER, FROM_MINUS_ONE, COMPLEX) \
  X (PM_TAN, "tan", 1, NUMBER, ANY, COMPLEX) \
  X (PM_ASIN, "asin", 1, NUMBER, WITHIN_ONE, COMPLEX) \
  X (PM_ACOS, "acos", 1, NUMBER, WITHIN_ONE, COMPLEX) \
  X (PM_ATAN, "atan", 1, NUMBER, ANY, COMPLEX) \
  X (PM_SINH, "sinh", 1, NUMBER, ANY, COMPLEX) \
  X (PM_COSH, "cosh", 1, NUMBER, ANY, COMPLEX) \
  X (PM_TANH, "tanh", 1, NUMBER, ANY, COMPLEX) \
  X (PM_ASINH, "asinh", 1, NUMBER, ANY, COMPLEX) \
  X (PM_ACOSH, "acosh", 1, NUMBER, FROM_ONE, COMPLEX) \
  X (PM_ATANH, "atanh", 1, NUMBER, WITHIN_ONE, COMPLEX) \
  X (PM_ISNAN, "isnan", 1, TRUTH, ANY, REAL) \
  X (PM_ISINF, "isinf", 1, TRUTH, ANY, REAL) \
  X (PM_ISFINITE, "isfinite", 1, TRUTH, ANY, REAL) \
  X (PM_LESS, "lt", 2, TRUTH, ANY, REAL) \
  X (PM_LESS_EQUAL, "le", 2, TRUTH, ANY, REAL) \
  X (PM_GREATER, "gt", 2, TRUTH, ANY, REAL) \
  X (PM_GREATER_EQUAL, "ge", 2, TRUTH, ANY, REAL) \
  X (PM_AND, "and", 2, TRUTH, NOT_NAN, REAL) \
  X (PM_OR, "or", 2, TRUTH, NOT_NAN, REAL) \
  X (PM_MAX, "max", 2, EXTREMUM, ANY, COMPLEX) \
  X (PM_MIN, "min", 2, EXTREMUM, ANY, COMPLEX) \
  X (PM_MAX_RIGHT, "", 2, EXTREMUM, ANY, COMPLEX) \
  X (PM_MIN_RIGHT, "", 2, EXTREMUM, ANY, COMPLEX) \
  X (PM_REM, "rem", 2, NUMBER, ANY, REFUSED) \
  X (PM_ATAN2, "atan2", 2, NUMBER, ANY, REFUSED) \
  X (PM_HYPOT, "hypot", 2, NUMBER, ANY, REAL) \
  X (PM_ERF, "erf", 1, NUMBER, ANY, COMPLEX) \
  X (PM_ERFC, "erfc", 1, NUMBER, ANY, COMPLEX) \
  X (PM_CBRT, "cbrt", 1, NUMBER, ANY, REFUSED) \
  X (PM_VIEW, "", 1, DIRECT, ANY, COMPLEX) \
  X (PM_REPEAT, "repmat", 1, DIRECT, ANY, COMPLEX) \
  X (PM_JOIN, "", 2, DIRECT, ANY, COMPLEX) \
  X (PM_BAND, "", 1, DIRECT, ANY, COMPLEX) \
  X (PM_DIAGONAL, "diag", 1, DIRECT, ANY, COMPLEX) \
  X (PM_SUM, "sum", 1, DIRECT, ANY, COMPLEX) \
  X (PM_PRODUCT, "prod", 1, DIRECT, ANY, COMPLEX) \
  X (PM_SUM_OF_SQUARES, "sumsq", 1, DIRECT, ANY, REAL) \
  X (PM_CUMULATIVE_SUM, "cumsum", 1, DIRECT, ANY, COMPLEX) \
  X (PM_ANY, "any", 1, DIRECT, ANY, REAL) \
  X (PM_ALL, "all", 1, DIRECT, ANY, REAL) \
  X (PM_MAXIMUM, "max", 1, DIRECT, ANY, COMPLEX) \
  X (PM_MINIMUM, "min", 1, DIRECT, ANY, COMPLEX) \
  X (PM_NORM, "norm", 1, DIRECT, ANY, REAL)
/* End of what is made of operations.def. */

typedef struct pm_session pm_session;
typedef struct pm_value pm_value;

/* Options of a session; pm_options_default fills in the defaults and the PMATRIX_* environment variables
 * (PMATRIX_ENGINE, PMATRIX_MEUS, PMATRIX_SCHEDULER, PMATRIX_OVERLAP, PMATRIX_IMMEDIATE,
 * PMATRIX_COMMON, PMATRIX_MAX_OPERATIONS, PMATRIX_MAX_DEPTH, PMATRIX_MAX_BYTES, PMATRIX_MODEL, PMATRIX_PROFILE,
 * PMATRIX_RANKS, PMATRIX_SHARD, PMATRIX_RANKS_WORK_MS, PMATRIX_HOSTFILE, PMATRIX_RANKS_MEMORY).  Every
 * session takes PMATRIX_CPU, PMATRIX_TIMING and PMATRIX_ARITHMETIC as well. */
typedef struct pm_options {
  const char *engine;        /* "host" (threads of this machine), "cell" (SPEs through libspe2), "sim" (a simulated Cell),
                              * "reference" (one operation after another), or "null" (schedules only) */
  const char *scheduler;     /* "heuristic", "round-robin", "hlfet", "online" or "portfolio" */
  const char *model;         /* path of a time model, or NULL for the built-in one */
  uint32_t meus;             /* number of MEUs, 1 to 4096 */
  uint32_t overlap;          /* 1: all stages have threads of their own; 0: the forcing thread runs them */
  uint32_t immediate;        /* 1: the calling thread does little work itself; 0: it hands everything over */
  uint32_t common;           /* 1: equal operations on equal operands are executed once; 0: each is */
  uint64_t max_operations;   /* a trace is executed when it has this many operations, */
  uint64_t max_depth;        /* a chain of this many dependent operations, */
  uint64_t max_bytes;        /* or pins this many bytes */
  const char *profile;       /* file for the timeline (pm_session_profile), or NULL.  It is replaced by an empty timeline at
                              * once, and written when the session ends, or the process by exit */
  uint32_t ranks;            /* processes, started with mpirun, that hold matrices together and execute what is much work;
                              * 1 for none.  The engines "host", "sim" and "cell" have them */
  uint32_t shard;            /* rows and columns of the part of a matrix that one rank owns, at most; a multiple of 16 */
  double ranks_work_ms;      /* ranks execute what takes one core of this machine so many milliseconds */
  const char *hostfile;      /* the machines on which ranks run, in a file as mpirun takes it, or NULL for this machine */
  uint64_t ranks_memory;     /* bytes of matrices that each rank holds in memory, at most; what is more lies on a disk.  2^52,
                              * the most, is no limit; with a limit even one rank is a process of its own */
} pm_options;

pm_status pm_options_default (pm_options *options);
/* Checks names, numbers and the model file, without starting an engine; PM_ERROR_ARGUMENT or PM_ERROR_FILE
 * says what is wrong. */
pm_status pm_options_check (const pm_options *options);
/* Checks one option by its name, which is that of the field, or one of the Octave package: "small",
 * "synchronous", "warnings", "progress".  PM_ERROR_ARGUMENT: the message says the option, the value, and
 * what is allowed. */
pm_status pm_option_check (const char *option, const char *value);
/* *on is what the environment variable of a switch says, such as "PMATRIX_SMALL"; it stays as it is where
 * there is none.  PM_ERROR_ARGUMENT as above, where the message names the variable. */
pm_status pm_option_variable (const char *variable, int *on);

/* Starts a session, with an engine and its MEUs.  What pm_options_check says of the options, this call says as
 * well; PM_ERROR_EXECUTION where the engine cannot be had. */
pm_status pm_session_create (const pm_options *options, pm_session **session);
/* Waits for what is in flight; pending operations are dropped.  Values outlive their session safely. */
void pm_session_destroy (pm_session *session);
/* Gives the session back.  It ends with the last of its values, so pending values can still be forced.  An
 * operation takes values of one session only. */
void pm_session_release (pm_session *session);

/* A value from rows x columns elements (column-major, no gaps) that stay where they are until `release
 * (owner)` is called on some thread: wrapping copies nothing. data: float, double, or bytes 0/1 of a
 * logical.  When the call fails, release is not called. */
typedef void (*pm_release) (void *owner);
pm_status pm_constant (pm_session *session, const void *data, uint64_t rows, uint64_t columns, pm_class value_class,
                       pm_release release, void *owner, pm_value **value);
/* A value from a copy of the data, which the program keeps. */
pm_status pm_constant_copy (pm_session *session, const void *data, uint64_t rows, uint64_t columns, pm_class value_class,
                            pm_value **value);

/* A value from a copy of some of the data, in another arrangement: element (i, j) of the view_rows x view_columns
 * value is the element of data with number offset + row_step i + column_step j, as with pm_view.
 * PM_ERROR_ARGUMENT when an element lies outside of data. */
pm_status pm_constant_view (pm_session *session, const void *data, uint64_t rows, uint64_t columns, pm_class value_class,
                            uint64_t view_rows, uint64_t view_columns, int64_t offset, int64_t row_step,
                            int64_t column_step, pm_value **value);

/* Record an operation; shapes and classes are checked now. file may be NULL; file and line say where the
 * user's program stands, for messages. */
pm_status pm_unary (pm_operation operation, const pm_value *a, const char *file, uint32_t line, pm_value **result);
pm_status pm_binary (pm_operation operation, const pm_value *a, const pm_value *b, const char *file, uint32_t line,
                     pm_value **result);
/* The matrix product, with operands that are transposed before (1) or not (0).  A transposed operand is read
 * in place where that is possible. */
pm_status pm_product (const pm_value *a, int a_transposed, const pm_value *b, int b_transposed, const char *file,
                      uint32_t line, pm_value **result);
/* One operand is a scalar of class scalar_class that the caller holds; one of class logical is 0 or 1, and
 * PM_ERROR_ARGUMENT says so. scalar_left: 1 for s op a, 0 for a op s. */
pm_status pm_binary_scalar (pm_operation operation, const pm_value *a, double scalar, pm_class scalar_class,
                            int scalar_left, const char *file, uint32_t line, pm_value **result);
/* The value in another class: single and double only. */
pm_status pm_convert (const pm_value *a, pm_class to, const char *file, uint32_t line, pm_value **result);

/* Elements of a in another arrangement: element (i, j) of the rows x columns result is the element of a
 * with number offset + row_step i + column_step j, counted from 0, column after column.  For an m x n
 * matrix a,
 *   its transpose                                     is n x m with offset 0, steps m and 1;
 *   the rows r, r+s, ... of the columns c, c+d, ...   have offset r + c m, steps s and d m;
 *   all elements, in p rows                           have offset 0, steps 1 and p;
 *   the diagonal k >= 0                               has offset k m, row step m + 1.
 * part says what a caller that computes the view itself, of elements that turned out to be complex, takes
 * of them: 0 the elements, 1 their conjugates, 2 their real parts; to the engine it means nothing.
 * PM_ERROR_ARGUMENT when an element lies outside of a.  Parameters: offset, row_step, column_step, part. */
pm_status pm_view (const pm_value *a, uint64_t rows, uint64_t columns, int64_t offset, int64_t row_step,
                   int64_t column_step, int part, const char *file, uint32_t line, pm_value **result);
/* a repeated so many times downwards and to the right. */
pm_status pm_repeat (const pm_value *a, uint64_t down, uint64_t right, const char *file, uint32_t line, pm_value **result);
/* side 0: b below a; 1: b to the right of a.  Single as soon as one is single, logical when both are;
 * where one has no elements it gives its class alone.  PM_ERROR_ARGUMENT with Octave's text when the
 * shapes do not fit.  Parameter: side. */
pm_status pm_join (const pm_value *a, const pm_value *b, int side, const char *file, uint32_t line, pm_value **result);
/* a on the diagonals from least to most, zeros elsewhere.  0 is the main diagonal; 1, 2, ... lie above it.
 * Parameters: least, most. */
pm_status pm_band (const pm_value *a, int64_t least, int64_t most, const char *file, uint32_t line, pm_value **result);
/* The square matrix with the elements of a vector on this diagonal, zeros elsewhere.  Parameter: diagonal. */
pm_status pm_diagonal (const pm_value *a, int64_t diagonal, const char *file, uint32_t line, pm_value **result);
/* PM_SUM to PM_MINIMUM of each column (side 0) or row (side 1); PM_NORM, the Euclidean norm, of all
 * elements together.  Elements are taken in order, in the precision of the result.  PM_ANY and PM_ALL are
 * logical; PM_MAXIMUM and PM_MINIMUM keep the class, skip NaN and have no element where a has none; all
 * other reductions make numbers of logical values.  Parameter: side. */
pm_status pm_reduce (pm_operation operation, const pm_value *a, int side, const char *file, uint32_t line,
                     pm_value **result);

pm_value *pm_value_retain (const pm_value *value);
void pm_value_release (pm_value *value);

/* These never force. */
uint64_t pm_rows (const pm_value *value);
uint64_t pm_columns (const pm_value *value);
pm_class pm_value_class (const pm_value *value);
int pm_has_result (const pm_value *value);

/* Starts whatever the value still needs, and waits at most timeout_ms (UINT64_MAX: for ever).  *done tells
 * whether the result is there. */
pm_status pm_wait (const pm_value *value, uint64_t timeout_ms, int *done);
/* Forces the value and copies its elements, column-major without gaps, as float, double or bytes 0/1, into
 * bytes bytes. */
pm_status pm_read (const pm_value *value, void *data, uint64_t bytes);
/* Copies some elements in another arrangement, which is that of pm_view: element (i, j) of the copy, a matrix
 * of rows x columns, is the element of value with number offset + row_step i + column_step j.
 * PM_ERROR_ARGUMENT when an element lies outside of value. */
pm_status pm_read_view (const pm_value *value, uint64_t rows, uint64_t columns, int64_t offset, int64_t row_step,
                        int64_t column_step, void *data, uint64_t bytes);

/* What a pending or failed value stands for.  After PM_ERROR_DOMAIN the caller computes this operation in
 * arithmetic of its own.  An operand may have failed too; then the caller asks for the operand's
 * operation.  *a and *b are new references, *b NULL where there is no second value.  *form: 0 values only,
 * 1 a op scalar, 2 scalar op a.  PM_ERROR_ARGUMENT when the value has a result. */
pm_status pm_operation_of (const pm_value *value, pm_operation *operation, pm_value **a, pm_value **b, double *scalar,
                           int *form);

/* Small matrices.  An operation on a few elements costs less than recording it, so a front end may keep it
 * to itself, and have it computed by these functions: at once, in the calling thread, without a session,
 * with the bits that a session gives. data: column-major without gaps. form, a, b, scalar as
 * pm_operation_of gives them; b NULL where there is no second value.  PM_ERROR_ARGUMENT for what has no
 * small form: other operations than the product and the element-wise ones, empty matrices, and operands or
 * results of more than pm_small_elements (operation) elements. */
#define PM_SMALL_ELEMENTS 65536
/* Any operation on at most so many elements may be small. */
#define PM_FEW_ELEMENTS 64
/* The most elements that operands and results of a small operation have: what a thread of a host computes in
 * about a microsecond, by the time model of hosts.  From PM_FEW_ELEMENTS to PM_SMALL_ELEMENTS; PM_FEW_ELEMENTS
 * for what is no operation.  A product that takes longer than some microseconds has no small form, though its
 * matrices have fewer elements; and no small factor of a product of another class has many elements. */
uint32_t pm_small_elements (pm_operation operation);
typedef struct pm_small {
  void *data;
  uint32_t rows, columns; /* of the data */
  pm_class value_class;
  uint32_t transposed; /* 1 for a factor of a product of matrices that is transposed before, else 0 */
} pm_small;
/* Fills in shape and class of the result; data is neither read nor written.  PM_ERROR_NONCONFORMANT as
 * when recording. */
pm_status pm_small_describe (pm_operation operation, int form, const pm_small *a, const pm_small *b, pm_class scalar_class,
                             pm_small *result);
/* Computes into result->data; the result is described as pm_small_describe does it.  PM_ERROR_DOMAIN when
 * it would be complex. */
pm_status pm_small_compute (pm_operation operation, int form, const pm_small *a, const pm_small *b, double scalar,
                            pm_class scalar_class, const pm_small *result);
/* Computes PM_SUM to PM_NORM of elements into result->data, with side as for pm_reduce.
 * PM_ERROR_ARGUMENT when the result has another shape or class than pm_reduce gives it, when a has more than
 * pm_small_elements (operation) elements, and for the norm of logical elements. */
pm_status pm_small_reduce (pm_operation operation, int side, const pm_small *a, const pm_small *result);
/* The parameters of the operation that a pending or failed value stands for, zeros where it has none. */
pm_status pm_parameters_of (const pm_value *value, int64_t parameters[4]);

/* 1 when the value belongs to the session. */
int pm_value_is_in (const pm_value *value, const pm_session *session);
/* A number that all references to one value share, and no other value has while a reference is held. */
uint64_t pm_value_identity (const pm_value *value);

/* Starts execution of all that is recorded, without waiting. */
pm_status pm_flush (pm_session *session);

/* Gives up the execution of all traces in flight, and returns at once.  Their operations are pending
 * again, with their operands, and can be forced again.  They and all other pending operations no longer
 * count towards the limits, so none of them is executed before it is needed.  With options.overlap 0 a trace
 * is in flight only during a call that executes it, and such a call cannot be given up. */
pm_status pm_cancel (pm_session *session);
/* Does what pm_cancel does, in the session of a value. */
pm_status pm_value_cancel (const pm_value *value);

/* A program that records faster than its operations are executed has to wait in a recording call, once
 * options.max_bytes are in flight.  During this wait interrupted (data) is called about every 50 ms, in the
 * thread that records.  It must not call this library, and must not leave by a jump or an exception.  When
 * it returns other than 0, the recording call does what pm_cancel does, records nothing, and returns
 * PM_ERROR_CANCELLED.  A call that reads elements which ranks have asks as well while they come, and returns
 * PM_ERROR_CANCELLED without them.  interrupted may be NULL: then nothing is called. */
pm_status pm_session_interrupt (pm_session *session, int (*interrupted) (void *data), void *data);

/* What has to be computed before a value is there; does not force. */
typedef struct pm_information {
  uint64_t operations;   /* pending operations that it depends on, itself included */
  uint64_t bytes;        /* of their results */
  uint32_t line;         /* where it was recorded; 0 and "" when unknown, and once it is computed */
  char file[1024];
} pm_information;
pm_status pm_value_information (const pm_value *value, pm_information *information);

typedef struct pm_statistics {
  uint64_t operations_recorded, operations_executed, operations_dropped, operations_pending;
  uint64_t block_operations, block_edges, traces;
  uint64_t flushes_forced, flushes_operations, flushes_depth, flushes_bytes;
  uint64_t lower_ns, schedule_ns, execute_ns;
  uint64_t bytes_pinned;   /* by what is pending */
  uint64_t bytes_peak;     /* the most that results and temporary blocks have ever taken at once */
} pm_statistics;
pm_status pm_session_statistics (const pm_session *session, pm_statistics *statistics);

/* How far a session is.  Reading it neither waits nor slows anything down, so a program may ask from time
 * to time while it waits for a value (pm_wait with a timeout), or from another thread.  What was executed
 * and lowered is counted from the session's beginning; the share that is done since an earlier moment,
 * with e0 = work_executed then, is
 *   (work_executed - e0) / (work_executed - e0 + work_in_flight). */
typedef struct pm_progress {
  uint64_t operations_pending;         /* recorded, and not begun */
  uint64_t operations_in_flight;       /* on their way: being lowered, scheduled, executed */
  uint64_t block_operations_lowered, block_operations_executed;
  uint64_t chunks_lowered, chunks_begun;
  uint64_t work_executed;              /* elements computed; of products, multiplications */
  uint64_t work_in_flight;             /* what is left to compute of the operations in flight, about */
  uint64_t meus;
} pm_progress;
pm_status pm_session_progress (const pm_session *session, pm_progress *progress);

/* Writes what is to be said of MEUs that have been lost since the last call: a line each, of which `bytes` bytes
 * are written at most, with the zero byte at the end.  Empty if no MEU was lost.  The session goes on with the
 * MEUs that are left, and results have the same bits. */
pm_status pm_session_losses (const pm_session *session, char *text, size_t bytes);
/* The timeline notes what a session does, and when: recording, the stages, waiting for values, each block
 * operation with the line of the program, queues and memory.  It holds at most 262,144 events, some 50 MB, and
 * counts later events without keeping them.  It is on from the beginning where the option `profile` names a
 * file.  Sessions of a process that name the same file, and all sessions that name none, share a timeline.
 * While it is on, SPEs wait for each write back, so that its time can be told. */
pm_status pm_session_profile (pm_session *session, int on);
/* Forgets all events and totals. */
pm_status pm_session_profile_clear (pm_session *session);
/* Writes the timeline to a file, as Chrome trace events, which Perfetto (ui.perfetto.dev) and chrome://tracing
 * open. */
pm_status pm_session_profile_save (pm_session *session, const char *path);
/* What one kind of operation of one line of the program has taken while the timeline was on. */
typedef struct pm_total {
  const char *file;            /* "" when unknown; valid during the call */
  uint32_t line;               /* 0 when unknown */
  uint32_t operation;          /* a pm_operation */
  uint64_t recorded;           /* how often it was recorded, */
  uint64_t computed_at_once;   /* and computed instead of being recorded */
  uint64_t blocks_at_once;     /* its block operations that the thread that needed them and its helpers executed, */
  uint64_t blocks_on_meus;     /* and that MEUs or the PPE executed */
  uint64_t ns;                 /* time of all processors together; operations executed together share it equally */
} pm_total;
/* Calls `each` for each total, the longest first. */
pm_status pm_session_totals (pm_session *session, void (*each) (const pm_total *total, void *data), void *data);

const char *pm_last_error_message (void);
const char *pm_last_error_id (void);   /* "" or an Octave identifier such as "Octave:nonconformant-args" */
const char *pm_version (void);

#ifdef __cplusplus
}
#endif
#endif
