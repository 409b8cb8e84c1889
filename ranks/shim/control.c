/* See control.h. */

#include "control.h"

#include <time.h>

#include <mpi.h>

/* StarPU has the communicator of all processes to itself. */
static MPI_Comm control;

/* The longest message: MPI counts with int. */
#define MOST_BYTES ((size_t) 1 << 30)

void
ranks_join (void)
{
  MPI_Comm_dup (MPI_COMM_WORLD, &control);
}

void
ranks_leave (void)
{
  MPI_Comm_free (&control);
}

/* Waits for a transfer. A wait of MPI's own would take a whole core for as long. */
static void
finish (MPI_Request *request)
{
  int done = 0;
  long pause_ns = 0;
  for (;;)
    {
      MPI_Test (request, &done, MPI_STATUS_IGNORE);
      if (done)
        return;
      if (pause_ns > 0)
        nanosleep (&(struct timespec) {.tv_nsec = pause_ns}, NULL);
      /* It grows from a microsecond to a millisecond. */
      pause_ns = pause_ns < 1000 ? pause_ns + 20 : pause_ns < 1000000 ? pause_ns + pause_ns / 4 : pause_ns;
    }
}

/* Calls TRANSFER for each piece that MPI can count. */
#define EACH_PIECE(bytes, count, transfer)                                                                             \
  do                                                                                                                   \
    for (size_t at = 0, piece; at < (count); at += piece)                                                              \
      {                                                                                                                \
        MPI_Request request;                                                                                           \
        char *from = (char *) (bytes) + at;                                                                            \
        piece = (count) - at < MOST_BYTES ? (count) - at : MOST_BYTES;                                                 \
        transfer;                                                                                                      \
        finish (&request);                                                                                             \
      }                                                                                                                \
  while (0)

void
ranks_broadcast (void *bytes, size_t count)
{
  EACH_PIECE (bytes, count, MPI_Ibcast (from, (int) piece, MPI_BYTE, 0, control, &request));
}

void
ranks_gather (const void *mine, void *all, size_t count)
{
  MPI_Request request;
  MPI_Igather (mine, (int) count, MPI_BYTE, all, (int) count, MPI_BYTE, 0, control, &request);
  finish (&request);
}

void
ranks_send (const void *bytes, size_t count, int to)
{
  EACH_PIECE (bytes, count, MPI_Isend (from, (int) piece, MPI_BYTE, to, 0, control, &request));
}

void
ranks_receive (void *bytes, size_t count, int source)
{
  EACH_PIECE (bytes, count, MPI_Irecv (from, (int) piece, MPI_BYTE, source, 0, control, &request));
}
