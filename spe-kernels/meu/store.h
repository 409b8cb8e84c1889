/* store.h - the MEU's data in its local store, and the parts of the MEU. */
#ifndef PMATRIX_STORE_H
#define PMATRIX_STORE_H

#include "kernel.h"
#include "meu.h"
#include "program.h"
#include <spu_mfcio.h>

/* Bytes that code and constants of MEU_CODE_BYTES leave for the stack.  Both SPU images have less code
 * than that, and tests/spu.rs proves that the stack's bound fits the room that they leave. */
#define MEU_STACK_BYTES 2816u

/* What an SPE loads and stores at once. */
typedef uint32_t quad __attribute__ ((vector_size (16), may_alias));

/* Operations that the MEU has taken and not completed: the executed operation, and the next. */
#define MEU_SLOT_COUNT 2u

/* Transfers of a buffer, in and out, have the buffer's number as their tag. */
struct meu_store {
  uint8_t buffers[MEU_BUFFER_COUNT][MEU_BUFFER_BYTES] __attribute__ ((aligned (128)));
  struct meu_record records[MEU_SLOT_COUNT]; /* records of one line */
  struct meu_completion completion;
  struct meu_parameters parameters;
};

_Static_assert (sizeof (struct meu_record) == 128, "a record is one line");
_Static_assert (sizeof (struct meu_block) * MEU_LINE_BLOCKS == MEU_LINE_BYTES, "blocks fill a line");
_Static_assert (sizeof (struct program_step) * MEU_LINE_STEPS == MEU_LINE_BYTES, "steps fill a line");
_Static_assert (MEU_RECORD_LINES
                  == 1 + (PROGRAM_INPUTS + PROGRAM_RESULTS - MEU_RECORD_BLOCKS + MEU_LINE_BLOCKS - 1) / MEU_LINE_BLOCKS
                       + PROGRAM_STEPS / MEU_LINE_STEPS,
                "the longest record has all blocks and all steps");
_Static_assert (PROGRAM_STRIPS * PROGRAM_STRIP_BYTES <= MEU_BUFFER_BYTES, "a buffer holds all strips");
_Static_assert (sizeof (struct meu_completion) == 128, "a completion record is one line");
_Static_assert (sizeof (struct meu_parameters) == 128, "the parameters are one line");
_Static_assert (MEU_CODE_BYTES + sizeof (struct meu_store) + MEU_STACK_BYTES <= MEU_LOCAL_STORE_BYTES,
                "code, data and stack fit the local store");
_Static_assert (2 * MEU_BLOCK_BYTES == MEU_BUFFER_BYTES, "a buffer holds two blocks");
_Static_assert (MEU_BUFFER_BYTES % 128 == 0, "buffers begin on lines");

#ifndef __SPU__
/* Behind the local store of a thread lies the room for work of products in main memory. */
static inline uint8_t *meu_work (struct meu_store *store)
{
  return (uint8_t *) store - MEU_CODE_BYTES + MEU_LOCAL_STORE_BYTES;
}
#endif

/* Details of MEU_STATUS_DMA that the MEU itself finds before it issues a transfer.  The details of the
 * host's MFC begin at MFC_FAULT_SIZE (host/mfc.h). */
enum meu_detail {
  MEU_DETAIL_ADDRESS = 1, /* ea of a block is 0 or no multiple of 16 */
  MEU_DETAIL_STRIDE = 2   /* stride_bytes is no multiple of 16, or smaller than a column */
};

/* dma.c */

/* Whether the MFC can transfer the blocks: 0 or an enum meu_detail. */
uint32_t dma_check (const struct meu_block *blocks, uint32_t count);

/* Starts the fetch of blocks into a buffer, where they follow each other.  The fetch follows all commands
 * issued before under this tag.  A write back under this tag may still need the first leaving_bytes of the
 * buffer.  The last kept_bytes hold other data. */
void dma_fetch (uint8_t *buffer, uint32_t leaving_bytes, uint32_t kept_bytes, const struct meu_block *blocks,
                uint32_t count, uint32_t tag);

/* Starts the write back of blocks from the beginning of a buffer, whose first room_bytes it may use.  Returns
 * how many of them it needs until it is done. */
uint32_t dma_write_back (uint8_t *buffer, uint32_t room_bytes, const struct meu_block *blocks, uint32_t count,
                         uint32_t tag);

/* Fetch lines, and write a line.  The written line becomes visible after all commands issued before under
 * this tag. */
void dma_fetch_lines (void *lines, uint64_t ea, uint32_t count, uint32_t tag);
void dma_write_line (void *line, uint64_t ea, uint32_t tag);

/* Waits until no command is outstanding under the tag.  Returns the detail of a fault under the tag, or 0. */
uint32_t dma_wait (uint32_t tag);

/* profile.c */

void profile_start (void);

/* Time since `since`, which is then moved to now. */
uint64_t profile_lap (uint32_t *since, uint32_t tick_ns_q16);
uint32_t profile_now (void);

/* main.c: runs until MEU_WORD_TERMINATE; MEU_STATUS_VERSION if the parameters are of another version. */
uint32_t meu_loop (struct meu_store *store, uint64_t parameters_ea, const struct kernel_table *kernels);

#endif
