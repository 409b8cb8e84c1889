// SPDX-License-Identifier: GPL-3.0-or-later

// What is drawn is there: the properties of graphics objects are Octave's own values.
//
// A property keeps what it is given, so a p_matrix would come back from get (h, "ydata"), and some properties look at the names of
// classes and refuse it.  Whatever plots ends in a few built-in functions, which are replaced by ones that pass full values on.

#ifndef PMATRIX_GRAPHICS_H
#define PMATRIX_GRAPHICS_H

#include "shims.h"

namespace pmatrix
{
  // Called once, when the library is loaded.
  void give_graphics_full_values (octave::interpreter& interp);
}

#endif
