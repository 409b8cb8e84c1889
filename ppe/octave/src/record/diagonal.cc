// SPDX-License-Identifier: GPL-3.0-or-later

#include "record/diagonal.h"

namespace pmatrix
{
  // Where one operand is single and the other double, Octave computes with full matrices.
  static bool
  are_of_one_precision (const octave_value& diagonal, const Operand& matrix)
  {
    return diagonal.is_single_type () == (matrix.value_class () == PM_SINGLE);
  }

  static bool
  is_beside (const Operand& diagonal, const Operand& matrix)
  {
    return diagonal.kind () == Kind::structured && diagonal.octave ().is_diag_matrix () && matrix.has_lazy_form ()
           && ! matrix.is_one_by_one ();
  }

  bool
  scales (const Operand& diagonal, const Operand& matrix)
  {
    return is_beside (diagonal, matrix) && diagonal.rows () == diagonal.columns ()
           && are_of_one_precision (diagonal.octave (), matrix);
  }

  octave_value
  factors (const Operand& diagonal, bool rows)
  {
    octave_value column = diagonal.octave ().full_value ().diag ();
    return rows ? column : shims::unary (octave_value::op_transpose, column);
  }

  bool
  is_added (const Operand& diagonal, const Operand& matrix)
  {
    if (! is_beside (diagonal, matrix))
      return false;
    // Octave makes a vector of its dimensions for each question.
    dim_vector dims = diagonal.octave ().dims ();
    return dims.numel () != 1 && dims(0) == matrix.rows () && dims(1) == matrix.columns ();
  }

  template <typename MATRIX, typename DIAGONAL>
  static octave_value
  filled (const DIAGONAL& diagonal, typename MATRIX::element_type beside)
  {
    MATRIX full (diagonal.dims (), beside);
    for (octave_idx_type i = 0; i < diagonal.diag_length (); ++i)
      full.elem (i, i) = diagonal.dgelem (i);
    return octave_value (full);
  }

  octave_value
  addend (const Operand& diagonal, const Operand& matrix, bool subtracted)
  {
    octave_value d = diagonal.octave ();
    // x + -0 and x - +0 are x for every x, and -0 - x is -x.
    double beside = subtracted || ! are_of_one_precision (d, matrix) ? 0.0 : -0.0;
    if (d.is_single_type ())
      return filled<FloatMatrix> (d.float_diag_matrix_value (), static_cast<float> (beside));
    return filled<Matrix> (d.diag_matrix_value (), beside);
  }
}
