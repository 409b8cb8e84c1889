// SPDX-License-Identifier: GPL-3.0-or-later

// Octave's built-in functions that a p_matrix extends.
//
// A method of a class is a file NAME.m in the class's directory, which Octave evaluates at some 5 us a call: a compiled file is
// never taken for a method (load_path::find_method knows .m files only, and octave_function::is_class_method is false of any
// other).  Here a built-in function is replaced by one that records what it is asked of a p_matrix, and hands every other call on
// to Octave's own.  The new one declares that it handles the class p_matrix, so Octave remembers it as the method of the class
// and finds it at once, before it has looked through the path.

#ifndef PMATRIX_METHODS_H
#define PMATRIX_METHODS_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // Called once, when the library is loaded.
  void install_methods (octave::interpreter& interp);

  // A matrix of copies; undefined when these arguments of repmat have no lazy form.
  octave_value record_repetition (const octave_value_list& args);
}

#endif
