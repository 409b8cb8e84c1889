// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PMATRIX_CONFIG_H
#define PMATRIX_CONFIG_H

#include "octave_p_matrix.h"

namespace pmatrix
{
  // All options and their values, as a struct.
  octave_value configuration ();

  // Sets one option; an error says what is wrong with the name or the value.
  void configure (const std::string& name, const octave_value& v);
}

#endif
