/* main.c - the Matrix Execution Unit: takes operations from the mailbox, in triple buffering.
 *
 *   turn i     buffer i mod 3        operands of operation i, which is executed in this turn
 *              buffer (i+1) mod 3    operands of operation i+1, on their way in behind the result of operation i-1
 *              buffer (i+2) mod 3    result of operation i
 *
 * While an operation is held the MEU never waits for a mailbox word: it looks whether one is there.  The PPE may be
 * unable to offer the next operation before it has seen the result of this one.
 *
 * Order of what the PPE sees: the completion record of operation i follows its result (fence, same tag) and the
 * completion record of operation i-1, for which we wait: that one went under another tag.
 */
#include "store.h"

#ifndef MEU_OMIT
#define MEU_OMIT 0
#endif
#define MEU_OMIT_FETCH_WAIT 1

#define CONTROL_TAG MEU_BUFFER_COUNT

/* An operation whose record is in store->records[buffer]. */
struct held {
  uint32_t status; /* what is wrong with it, found while fetching */
  uint32_t detail;
  uint64_t fetch_ns;
  uint32_t leaving_bytes; /* of the buffer: what the last write back from it occupies */
};

struct meu {
  struct meu_store *store;
  const struct kernel_table *kernels;
  uint64_t completion_ea;
  uint64_t ring_ea;
  uint32_t tick_ns_q16;
  uint32_t sequence; /* of the last operation that is done */
  uint32_t failed;
  struct held held[MEU_BUFFER_COUNT];
};

static void describe_block (struct kernel_block *to, const struct meu_block *from, uint8_t *data)
{
  to->data = data;
  to->stride_bytes = kernel_column_bytes (from->rows, from->precision);
  to->rows = from->rows;
  to->columns = from->columns;
  to->precision = from->precision;
}

static uint32_t describe (struct kernel_operation *operation, const struct meu_record *record, uint8_t *in, uint8_t *out)
{
  operation->opcode = record->opcode;
  operation->form = record->form;
  operation->operand_count = record->operand_count;
  operation->scalar = record->scalar;
  describe_block (&operation->result, &record->result, out);
  for (uint32_t i = 0; i < 2; i++) {
    describe_block (&operation->operands[i], &record->operands[i], in);
    if (i < record->operand_count)
      in += operation->operands[i].stride_bytes * operation->operands[i].columns;
  }
  return kernel_check (operation);
}

static uint32_t bytes_of (const struct kernel_block *block)
{
  /* 65535 doubles in each of 65535 columns would overflow; more rows than a buffer holds do not fit anyway. */
  return block->stride_bytes > MEU_BUFFER_BYTES ? MEU_BUFFER_BYTES + 1 : block->stride_bytes * block->columns;
}

/* Everything that can be wrong with a record. */
static uint32_t check_record (const struct meu_record *record, struct held *held)
{
  struct kernel_operation operation;
  if (record->version != MEU_PROTOCOL_VERSION)
    return MEU_STATUS_VERSION;
  uint32_t status = describe (&operation, record, 0, 0);
  if (status != MEU_STATUS_OK)
    return status;

  uint32_t operand_bytes = 0;
  for (uint32_t i = 0; i < record->operand_count; i++) {
    if (bytes_of (&operation.operands[i]) > MEU_BUFFER_BYTES)
      return MEU_STATUS_SHAPE;
    operand_bytes += bytes_of (&operation.operands[i]);
  }
  if (operand_bytes > MEU_BUFFER_BYTES || bytes_of (&operation.result) > MEU_BUFFER_BYTES)
    return MEU_STATUS_SHAPE;

  held->detail = dma_check (&record->result);
  for (uint32_t i = 0; i < record->operand_count && held->detail == 0; i++)
    held->detail = dma_check (&record->operands[i]);
  return held->detail == 0 ? MEU_STATUS_OK : MEU_STATUS_DMA;
}

/* Fetches the record and starts the fetch of its operands. */
static void fetch_start (struct meu *meu, uint32_t word, uint32_t buffer)
{
  struct meu_record *record = &meu->store->records[buffer];
  struct held *held = &meu->held[buffer];
  uint32_t line = word & 0xffff, lines = (word >> 16) & 0xff, since = profile_now ();

  held->detail = 0;
  held->fetch_ns = 0;
  record->sequence = meu->sequence + 1; /* to blame, should there be no record */
  if (meu->failed)
    return;
  if (lines != 1 || line >= MEU_RING_LINES) {
    held->status = MEU_STATUS_SHAPE;
    return;
  }
  dma_fetch_line (record, meu->ring_ea + (uint64_t) line * MEU_LINE_BYTES, CONTROL_TAG);
  held->detail = dma_wait (CONTROL_TAG);
  held->status = held->detail != 0 ? MEU_STATUS_DMA : check_record (record, held);
  if (held->status == MEU_STATUS_OK)
    dma_fetch (meu->store->buffers[buffer], held->leaving_bytes, record->operands, record->operand_count, buffer);
  if (record->flags & MEU_FLAG_PROFILE)
    held->fetch_ns = profile_lap (&since, meu->tick_ns_q16);
}

/* Executes the operation in buffer `in` into buffer `out` and starts its way back. */
static uint32_t execute (struct meu *meu, uint32_t in, uint32_t out)
{
  struct meu_store *store = meu->store;
  struct meu_record *record = &store->records[in];
  struct held *held = &meu->held[in];
  struct kernel_operation operation;
  uint32_t profile = record->flags & MEU_FLAG_PROFILE, since = profile ? profile_now () : 0;

  if (held->status != MEU_STATUS_OK)
    return held->status;
#if MEU_OMIT != MEU_OMIT_FETCH_WAIT
  held->detail = dma_wait (in);
#endif
  if (held->detail != 0)
    return MEU_STATUS_DMA;
  if (profile)
    store->completion.fetch_ns = held->fetch_ns + profile_lap (&since, meu->tick_ns_q16);

  (void) describe (&operation, record, store->buffers[in], store->buffers[out]);
  uint32_t status = kernel_execute (meu->kernels, &operation);
  if (status != MEU_STATUS_OK)
    return status;
  if (profile)
    store->completion.execute_ns = profile_lap (&since, meu->tick_ns_q16);

  meu->held[out].leaving_bytes = dma_write_back (store->buffers[out], &record->result, out);
  if (profile) {
    held->detail = dma_wait (out);
    store->completion.write_back_ns = profile_lap (&since, meu->tick_ns_q16);
  }
  return held->detail != 0 ? MEU_STATUS_DMA : MEU_STATUS_OK;
}

/* Finishes the operation in buffer `in`; `before` is the buffer that holds the result of the operation before. */
static void finish (struct meu *meu, uint32_t in, uint32_t out, uint32_t before)
{
  struct meu_completion *completion = &meu->store->completion;
  struct held *held = &meu->held[in];
  uint32_t sequence = meu->store->records[in].sequence;

  if (meu->failed)
    return;
  uint32_t status = execute (meu, in, out);
  /* The completion record of the operation before has left: it is visible, and its line may be changed.  What the
   * prefetch that shares its tag may have met is that operation's own affair. */
  uint32_t prefetch_detail = dma_wait (before);
  if (prefetch_detail != 0 && meu->held[before].status == MEU_STATUS_OK) {
    meu->held[before].status = MEU_STATUS_DMA;
    meu->held[before].detail = prefetch_detail;
  }
  if (status == MEU_STATUS_OK) {
    meu->sequence = sequence;
    completion->sequence = sequence;
  } else {
    meu->failed = 1;
    completion->status = status;
    completion->failed_sequence = sequence;
    completion->detail = held->detail;
  }
  dma_write_line (completion, meu->completion_ea, out);
}

uint32_t meu_loop (struct meu_store *store, uint64_t parameters_ea, const struct kernel_table *kernels)
{
  struct meu meu;
  dma_fetch_line (&store->parameters, parameters_ea, CONTROL_TAG);
  if (dma_wait (CONTROL_TAG) != 0)
    return MEU_STATUS_DMA;
  if (store->parameters.version != MEU_PROTOCOL_VERSION)
    return MEU_STATUS_VERSION;

  meu.store = store;
  meu.kernels = kernels;
  meu.completion_ea = store->parameters.completion_ea;
  meu.ring_ea = store->parameters.ring_ea;
  meu.tick_ns_q16 = store->parameters.tick_ns_q16;
  meu.sequence = 0;
  meu.failed = 0;
  __builtin_memset (meu.held, 0, sizeof meu.held);
  __builtin_memset (&store->completion, 0, sizeof store->completion);
  profile_start ();

  uint32_t in = 0, holding = 0, terminated = 0;
  while (!terminated) {
    uint32_t next = (in + 1) % MEU_BUFFER_COUNT, out = (in + 2) % MEU_BUFFER_COUNT, prefetched = 0;
    if (!holding) {
      uint32_t word = spu_read_in_mbox ();
      if (word == MEU_WORD_TERMINATE)
        break;
      fetch_start (&meu, word, in);
    }
    if (spu_stat_in_mbox () != 0) {
      uint32_t word = spu_read_in_mbox ();
      if (word == MEU_WORD_TERMINATE)
        terminated = 1;
      else {
        fetch_start (&meu, word, next);
        prefetched = 1;
      }
    }
    finish (&meu, in, out, next);
    holding = prefetched;
    in = next;
  }
  for (uint32_t tag = 0; tag < MEU_BUFFER_COUNT; tag++)
    (void) dma_wait (tag);
  return MEU_STATUS_OK;
}

#ifdef __SPU__
static struct meu_store store;

int main (unsigned long long spe_id, unsigned long long parameters_ea, unsigned long long environment)
{
  (void) spe_id;
  (void) environment;
  return (int) meu_loop (&store, parameters_ea, &kernel_table_v16);
}
#endif
