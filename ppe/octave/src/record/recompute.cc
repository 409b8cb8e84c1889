// SPDX-License-Identifier: GPL-3.0-or-later

// Operations whose result is not real.
//
// [-8 4] .^ [1/3 0.5] and sqrt (-1) are complex in Octave, and the engine has no complex numbers.  It reports that when the
// value is forced, and still knows the operations that led there.  They are followed down to the values that do have a real
// result and computed again with Octave's own operators; only the operations between the one that failed and the forced value
// are touched.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "record/recompute.h"
#include "record/structure.h"

namespace pmatrix
{
  namespace
  {
    // Owns one reference to a value.
    class Reference
    {
    public:

      explicit Reference (pm_value *v) : m_value (v) { }
      Reference (Reference&& other) noexcept : m_value (other.m_value) { other.m_value = nullptr; }
      Reference (const Reference&) = delete;
      Reference& operator = (const Reference&) = delete;
      ~Reference () { if (m_value) pm_value_release (m_value); }

      pm_value * get () const { return m_value; }

    private:

      pm_value *m_value;
    };

    // An operation on the way down: its operands, as far as they are known.
    struct Step
    {
      explicit Step (Reference v) : value (std::move (v)) { }

      // Asks the engine what the value stands for.
      void open ()
      {
        pm_value *a = nullptr, *b = nullptr;
        check (pm_operation_of (value.get (), &operation, &a, &b, &scalar, &form));
        check (pm_parameters_of (value.get (), parameters));
        // The last is taken first.
        if (b)
          unopened.emplace_back (b);
        unopened.emplace_back (a);
        opened = true;
      }

      Reference value;
      std::vector<Reference> unopened;
      pm_operation operation = PM_ADD;
      double scalar = 0;
      int form = 0;
      int64_t parameters[4] = { 0, 0, 0, 0 };
      bool opened = false;
      std::vector<octave_value> operands;
    };
  }

  static octave_value
  call (const char *name, const octave_value& x, const octave_value& y)
  {
    return call_built_in (name, ovl (x, y));
  }

  octave_value
  compute_in_octave (pm_operation operation, int form, const octave_value& a, const octave_value& b, double scalar,
                     pm_class result_class)
  {
    octave_value x = a, y = b;
    if (form != 0)
      {
        // A single scalar makes the result single; whether the scalar was double shows in no other way.
        y = result_class == PM_SINGLE ? octave_value (static_cast<float> (scalar)) : octave_value (scalar);
        if (form == 2)
          std::swap (x, y);
      }

    switch (operation)
      {
      case PM_MULTIPLY:
        return shims::binary (octave_value::op_mul, x, y);
      case PM_ADD:
        return shims::binary (octave_value::op_add, x, y);
      case PM_SUBTRACT:
        return shims::binary (octave_value::op_sub, x, y);
      case PM_TIMES:
        return shims::binary (octave_value::op_el_mul, x, y);
      case PM_DIVIDE:
        return shims::binary (octave_value::op_el_div, x, y);
      case PM_POWER:
        return shims::binary (octave_value::op_el_pow, x, y);
      case PM_EQUAL:
        return shims::binary (octave_value::op_eq, x, y);
      case PM_NOT_EQUAL:
        return shims::binary (octave_value::op_ne, x, y);
      case PM_LESS:
        return shims::binary (octave_value::op_lt, x, y);
      case PM_LESS_EQUAL:
        return shims::binary (octave_value::op_le, x, y);
      case PM_GREATER:
        return shims::binary (octave_value::op_gt, x, y);
      case PM_GREATER_EQUAL:
        return shims::binary (octave_value::op_ge, x, y);
      case PM_AND:
        return shims::binary (octave_value::op_el_and, x, y);
      case PM_OR:
        return shims::binary (octave_value::op_el_or, x, y);
      case PM_MOD:
        return call ("mod", x, y);
      case PM_REM:
        return call ("rem", x, y);
      case PM_ATAN2:
        return call ("atan2", x, y);
      case PM_HYPOT:
        return call ("hypot", x, y);
      case PM_MAX:
      case PM_MAX_RIGHT:
        return call ("max", x, y);
      case PM_MIN:
      case PM_MIN_RIGHT:
        return call ("min", x, y);
      case PM_NEGATE:
        return shims::unary (octave_value::op_uminus, x);
      case PM_NOT:
        return shims::unary (octave_value::op_not, x);
      case PM_ABS:
        return x.abs ();
      case PM_FLOOR:
        return x.floor ();
      case PM_CEIL:
        return x.ceil ();
      case PM_FIX:
        return x.fix ();
      case PM_ROUND:
        return x.round ();
      case PM_SQRT:
        return x.sqrt ();
      case PM_EXP:
        return x.exp ();
      case PM_EXPM1:
        return x.expm1 ();
      case PM_LOG:
        return x.log ();
      case PM_LOG2:
        return x.log2 ();
      case PM_LOG10:
        return x.log10 ();
      case PM_LOG1P:
        return x.log1p ();
      case PM_SIN:
        return x.sin ();
      case PM_COS:
        return x.cos ();
      case PM_TAN:
        return x.tan ();
      case PM_ASIN:
        return x.asin ();
      case PM_ACOS:
        return x.acos ();
      case PM_ATAN:
        return x.atan ();
      case PM_SINH:
        return x.sinh ();
      case PM_COSH:
        return x.cosh ();
      case PM_TANH:
        return x.tanh ();
      case PM_ASINH:
        return x.asinh ();
      case PM_ACOSH:
        return x.acosh ();
      case PM_ATANH:
        return x.atanh ();
      case PM_ISNAN:
        return x.isnan ();
      case PM_ISINF:
        return x.isinf ();
      case PM_ISFINITE:
        return x.isfinite ();
      case PM_SIGN:
        return x.signum ();
      case PM_CONVERT:
        return result_class == PM_SINGLE ? x.as_single () : x.as_double ();
      default:
        break;
      }
    error_with_id ("pmatrix:execution", "p_matrix: unknown operation %d", static_cast<int> (operation));
  }

  octave_value
  recompute (const pm_value *failed)
  {
    // A depth-first walk with a stack of its own: chains may be long.
    std::vector<Step> path;
    path.emplace_back (Reference (pm_value_retain (failed)));
    octave_value result;

    // What has been computed, so that a value with several readers is computed once.  The references keep the identities
    // from being given to other values.
    std::unordered_map<std::uint64_t, std::pair<Reference, octave_value>> known;

    while (! path.empty ())
      {
        Step& step = path.back ();

        std::uint64_t identity = pm_value_identity (step.value.get ());
        auto before = known.find (identity);

        if (before != known.end ())
          result = before->second.second;
        else if (! step.opened)
          {
            pm_status status = wait_for (step.value.get ());
            if (status == PM_ERROR_DOMAIN)
              step.open ();
            else
              {
                check (status);
                result = read_elements (step.value.get ());
              }
          }

        if (! step.unopened.empty ())
          {
            Step next (std::move (step.unopened.back ()));
            step.unopened.pop_back ();
            path.push_back (std::move (next));
            continue;
          }

        if (step.opened)
          result = step.operation >= PM_VIEW
                   ? compute_structural (step.operation, step.parameters,
                                         dim_vector (pm_rows (step.value.get ()), pm_columns (step.value.get ())), step.operands)
                   : compute_in_octave (step.operation, step.form, step.operands[0],
                                      step.operands.size () > 1 ? step.operands[1] : octave_value (), step.scalar,
                                      pm_value_class (step.value.get ()));
        if (before == known.end ())
          known.emplace (identity, std::make_pair (Reference (pm_value_retain (step.value.get ())), result));

        path.pop_back ();
        if (! path.empty ())
          path.back ().operands.push_back (result);
      }

    return result;
  }
}
