/* The disk that has the shards for which a rank has no memory. StarPU writes them there, and does not look whether all of
   a shard has been written. So the file of a shard has its room on the disk from the beginning, and a rank whose disk has none
   ends, and says so: StarPU would wait for ever for memory that cannot become free. */

#include "ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <starpu.h>

static const char *folder;

/* StarPU removes the folder of a file that it removes, unless there is something else. */
static char keeps_folder[PATH_MAX];

static void
keep_folder (void)
{
  snprintf (keeps_folder, sizeof keeps_folder, "%s/keep", folder);
  int file = open (keeps_folder, O_CREAT, 0600);
  if (file >= 0)
    close (file);
}

/* A file of the folder for a shard. Called by workers, and once while StarPU starts. */
static void *
new_file (void *base, size_t bytes)
{
  if (!keeps_folder[0])
    keep_folder ();
  char path[PATH_MAX];
  snprintf (path, sizeof path, "%s/shard-XXXXXX", folder);
  int file = mkstemp (path);
  int failed = file < 0 ? errno : posix_fallocate (file, 0, (off_t) bytes);
  if (file >= 0)
    close (file);
  void *shard = failed ? NULL : starpu_disk_unistd_ops.open (base, path + strlen (folder) + 1, bytes);
  if (shard)
    return shard;
  fprintf (stderr, "pmatrix-rank: no room on the disk of %s for %zu bytes that a rank has no memory for%s%s "
                   "(TMPDIR names another disk)\n",
           folder, bytes, failed ? ": " : "", failed ? strerror (failed) : "");
  /* Other threads are at work. */
  _exit (1);
}

void
ranks_limit (uint64_t bytes, const char *own_folder)
{
  char megabytes[32];
  snprintf (megabytes, sizeof megabytes, "%" PRIu64, (bytes >> 20) + 1);
  setenv ("STARPU_LIMIT_CPU_MEM", megabytes, 0);
  setenv ("STARPU_DISK_SWAP", own_folder, 0);
  setenv ("STARPU_DISK_SWAP_BACKEND", "unistd", 0);
  folder = getenv ("STARPU_DISK_SWAP");
  starpu_disk_unistd_ops.alloc = new_file;
  /* A shard that is freed goes back to the system. */
  mallopt (M_MMAP_THRESHOLD, 256 << 10);
}

void
ranks_limit_ends (void)
{
  if (keeps_folder[0])
    unlink (keeps_folder);
}
