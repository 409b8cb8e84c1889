/* main.c - the Matrix Execution Unit: takes operations from the mailbox, in triple buffering.
 *
 *   turn       buffer `in`     operands of this operation, which is executed now
 *              buffer `next`   operands of the next operation, on their way in behind the earlier result
 *              buffer `out`    result of this operation
 *
 * An accumulation chain fetches the operands of its parts into `in` and `next` alternately, each part while
 * the part before is executed.  It keeps its sum in `out`.  The next operation is fetched during the last
 * part.
 *
 * While an operation is held the MEU never waits for a mailbox word: it only looks whether a word is there.
 * The PPE may be unable to offer the next operation before it has seen the result of the held operation.
 *
 * A record of several lines is at the end of the buffer that takes the operands of its operation, because no
 * other room of the local store is free.
 *
 * The epilogue of a product reads its further inputs from `out`, behind the results and strips.  They are
 * fetched while the product is executed.  The record moves to the end of `out` before, since the operands of
 * further parts and of the next operation take the buffer where it was.
 *
 * An MEU that addresses main memory executes an operation there if the record has MEU_FLAG_MEMORY.
 *
 * Order of what the PPE sees: the completion record of operation i follows the result of operation i, by a
 * fence on the tag of the result.  It also follows the completion record of operation i-1, which goes under
 * another tag: the MEU waits for it.
 */
#include "chain.h"
#include "direct.h"
#include "memory.h"
#include "opcodes.h"
#include "overlay.h"
#include "program.h"
#include "record.h"
#include "store.h"

#ifndef MEU_OMIT
#define MEU_OMIT 0
#endif
#define MEU_OMIT_FETCH_WAIT 1

#define CONTROL_TAG MEU_BUFFER_COUNT

/* An operation that has been taken from the mailbox. */
struct held {
  MEU_OWN_QUADWORD const struct meu_record *record; /* in a slot of its own, or behind its operands */
  MEU_OWN_QUADWORD uint32_t sequence;
  MEU_OWN_QUADWORD uint32_t status;                 /* what is wrong with it, found while fetching */
  MEU_OWN_QUADWORD uint32_t detail;
  MEU_OWN_QUADWORD uint64_t fetch_ns;
};

struct meu {
  MEU_OWN_QUADWORD struct meu_store *store;
  MEU_OWN_QUADWORD const struct kernel_table *kernels;
  MEU_OWN_QUADWORD uint64_t completion_ea;
  MEU_OWN_QUADWORD uint64_t ring_ea;
  MEU_OWN_QUADWORD uint32_t tick_ns_q16;
  MEU_OWN_QUADWORD uint32_t taken;    /* sequence of the last operation that was taken from the mailbox */
  MEU_OWN_QUADWORD uint32_t failed;
  struct held held[MEU_SLOT_COUNT];
  uint32_t leaving_bytes[MEU_BUFFER_COUNT]; /* what the last write back from a buffer occupies of it */
};

/* Moves a pair of operands by a part: a along its columns, b along its rows.  Factors have 16 bits,
 * because the SPU multiplies 16-bit numbers only. */
static void advance (struct meu_block *pair, uint32_t length)
{
  uint32_t low = length * (pair[0].stride_bytes & 0xffff), high = length * (pair[0].stride_bytes >> 16);
  pair[0].ea += ((uint64_t) high << 16) + low;
  pair[1].ea += length * (pair[1].precision == MEU_DOUBLE ? 8u : 4u);
}

/* Fetches the record that a word names, and starts the fetch of its operands into `buffer`.  For a chain
 * these are the operands of the first part. */
static void fetch_start (struct meu *meu, uint32_t word, uint32_t slot, uint32_t buffer)
{
  struct meu_record *record = &meu->store->records[slot];
  struct held *held = &meu->held[slot];
  uint8_t *data = meu->store->buffers[buffer];
  uint32_t line = word & 0xffff, lines = (word >> 16) & 0xff, kept = 0, since = profile_now ();

  held->detail = 0;
  held->fetch_ns = 0;
  held->sequence = ++meu->taken;
  held->record = record;
  held->status = MEU_STATUS_SHAPE;
  if (meu->failed || lines - 1 >= MEU_RECORD_LINES || line + lines > MEU_RING_LINES)
    return;
  if (lines != 1) {
    /* A result that is leaving the buffer may reach to its end. */
    kept = lines * MEU_LINE_BYTES;
    if (meu->leaving_bytes[buffer] > MEU_BUFFER_BYTES - kept) {
      held->detail = dma_wait (buffer);
      meu->leaving_bytes[buffer] = 0;
    }
    record = (struct meu_record *) (data + MEU_BUFFER_BYTES - kept);
    held->record = record;
  }
  dma_fetch_lines (record, meu->ring_ea + (uint64_t) line * MEU_LINE_BYTES, lines, CONTROL_TAG);
  uint32_t fault = dma_wait (CONTROL_TAG);
  if (held->detail == 0)
    held->detail = fault;
  held->status = MEU_STATUS_DMA;
  if (held->detail != 0)
    return;
  meu->taken = record->sequence;
  held->sequence = record->sequence;
  held->status = record_check (record, lines, &held->detail);
  if (held->status == MEU_STATUS_OK && !in_memory (record))
    dma_fetch (data, meu->leaving_bytes[buffer], kept, record->blocks, fetched_count (record), buffer);
  if (record->flags & MEU_FLAG_PROFILE)
    held->fetch_ns = profile_lap (&since, meu->tick_ns_q16);
}

/* Moves the record of a product with an epilogue to the end of buffer `out`, and starts the fetch of the
 * further inputs.  No transfer uses the buffer.  Not inlined: its description of the program would lie on the
 * stack below every kernel. */
static __attribute__ ((noinline)) void begin_epilogue (struct meu *meu, struct held *held, uint32_t out)
{
  struct program program;
  uint8_t *data = meu->store->buffers[out];
  const struct meu_record *record = held->record;
  if (!is_product (record) || record->step_count == 0)
    return;
  uint32_t kept = record_lines (record) * MEU_LINE_BYTES;
  quad *to = (quad *) (data + MEU_BUFFER_BYTES - kept);
  const quad *from = (const quad *) record;
  for (uint32_t i = 0; i < kept / sizeof *to; i++)
    to[i] = from[i];
  record = (const struct meu_record *) to;
  held->record = record;
  record_describe (&program, record, 0, data);
  uint32_t offset = (uint32_t) ((uint8_t *) program.blocks[1].data - data);
  dma_fetch (data + offset, 0, offset + kept, record->blocks + 2, record->input_count - 2u, out);
}

/* Executes element-wise work, or the epilogue of a product. */
static uint32_t execute_program (struct meu *meu, struct held *held, uint32_t in, uint32_t out)
{
  struct program program;
  record_describe (&program, held->record, meu->store->buffers[in], meu->store->buffers[out]);
  return program_execute (meu->kernels, &program, &held->detail);
}

/* Executes a move or reduction.  Not inlined: its descriptions would lie on the stack below every kernel. */
static __attribute__ ((noinline)) uint32_t execute_direct (struct meu *meu, const struct meu_record *record, uint32_t in,
                                                           uint32_t out)
{
  struct kernel_block blocks[3];
  uint32_t count = record->input_count;
  (void) record_place (&blocks[1], record->blocks, count, 0, meu->store->buffers[in]);
  (void) record_place (blocks, record->blocks + count, 1, 0, meu->store->buffers[out]);
#ifdef __SPU__
  overlay_need (kernel_opcodes[record->work.step.opcode]);
  return overlay_direct (blocks, &blocks[1], count, &record->work.step);
#else
  return direct_blocks (meu->kernels, blocks, &blocks[1], count, &record->work.step);
#endif
}

/* Waits for the operands of a part in buffer `in` and executes the part into buffer `out`. length:
 * elements of the inner side of a chain's part; 0 for any other operation. */
static uint32_t execute_part (struct meu *meu, uint32_t slot, uint32_t length, uint32_t accumulate, uint32_t in,
                              uint32_t out)
{
  struct meu_store *store = meu->store;
  struct held *held = &meu->held[slot];
  struct kernel_block blocks[3], *a = &blocks[0], *b = &blocks[1];

  if (held->status != MEU_STATUS_OK)
    return held->status;
#if MEU_OMIT != MEU_OMIT_FETCH_WAIT
  if (held->detail == 0) /* else a fault was met while profiling */
    held->detail = dma_wait (in);
#endif
  if (held->detail != 0)
    return MEU_STATUS_DMA;
  const struct meu_record *record = held->record;
#ifndef __SPU__
  if (is_direct (record))
    return direct_execute (meu->kernels, (const struct direct_operation *) (record + 1));
  if (in_memory (record) && record->work.step.opcode == MEU_OP_MULTIPLY) {
    memory_product (meu->kernels, record, meu_work (store));
    return MEU_STATUS_OK;
  }
#endif
  if (is_local_direct (record))
    return execute_direct (meu, record, in, out);
  if (!is_product (record))
    return execute_program (meu, held, in, out);
  (void) record_place (blocks, record->blocks, 2, 0, store->buffers[in]);
  (void) record_place (&blocks[2], record->blocks + record->input_count, 1, 0, store->buffers[out]);
  if (length != 0) {
    a->columns = length;
    b->data = (uint8_t *) a->data + a->stride_bytes * length;
    b->rows = length;
    b->stride_bytes = kernel_column_bytes (length, b->precision);
  }
  product_execute (meu->kernels, &blocks[2], blocks, accumulate);
  return MEU_STATUS_OK;
}

/* Executes the last part of an operation, and starts the write back of its result. */
static uint32_t execute_last (struct meu *meu, uint32_t slot, uint32_t length, uint32_t accumulate, uint32_t in,
                              uint32_t out)
{
  struct meu_store *store = meu->store;
  struct held *held = &meu->held[slot];
  const struct meu_record *record = held->record;
  uint32_t profile = record->flags & MEU_FLAG_PROFILE, since = profile ? profile_now () : 0;

  if (profile && held->status == MEU_STATUS_OK) {
    held->detail = dma_wait (in);
    store->completion.fetch_ns = held->fetch_ns + profile_lap (&since, meu->tick_ns_q16);
  }
  uint32_t status = execute_part (meu, slot, length, accumulate, in, out), room_bytes = MEU_BUFFER_BYTES;
  if (status == MEU_STATUS_OK && is_product (record) && record->step_count != 0) {
    room_bytes = (uint32_t) ((const uint8_t *) record - store->buffers[out]);
    held->detail = dma_wait (out);
    status = held->detail != 0 ? MEU_STATUS_DMA : execute_program (meu, held, in, out);
  }
  if (status != MEU_STATUS_OK)
    return status;
  if (profile)
    store->completion.execute_ns = profile_lap (&since, meu->tick_ns_q16);

  if (!in_memory (record))
    meu->leaving_bytes[out] = dma_write_back (store->buffers[out], room_bytes, record->blocks + record->input_count,
                                              record->result_count, out);
  if (profile) {
    held->detail = dma_wait (out);
    store->completion.write_back_ns = profile_lap (&since, meu->tick_ns_q16);
  }
  return held->detail != 0 ? MEU_STATUS_DMA : MEU_STATUS_OK;
}

/* Reports an operation that has been executed into buffer `out`, with its status.  `before` is the buffer
 * that held the result of the operation before.  `next_slot` is the slot of a prefetched operation. */
static void report (struct meu *meu, uint32_t slot, uint32_t status, uint32_t out, uint32_t before, uint32_t next_slot)
{
  struct meu_completion *completion = &meu->store->completion;
  struct meu_report *reported = &completion->report;

  /* After this wait the completion record of the operation before is visible, and its line may be changed.
   * A fault of a prefetch under this tag belongs to the prefetched operation. */
  uint32_t prefetch_detail = dma_wait (before);
  if (prefetch_detail != 0 && meu->held[next_slot].status == MEU_STATUS_OK) {
    meu->held[next_slot].status = MEU_STATUS_DMA;
    meu->held[next_slot].detail = prefetch_detail;
  }
  if (status == MEU_STATUS_OK)
    reported->sequence = meu->held[slot].sequence;
  else {
    meu->failed = 1;
    reported->status = (uint16_t) status;
    reported->detail = (uint16_t) meu->held[slot].detail;
  }
  dma_write_line (completion, meu->completion_ea, out);
}

#ifdef __SPU__
/* The overlay that an operation needs first; MEU_RESIDENCE_SPE if it needs none. */
static uint32_t first_overlay (const struct meu_record *record)
{
  const struct program_step *step = record_steps (record), *end = step + record->step_count;
  for (; step != end; step++) {
    uint32_t residence = kernel_opcodes[step->opcode] & KERNEL_RESIDENCE;
    if (residence != MEU_RESIDENCE_SPE)
      return residence;
  }
  return MEU_RESIDENCE_SPE;
}

/* Starts the fetch of the overlay that operation `next` needs, if the operation before it needs none. */
static void expect_overlay (const struct held *now, const struct held *next)
{
  if (now->status == MEU_STATUS_OK && next->status == MEU_STATUS_OK && first_overlay (now->record) == MEU_RESIDENCE_SPE)
    overlay_fetch (first_overlay (next->record));
}
#endif

uint32_t meu_loop (struct meu_store *store, uint64_t parameters_ea, const struct kernel_table *kernels)
{
  struct meu meu;
  dma_fetch_lines (&store->parameters, parameters_ea, 1, CONTROL_TAG);
  if (dma_wait (CONTROL_TAG) != 0)
    return MEU_STATUS_DMA;
  if (store->parameters.version != MEU_PROTOCOL_VERSION)
    return MEU_STATUS_VERSION;

  meu.store = store;
  meu.kernels = kernels;
  meu.completion_ea = store->parameters.completion_ea;
  meu.ring_ea = store->parameters.ring_ea;
  meu.tick_ns_q16 = store->parameters.tick_ns_q16;
  meu.taken = 0;
  meu.failed = 0;
  __builtin_memset (meu.held, 0, sizeof meu.held);
  __builtin_memset (meu.leaving_bytes, 0, sizeof meu.leaving_bytes);
  __builtin_memset (&store->completion, 0, sizeof store->completion);
#ifdef __SPU__
  overlay_begin (store->parameters.overlays_ea);
#endif
  profile_start ();

  uint32_t in = 0, next = 1, out = 2, slot = 0, holding = 0, terminated = 0;
  while (!terminated) {
    if (!holding) {
      uint32_t word = spu_read_in_mbox ();
      if (word == MEU_WORD_TERMINATE)
        break;
      fetch_start (&meu, word, slot, in);
    }
    if (!meu.failed && meu.held[slot].status == MEU_STATUS_OK)
      begin_epilogue (&meu, &meu.held[slot], out);
    const struct meu_record *record = meu.held[slot].record;
    const struct meu_product *chain = &record->work.product;
    uint32_t before = next, status = MEU_STATUS_OK, part = 0, length = 0;
    if (!meu.failed && meu.held[slot].status == MEU_STATUS_OK && chain->opcode == MEU_OP_MULTIPLY && chain->parts > 1
        && !in_memory (record)) {
      struct meu_block pair[2] = { record->blocks[0], record->blocks[1] };
      uint32_t left = record->inner;
      length = pair[0].columns;
      for (; part + 1u < chain->parts && status == MEU_STATUS_OK; part++) {
        uint32_t next_length = chain_length (chain, part + 1), executed = in;
        left -= length;
        if (next_length > left)
          next_length = left;
        advance (pair, length);
        pair[0].columns = next_length;
        pair[1].rows = next_length;
        dma_fetch (store->buffers[next], meu.leaving_bytes[next], 0, pair, 2, next);
        status = execute_part (&meu, slot, length, part != 0, in, out);
        length = next_length;
        in = next;
        next = executed;
      }
    }
    holding = 0;
    if (spu_stat_in_mbox () != 0) {
      uint32_t word = spu_read_in_mbox ();
      if (word == MEU_WORD_TERMINATE)
        terminated = 1;
      else {
        fetch_start (&meu, word, 1 - slot, next);
        holding = 1;
#ifdef __SPU__
        expect_overlay (&meu.held[slot], &meu.held[1 - slot]);
#endif
      }
    }
    if (!meu.failed) {
      if (status == MEU_STATUS_OK)
        status = execute_last (&meu, slot, length, part != 0, in, out);
      report (&meu, slot, status, out, before, 1 - slot);
    }
    /* The prefetched operands are in `next`.  The buffer of the executed operands is free. */
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
