/* run.c - an MEU on a thread of the host: its local store, its MFC, and the kernels for this machine. */
#include <string.h>
#include <unistd.h>
#include "run.h"
#include "store.h"

uint32_t meu_loop_without_fetch_wait (struct meu_store *, uint64_t, const struct kernel_table *);
uint32_t meu_loop_without_reuse_barrier (struct meu_store *, uint64_t, const struct kernel_table *);
uint32_t meu_loop_without_completion_fence (struct meu_store *, uint64_t, const struct kernel_table *);

const struct kernel_table *meu_host_kernels (uint32_t vector_bytes)
{
#ifdef MEU_HOST_WIDE
  if ((vector_bytes == 64 || vector_bytes == 0) && __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl"))
    return &kernel_table_v64;
  if ((vector_bytes == 32 || vector_bytes == 0) && __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return &kernel_table_v32;
#endif
  return vector_bytes == 16 || vector_bytes == 0 ? &kernel_table_v16 : 0;
}

uint64_t meu_host_cache_bytes (uint32_t level)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
  long bytes = sysconf (level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? (uint64_t) bytes : 0;
#else
  return 0 * level;
#endif
}

uint32_t meu_host_run (const struct meu_parameters *parameters, const struct mfc_mailbox *mailbox,
                       const struct meu_host_options *options, uint8_t *local_store)
{
  const struct kernel_table *kernels = meu_host_kernels (options->vector_bytes);
  struct mfc mfc;
  if (kernels == 0)
    return MEU_STATUS_OPCODE;
  memset (&mfc, 0, sizeof mfc);
  mfc.local_store = local_store;
  mfc.data_offset = MEU_CODE_BYTES;
  mfc.mailbox = mailbox;
  mfc.completion_ea = parameters->completion_ea;
  mfc.chaos = options->chaos;
  mfc.random = options->chaos_seed * 0x9e3779b97f4a7c15u + 1; /* never 0, where xorshift would stay */
  if (mfc.random == 0)
    mfc.random = 1;
  /* Whatever the MEU computes with before it has fetched it is a NaN. */
  memset (local_store, 0xff, MEU_LOCAL_STORE_BYTES);
  struct meu_store *store = (struct meu_store *) (local_store + MEU_CODE_BYTES);
  uint64_t parameters_ea = (uint64_t) (uintptr_t) parameters;

  mfc_attach (&mfc);
  uint32_t status;
  switch (options->omit) {
  case MEU_HOST_OMIT_FETCH_WAIT:
    status = meu_loop_without_fetch_wait (store, parameters_ea, kernels);
    break;
  case MEU_HOST_OMIT_REUSE_BARRIER:
    status = meu_loop_without_reuse_barrier (store, parameters_ea, kernels);
    break;
  case MEU_HOST_OMIT_COMPLETION_FENCE:
    status = meu_loop_without_completion_fence (store, parameters_ea, kernels);
    break;
  default:
    status = meu_loop (store, parameters_ea, kernels);
  }
  mfc_attach (0);
  return status;
}
