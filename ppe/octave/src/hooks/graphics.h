// SPDX-License-Identifier: GPL-3.0-or-later

// Plots get full values: the properties of graphics objects are Octave's own values.
//
// A property keeps the value that it is given, so that get (h, "ydata") would give a p_matrix, and some
// properties refuse classes by name.  All functions that plot end in a few built-in functions.  Each of the
// built-in functions is replaced by a function that passes full values on.

#ifndef PMATRIX_GRAPHICS_H
#define PMATRIX_GRAPHICS_H

#include "shims.h"

namespace pmatrix
{
  // Replaces the built-in functions; called once, when the library is loaded.
  void give_graphics_full_values (octave::interpreter& interp);
}

#endif
