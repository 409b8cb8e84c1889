/* run.c - the loops of the operations of an SPE that are functions of vectors: without a domain, and with
 * one. */
#include "run.h"

uint32_t run_calls (RUN_PARAMETERS, run_operation *operation)
{
  for (char *end = result + bytes; result != end; result += VEC_BYTES, a += a_step, b += b_step)
    vd_store (result, operation (vd_load (a), vd_load (b)));
  return 0;
}

uint32_t run_partial_calls (RUN_PARAMETERS, run_partial_operation *operation)
{
  vi64 outside = {};
  for (char *end = result + bytes; result != end; result += VEC_BYTES, a += a_step, b += b_step)
    vd_store (result, operation (vd_load (a), vd_load (b), &outside));
  return vi64_any (outside) != 0;
}
