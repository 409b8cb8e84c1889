// SPDX-License-Identifier: GPL-3.0-or-later

// Octave computes operations whose result is complex, or may be complex.

#ifndef PMATRIX_RECOMPUTE_H
#define PMATRIX_RECOMPUTE_H

#include "session/engine.h"

namespace pmatrix
{
  // Computes one operation with Octave's own operators.  FORM, operands and SCALAR are as pm_operation_of
  // gives them.
  octave_value compute_in_octave (pm_operation operation, int form, const octave_value& a, const octave_value& b, double scalar,
                                  pm_class result_class);

  // Computes the value of a failed operation of the engine's graph.
  octave_value recompute (const pm_value *failed);
}

#endif
