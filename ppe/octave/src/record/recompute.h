// SPDX-License-Identifier: GPL-3.0-or-later

// Operations whose result is complex, or may be: Octave computes them.

#ifndef PMATRIX_RECOMPUTE_H
#define PMATRIX_RECOMPUTE_H

#include "session/engine.h"

namespace pmatrix
{
  // One operation with Octave's own operators; form, operands and scalar as pm_operation_of gives them.
  octave_value compute_in_octave (pm_operation operation, int form, const octave_value& a, const octave_value& b, double scalar,
                                  pm_class result_class);

  // The value of a failed operation of the engine's graph.
  octave_value recompute (const pm_value *failed);
}

#endif
