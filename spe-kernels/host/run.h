/* run.h - what the Rust face calls. */
#ifndef PMATRIX_HOST_RUN_H
#define PMATRIX_HOST_RUN_H

#include "direct.h"
#include "kernel.h"
#include "memory.h"
#include "meu.h"
#include "mfc.h"
#include "program.h"
#include "host/spu_single.h"

/* Waits that an MEU can be built without, to prove that the chaos mode of the MFC finds that they are
 * missing. */
enum meu_host_omit {
  MEU_HOST_OMIT_NOTHING = 0,
  MEU_HOST_OMIT_FETCH_WAIT = 1,
  MEU_HOST_OMIT_REUSE_BARRIER = 2,
  MEU_HOST_OMIT_COMPLETION_FENCE = 3
};

struct meu_host_options {
  uint64_t chaos_seed;
  uint32_t chaos;        /* whether the MFC is in chaos mode */
  uint32_t vector_bytes; /* 16, 32, 64; 0 for the widest of this machine */
  uint32_t omit;         /* enum meu_host_omit */
};

/* The kernels of a width (0: the widest); NULL if this machine has none. */
const struct kernel_table *meu_host_kernels (uint32_t vector_bytes);

/* Bytes of the cache of this level, 2 or 3; 0 where there is none, or the system does not tell. */
uint64_t meu_host_cache_bytes (uint32_t level);

/* Runs an MEU on the calling thread until the MEU is told to terminate.  local_store has
 * MEU_LOCAL_STORE_BYTES, and behind them MEMORY_WORK_BYTES; it is aligned to 128.  Returns MEU_STATUS_OK, or
 * what was wrong with the parameters: then the MEU has done nothing. */
uint32_t meu_host_run (const struct meu_parameters *parameters, const struct mfc_mailbox *mailbox,
                       const struct meu_host_options *options, uint8_t *local_store);

#endif
