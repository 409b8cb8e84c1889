// SPDX-License-Identifier: GPL-3.0-or-later

#include "record/norms.h"

#include <algorithm>
#include <cmath>

#include "record/arguments.h"
#include "record/structure.h"

namespace pmatrix
{
  // The reduction of V, the result of another operation; undefined when V turned out to be complex.
  static octave_value
  reduced_result (pm_operation operation, const octave_value& v, int side)
  {
    ValuePtr a = value_of (v);
    return a && ! a->is_held () ? reduced (operation, a, side) : octave_value ();
  }

  // X, or NaN where WITNESS is NaN; both are numbers.
  static octave_value
  unless_nan (const octave_value& x, const octave_value& witness)
  {
    if (x.is_undefined () || witness.is_undefined ())
      return octave_value ();
    octave_value good = shims::unary (octave_value::op_not, witness.isnan ());
    return shims::binary (octave_value::op_add, x, shims::binary (octave_value::op_el_div, octave_value (0.0), good));
  }

  // The norm that the second argument names; NaN when it names no norm that is recorded.
  static double
  exponent (const octave_value& given)
  {
    octave_value v = unwrap (given);
    if (v.is_string ())
      {
        std::string name = v.string_value ();
        std::transform (name.begin (), name.end (), name.begin (), ::tolower);
        return name == "inf" ? HUGE_VAL : name == "-inf" ? -HUGE_VAL : NAN;
      }
    return v.isnumeric () && v.isreal () && v.numel () == 1 ? v.double_value () : NAN;
  }

  // norm (x, p): 1, 2, Inf and -Inf of vectors, 1 and Inf of matrices, "fro".  The order of sums is Octave's,
  // and so are the rules for NaN: NaN is the largest and the smallest size of a vector that has a NaN, but
  // among the sums of a matrix a NaN counts only when it is the first sum.
  octave_value
  record_norm (const octave_value_list& args)
  {
    const ValuePtr *a = first_value (args);
    if (! a || args.length () > 2 || (*a)->value_class () == PM_LOGICAL)
      return octave_value ();

    bool vector = (*a)->rows () == 1 || (*a)->columns () == 1;
    bool named = args.length () == 2 && args(1).is_string ();
    if (named && args(1).string_value () == "fro")
      return reduced (PM_NORM, *a, 0);
    double p = args.length () == 2 ? exponent (args(1)) : 2;
    if (vector && p == 2)
      return reduced (PM_NORM, *a, 0);
    if (p != 1 && p != HUGE_VAL && ! (vector && p == -HUGE_VAL))
      return octave_value ();

    octave_value sizes = octave_p_matrix (*a).map (octave_base_value::umap_abs);
    octave_value sums = reduced_result (PM_SUM, sizes, vector ? -1 : p == 1 ? 0 : 1);
    if (vector && p == 1)
      return sums;
    if (vector)
      return unless_nan (reduced_result (p > 0 ? PM_MAXIMUM : PM_MINIMUM, sizes, -1), sums);
    ValuePtr all = value_of (sums);
    return all ? unless_nan (reduced_result (PM_MAXIMUM, sums, -1), view (all, 1, 1, 0, 1, 1)) : octave_value ();
  }

  // One argument of dot; null when it has no lazy form.  A value that may be complex is computed first,
  // because for complex numbers with infinities Octave's dot differs from its sum of products.
  static ValuePtr
  factor (const octave_value& v)
  {
    ValuePtr a = value_of (v);
    if (! a && has_engine_form (v))
      a = std::make_shared<Value> (v);
    return a && a->is_real () && ! a->is_held () && a->numel () > 0 && a->value_class () != PM_LOGICAL ? a : ValuePtr ();
  }

  // dot (x, y, dimension): the product of a row and a column where both are vectors, else sums of products.
  octave_value
  record_dot (const octave_value_list& args)
  {
    octave_idx_type given = args.length (), dimension = 0;
    if (given < 2 || given > 3 || (given == 3 && ! (whole (args(2), dimension) && (dimension == 1 || dimension == 2))))
      return octave_value ();
    ValuePtr x = factor (args(0)), y = factor (args(1));
    if (! x || ! y)
      return octave_value ();

    bool same = x->rows () == y->rows () && x->columns () == y->columns ();
    bool vectors = (x->rows () == 1 || x->columns () == 1) && (y->rows () == 1 || y->columns () == 1)
                   && x->numel () == y->numel ();
    int side = given == 3 ? dimension - 1 : x->rows () == 1 ? 1 : 0;
    if (! (same || (vectors && given == 2)))
      return octave_value ();

    octave_idx_type length = x->numel ();
    if (vectors && length > 1 && (given == 2 || (side == 0 ? x->rows () : x->columns ()) == length))
      return shims::binary (octave_value::op_mul, view (x, 1, length, 0, 1, 1, Part::conjugate), view (y, length, 1, 0, 1, 1));
    return reduced_result (PM_SUM, shims::binary (octave_value::op_el_mul, part_of (x, Part::conjugate),
                                                  octave_value (new octave_p_matrix (y))), side);
  }
}
