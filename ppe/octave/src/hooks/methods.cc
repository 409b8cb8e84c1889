// SPDX-License-Identifier: GPL-3.0-or-later

#include "hooks/methods.h"

#include <octave/ov-usr-fcn.h>

#include <algorithm>
#include <set>

#include "hooks/brackets.h"
#include "hooks/dispatch.h"
#include "hooks/replace.h"
#include "record/arguments.h"
#include "record/norms.h"
#include "record/operations.h"
#include "record/structure.h"

namespace pmatrix
{
  namespace
  {
    // A built-in function, and how a call is recorded: RECORD gives an undefined value where the arguments of
    // the call have no lazy form.  Where there is no RECORD, Octave's own function is called, and reaches the
    // virtual functions of the type.
    struct Function
    {
      typedef octave_value (*Record) (const Function& function, const octave_value_list& args);

      const char *name;
      Record record;
      pm_operation operation;
    };
  }

  static octave_value
  of_two (const Function& function, const octave_value_list& args)
  {
    return args.length () == 2 ? function_of_two (function.name, function.operation, args(0), args(1)) : octave_value ();
  }

  // hypot (x, y, z, ...)
  static octave_value
  of_several (const Function& function, const octave_value_list& args)
  {
    octave_value result = args(0);
    for (octave_idx_type i = 1; i < args.length () && result.is_defined (); ++i)
      result = function_of_two (function.name, function.operation, result, args(i));
    return args.length () > 1 ? result : octave_value ();
  }

  // sum (x, dimension)
  static octave_value
  reduction (const Function& function, const octave_value_list& args)
  {
    const ValuePtr *a = first_value (args);
    octave_idx_type side = 0;
    if (! a || args.length () > 2 || (args.length () == 2 && ! (whole (args(1), side) && (side == 1 || side == 2))))
      return octave_value ();
    return reduced (function.operation, *a, side - 1);
  }

  // max (x), max (x, [], dimension), max (x, y)
  static octave_value
  extreme (const Function& function, const octave_value_list& args)
  {
    octave_idx_type given = args.length (), side = 0;
    if (given == 2)
      return of_two (function, args);
    const ValuePtr *a = first_value (args);
    if (! a || (given != 1 && ! (given == 3 && args(1).isempty () && whole (args(2), side) && (side == 1 || side == 2))))
      return octave_value ();
    return reduced (function.operation == PM_MAX ? PM_MAXIMUM : PM_MINIMUM, *a, side - 1);
  }

  static octave_value
  norm (const Function&, const octave_value_list& args)
  {
    return record_norm (args);
  }

  static octave_value
  dot (const Function&, const octave_value_list& args)
  {
    return record_dot (args);
  }

  // tril (x, k), triu (x, k)
  static octave_value
  triangle (const Function& function, const octave_value_list& args)
  {
    const ValuePtr *a = first_value (args);
    octave_idx_type k = 0;
    if (! a || args.length () > 2 || (args.length () == 2 && ! whole (args(1), k)))
      return octave_value ();
    return function.name[3] == 'l' ? band (*a, - far, k) : band (*a, k, far);
  }

  // cat (dimension, x, ...)
  static octave_value
  concatenation (const Function&, const octave_value_list& args)
  {
    octave_idx_type dimension = 0;
    if (args.length () < 2 || ! whole (args(0), dimension) || (dimension != 1 && dimension != 2))
      return octave_value ();
    return join (dimension - 1, args.slice (1, args.length () - 1));
  }

  // horzcat (x, ...), vertcat (x, ...)
  static octave_value
  bracketed (const Function& function, const octave_value_list& args)
  {
    return join_or_compute (function.name, function.name[0] == 'h' ? 1 : 0, args);
  }

  octave_value
  record_repetition (const octave_value_list& args)
  {
    const ValuePtr *a = first_value (args);
    octave_idx_type down = 0, right = 0;
    if (! a)
      return octave_value ();
    if (args.length () == 2 && whole (args(1), down))
      right = down;
    else if (args.length () == 2 && args(1).numel () == 2 && args(1).isnumeric () && args(1).isreal ())
      {
        NDArray sides = unwrap (args(1)).array_value ();
        if (! whole (sides(0), down) || ! whole (sides(1), right))
          return octave_value ();
      }
    else if (args.length () != 3 || ! whole (args(1), down) || ! whole (args(2), right))
      return octave_value ();
    return repeated (*a, std::max<octave_idx_type> (down, 0), std::max<octave_idx_type> (right, 0));
  }

  // A function that Octave computes.
  static octave_value
  computed (const Function&, const octave_value_list&)
  {
    return octave_value ();
  }

  // The name of a function that is given by name or by handle.
  static std::string
  function_name (const octave_value& v)
  {
    if (v.is_string ())
      return v.string_value ();
    return v.is_function_handle () ? call_built_in ("func2str", ovl (v)).string_value () : "";
  }

  // bsxfun (f, x, y) with a function that broadcasts by itself.
  static octave_value
  broadcast (const Function&, const octave_value_list& args)
  {
    pm_operation operation;
    if (args.length () != 3 || ! find_operation (function_name (args(0)), 2, operation))
      return octave_value ();
    octave_value_list operands;
    for (int i = 1; i < 3; ++i)
      {
        const octave_value& x = args(i);
        const octave_value& y = args(3 - i);
        if (x.issparse () || x.ndims () != 2)
          return octave_value ();
        if ((x.rows () != y.rows () && x.rows () != 1 && y.rows () != 1)
            || (x.columns () != y.columns () && x.columns () != 1 && y.columns () != 1))
          return octave_value ();
        // The operators of a diagonal matrix do not broadcast.
        operands.append (octave_p_matrix::is_p_matrix (x.get_rep ()) ? x : x.full_value ());
      }
    return octave::feval (function_name (args(0)), operands, 1)(0);
  }

  static const Function functions[] = {
    { "hypot", of_several, PM_HYPOT }, { "max", extreme, PM_MAX }, { "min", extreme, PM_MIN },
    { "sum", reduction, PM_SUM }, { "prod", reduction, PM_PRODUCT }, { "sumsq", reduction, PM_SUM_OF_SQUARES },
    { "cumsum", reduction, PM_CUMULATIVE_SUM }, { "norm", norm, PM_NORM }, { "dot", dot, PM_MULTIPLY },
    { "tril", triangle, PM_BAND }, { "triu", triangle, PM_BAND }, { "cat", concatenation, PM_JOIN },
    { "bsxfun", broadcast, PM_ADD },
  };

  // Functions that Octave computes on full matrices; matrices that they give are p_matrix values again.
  static const char *const computed_functions[] = {
    "arrayfun", "balance", "chol", "complex", "conv2", "cummax", "cummin", "cumprod", "det", "diff", "eig", "fft", "fft2", "fftn", "filter", "find",
    "hess", "ifft", "ifft2", "ifftn", "inv", "inverse", "kron", "lookup", "lu", "merge", "ifelse", "nth_element", "pinv", "qr", "rcond",
    "schur", "sort", "sqrtm", "svd", "sylvester",
  };

  // Functions that are recorded, or give views, through the virtual functions of the type and its operators.
  static const char *const virtual_functions[] = {
    "real", "imag", "conj", "any", "all", "reshape", "permute", "diag", "mtimes", "mrdivide", "ldivide", "mldivide", "mpower", "uplus",
    "transpose", "ctranspose",
  };

  // Whether Octave has an operator for a function of two values.
  static bool
  is_operator (const std::string& function)
  {
    for (int op = 0; op < octave_value::num_binary_ops; ++op)
      if (function == octave_value::binary_op_fcn_name (static_cast<octave_value::binary_op> (op)))
        return true;
    return false;
  }

  // Replaces a built-in function of Octave, and is the method of the class p_matrix.
  class Method : public Replacement
  {
  public:

    template <typename POINTER>
    Method (POINTER pointer, const octave_builtin& octave, const Function& function, octave::fcn_info *defined)
      : Replacement (pointer, octave), m_function (function), m_defined (*defined)
    {
      push_dispatch_class ("p_matrix");
    }

    octave_value_list
    execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
    {
      for (octave_idx_type i = 0; i < args.length (); ++i)
        if (octave_p_matrix::is_p_matrix (args(i).get_rep ()))
          return of_lazy (evaluator, nargout, args);
      return octave_builtin::execute (evaluator, nargout, args);
    }

  protected:

    // Whether Octave calls this for brackets, which no function of a script replaces.
    virtual bool is_for_brackets () const { return false; }

  private:

    octave_value_list
    of_lazy (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args)
    {
      octave_value own = defined_by_user (evaluator);
      if (own.is_defined () && ! is_for_brackets ())
        return own.function_value ()->call (evaluator, nargout, args);
      if (! m_function.record)
        return octave_builtin::execute (evaluator, nargout, args);
      if (nargout <= 1)
        {
          octave_value result = m_function.record (m_function, args);
          if (result.is_defined ())
            return ovl (result);
        }
      note_fallback (m_function.name);
      return wrap_matrices (octave_builtin::execute (evaluator, nargout, unwrap (args)));
    }

    // Octave prefers methods to functions of a script or on the path, but a script whose matrices have been
    // wrapped means its own function.  That function may call the built-in one in turn.
    octave_value
    defined_by_user (octave::tree_evaluator& evaluator)
    {
      octave_value own = m_defined.find_cmdline_function ();
      if (own.is_undefined ())
#if OCTAVE_MAJOR_VERSION < 10
        own = m_defined.find_user_function ();
#else
        // From Octave 10 on fcn_info::find_user_function is not exported; the symbol table's function of this
        // name is, and looks the name up first.
        own = interpreter ().get_symbol_table ().find_user_function (name ());
#endif
      if (own.is_defined () && own.function_value () == evaluator.debug_user_code ())
        return octave_value ();
      return own;
    }

    const Function m_function;
    // The functions that Octave knows by this name.
    octave::fcn_info& m_defined;
  };

  // Classes of values that may stand beside a p_matrix in brackets.
  static const char *const classes_in_brackets[] = { "double", "single", "logical", "char", "int8", "int16", "int32", "int64", "uint8",
                                                     "uint16", "uint32", "uint64", "cell", "struct", "function_handle" };

  // horzcat and vertcat.
  class Concatenation : public Method
  {
  public:

    template <typename POINTER>
    Concatenation (POINTER pointer, const octave_builtin& octave, const Function& function, octave::fcn_info *defined)
      : Method (pointer, octave, function, defined)
    {
      for (const char *name : classes_in_brackets)
        push_dispatch_class (name);
    }

    octave_value_list
    execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
    {
      octave_value failed = failed_row (args);
      if (failed.is_defined ())
        return octave_value_list (failed);
      for (octave_idx_type i = 0; i < args.length (); ++i)
        if (octave_p_matrix::is_p_matrix (args(i).get_rep ()))
          return Method::execute (evaluator, nargout, args);
      octave_value row = plain_row (name ()[0] == 'h' ? 1 : 0, args);
      return row.is_defined () ? octave_value_list (row) : octave_builtin::execute (evaluator, nargout, args);
    }

  protected:

    bool is_for_brackets () const override { return called_for_brackets (); }
  };

  static void
  install (octave::symbol_table& symbols, const Function& function)
  {
    replace_built_in<Method> (symbols, function.name, function, symbols.get_fcn_info (function.name));
  }

  // Replaces the functions of all element-wise operations of the table that are not SPECIAL.  The type
  // records functions of one value, and its operators record functions that Octave has an operator for.
  // All further functions of two values are recorded by of_two.
  static void
  install_elementwise (octave::symbol_table& symbols, const std::set<std::string>& special)
  {
    for (int number = 0; number < operation_count; ++number)
      {
        pm_operation operation = static_cast<pm_operation> (number);
        const Operation& known = operations[number];
        if (! is_elementwise (operation) || ! known.function[0] || special.count (known.function))
          continue;
        bool through_type = known.operands == 1 || is_operator (known.function);
        install (symbols, { known.function, through_type ? nullptr : of_two, operation });
      }
  }

  octave_value
  elementwise_functions (int operands)
  {
    string_vector names;
    for (int number = 0; number < operation_count; ++number)
      if (is_elementwise (static_cast<pm_operation> (number)) && operations[number].operands == operands && operations[number].function[0])
        names.append (std::string (operations[number].function));
    return Cell (names);
  }

  void
  install_methods (octave::interpreter& interp)
  {
    octave::symbol_table& symbols = interp.get_symbol_table ();
    std::set<std::string> special;
    for (const Function& function : functions)
      {
        install (symbols, function);
        special.insert (function.name);
      }
    install_elementwise (symbols, special);
    for (const char *name : virtual_functions)
      install (symbols, { name, nullptr, PM_ADD });
    for (const char *name : computed_functions)
      install (symbols, { name, computed, PM_ADD });
    for (const char *name : { "horzcat", "vertcat" })
      replace_built_in<Concatenation> (symbols, name, Function { name, bracketed, PM_JOIN }, symbols.get_fcn_info (name));
  }
}
