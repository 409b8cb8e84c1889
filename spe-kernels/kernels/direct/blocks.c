/* blocks.c - reductions and moves on blocks in the local store of a thread, as an SPE has them: by the code for
 * main memory. */
#include "direct.h"
#include "gather.h"
#include "move.h"
#include "running.h"

/* A block without the first `skip` elements of each column. */
static struct direct_matrix matrix (const struct kernel_block *block, uint32_t skip)
{
  uint64_t ea = (uint64_t) (uintptr_t) block->data + skip * kernel_element_bytes (block->precision);
  return (struct direct_matrix) { ea, block->stride_bytes, block->rows - skip, block->columns };
}

uint32_t direct_blocks (const struct kernel_table *kernels, const struct kernel_block *result,
                        const struct kernel_block *operands, uint32_t count, const struct program_step *step)
{
  if (step->opcode == GATHER_OPCODE)
    return gather_execute (result, operands, count, step);
  uint32_t moves = is_move_opcode (step->opcode), runs = is_running_opcode (step->opcode);
  uint32_t status = moves  ? move_check (result, operands, count, step)
                    : runs ? running_check (result, operands, count, step)
                           : MEU_STATUS_OK;
  if (status != MEU_STATUS_OK)
    return status;
  struct direct_operation operation = { .opcode = step->opcode,
                                        .precision = result->precision,
                                        .operand_count = count,
                                        .parameters = { step->form },
                                        .result = matrix (result, 0) };
  for (uint32_t i = 0; i < count; i++)
    operation.operands[i] = matrix (&operands[i], moves || runs ? step->operands[i] : 0);
  if (moves && step->form == MEU_MOVE_BAND) {
    operation.opcode = DIRECT_OP_BAND;
    operation.parameters[0] = move_number (step, 0);
    operation.parameters[1] = move_number (step, 1);
  } else if (moves && step->form == MEU_MOVE_PICKED) {
    const struct direct_matrix *a = &operation.operands[0];
    int64_t apart = move_number (step, 0), reversed = move_number (step, 1) != 0;
    operation.opcode = DIRECT_OP_VIEW;
    operation.parameters[0] = (apart < 0 ? a->rows - 1 : 0) + reversed * (a->columns - 1) * a->rows;
    operation.parameters[1] = apart;
    operation.parameters[2] = reversed ? -(int64_t) a->rows : a->rows;
  } else if (moves && step->form == MEU_MOVE_TRANSPOSED) {
    operation.opcode = DIRECT_OP_VIEW;
    operation.parameters[0] = 0;
    operation.parameters[1] = operation.operands[0].rows;
    operation.parameters[2] = 1;
  } else if (moves)
    operation.opcode = DIRECT_OP_JOIN;
  return direct_execute (kernels, &operation);
}
