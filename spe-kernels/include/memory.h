/* memory.h - products whose blocks are read and written in main memory, not in the local store. */
#ifndef PMATRIX_MEMORY_H
#define PMATRIX_MEMORY_H

#include "kernel.h"
#include "meu.h"

/* Bytes of the room for work: copies of operands, while they are multiplied. */
#define MEMORY_WORK_BYTES (1u << 20)

/* Elements of the inner side that are taken together, as long as they are whole parts. */
#define MEMORY_STEP_LENGTH 128u

/* Longest part of the inner side of a product with an operand that is stored transposed. */
#define MEMORY_TRANSPOSED_LENGTH 4096u

/* Executes the product of a sound record with MEU_FLAG_MEMORY. The result has the bits of the product in a
 * local store. work: MEMORY_WORK_BYTES, aligned to 128. */
void memory_product (const struct kernel_table *kernels, const struct meu_record *record, uint8_t *work);

/* Executes the product of whole blocks, with the bits of memory_product. chain: the parts of the inner side, and which
 * operands are stored transposed; then a part has at most MEMORY_TRANSPOSED_LENGTH elements. Nothing beyond the elements
 * is read or written, but for whole quadwords of the columns of a left operand that is not stored transposed, and of
 * the result, if these have several rows and vectors are shorter than 64 bytes. */
void memory_product_of_blocks (const struct kernel_table *kernels, const struct kernel_block *result,
                               const struct kernel_block operands[2], const struct meu_product *chain, uint8_t *work);

#endif
