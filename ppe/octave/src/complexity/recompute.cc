// SPDX-License-Identifier: GPL-3.0-or-later

// Operations whose result is not real.
//
// [-8 4] .^ [1/3 0.5] and sqrt (-1) are complex in Octave, and the engine has no complex numbers.  When such
// a value is forced, the engine reports that an operation has failed, and still knows the operations between
// the failed one and the forced value.  These operations are followed down to operands with a real value, and
// computed with Octave's own operators.  No other operation is computed again.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "complexity/recompute.h"
#include "record/operations.h"
#include "record/structure.h"

namespace pmatrix
{
  namespace
  {
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
        // The operand that is added last is taken first.
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

  // The function of Octave that computes an operation.  Octave's max and min choose between two zeros by
  // themselves.
  static std::string
  function_of (pm_operation operation)
  {
    switch (operation)
      {
      case PM_MAX_RIGHT:
        return "max";
      case PM_MIN_RIGHT:
        return "min";
      default:
        return operations[operation].function;
      }
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

    if (operation == PM_CONVERT)
      return result_class == PM_SINGLE ? x.as_single () : x.as_double ();
    return call_built_in (function_of (operation), operations[operation].operands == 1 ? octave_value_list (x) : ovl (x, y));
  }

  octave_value
  recompute (const pm_value *failed)
  {
    // A depth-first walk with a stack of its own: chains may be long.
    std::vector<Step> path;
    path.emplace_back (Reference (pm_value_retain (failed)));
    octave_value result;

    // The values that have been computed, by identity, so that a value with several readers is computed once.
    // While a reference is held, no other value gets the identity.
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
