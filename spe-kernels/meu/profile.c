/* profile.c - time, from the decrementer, which counts down. */
#include "store.h"

void profile_start (void) { spu_write_decrementer (0xffffffffu); }

uint32_t profile_now (void) { return spu_read_decrementer (); }

uint64_t profile_lap (uint32_t *since, uint32_t tick_ns_q16)
{
  uint32_t now = spu_read_decrementer (), ticks = *since - now;
  *since = now;
  return ((uint64_t) ticks * tick_ns_q16) >> 16;
}
