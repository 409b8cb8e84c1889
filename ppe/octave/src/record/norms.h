// SPDX-License-Identifier: GPL-3.0-or-later

// The functions norm and dot, as chains of recorded operations.

#ifndef PMATRIX_NORMS_H
#define PMATRIX_NORMS_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // The results of norm (ARGS) and dot (ARGS); undefined where the arguments have no lazy form.
  octave_value record_norm (const octave_value_list& args);
  octave_value record_dot (const octave_value_list& args);
}

#endif
