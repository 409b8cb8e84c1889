/* What a rank needs of StarPU and MPI, without their types: structures of StarPU depend on how it was built.

   "Collective": all ranks call it, in the same order, with the same arguments. Functions that return int return 0, or
   a negative number of errno. */

#ifndef PMATRIX_RANKS_H
#define PMATRIX_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* A rank among its ranks, and how many threads execute block operations. */
struct ranks_place
{
  int rank;
  int ranks;
  int workers;
};

/* Memory of a shard, or of a copy of it: columns that lie so many bytes apart. */
struct ranks_block
{
  void *data;
  size_t stride_bytes;
};

/* Executes the block operation that RECORD describes, once. BLOCKS are its shards, in the
   order of insertion. Called by a worker; frees RECORD. */
typedef void (*ranks_execute) (void *record, const struct ranks_block *blocks, size_t count);

/* Before the start: StarPU takes at most so many bytes of memory for shards, and moves what is more to this folder. What
   the environment says of it counts more. When the folder's disk is full, the process says so and ends. */
void ranks_limit (uint64_t bytes, const char *folder);

/* Leaves nothing in the folder. Part of ranks_stop. */
void ranks_limit_ends (void);

/* Starts MPI and StarPU. Collective. */
int ranks_start (struct ranks_place *place, ranks_execute execute);

/* Ends both. Collective. */
void ranks_stop (void);

/* A shard of so many columns of so many bytes each, which this rank has or gets. Its memory comes when it is written or
   received. NULL without memory. */
void *ranks_shard (size_t column_bytes, size_t columns);

/* Gives a shard up once all inserted operations have ended that use it, and its transfers. */
void ranks_release (void *shard);

/* Inserts an operation that this rank executes: it reads the first READS of these shards and writes the other WRITES.
   Operations, ranks_give and ranks_take are carried out as if one after the other, in the order of insertion. */
int ranks_insert (void *record, void *const *shards, size_t reads, size_t writes);

/* Sends a shard to a rank, or receives a copy from there. The NUMBER of the shard is the same on both ranks. Each pair
   of ranks transfers a shard once. */
int ranks_give (void *shard, uint64_t number, int to);
int ranks_take (void *shard, uint64_t number, int from);

/* Lets workers look for operations, until ranks_wait. */
void ranks_begin (void);

/* Waits until all operations of this rank have ended that have been inserted. */
int ranks_wait_for_operations (void);

/* Waits until all operations of this rank have ended. Workers sleep from then on. */
int ranks_wait (void);

/* Lets this rank read a shard that it has, or write all of it, until ranks_close. No operation is under way. */
int ranks_open (void *shard, int write, struct ranks_block *block);
void ranks_close (void *shard);

#endif
