// SPDX-License-Identifier: GPL-3.0-or-later

// p_auto: while it is on, larger results of zeros, ones, rand, randn and eye (class_names.cc), linspace and
// load are p_matrix values.

#ifndef PMATRIX_AUTO_H
#define PMATRIX_AUTO_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // Switches p_auto on for results of at least this many elements, or off with 0.
  void wrap_from (octave_idx_type elements);

  bool wraps_automatically ();

  // The results of a call with ARGS; the first result is wrapped where it is large enough.  No result is
  // wrapped when a file of Octave's library calls, or when an argument is a text, which may name a class.
  octave_value_list wrap_automatically (const octave_value_list& args, octave_value_list results);

  // Replaces linspace and load; called once, when the library is loaded.
  void teach_automatic_wrapping (octave::interpreter& interp);
}

#endif
