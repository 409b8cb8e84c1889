/* Messages between ranks beside what StarPU sends: requests, reports, and the elements of values. MPI has been started. */

#ifndef PMATRIX_RANKS_CONTROL_H
#define PMATRIX_RANKS_CONTROL_H

#include <stddef.h>

/* Comes first, and last. Collective. */
void ranks_join (void);
void ranks_leave (void);

/* Bytes from rank 0 to all ranks. Sleeps while it waits. Collective. */
void ranks_broadcast (void *bytes, size_t count);

/* As many bytes from each rank to rank 0, in the order of ranks; ALL matters on rank 0 only. Collective. */
void ranks_gather (const void *mine, void *all, size_t count);

/* Bytes from one rank to another, in the order of sending. */
void ranks_send (const void *bytes, size_t count, int to);
void ranks_receive (void *bytes, size_t count, int from);

#endif
