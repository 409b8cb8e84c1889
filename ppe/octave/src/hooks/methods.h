// SPDX-License-Identifier: GPL-3.0-or-later

// Octave's built-in functions that have a method for p_matrix.
//
// Octave knows two kinds of methods: files NAME.m in the directory of the class, which take some 5 us a call,
// and built-in functions that declare the class.  A compiled file is never taken for a method.  So each
// built-in function of Octave is replaced by a built-in function of this package.  The replacement declares
// the class p_matrix, and Octave finds the replacement at once, before a search through the path.  Calls
// without a p_matrix go on to Octave's own function.

#ifndef PMATRIX_METHODS_H
#define PMATRIX_METHODS_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // Replaces the built-in functions; called once, when the library is loaded.
  void install_methods (octave::interpreter& interp);

  // The names of Octave's functions of one operand (of two operands) that are element-wise operations, in the
  // order of the table.
  octave_value elementwise_functions (int operands);

  // The result of repmat (ARGS) as a recorded operation; undefined when the arguments have no lazy form.
  octave_value record_repetition (const octave_value_list& args);
}

#endif
