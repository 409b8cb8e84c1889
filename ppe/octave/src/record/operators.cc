// SPDX-License-Identifier: GPL-3.0-or-later

// Operators of p_matrix.
//
// Octave finds an operator by the types of its two operands.  Operators are installed for p_matrix with
// p_matrix and, on either side, with every other type.  An operator is recorded when both operands are real
// matrices or scalars of class double, single or logical.  With any other operand (integer, complex, sparse,
// char) Octave computes with the full matrix, and gives its own result, of its own class.

#include "hooks/dispatch.h"
#include "complexity/complexity.h"
#include "record/diagonal.h"
#include "record/graph.h"
#include "record/operand.h"
#include "record/structure.h"

namespace pmatrix
{
  static octave_value
  zeros_like (const octave_value& v)
  {
    return octave_value (NDArray (v.dims (), 0.0));
  }

  static ValuePtr
  record_small (pm_operation operation, Operand& a, Operand& b)
  {
    if (a.numel () > PM_SMALL_ELEMENTS || b.numel () > PM_SMALL_ELEMENTS)
      return ValuePtr ();
    // Of two numbers, a plain one stands beside the value of the other number, and needs no value of its own.
    if (b.is_plain_scalar () && (a.is_lazy () || ! a.is_plain_scalar ()))
      return record_small (operation, 1, a.value (), ValuePtr (), b.scalar (), b.value_class ());
    if (a.is_plain_scalar ())
      return record_small (operation, 2, b.value (), ValuePtr (), a.scalar (), a.value_class ());
    return record_small (operation, 0, a.value (), b.value (), 0, PM_DOUBLE);
  }

  static pm_status
  record_in_graph (pm_operation operation, Operand& a, Operand& b, const char *file, uint32_t line, pm_value **node)
  {
    if (b.is_plain_scalar ())
      return pm_binary_scalar (operation, a.node (), b.scalar (), b.value_class (), 0, file, line, node);
    if (a.is_plain_scalar ())
      return pm_binary_scalar (operation, b.node (), a.scalar (), a.value_class (), 1, file, line, node);
    return pm_binary (operation, a.node (), b.node (), file, line, node);
  }

  static bool
  may_be_complex (pm_operation operation, const Operand& a, const Operand& b)
  {
    bool operand_may = a.may_be_complex () || b.may_be_complex ();
    if (b.is_plain_scalar ())
      return may_be_complex (operation, 1, b.scalar (), operand_may);
    if (a.is_plain_scalar ())
      return may_be_complex (operation, 2, a.scalar (), operand_may);
    return may_be_complex (operation, 0, 0, operand_may);
  }

  // Records an operation; undefined when an operand turned out to be complex.  Shapes that do not fit are
  // reported by Octave itself, in the words of its own version: `explain` runs the operation on its operands'
  // shapes.
  template <typename EXPLAIN>
  static octave_value
  record (pm_operation operation, Operand& a, Operand& b, EXPLAIN explain)
  {
    auto in_graph = [&] (const char *file, uint32_t line, pm_value **node)
      {
        pm_status status = record_in_graph (operation, a, b, file, line, node);
        if (status == PM_ERROR_NONCONFORMANT)
          explain ();
        return status;
      };
    return recorded ([&] () { return record_small (operation, a, b); }, [&] () { return a.can_have_node () && b.can_have_node (); },
                     in_graph, [&] () { return may_be_complex (operation, a, b); });
  }

  static octave_value
  record_operator (octave_value::binary_op op, pm_operation operation, Operand& a, Operand& b)
  {
    octave_value result = record (operation, a, b,
                                  [&] () { shims::binary (op, zeros_like (a.octave ()), zeros_like (b.octave ())); });
    return result.is_defined () ? result : compute_binary (op, a.octave (), b.octave ());
  }

  static octave_value
  scale (const Operand& diagonal, Operand& matrix, bool rows)
  {
    octave_value full = factors (diagonal, rows);
    Operand scaling (full.get_rep ());
    return rows ? record_operator (octave_value::op_el_mul, PM_TIMES, scaling, matrix)
                : record_operator (octave_value::op_el_mul, PM_TIMES, matrix, scaling);
  }

  static octave_value
  multiply (Operand& a, Operand& b)
  {
    if (a.has_lazy_form () && b.has_lazy_form ())
      return record_operator (octave_value::op_mul, PM_MULTIPLY, a, b);

    octave_value x = a.octave (), y = b.octave ();
    // Octave reports sizes that do not fit.
    if (x.columns () == y.rows ())
      {
        if (scales (a, b))
          return scale (a, b, true);
        if (scales (b, a))
          return scale (b, a, false);
      }
    return compute_binary (octave_value::op_mul, x, y);
  }

  static octave_value
  record_or_compute (octave_value::binary_op op, pm_operation operation, Operand& a, Operand& b)
  {
    if (! b.is_plain_scalar ())
      refuse_growth (op, a, b);
    if (a.has_lazy_form () && b.has_lazy_form ())
      return record_operator (op, operation, a, b);
    return compute_binary (op, a.octave (), b.octave ());
  }

  // a + b or a - b
  static octave_value
  record_sum (octave_value::binary_op op, pm_operation operation, Operand& a, Operand& b)
  {
    if (is_added (a, b))
      {
        octave_value full = addend (a, b, false);
        Operand left (full.get_rep ());
        return record_operator (op, operation, left, b);
      }
    if (is_added (b, a))
      {
        octave_value full = addend (b, a, op == octave_value::op_sub);
        Operand right (full.get_rep ());
        return record_operator (op, operation, a, right);
      }
    return record_or_compute (op, operation, a, b);
  }

  // a .\ b
  static octave_value
  record_left_division (octave_value::binary_op op, Operand& a, Operand& b)
  {
    if (a.has_lazy_form () && b.has_lazy_form ())
      return record_operator (octave_value::op_el_div, PM_DIVIDE, b, a);
    return compute_binary (op, a.octave (), b.octave ());
  }

  // Whether the engine's rule for a complex power gives Octave's answer.  When operands are broadcast, Octave
  // looks at all bases and all exponents: one negative base and one exponent that is not whole make the power
  // complex.  The engine looks at the pairs, and where a row or column meets a matrix, not every base meets
  // every exponent.  Then the exponents, and if need be the bases, are computed here.
  static bool
  has_engine_power (Operand& base, Operand& exponent)
  {
    bool all_pairs = base.numel () == 1 || exponent.numel () == 1 || (base.rows () == 1 && exponent.columns () == 1)
                     || (base.columns () == 1 && exponent.rows () == 1)
                     || (base.rows () == exponent.rows () && base.columns () == exponent.columns ());
    if (all_pairs)
      return true;
    octave_value exponents = exponent.computed ();
    if (exponents.isreal () && exponents.array_value ().all_integers ())
      return true;
    octave_value bases = base.computed ();
    return bases.isreal () && ! bases.array_value ().any_element_is_negative ();
  }

  // The powers of a matrix that Octave computes without pow, which would round other bits: x .^ 3 is (x .* x)
  // .* x, and x .^ -1 is 1 ./ x.  A square has the bits of x .* x, which is computed at once for more elements
  // than a power.  Undefined for any other exponent.
  static octave_value
  quick_power (Operand& a, Operand& exponent)
  {
    if (exponent.scalar () == 2 && ! a.may_be_complex ())
      return record_operator (octave_value::op_el_mul, PM_TIMES, a, a);
    if (exponent.scalar () == 3)
      {
        octave_value square = record_operator (octave_value::op_el_mul, PM_TIMES, a, a);
        Operand squared (square.get_rep ());
        return record_operator (octave_value::op_el_mul, PM_TIMES, squared, a);
      }
    if (exponent.scalar () == -1)
      {
        octave_value number = 1.0;
        Operand one (number.get_rep ());
        return record_operator (octave_value::op_el_div, PM_DIVIDE, one, a);
      }
    return octave_value ();
  }

  static octave_value
  power (Operand& a, Operand& b)
  {
    if (! b.is_plain_scalar ())
      refuse_growth (octave_value::op_el_pow, a, b);
    // With a single exponent, Octave computes the power of a double matrix in single precision.
    bool keeps_class = b.value_class () != PM_SINGLE || a.value_class () == PM_SINGLE;
    if (b.is_plain_scalar () && keeps_class && a.has_lazy_form () && ! a.is_one_by_one ())
      {
        octave_value result = quick_power (a, b);
        if (result.is_defined ())
          return result;
      }
    if (a.has_lazy_form () && b.has_lazy_form () && has_engine_power (a, b))
      return record_operator (octave_value::op_el_pow, PM_POWER, a, b);
    return compute_binary (octave_value::op_el_pow, a.octave (), b.octave ());
  }

  // `a & b` or `a | b`.  When an operand has no truth value, Octave computes the operation, and raises its
  // error.
  static octave_value
  record_logic (octave_value::binary_op op, pm_operation operation, Operand& a, Operand& b)
  {
    if (! b.is_plain_scalar ())
      refuse_growth (op, a, b);
    if (a.has_lazy_form () && b.has_lazy_form () && a.has_truth () && b.has_truth ())
      return record_operator (op, operation, a, b);
    return compute_binary (op, a.octave (), b.octave ());
  }

  // The engine's operation for an operator of Octave.
  static pm_operation
  operation_of (octave_value::binary_op op)
  {
    pm_operation operation = PM_MULTIPLY;
    find_operation (octave_value::binary_op_fcn_name (op), 2, operation);
    return operation;
  }

  template <octave_value::binary_op OP>
  static octave_value
  binary_operator (const octave_base_value& x, const octave_base_value& y)
  {
    static const pm_operation operation = operation_of (OP);
    Operand a (x), b (y);
    bool lazy = a.has_lazy_form () && b.has_lazy_form ();

    switch (OP)
      {
      case octave_value::op_mul:
        return multiply (a, b);
      case octave_value::op_add:
      case octave_value::op_sub:
        return record_sum (OP, operation, a, b);
      case octave_value::op_el_ldiv:
        return record_left_division (OP, a, b);
      case octave_value::op_el_pow:
        return power (a, b);
      case octave_value::op_el_and:
      case octave_value::op_el_or:
        return record_logic (OP, operation, a, b);
      case octave_value::op_div:
        // Division by a scalar is element-wise; by a matrix it solves a linear system, which is Octave's to
        // do.
        if (lazy && b.is_one_by_one ())
          return record_operator (octave_value::op_el_div, PM_DIVIDE, a, b);
        break;
      case octave_value::op_ldiv:
        if (lazy && a.is_one_by_one ())
          return record_operator (octave_value::op_el_div, PM_DIVIDE, b, a);
        break;
      case octave_value::op_pow:
        if (lazy && a.is_one_by_one () && b.is_one_by_one ())
          return record_operator (octave_value::op_el_pow, PM_POWER, a, b);
        break;
      default:
        return record_or_compute (OP, operation, a, b);
      }

    return compute_binary (OP, a.octave (), b.octave ());
  }

  // Whether the engine can multiply by the operand or its transpose: a real matrix of more than one element.
  static bool
  is_factor (Operand& x)
  {
    return x.has_lazy_form () && ! x.is_one_by_one () && ! x.is_logical () && ! x.may_be_complex () && x.can_have_node ();
  }

  // x' * y and the like, which Octave takes for one operation.  The engine reads the transposed operand where
  // it is.
  template <octave_value::compound_binary_op OP>
  static octave_value
  product_with_transpose (const octave_base_value& x, const octave_base_value& y)
  {
    const bool left = OP == octave_value::op_trans_mul || OP == octave_value::op_herm_mul;
    const bool hermitian = OP == octave_value::op_herm_mul || OP == octave_value::op_mul_herm;
    Operand a (x), b (y);
    bool fit = left ? a.rows () == b.rows () : a.columns () == b.columns ();
    bool few = a.numel () <= PM_FEW_ELEMENTS && b.numel () <= PM_FEW_ELEMENTS;
    if (fit && a.has_lazy_form () && b.has_lazy_form () && ! a.is_one_by_one () && ! b.is_one_by_one ())
      if (ValuePtr product = record_small_product (a.value (), b.value (), left))
        return pending (std::move (product));
    if (fit && ! few && is_factor (a) && is_factor (b))
      return pending (node_of ([&] (const char *file, uint32_t line, pm_value **node)
                               { return pm_product (a.node (), left, b.node (), ! left, file, line, node); }),
                      false);

    octave_value_list factors (2);
    factors(0) = borrowed (x);
    factors(1) = borrowed (y);
    octave_value& turned = factors(left ? 0 : 1);
    turned = shims::unary (hermitian ? octave_value::op_hermitian : octave_value::op_transpose, turned);
    return shims::binary (octave_value::op_mul, factors(0), factors(1));
  }

  octave_value
  record_unary (pm_operation operation, const ValuePtr& value)
  {
    if (value->is_held () || (refuses_complex (operation) && ! value->is_real ()))
      return octave_value ();
    return recorded ([&] () { return record_small (operation, 0, value, ValuePtr (), 0, PM_DOUBLE); },
                     [&] () { return value->can_have_node (); },
                     [&] (const char *file, uint32_t line, pm_value **node)
                     { return pm_unary (operation, value->node (), file, line, node); },
                     [&] () { return may_be_complex (operation, 0, 0, value->may_be_complex ()); });
  }

  template <octave_value::unary_op OP>
  static octave_value
  unary_operator (const octave_base_value& x)
  {
    const octave_p_matrix& p = octave_p_matrix::from (x);
    const ValuePtr& value = p.value ();

    if (OP == octave_value::op_uplus && ! p.islogical ())
      return borrowed (x);

    if (OP == octave_value::op_transpose && ! value->is_held ())
      return transposed (value, Part::whole);
    if (OP == octave_value::op_hermitian && ! value->is_held ())
      return transposed (value, Part::conjugate);

    octave_value result;
    if (OP == octave_value::op_uminus || (OP == octave_value::op_not && ! value->is_held () && Operand (x).has_truth ()))
      result = record_unary (OP == octave_value::op_not ? PM_NOT : PM_NEGATE, value);
    return result.is_defined () ? result : compute_unary (OP, borrowed (x));
  }

  // p++ and p--.  Installed because Octave would otherwise turn p into a full matrix first.  Octave adds a
  // real 1 to real elements, but a complex 1 to complex elements, which turns the negative zero of an
  // imaginary part into a positive zero.  So a value that may be complex is computed first.
  template <octave_value::unary_op STEP, octave_value::binary_op OP>
  static void
  step_operator (octave_base_value& x)
  {
    octave_p_matrix& p = static_cast<octave_p_matrix&> (x);
    octave_value result;
    if (p.value ()->is_real ())
      result = binary_operator<OP> (x, octave_value (1.0).get_rep ());
    else
      {
        note_fallback ("operator " + octave_value::unary_op_as_string (STEP));
        octave_value full = p.full ();
        shims::step (STEP, full);
        result = wrap (full);
      }
    p.become (octave_p_matrix::from (result.get_rep ()));
  }

  octave_value
  function_of_two (const std::string& name, pm_operation operation, const octave_value& x, const octave_value& y)
  {
    Operand a (x.get_rep ()), b (y.get_rep ());
    if (refuses_complex (operation))
      {
        a.decide ();
        b.decide ();
      }
    // Some functions refuse logical values; Octave raises the error.
    bool takes_logical = operations[operation].gives == Gives::EXTREMUM;
    if (! a.has_lazy_form () || ! b.has_lazy_form () || (! takes_logical && (a.is_logical () || b.is_logical ())))
      return octave_value ();
    return record (operation, a, b, [&] () { call_built_in (name, ovl (zeros_like (x), zeros_like (y))); });
  }

  template <octave_value::binary_op OP>
  static void
  install_binary (octave::type_info& ti)
  {
    int lazy = octave_p_matrix::static_type_id ();
    for (int id = 0; id < static_cast<int> (operand_kinds ()); ++id)
      {
        ti.install_binary_op (OP, lazy, id, binary_operator<OP>);
        if (id != lazy)
          ti.install_binary_op (OP, id, lazy, binary_operator<OP>);
      }
  }

  template <octave_value::compound_binary_op OP>
  static void
  install_compound (octave::type_info& ti)
  {
    int lazy = octave_p_matrix::static_type_id ();
    for (int id = 0; id < static_cast<int> (operand_kinds ()); ++id)
      {
        ti.install_binary_op (OP, lazy, id, product_with_transpose<OP>);
        if (id != lazy)
          ti.install_binary_op (OP, id, lazy, product_with_transpose<OP>);
      }
  }

  void
  install_operators (octave::type_info& ti)
  {
    find_operand_kinds (ti);

    install_compound<octave_value::op_trans_mul> (ti);
    install_compound<octave_value::op_mul_trans> (ti);
    install_compound<octave_value::op_herm_mul> (ti);
    install_compound<octave_value::op_mul_herm> (ti);

    install_binary<octave_value::op_add> (ti);
    install_binary<octave_value::op_sub> (ti);
    install_binary<octave_value::op_mul> (ti);
    install_binary<octave_value::op_div> (ti);
    install_binary<octave_value::op_ldiv> (ti);
    install_binary<octave_value::op_pow> (ti);
    install_binary<octave_value::op_el_mul> (ti);
    install_binary<octave_value::op_el_div> (ti);
    install_binary<octave_value::op_el_ldiv> (ti);
    install_binary<octave_value::op_el_pow> (ti);
    install_binary<octave_value::op_eq> (ti);
    install_binary<octave_value::op_ne> (ti);
    install_binary<octave_value::op_lt> (ti);
    install_binary<octave_value::op_le> (ti);
    install_binary<octave_value::op_gt> (ti);
    install_binary<octave_value::op_ge> (ti);
    install_binary<octave_value::op_el_and> (ti);
    install_binary<octave_value::op_el_or> (ti);

    int lazy = octave_p_matrix::static_type_id ();
    ti.install_unary_op (octave_value::op_not, lazy, unary_operator<octave_value::op_not>);
    ti.install_unary_op (octave_value::op_uplus, lazy, unary_operator<octave_value::op_uplus>);
    ti.install_unary_op (octave_value::op_uminus, lazy, unary_operator<octave_value::op_uminus>);
    ti.install_unary_op (octave_value::op_transpose, lazy, unary_operator<octave_value::op_transpose>);
    ti.install_unary_op (octave_value::op_hermitian, lazy, unary_operator<octave_value::op_hermitian>);
    ti.install_non_const_unary_op (octave_value::op_incr, lazy, step_operator<octave_value::op_incr, octave_value::op_add>);
    ti.install_non_const_unary_op (octave_value::op_decr, lazy, step_operator<octave_value::op_decr, octave_value::op_sub>);
  }
}
