// SPDX-License-Identifier: GPL-3.0-or-later

// Fallbacks: operators and functions that Octave computes for a p_matrix.  Octave's code gets the full
// matrix.  Each call is counted, and named with the line of the script, to show which calls keep a script
// from running on the engine.

#ifndef PMATRIX_FALLBACK_H
#define PMATRIX_FALLBACK_H

#include "session/engine.h"

namespace pmatrix
{
  // Counts that Octave computes this operator or function, and warns of it when the warning pmatrix:fallback
  // is switched on.
  void note_fallback (const std::string& what);

  // Notes that Octave's code takes a full matrix.  When a compiled function has been called that computes
  // with the matrix, the call is a fallback.  It counts once, however many matrices the function takes.
  // Conversions and output only read a matrix, so they are no fallbacks.
  void note_full_value ();

  bool fallback_warning ();
  void switch_fallback_warning (bool on);

  // Octave's result of an operator on full values.
  octave_value compute_unary (octave_value::unary_op op, const octave_value& v);
  octave_value compute_binary (octave_value::binary_op op, const octave_value& a, const octave_value& b);

  // Matrices of a result as p_matrix values; numbers are Octave's own.
  octave_value_list wrap_matrices (octave_value_list results);

  // Calls Octave's own function NAME, also when the script or this package has a function of this name.
  octave_value call_built_in (const std::string& name, const octave_value_list& args);
}

#endif
