/* record.c - checks operation records, and describes their blocks and programs. */
#include "chain.h"
#include "memory.h"
#include "record.h"
#include "running.h"
#include "store.h"

uint8_t *record_place (struct kernel_block *to, const struct meu_block *from, uint32_t count, uint32_t memory,
                       uint8_t *data)
{
  for (; count != 0; count--, to++, from++) {
    to->rows = from->rows;
    to->columns = from->columns;
    to->precision = from->precision;
    to->stride_bytes = kernel_column_bytes (from->rows, from->precision);
    to->data = data;
    data += to->stride_bytes * to->columns;
#ifndef __SPU__
    if (memory) {
      to->stride_bytes = from->stride_bytes;
      to->data = (void *) (uintptr_t) from->ea;
    }
#else
    (void) memory;
#endif
  }
  return data;
}

void record_describe (struct program *program, const struct meu_record *record, uint8_t *in, uint8_t *out)
{
  uint32_t memory = in_memory (record), product = is_product (record), inputs = record->input_count - product;
  const struct meu_block *results = record->blocks + record->input_count;
  program->steps = record_steps (record);
  program->step_count = record->step_count;
  program->input_count = inputs;
  program->result_count = record->result_count;
  program->strip_count = record->strip_count;
#ifndef __SPU__
  program->of_bytes = record->of_bytes;
#endif

  uint8_t *behind = record_place (program->blocks + inputs, results, record->result_count, memory, out);
  program->strips = (char *) (memory ? out : behind);
  if (product) {
    (void) record_place (program->blocks, results, 1, memory, out);
    in = behind + record->strip_count * PROGRAM_STRIP_BYTES;
  }
  (void) record_place (program->blocks + product, record->blocks + 2 * product, inputs - product, memory, in);
}

/* Bytes of a block in the local store.  For a block that does not fit, more bytes than a buffer has. */
static uint32_t room_of (const struct meu_block *block)
{
  uint32_t column_bytes = kernel_column_bytes (block->rows, block->precision);
  if (block->rows > MEU_BUFFER_BYTES || column_bytes > MEU_BUFFER_BYTES || block->columns > MEU_BUFFER_BYTES / 16)
    return MEU_BUFFER_BYTES + 1;
  return column_bytes * block->columns;
}

/* Whether the blocks and strips of an operation fit the buffers, beside `kept` bytes of its record. */
static uint32_t check_room (const struct meu_record *record, uint32_t fetched, uint32_t kept)
{
  uint32_t bytes = kept;
  for (uint32_t i = 0; i < record->input_count + record->result_count; i++) {
    if (i == fetched)
      bytes = record->strip_count * PROGRAM_STRIP_BYTES + is_product (record) * kept;
    bytes += room_of (&record->blocks[i]);
    if (bytes > MEU_BUFFER_BYTES)
      return MEU_STATUS_SHAPE;
  }
  return MEU_STATUS_OK;
}

#ifndef __SPU__
/* Gives an operand that is stored transposed the shape that it has in the product.  Returns whether products
 * of this kind can be executed. */
static uint32_t turn_transposed (struct kernel_block operands[2], const struct meu_record *record)
{
  uint32_t transposed = record->work.product.transposed;
  for (uint32_t i = 0; i < 2; i++)
    if (transposed & (MEU_TRANSPOSED_A << i)) {
      uint32_t rows = operands[i].rows;
      operands[i].rows = operands[i].columns;
      operands[i].columns = rows;
    }
  return transposed == 0
         || (in_memory (record) && transposed <= (MEU_TRANSPOSED_A | MEU_TRANSPOSED_B)
             && operands[0].columns <= MEMORY_TRANSPOSED_LENGTH);
}
#endif

/* Checks a move or reduction whose counts are those of a program of one step, or none of inputs for a move that
 * gathers.  The code of moves, of cumulative sums and of norms checks their shapes. */
static uint32_t check_direct (const struct meu_record *record)
{
  const struct meu_block *a = record->blocks, *result = a + record->input_count;
  uint32_t side = record->work.step.form, rows = a->rows, columns = a->columns, precision = a->precision;
  if (record->input_count > 2 - 2 * is_gather (record) || record->result_count != 1 || record->strip_count != 0 || rows == 0 || columns == 0)
    return MEU_STATUS_SHAPE;
  if (!is_move_opcode (record->work.step.opcode) && !is_running_opcode (record->work.step.opcode)) {
    if (precision > MEU_DOUBLE || side > 1)
      return MEU_STATUS_OPCODE;
    if (side == 0)
      rows = 1;
    else
      columns = 1;
    while (a++ != result)
      if (a->precision != precision || a->rows != rows || a->columns != columns)
        return MEU_STATUS_SHAPE;
  }
  return check_room (record, record->input_count, 0);
}

#ifndef __SPU__
/* Checks where columns of a block in memory begin.  The elements of a block of one row may touch.  Unless the
 * results of a program have one row too, its elements are read one by one, and need no quadword. */
static uint32_t check_in_memory (const struct meu_record *record, const struct meu_block *block)
{
  uint32_t element_bytes = kernel_element_bytes (block->precision);
  uint32_t by_elements = is_product (record) || record->blocks[record->input_count].rows != 1;
  if (block->rows != 1 || (block->columns != 1 && block->stride_bytes != element_bytes))
    return dma_check (block, 1);
  uint32_t boundary = by_elements ? element_bytes : 16;
  return block->ea == 0 || block->ea % boundary != 0 ? MEU_DETAIL_ADDRESS : 0;
}
#endif

uint32_t record_check (const struct meu_record *record, uint32_t lines, uint32_t *detail)
{
  struct program program;
  const struct meu_product *product = &record->work.product;
  if (record->version != MEU_PROTOCOL_VERSION)
    return MEU_STATUS_VERSION;
#ifndef __SPU__
  if (is_direct (record))
    return lines == 2 ? MEU_STATUS_OK : MEU_STATUS_SHAPE;
#endif
  if (record->work.step.opcode >= MEU_OPCODE_COUNT && record->work.step.opcode != MEU_PROGRAM && !is_local_direct (record))
    return MEU_STATUS_OPCODE;
  uint32_t plain = is_product (record) & (record->step_count == 0);
  if (record->input_count + is_gather (record) - 1u - is_product (record) >= PROGRAM_INPUTS || record->result_count - 1u >= PROGRAM_RESULTS
      || record->input_count > PROGRAM_INPUTS || record_lines (record) + is_gather (record) != lines
      || (plain && (record->input_count != 2 || record->result_count != 1 || record->strip_count != 0))
      || (is_product (record) && !plain && in_memory (record)) || (!has_step_lines (record) && record->step_count != 1))
    return MEU_STATUS_SHAPE;
#ifndef __SPU__
  for (uint32_t i = 0; i < record->input_count + record->result_count; i++)
    if (record->blocks[i].precision == MEU_BYTE && !in_memory (record))
      return MEU_STATUS_OPCODE;
#endif
  if (is_local_direct (record)) {
    uint32_t fault = check_direct (record);
    *detail = dma_check (record->blocks, record->input_count + 1u);
    return fault != MEU_STATUS_OK ? fault : *detail != 0 ? MEU_STATUS_DMA : MEU_STATUS_OK;
  }
  record_describe (&program, record, 0, 0);
  uint32_t status = MEU_STATUS_OK, inner = 0;
  if (is_product (record)) {
    struct kernel_block operands[2];
    (void) record_place (operands, record->blocks, 2, 0, 0);
#ifndef __SPU__
    if (!turn_transposed (operands, record))
      return MEU_STATUS_SHAPE;
#endif
    inner = operands[0].columns;
    status = product_check (program.blocks, operands);
  }
  if (status == MEU_STATUS_OK && !plain)
    status = program_check (&program);
  if (status == MEU_STATUS_OK && !in_memory (record))
    status = check_room (record, fetched_count (record), lines == 1 ? 0 : lines * MEU_LINE_BYTES);
  if (status != MEU_STATUS_OK)
    return status;
  if (is_product (record) && product->parts != 1
      && !chain_covers (product, inner, record->inner,
                        record->blocks[0].precision == MEU_DOUBLE ? 8 : 4))
    return MEU_STATUS_SHAPE;

#ifndef __SPU__
  if (in_memory (record)) {
    uint32_t masks = !is_product (record) && program_has_masks (&program);
    for (uint32_t i = 0; i < record->input_count + record->result_count; i++)
      if (*detail == 0 && !(masks && record->blocks[i].precision == MEU_BYTE))
        *detail = check_in_memory (record, &record->blocks[i]);
    return *detail == 0 ? MEU_STATUS_OK : MEU_STATUS_DMA;
  }
#endif
  *detail = dma_check (record->blocks, record->input_count + record->result_count);
  return *detail == 0 ? MEU_STATUS_OK : MEU_STATUS_DMA;
}
