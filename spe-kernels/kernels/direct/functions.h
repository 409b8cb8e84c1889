/* functions.h - what executes direct operations whose shapes fit. */
#ifndef PMATRIX_DIRECT_FUNCTIONS_H
#define PMATRIX_DIRECT_FUNCTIONS_H

#include "direct.h"

void direct_move_single (const struct direct_operation *operation);
void direct_move_double (const struct direct_operation *operation);
void direct_reduce_single (const struct direct_operation *operation);
void direct_reduce_double (const struct direct_operation *operation);

#endif
