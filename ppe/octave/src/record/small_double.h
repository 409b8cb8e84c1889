// SPDX-License-Identifier: GPL-3.0-or-later

// The commonest operations on few elements of class double, without a call into the engine.  IEEE arithmetic
// leaves one result to each, so the bits are those of the engine's kernels; what sums up or rounds in a way
// of its own is not here.

#ifndef PMATRIX_SMALL_DOUBLE_H
#define PMATRIX_SMALL_DOUBLE_H

#include "session/engine.h"

namespace pmatrix
{
  // As pm_small_describe, for operands of class double (and a scalar of class double).  False for what has to
  // be asked there: other operations, classes and shapes.
  bool describe_double (pm_operation operation, int form, const pm_small& a, const pm_small *b, pm_small& result);

  // As pm_small_compute, into result.data; false, and nothing is written, for what has to be computed there.
  bool compute_double (pm_operation operation, int form, const pm_small& a, const pm_small *b, double scalar,
                       const pm_small& result);
}

#endif
