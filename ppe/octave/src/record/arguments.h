// SPDX-License-Identifier: GPL-3.0-or-later

// What the arguments of a function mean to the engine.

#ifndef PMATRIX_ARGUMENTS_H
#define PMATRIX_ARGUMENTS_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // True for a real number that is whole and not too large; RESULT is the number then.
  bool whole (const octave_value& given, octave_idx_type& result);

  // The value of the first argument if it can be recorded: a real matrix of two dimensions that has elements.
  // Null otherwise.  (Octave has rules of its own for matrices without elements, and computes them at once.)
  const ValuePtr * first_value (const octave_value_list& args);

  // The value of a p_matrix; null for anything else.
  ValuePtr value_of (const octave_value& v);
}

#endif
