// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PMATRIX_AUTO_H
#define PMATRIX_AUTO_H

#include <octave/Cell.h>

#include "octave_p_matrix.h"

namespace pmatrix
{
  // Results with fewer elements stay what they are.
  void set_auto_limit (octave_idx_type elements);

  // The results of one of Octave's functions, the first as a p_matrix if it is large enough, and neither a class was named in the
  // arguments nor was it one of Octave's own functions that called.
  octave_value wrap_automatically (const Cell& args, const Cell& results);
}

#endif
