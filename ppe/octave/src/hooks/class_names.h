// SPDX-License-Identifier: GPL-3.0-or-later

// What the name of a class means to Octave's built-in functions when the class is p_matrix.
//
// class (x) of a p_matrix is "p_matrix", and scripts pass that name on: zeros (2, class (x)), eps (class
// (x)), cast (y, class (x)).  Octave's functions do not know the name.  The replacements of these functions
// give a p_matrix of doubles for it, and a p_matrix of the right class for "like", x.  isa (x, "double") is
// answered by the class of the elements.  Three kinds of functions get full matrices: functions that tell
// their arguments apart by names of classes (bitand, im2double), functions that make their result of class
// (x) (gammainc), and assert, which compares classes.
//
// A call without a p_matrix goes on to Octave's function at once: zeros (3) takes some nanoseconds longer.

#ifndef PMATRIX_CLASS_NAMES_H
#define PMATRIX_CLASS_NAMES_H

#include "shims.h"

namespace pmatrix
{
  // Replaces the functions that take or compare names of classes; called once, when the library is loaded.
  void teach_class_name (octave::interpreter& interp);
}

#endif
