/* What a simulated cluster needs of the library beside ranks.h: the library executes nothing, and says how long it would
   take. */

#ifndef PMATRIX_RANKS_SIMULATION_H
#define PMATRIX_RANKS_SIMULATION_H

/* Shards have this part of their bytes, and the networks of the simulation this part of their bandwidth (cluster.py): the
   simulator copies what is sent, and nobody reads it. */
#define RANKS_BYTES_PER_BYTE 64

/* Nanoseconds that the operation takes which RECORD describes, by the time model. */
double ranks_nanoseconds (const void *record);

/* Frees RECORD, whose operation has ended. */
void ranks_forget (void *record);

/* Microseconds of virtual time. */
double ranks_now (void);

/* Waits until all ranks are here. Nothing is under way. */
void ranks_meet (void);

/* Executes the trace in FILE (pmatrix save-trace --shapes) on the ranks of this job, with shards of SIDE rows and columns,
   and prints its time. Returns 0, or 1 with a message. */
int ranks_simulate (const char *file, int side);

#endif
