/* main.c - the Matrix Execution Unit: takes operations from the mailbox, in triple buffering.
 *
 *   turn       buffer `in`     operands of this operation, which is executed now
 *              buffer `next`   operands of the next one, on their way in behind the result of the one before
 *              buffer `out`    result of this operation
 *
 * An accumulation chain takes the operands of its parts in `in` and `next` by turns, each fetched while the part before
 * it is executed, and keeps its sum in `out`; the next operation is fetched during the last part.
 *
 * While an operation is held the MEU never waits for a mailbox word: it looks whether one is there.  The PPE may be
 * unable to offer the next operation before it has seen the result of this one.
 *
 * A MEU that can address main memory executes direct operations (direct.h), and those that their records say (memory.h),
 * there when their turn comes.
 *
 * Order of what the PPE sees: the completion record of operation i follows its result (fence, same tag) and the
 * completion record of operation i-1, for which we wait: that one went under another tag.
 */
#include "direct.h"
#include "memory.h"
#include "store.h"

#ifndef MEU_OMIT
#define MEU_OMIT 0
#endif
#define MEU_OMIT_FETCH_WAIT 1

#define CONTROL_TAG MEU_BUFFER_COUNT

/* An operation whose record is in store->records[slot]; two slots take turns. */
struct held {
  uint32_t status; /* what is wrong with it, found while fetching */
  uint32_t detail;
  uint64_t fetch_ns;
} MEU_QUADWORDS;

struct meu {
  struct meu_store *store;
  const struct kernel_table *kernels;
  uint64_t completion_ea;
  uint64_t ring_ea;
  uint32_t tick_ns_q16;
  uint32_t sequence; /* of the last operation that is done */
  uint32_t failed;
  struct held held[MEU_SLOT_COUNT];
  uint32_t leaving_bytes[MEU_BUFFER_COUNT]; /* what the last write back from a buffer occupies of it */
};

static void describe_block (struct kernel_block *to, const struct meu_block *from, uint8_t *data)
{
  to->data = data;
  to->stride_bytes = kernel_column_bytes (from->rows, from->precision);
  to->rows = from->rows;
  to->columns = from->columns;
  to->precision = from->precision;
}

/* Length of a part on the inner side, before the end of the chain cuts it. */
static uint32_t part_length (const struct meu_record *record, uint32_t part)
{
  return (uint32_t) record->divisor * (record->base + (part < record->longer ? 1u : 0u));
}

/* Whether a chain begins as its record says, and its parts at whole groups.  Whether the parts fill its length shows when
 * they are executed. */
static uint32_t is_chain (const struct meu_record *record)
{
  uint32_t unit_bytes = (uint32_t) record->divisor * (record->operands[0].precision == MEU_DOUBLE ? 8u : 4u);
  return record->opcode == MEU_OP_MULTIPLY && (unit_bytes & 15) == 0
         && record->operands[0].columns == part_length (record, 0);
}

/* Moves a pair of operands by a part: a along its columns, b along its rows.  In 16-bit factors, since the SPU has no
 * others. */
static void advance (struct meu_block *pair, uint32_t length)
{
  uint32_t low = length * (pair[0].stride_bytes & 0xffff), high = length * (pair[0].stride_bytes >> 16);
  pair[0].ea += ((uint64_t) high << 16) + low;
  pair[1].ea += length * (pair[1].precision == MEU_DOUBLE ? 8u : 4u);
}

/* The operation of a record, or of a part of a chain whose length on the inner side is `length`, unless that is 0. */
static uint32_t describe (struct kernel_operation *operation, const struct meu_record *record, uint32_t length,
                          uint8_t *in, uint8_t *out)
{
  operation->opcode = record->opcode;
  operation->form = record->form;
  operation->operand_count = record->operand_count;
  operation->scalar = record->scalar;
  operation->accumulate = 0;
  describe_block (&operation->result, &record->result, out);
  for (uint32_t i = 0; i < 2; i++) {
    describe_block (&operation->operands[i], &record->operands[i], in);
    if (length != 0 && i == 0)
      operation->operands[0].columns = length;
    else if (length != 0) {
      operation->operands[1].rows = length;
      operation->operands[1].stride_bytes = kernel_column_bytes (length, record->operands[1].precision);
    }
    if (i < record->operand_count)
      in += operation->operands[i].stride_bytes * operation->operands[i].columns;
  }
  return kernel_check (operation);
}

/* Whether the operation is executed in main memory: its flag, or 0. */
static uint32_t in_memory (const struct meu_record *record)
{
#ifdef __SPU__
  (void) record;
  return 0;
#else
  return record->flags & (MEU_FLAG_DIRECT | MEU_FLAG_MEMORY);
#endif
}

static uint32_t bytes_of (const struct kernel_block *block)
{
  /* 65535 doubles in each of 65535 columns would overflow; more rows than a buffer holds do not fit anyway. */
  return block->stride_bytes > MEU_BUFFER_BYTES ? MEU_BUFFER_BYTES + 1 : block->stride_bytes * block->columns;
}

/* Whether the blocks of an operation fit the buffers. */
static uint32_t check_room (const struct kernel_operation *operation)
{
  uint32_t operand_bytes = 0;
  for (uint32_t i = 0; i < operation->operand_count; i++) {
    if (bytes_of (&operation->operands[i]) > MEU_BUFFER_BYTES)
      return MEU_STATUS_SHAPE;
    operand_bytes += bytes_of (&operation->operands[i]);
  }
  return operand_bytes > MEU_BUFFER_BYTES || bytes_of (&operation->result) > MEU_BUFFER_BYTES ? MEU_STATUS_SHAPE
                                                                                           : MEU_STATUS_OK;
}

/* Everything that can be wrong with a record. */
static uint32_t check_record (const struct meu_record *record, struct held *held)
{
  struct kernel_operation operation;
  if (record->version != MEU_PROTOCOL_VERSION)
    return MEU_STATUS_VERSION;
  if (in_memory (record) & MEU_FLAG_DIRECT)
    return MEU_STATUS_OK;
  uint32_t status = describe (&operation, record, 0, 0, 0);
  if (status != MEU_STATUS_OK)
    return status;
  if (record->parts != 1 && (record->parts == 0 || !is_chain (record)))
    return MEU_STATUS_SHAPE;
#ifndef __SPU__
  if (in_memory (record))
    status = memory_check (record);
  else
#endif
    status = check_room (&operation);
  if (status != MEU_STATUS_OK)
    return status;

  held->detail = dma_check (&record->result);
  for (uint32_t i = 0; i < record->operand_count && held->detail == 0; i++)
    held->detail = dma_check (&record->operands[i]);
  return held->detail == 0 ? MEU_STATUS_OK : MEU_STATUS_DMA;
}

/* Fetches the record into a slot and starts the fetch of its operands, of a chain those of the first part. */
static void fetch_start (struct meu *meu, uint32_t word, uint32_t slot, uint32_t buffer)
{
  struct meu_record *record = &meu->store->records[slot];
  struct held *held = &meu->held[slot];
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
  if (held->status == MEU_STATUS_OK && !in_memory (record))
    dma_fetch (meu->store->buffers[buffer], meu->leaving_bytes[buffer], record->operands, record->operand_count, buffer);
  if (record->flags & MEU_FLAG_PROFILE)
    held->fetch_ns = profile_lap (&since, meu->tick_ns_q16);
}

/* Waits for the operands of a part in buffer `in` and executes it into buffer `out`.  length: on the inner side of a
 * chain; 0 for any other operation. */
static uint32_t execute_part (struct meu *meu, uint32_t slot, uint32_t length, uint32_t accumulate, uint32_t in,
                              uint32_t out)
{
  struct meu_store *store = meu->store;
  struct held *held = &meu->held[slot];
  struct kernel_operation operation;

  if (held->status != MEU_STATUS_OK)
    return held->status;
#if MEU_OMIT != MEU_OMIT_FETCH_WAIT
  if (held->detail == 0) /* else a fault was met while profiling */
    held->detail = dma_wait (in);
#endif
  if (held->detail != 0)
    return MEU_STATUS_DMA;
#ifndef __SPU__
  const struct meu_record *record = &store->records[slot];
  if (in_memory (record) & MEU_FLAG_DIRECT)
    return direct_execute (meu->kernels, (const void *) (uintptr_t) record->result.ea, &held->detail);
  if (in_memory (record)) {
    memory_execute (meu->kernels, record, store->buffers[in]);
    return MEU_STATUS_OK;
  }
#endif
  (void) describe (&operation, &store->records[slot], length, store->buffers[in], store->buffers[out]);
  operation.accumulate = accumulate;
  return kernel_execute (meu->kernels, &operation);
}

/* Executes the last part of an operation, and starts the way back of its result. */
static uint32_t execute_last (struct meu *meu, uint32_t slot, uint32_t length, uint32_t accumulate, uint32_t in,
                              uint32_t out)
{
  struct meu_store *store = meu->store;
  struct meu_record *record = &store->records[slot];
  struct held *held = &meu->held[slot];
  uint32_t profile = record->flags & MEU_FLAG_PROFILE, since = profile ? profile_now () : 0;

  if (profile && held->status == MEU_STATUS_OK) {
    held->detail = dma_wait (in);
    store->completion.fetch_ns = held->fetch_ns + profile_lap (&since, meu->tick_ns_q16);
  }
  uint32_t status = execute_part (meu, slot, length, accumulate, in, out);
  if (status != MEU_STATUS_OK)
    return status;
  if (profile)
    store->completion.execute_ns = profile_lap (&since, meu->tick_ns_q16);

  if (!in_memory (record))
    meu->leaving_bytes[out] = dma_write_back (store->buffers[out], &record->result, out);
  if (profile) {
    held->detail = dma_wait (out);
    store->completion.write_back_ns = profile_lap (&since, meu->tick_ns_q16);
  }
  return held->detail != 0 ? MEU_STATUS_DMA : MEU_STATUS_OK;
}

/* Reports an operation that has been executed into buffer `out`, with what came of it.  `before` is the buffer that
 * held the result of the operation before; `next_slot` is that of a prefetched operation. */
static void report (struct meu *meu, uint32_t slot, uint32_t status, uint32_t out, uint32_t before, uint32_t next_slot)
{
  struct meu_completion *completion = &meu->store->completion;
  uint32_t sequence = meu->store->records[slot].sequence;

  /* The completion record of the operation before has left: it is visible, and its line may be changed.  What a
   * prefetch that shares its tag may have met is that operation's own affair. */
  uint32_t prefetch_detail = dma_wait (before);
  if (prefetch_detail != 0 && meu->held[next_slot].status == MEU_STATUS_OK) {
    meu->held[next_slot].status = MEU_STATUS_DMA;
    meu->held[next_slot].detail = prefetch_detail;
  }
  if (status == MEU_STATUS_OK) {
    meu->sequence = sequence;
    completion->sequence = sequence;
  } else {
    meu->failed = 1;
    completion->status = status;
    completion->failed_sequence = sequence;
    completion->detail = meu->held[slot].detail;
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
  __builtin_memset (meu.leaving_bytes, 0, sizeof meu.leaving_bytes);
  __builtin_memset (&store->completion, 0, sizeof store->completion);
  profile_start ();

  uint32_t in = 0, next = 1, out = 2, slot = 0, holding = 0, terminated = 0;
  while (!terminated) {
    if (!holding) {
      uint32_t word = spu_read_in_mbox ();
      if (word == MEU_WORD_TERMINATE)
        break;
      fetch_start (&meu, word, slot, in);
    }
    struct meu_record *record = &store->records[slot];
    uint32_t before = next, parts = record->parts;
    if (meu.failed || meu.held[slot].status != MEU_STATUS_OK || in_memory (record))
      parts = 1;
    uint32_t status = MEU_STATUS_OK, part = 0, length = 0;
    if (parts > 1) {
      struct meu_block pair[2] = { record->operands[0], record->operands[1] };
      uint32_t left = record->inner;
      length = pair[0].columns;
      for (; part + 1 < parts && status == MEU_STATUS_OK; part++) {
        uint32_t next_length = part_length (record, part + 1), executed = in;
        left -= length;
        if ((int32_t) left <= 0) {
          status = MEU_STATUS_SHAPE;
          break;
        }
        if (next_length > left)
          next_length = left;
        advance (pair, length);
        pair[0].columns = (uint16_t) next_length;
        pair[1].rows = (uint16_t) next_length;
        dma_fetch (store->buffers[next], meu.leaving_bytes[next], pair, 2, next);
        status = execute_part (&meu, slot, length, part != 0, in, out);
        length = next_length;
        in = next;
        next = executed;
      }
      if (status == MEU_STATUS_OK && left > length)
        status = MEU_STATUS_SHAPE;
    }
    holding = 0;
    if (spu_stat_in_mbox () != 0) {
      uint32_t word = spu_read_in_mbox ();
      if (word == MEU_WORD_TERMINATE)
        terminated = 1;
      else {
        fetch_start (&meu, word, 1 - slot, next);
        holding = 1;
      }
    }
    if (!meu.failed) {
      if (status == MEU_STATUS_OK)
        status = execute_last (&meu, slot, length, part != 0, in, out);
      report (&meu, slot, status, out, before, 1 - slot);
    }
    /* The prefetched operands are in `next`, behind the result; the buffer of the executed ones is free. */
    uint32_t executed = in;
    in = next;
    next = out;
    out = executed;
    slot = 1 - slot;
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
