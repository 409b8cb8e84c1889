/* product.c - the product of two blocks. */
#include "kernel.h"

uint32_t product_check (const struct kernel_block *result, const struct kernel_block operands[2])
{
  const struct kernel_block *a = &operands[0], *b = &operands[1];
  if (result->precision > MEU_DOUBLE || a->precision != result->precision || b->precision != result->precision)
    return MEU_STATUS_OPCODE;
  return a->rows != 0 && a->columns != 0 && b->columns != 0 && a->rows == result->rows && b->columns == result->columns
             && a->columns == b->rows
           ? MEU_STATUS_OK
           : MEU_STATUS_SHAPE;
}

void product_execute (const struct kernel_table *table, const struct kernel_block *result,
                      const struct kernel_block operands[2], uint32_t accumulate)
{
  const struct kernel_block *a = &operands[0], *b = &operands[1];
  struct kernel_product product = {
    result->data, a->data, b->data, result->stride_bytes, a->stride_bytes, b->stride_bytes,
    result->rows, result->columns, a->columns, accumulate,
  };
  table->multiply[result->precision](&product);
}
