/* functions.h - the functions that execute moves and reductions whose shapes fit. */
#ifndef PMATRIX_DIRECT_FUNCTIONS_H
#define PMATRIX_DIRECT_FUNCTIONS_H

#include "direct.h"

void direct_move_single (const struct direct_operation *operation);
void direct_move_double (const struct direct_operation *operation);
void direct_move_byte (const struct direct_operation *operation);

/* In vectors of some width; 0 when there is none for the operation. */
uint32_t direct_reduce_single_v16 (const struct direct_operation *operation);
uint32_t direct_reduce_double_v16 (const struct direct_operation *operation);
uint32_t direct_reduce_single_v32 (const struct direct_operation *operation);
uint32_t direct_reduce_double_v32 (const struct direct_operation *operation);
uint32_t direct_reduce_single_v64 (const struct direct_operation *operation);
uint32_t direct_reduce_double_v64 (const struct direct_operation *operation);

/* For all operations that have none in vectors. */
void direct_reduce_single (const struct direct_operation *operation);
void direct_reduce_double (const struct direct_operation *operation);

/* Of bytes. */
void direct_reduce_byte (const struct direct_operation *operation);

#endif
