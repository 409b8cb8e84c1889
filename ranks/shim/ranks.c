/* See ranks.h. */

#include "ranks.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>

#ifdef STARPU_SIMGRID
#include "simulation.h"
#endif

static struct ranks_place here;

static ranks_execute execute_record;

/* A block operation of any kind. */
static void
run (void *buffers[], void *record)
{
  size_t count = STARPU_TASK_GET_NBUFFERS (starpu_task_get_current ());
  struct ranks_block blocks[count > 0 ? count : 1];
  for (size_t i = 0; i < count; i++)
    {
      blocks[i].data = (void *) STARPU_MATRIX_GET_PTR (buffers[i]);
      blocks[i].stride_bytes = STARPU_MATRIX_GET_LD (buffers[i]);
    }
  execute_record (record, blocks, count);
}

#ifdef STARPU_SIMGRID
/* A simulated worker executes nothing, and takes as long as the time model says. In microseconds. */
static double
cost (struct starpu_task *task, unsigned implementation)
{
  (void) implementation;
  return ranks_nanoseconds (task->cl_arg) / 1e3;
}

static struct starpu_perfmodel model = {
  .type = STARPU_COMMON,
  .cost_function = cost,
  .symbol = "block operation",
};
#endif

static struct starpu_codelet codelet = {
  .cpu_funcs = {run},
  .cpu_funcs_name = {"run"},
  .nbuffers = STARPU_VARIABLE_NBUFFERS,
  .name = "block operation",
#ifdef STARPU_SIMGRID
  .model = &model,
#endif
};

#ifndef STARPU_SIMGRID
/* StarPU's scheduler that suits CPUs alone, or the one that the user has named in STARPU_SCHED. */
static struct starpu_sched_policy policy;

static struct starpu_task *(*look) (unsigned context);

/* A worker without an operation looks for one all the time. It leaves its core to other threads between two looks: with
   more threads than cores the sender of what it waits for may be one of them. */
static struct starpu_task *
look_and_yield (unsigned context)
{
  struct starpu_task *task = look (context);
  if (task)
    return task;
  sched_yield ();
  return look (context);
}

static void
choose_scheduler (struct starpu_conf *conf)
{
  const char *name = getenv ("STARPU_SCHED");
  for (struct starpu_sched_policy **each = starpu_sched_get_predefined_policies (); *each; each++)
    if ((*each)->pop_task && strcmp ((*each)->policy_name, name && *name ? name : "lws") == 0)
      {
        policy = **each;
        look = policy.pop_task;
        policy.pop_task = look_and_yield;
        conf->sched_policy = &policy;
      }
}
#endif

int
ranks_start (struct ranks_place *place, ranks_execute execute)
{
  struct starpu_conf conf;
  starpu_conf_init (&conf);
  conf.catch_signals = 0;
#ifndef STARPU_SIMGRID
  /* In a simulation MPI has been started, and is used through StarPU alone. */
  int provided;
  if (MPI_Init_thread (NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
    return -EIO;
  if (provided < MPI_THREAD_MULTIPLE)
    return -ENOTSUP;
  choose_scheduler (&conf);
  /* DMA is fastest between whole lines. */
  starpu_malloc_set_align (128);
#endif
  int failed = starpu_mpi_init_conf (NULL, NULL, 0, MPI_COMM_WORLD, &conf);
  if (failed)
    return failed < 0 ? failed : -EIO;
#ifdef STARPU_SIMGRID
  /* All data share one piece of memory. */
  starpu_malloc_on_node_set_default_flags (STARPU_MAIN_RAM, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT
                                                              | STARPU_MALLOC_SIMULATION_FOLDED);
#endif
  starpu_mpi_comm_rank (MPI_COMM_WORLD, &here.rank);
  starpu_mpi_comm_size (MPI_COMM_WORLD, &here.ranks);
  here.workers = starpu_cpu_worker_get_count ();
  execute_record = execute;
  *place = here;
  starpu_pause ();
  return here.workers > 0 ? 0 : -ENODEV;
}

void
ranks_stop (void)
{
  starpu_resume ();
  starpu_mpi_shutdown ();
#ifndef STARPU_SIMGRID
  MPI_Finalize ();
#endif
  ranks_limit_ends ();
}

void *
ranks_shard (size_t column_bytes, size_t columns)
{
  starpu_data_handle_t shard = NULL;
#ifdef STARPU_SIMGRID
  column_bytes = (column_bytes + RANKS_BYTES_PER_BYTE - 1) / RANKS_BYTES_PER_BYTE;
#endif
  starpu_matrix_data_register (&shard, -1, 0, column_bytes, column_bytes, columns, 1);
  return shard;
}

void
ranks_release (void *shard)
{
  starpu_data_unregister_submit (shard);
}

int
ranks_insert (void *record, void *const *shards, size_t reads, size_t writes)
{
  size_t count = reads + writes;
  /* starpu_task_insert would read its arguments twice, and copy them. */
  struct starpu_task *task = starpu_task_create ();
  task->cl = &codelet;
  task->cl_arg = record;
  task->nbuffers = (int) count;
  if (count > STARPU_NMAXBUFS)
    {
      /* They are freed with the task. */
      task->dyn_handles = malloc (count * sizeof *task->dyn_handles);
      task->dyn_modes = malloc (count * sizeof *task->dyn_modes);
      if (!task->dyn_handles || !task->dyn_modes)
        {
          starpu_task_destroy (task);
          return -ENOMEM;
        }
    }
  for (size_t i = 0; i < count; i++)
    {
      STARPU_TASK_SET_HANDLE (task, shards[i], i);
      STARPU_TASK_SET_MODE (task, i < reads ? STARPU_R : STARPU_W, i);
    }
#ifdef STARPU_SIMGRID
  task->callback_func = ranks_forget;
  task->callback_arg = record;
#endif
  int failed = starpu_task_submit (task);
  if (failed)
    {
      task->destroy = 0;
      starpu_task_destroy (task);
    }
  return failed;
}

int
ranks_give (void *shard, uint64_t number, int to)
{
  return starpu_mpi_isend_detached (shard, to, (starpu_mpi_tag_t) number, MPI_COMM_WORLD, NULL, NULL);
}

int
ranks_take (void *shard, uint64_t number, int from)
{
  return starpu_mpi_irecv_detached (shard, from, (starpu_mpi_tag_t) number, MPI_COMM_WORLD, NULL, NULL);
}

void
ranks_begin (void)
{
  starpu_resume ();
}

int
ranks_wait_for_operations (void)
{
  return starpu_task_wait_for_all ();
}

int
ranks_wait (void)
{
  int failed = starpu_task_wait_for_all ();
  starpu_pause ();
  return failed;
}

int
ranks_open (void *shard, int write, struct ranks_block *block)
{
  /* An operation that a release waits for may be left over, and no worker looks for it before this. */
  starpu_resume ();
  int failed = starpu_data_acquire (shard, write ? STARPU_W : STARPU_R);
  starpu_pause ();
  if (failed)
    return failed < 0 ? failed : -EIO;
  block->data = (void *) starpu_matrix_get_local_ptr (shard);
  block->stride_bytes = starpu_matrix_get_local_ld (shard);
  return 0;
}

void
ranks_close (void *shard)
{
  starpu_data_release (shard);
}
