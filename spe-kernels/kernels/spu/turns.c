/* turns.c - the run of a short operation: whole turns, then the vectors that are left. */
#include "turn.h"

uint32_t run_turns (RUN_PARAMETERS, turn_function *turn)
{
  vi64 outside = {};
  char *end = result + bytes;
  uint32_t turns = bytes / (TURN * VEC_BYTES), taken = turns * TURN;
  if (turns != 0)
    outside = turn (result, a, b, VEC_BYTES, a_step, b_step, turns);
  result += taken * VEC_BYTES;
  a += taken * a_step;
  b += taken * b_step;
  for (; result != end; result += VEC_BYTES, a += a_step, b += b_step)
    outside |= turn (result, a, b, 0, 0, 0, 1);
  return vi64_any (outside) != 0;
}
