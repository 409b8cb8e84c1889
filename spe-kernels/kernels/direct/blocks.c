/* blocks.c - reductions on blocks in the local store of a thread, as an SPE has them. */
#include "direct.h"

static struct direct_matrix matrix (const struct kernel_block *block)
{
  return (struct direct_matrix) { (uint64_t) (uintptr_t) block->data, block->stride_bytes, block->rows, block->columns };
}

uint32_t direct_reduce_blocks (const struct kernel_table *kernels, const struct kernel_block *result,
                               const struct kernel_block *operands, uint32_t count, uint32_t opcode, uint32_t side)
{
  struct direct_operation operation = { .opcode = opcode,
                                        .precision = result->precision,
                                        .operand_count = count,
                                        .parameters = { side },
                                        .result = matrix (result) };
  for (uint32_t i = 0; i < count; i++)
    operation.operands[i] = matrix (&operands[i]);
  return direct_execute (kernels, &operation);
}
