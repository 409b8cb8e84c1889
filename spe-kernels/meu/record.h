/* record.h - what an MEU reads from an operation record. */
#ifndef PMATRIX_RECORD_H
#define PMATRIX_RECORD_H

#include "direct.h"
#include "gather.h"
#include "opcodes.h"
#include "program.h"

/* Whether the operation is executed in main memory. */
static inline uint32_t in_memory (const struct meu_record *record)
{
#ifdef __SPU__
  (void) record;
  return 0;
#else
  return record->flags & MEU_FLAG_MEMORY;
#endif
}

#ifndef __SPU__
/* Whether the operation is a move or reduction in main memory. */
static inline uint32_t is_direct (const struct meu_record *record)
{
  return in_memory (record) && record->work.step.opcode >= DIRECT_OP_VIEW && record->work.step.opcode < DIRECT_OP_END;
}
#endif

/* Whether the operation is a move or reduction in the local store. */
static inline uint32_t is_local_direct (const struct meu_record *record)
{
  uint32_t opcode = record->work.step.opcode;
  return !in_memory (record) && opcode >= DIRECT_OP_VIEW && opcode < DIRECT_OP_END;
}

/* 1 if the operation is a move that gathers (gather.h), else 0. */
static inline uint32_t is_gather (const struct meu_record *record)
{
  return record->work.step.opcode == GATHER_OPCODE;
}

/* 1 for a product, else 0. */
static inline uint32_t is_product (const struct meu_record *record)
{
  return record->work.step.opcode == MEU_OP_MULTIPLY;
}

/* 1 if the steps stand in lines of their own, else 0. */
static inline uint32_t has_step_lines (const struct meu_record *record)
{
  return is_product (record) | (record->work.step.opcode == MEU_PROGRAM);
}

/* Lines of the blocks of a record. */
static inline uint32_t block_lines (const struct meu_record *record)
{
  uint32_t blocks = record->input_count + record->result_count;
  return 1 + (blocks + MEU_LINE_BLOCKS - 1 - MEU_RECORD_BLOCKS) / MEU_LINE_BLOCKS;
}

/* The steps of a record, of which there are record->step_count. */
static inline const struct program_step *record_steps (const struct meu_record *record)
{
  return has_step_lines (record) ? (const struct program_step *) (record + block_lines (record)) : &record->work.step;
}

/* All lines of a record, without the line of a move that gathers. */
static inline uint32_t record_lines (const struct meu_record *record)
{
  uint32_t steps = has_step_lines (record) ? record->step_count : 0u;
  return block_lines (record) + (steps + MEU_LINE_STEPS - 1) / MEU_LINE_STEPS;
}

/* The number of blocks that are fetched before the operation begins. */
static inline uint32_t fetched_count (const struct meu_record *record)
{
  return is_product (record) ? 2 : record->input_count;
}

/* Describes blocks, which follow each other in the local store.  Returns where the next block would be. */
uint8_t *record_place (struct kernel_block *to, const struct meu_block *from, uint32_t count, uint32_t memory,
                       uint8_t *data);

/* Describes the program of a record whose counts are sound.  For a product this is the epilogue: its sum
 * takes the place of the two operands. */
void record_describe (struct program *program, const struct meu_record *record, uint8_t *in, uint8_t *out);

/* enum meu_status: whether a record of `lines` lines is sound.  *detail is that of MEU_STATUS_DMA. */
uint32_t record_check (const struct meu_record *record, uint32_t lines, uint32_t *detail);

#endif
