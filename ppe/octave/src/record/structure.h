// SPDX-License-Identifier: GPL-3.0-or-later

// Operations that move elements or reduce columns and rows: transposes, slices, reshaping, concatenation,
// sums and the like.

#ifndef PMATRIX_STRUCTURE_H
#define PMATRIX_STRUCTURE_H

#include <functional>
#include <memory>
#include <vector>

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // The part that a view takes of elements that turn out to be complex.
  enum class Part { whole = 0, conjugate = 1, real = 2 };

  // Records a view of a value, as pm_view describes it.
  octave_value view (const ValuePtr& a, octave_idx_type rows, octave_idx_type columns, octave_idx_type offset,
                     octave_idx_type row_step, octave_idx_type column_step, Part part = Part::whole);

  // The square matrix with a vector on its diagonal k.
  octave_value diagonal (const ValuePtr& a, octave_idx_type k);

  octave_value transposed (const ValuePtr& a, Part part);

  // All elements in place; the value itself when it is known to be real.
  octave_value part_of (const ValuePtr& a, Part part);

  // The reduction of each column (side 0) or row (side 1).  Side -1 is the first side that is not of length
  // 1.
  octave_value reduced (pm_operation operation, const ValuePtr& a, int side);

  // A matrix of copies.
  octave_value repeated (const ValuePtr& a, octave_idx_type down, octave_idx_type right);

  // A number of a diagonal beyond every diagonal.
  const int64_t far = int64_t (1) << 40;

  // The elements on the diagonals from `least` to `most`, and zeros elsewhere.
  octave_value band (const ValuePtr& a, int64_t least, int64_t most);

  // The imaginary parts: zeros, if the elements do not turn out to be complex.  Recorded as a band without
  // diagonals.
  octave_value empty_band (const ValuePtr& a);

  // The value of an operation of this file on an operand that turned out to be complex, computed by Octave.
  octave_value compute_structural (pm_operation operation, const int64_t *parameters, const dim_vector& dims,
                                   const std::vector<octave_value>& operands);
}

#endif
