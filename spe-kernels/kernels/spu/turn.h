/* turn.h - the kernels of short operations on an SPE.
 *
 * An operation of a few instructions would wait for each of its results, and its call would take longer than
 * its work.  So each short operation has a loop of its own, which takes a turn of several vectors at a time.
 * The code for vectors that fill no turn is shared (turns.c).
 */
#ifndef PMATRIX_TURN_H
#define PMATRIX_TURN_H

#include "../ref/run.h"

/* Vectors of a turn. */
#define TURN 4u

/* Executes `turns` turns, whose vectors lie as many bytes apart as the steps say; with steps of 0 a turn is
 * one vector.  A turn reads all operands before it writes a result, so the result may lie where an operand
 * lies.  Returns the mask of the elements outside of the domain. */
typedef vi64 turn_function (char *result, const char *a, const char *b, uint32_t step, uint32_t a_step, uint32_t b_step,
                            uint32_t turns);

/* The run of a kernel in turns. */
uint32_t run_turns (RUN_PARAMETERS, turn_function *turn);

/* VALUE is the result for the vectors x and y. */
#define TURN_FUNCTION(name, v, vi, VALUE)                                                                              \
  static vi64 name##_turn (char *result, const char *a, const char *b, uint32_t step, uint32_t a_step,                 \
                           uint32_t b_step, uint32_t turns)                                                            \
  {                                                                                                                    \
    vi outside = {};                                                                                                   \
    do {                                                                                                               \
      v left[TURN], right[TURN];                                                                                       \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++)                                                     \
      {                                                                                                                \
        left[i] = v##_load (a);                                                                                        \
        right[i] = v##_load (b);                                                                                       \
        a += a_step;                                                                                                   \
        b += b_step;                                                                                                   \
      }                                                                                                                \
      _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < TURN; i++, result += step)                                     \
      {                                                                                                                \
        v x = left[i], y = right[i];                                                                                   \
        (void) y;                                                                                                      \
        v##_store (result, VALUE);                                                                                     \
      }                                                                                                                \
    } while (--turns != 0);                                                                                            \
    return (vi64) outside;                                                                                             \
  }

#ifdef __SPU_EDP__
#define TURN_DOUBLE(name, VALUE) TURN_FUNCTION (name, vd, vi64, VALUE)
#define RUN_DOUBLES run_turns
#else
/* A Cell BE compares doubles by functions, which take longer than the loop around them. */
#define TURN_DOUBLE(name, VALUE)                                                                                       \
  static vd name##_turn (vd x, vd y, vi64 *all_outside)                                                                \
  {                                                                                                                    \
    vi64 outside = {};                                                                                                 \
    (void) y;                                                                                                          \
    vd value = VALUE;                                                                                                  \
    *all_outside |= outside;                                                                                           \
    return value;                                                                                                      \
  }
#define RUN_DOUBLES run_partial_calls
#endif

#define TURN_FUNCTIONS(name, VALUE_F, VALUE_D)                                                                         \
  TURN_FUNCTION (name##_single, vf, vi32, VALUE_F)                                                                     \
  TURN_DOUBLE (name##_double, VALUE_D)

#define TURN_TWO(name)                                                                                                 \
  uint32_t KERNEL (name##_single) (RUN_PARAMETERS) { return run_turns (RUN_ARGUMENTS, name##_single_turn); }           \
  uint32_t KERNEL (name##_double) (RUN_PARAMETERS) { return RUN_DOUBLES (RUN_ARGUMENTS, name##_double_turn); }

#define TURN_ONE(name) RUN_GIVEN_TWICE (name, run_turns, name##_single_turn, RUN_DOUBLES, name##_double_turn)

#define RUN_SHORT_UNARY(name) TURN_FUNCTIONS (name, name##_f (x), name##_d (x)) TURN_ONE (name)
#define RUN_SHORT_BINARY(name) TURN_FUNCTIONS (name, name##_f (x, y), name##_d (x, y)) TURN_TWO (name)
#define RUN_SHORT_PARTIAL_UNARY(name)                                                                                  \
  TURN_FUNCTIONS (name, name##_f (x, y, &outside), name##_d (x, y, &outside)) TURN_ONE (name)
#define RUN_SHORT_PARTIAL_BINARY(name)                                                                                 \
  TURN_FUNCTIONS (name, name##_f (x, y, &outside), name##_d (x, y, &outside)) TURN_TWO (name)

/* The operation `other` with its operands exchanged. */
#define RUN_SHORT_EXCHANGED(name, other)                                                                               \
  uint32_t KERNEL (name##_single) (RUN_PARAMETERS)                                                                     \
  {                                                                                                                    \
    return run_turns (result, b, a, b_step, a_step, bytes, other##_single_turn);                                       \
  }                                                                                                                    \
  uint32_t KERNEL (name##_double) (RUN_PARAMETERS)                                                                     \
  {                                                                                                                    \
    return RUN_DOUBLES (result, b, a, b_step, a_step, bytes, other##_double_turn);                                     \
  }

#endif
