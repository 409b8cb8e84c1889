// SPDX-License-Identifier: GPL-3.0-or-later

// The commonest operations on few elements of class double, and the negation of truth values, without a call into
// the engine.  By IEEE arithmetic each of these operations has one right result, so the bits are those of the
// engine's kernels.
// Operations that sum up, or round in a way of their own, are not among them.

#ifndef PMATRIX_SMALL_DOUBLE_H
#define PMATRIX_SMALL_DOUBLE_H

#include "session/engine.h"

namespace pmatrix
{
  // As pm_small_describe, for operands of class double (and a scalar of class double), and for negations.  False
  // for operations, classes and shapes that pm_small_describe has to be asked about.
  bool describe_double (pm_operation operation, int form, const pm_small& a, const pm_small *b, pm_small& result);

  // As pm_small_compute, into result.data.  False for an operation that pm_small_compute has to compute;
  // nothing is written then.
  bool compute_double (pm_operation operation, int form, const pm_small& a, const pm_small *b, double scalar,
                       const pm_small& result);
}

#endif
