/* overlay.h - the overlay area of an SPE's local store, and which overlay is in it.
 *
 * An overlay is code and constants linked for the overlay area.  It begins with a branch to each of its
 * kernels, so that the table of kernels has constant addresses for all overlays (kernels/spu/entries.S).  The
 * overlays lie in main memory.  The MEU fetches one when an operation needs it, and keeps it until another
 * one is needed.  Other processors have no overlays.
 */
#ifndef PMATRIX_OVERLAY_H
#define PMATRIX_OVERLAY_H

#include "kernel.h"

#ifdef __SPU__
/* reduction_execute (reduction.h), move_execute (move.h), gather_execute (gather.h), cumulative_execute or
 * norm_execute (running.h): whichever overlay is in the overlay area. */
uint32_t overlay_direct (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                         const struct program_step *step);

/* The overlays of this MEU begin at this address of main memory. */
void overlay_begin (uint64_t overlays_ea);

/* Fetches the overlay of this enum meu_residence without waiting for it.  No code of another overlay may be
 * called from now on. */
void overlay_fetch (uint32_t residence);

/* Has the overlay of this enum meu_residence in the overlay area when it returns. */
void overlay_need (uint32_t residence);
#else
static inline void overlay_need (uint32_t residence) { (void) residence; }
#endif

#endif
