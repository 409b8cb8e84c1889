// SPDX-License-Identifier: GPL-3.0-or-later

// What the name of a class means to Octave's built-in functions when a p_matrix is about.
//
// class (x) of a p_matrix is "p_matrix", and scripts pass that on: zeros (2, class (x)), eps (class (x)), cast (y, class (x)).
// Octave knows no such class there, so these functions are replaced by ones that give a p_matrix of doubles for that name, and
// one of the right class for "like", x.  isa (x, "double") is answered by the class of the elements, and
// functions that tell their arguments apart by the names of the classes, such as bitand and im2double, or make their result of
// class (x), such as gammainc, are given full matrices; so is assert, which compares classes.
//
// A replacement hands every other call on at once: zeros (3) pays for looking at its last argument, some nanoseconds.

#ifndef PMATRIX_CLASS_NAMES_H
#define PMATRIX_CLASS_NAMES_H

#include "shims.h"

namespace pmatrix
{
  // Called once, when the library is loaded.
  void teach_class_name (octave::interpreter& interp);
}

#endif
