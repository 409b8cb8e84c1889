// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PMATRIX_CONFIG_H
#define PMATRIX_CONFIG_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // All options and their values, as a struct.
  octave_value configuration ();

  // Sets options, each a name and a value.  An error says what is wrong with a name or a value, and nothing
  // has been set then.
  void configure (const octave_value_list& names_and_values);
}

#endif
