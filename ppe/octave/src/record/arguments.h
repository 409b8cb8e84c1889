// SPDX-License-Identifier: GPL-3.0-or-later

// What the arguments of a function mean to the engine.

#ifndef PMATRIX_ARGUMENTS_H
#define PMATRIX_ARGUMENTS_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // True for a real number that is whole and of reasonable size, which is the result then.
  bool whole (const octave_value& given, octave_idx_type& result);

  // The value of the first argument, where it can be recorded: a matrix without elements follows rules of its
  // own, and is there at once, and the engine has real matrices of two dimensions only.  Null otherwise.
  const ValuePtr * first_value (const octave_value_list& args);

  // The value of a p_matrix; null for anything else.
  ValuePtr value_of (const octave_value& v);
}

#endif
