// SPDX-License-Identifier: GPL-3.0-or-later

// A diagonal matrix of Octave beside a p_matrix.  Octave neither multiplies by the zeros beside the diagonal, nor
// adds them, as long as both matrices are of one precision: eye (2) * [NaN 1; 1 1] keeps its ones, and -0 stays -0
// in eye (2) + [1 -0; 1 1].  So the engine gets a full matrix, or a vector, with which its operation on full
// matrices has Octave's bits.

#ifndef PMATRIX_DIAGONAL_H
#define PMATRIX_DIAGONAL_H

#include "record/operand.h"

namespace pmatrix
{
  // Whether a product of the two scales the rows or columns of MATRIX, as a product with `factors`, element by
  // element, does.
  bool scales (const Operand& diagonal, const Operand& matrix);

  // The elements of the diagonal: a column that scales rows, or a row that scales columns.
  octave_value factors (const Operand& diagonal, bool rows);

  // Whether Octave adds the two, or subtracts one from the other, as full matrices with `addend` are added or
  // subtracted.
  bool is_added (const Operand& diagonal, const Operand& matrix);

  // The full matrix that stands for a diagonal matrix.  subtracted: from MATRIX.
  octave_value addend (const Operand& diagonal, const Operand& matrix, bool subtracted);
}

#endif
