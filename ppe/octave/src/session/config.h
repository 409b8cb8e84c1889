// SPDX-License-Identifier: GPL-3.0-or-later

// p_config: the options of the session and of the package, and their values.

#ifndef PMATRIX_CONFIG_H
#define PMATRIX_CONFIG_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // All options and their values, as a struct.
  octave_value configuration ();

  // Sets options, each a name and a value.  When a name or a value is wrong, an error says why, and no option
  // has been set.
  void configure (const octave_value_list& names_and_values);
}

#endif
