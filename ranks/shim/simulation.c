/* A program that executes a trace on a simulated cluster: smpirun starts it once for each rank. */

#include "simulation.h"

#include <stdio.h>
#include <stdlib.h>

/* It renames main. */
#include <starpu.h>
#include <starpu_mpi.h>

double
ranks_now (void)
{
  return starpu_timing_now ();
}

void
ranks_meet (void)
{
  starpu_mpi_barrier (MPI_COMM_WORLD);
}

int
main (int count, char **arguments)
{
  if (count != 3)
    {
      fputs ("usage: simulated TRACE SIDE\n", stderr);
      return 2;
    }
  return ranks_simulate (arguments[1], atoi (arguments[2]));
}
