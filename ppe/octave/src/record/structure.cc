// SPDX-License-Identifier: GPL-3.0-or-later

#include "complexity/complexity.h"
#include "record/graph.h"
#include "record/structure.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pmatrix
{
  static octave_idx_type
  rows_of (const ValuePtr& a)
  {
    return a->rows ();
  }

  static octave_idx_type
  columns_of (const ValuePtr& a)
  {
    return a->columns ();
  }

  typedef std::array<int64_t, 4> Parameters;

  // Records an operation on one value, in the engine's graph by RECORD (file, line, result).
  template <typename RECORD>
  static octave_value
  recorded (pm_operation operation, const Parameters& parameters, const ValuePtr& a, const dim_vector& dims,
            pm_class value_class, RECORD record)
  {
    octave_value result = recorded ([&] () { return record_small (operation, parameters, a, dims, value_class); },
                                    [&] () { return a->can_have_node (); }, record,
                                    [&] () { return may_be_complex (operation, parameters.data (), a->may_be_complex ()); });
    return result.is_defined () ? result : wrap (compute_structural (operation, parameters.data (), dims, { a->full () }));
  }

  octave_value
  view (const ValuePtr& a, octave_idx_type rows, octave_idx_type columns, octave_idx_type offset, octave_idx_type row_step,
        octave_idx_type column_step, Part part)
  {
    Parameters parameters = { offset, row_step, column_step, static_cast<int64_t> (part) };
    return recorded (PM_VIEW, parameters, a, dim_vector (rows, columns), a->value_class (),
                     [&] (const char *file, uint32_t line, pm_value **node)
                     { return pm_view (a->node (), rows, columns, offset, row_step, column_step,
                                       static_cast<int> (part), file, line, node); });
  }

  octave_value
  transposed (const ValuePtr& a, Part part)
  {
    return view (a, columns_of (a), rows_of (a), 0, rows_of (a), 1, part);
  }

  octave_value
  part_of (const ValuePtr& a, Part part)
  {
    if (a->has_result () && ! a->is_held ())
      return octave_value (new octave_p_matrix (a));
    return view (a, rows_of (a), columns_of (a), 0, 1, rows_of (a), part);
  }

  octave_value
  diagonal (const ValuePtr& a, octave_idx_type k)
  {
    octave_idx_type side = a->numel () + std::abs (k);
    return recorded (PM_DIAGONAL, { k, 0, 0, 0 }, a, dim_vector (side, side), a->value_class (),
                     [&] (const char *file, uint32_t line, pm_value **node)
                     { return pm_diagonal (a->node (), k, file, line, node); });
  }

  octave_value
  reduced (pm_operation operation, const ValuePtr& a, int side)
  {
    if (side < 0)
      side = rows_of (a) == 1 ? 1 : 0;
    dim_vector dims = a->dims ();
    if (operation == PM_NORM)
      dims = dim_vector (1, 1);
    else if (operation != PM_CUMULATIVE_SUM)
      dims(side) = 1;
    pm_class value_class = a->value_class ();
    if (operation == PM_ANY || operation == PM_ALL)
      value_class = PM_LOGICAL;
    else if (value_class == PM_LOGICAL && operation != PM_MAXIMUM && operation != PM_MINIMUM)
      value_class = PM_DOUBLE;
    return recorded (operation, { side, 0, 0, 0 }, a, dims, value_class,
                     [&] (const char *file, uint32_t line, pm_value **node)
                     { return pm_reduce (operation, a->node (), side, file, line, node); });
  }

  octave_value
  repeated (const ValuePtr& a, octave_idx_type down, octave_idx_type right)
  {
    return recorded (PM_REPEAT, { 0, 0, 0, 0 }, a, dim_vector (rows_of (a) * down, columns_of (a) * right), a->value_class (),
                     [&] (const char *file, uint32_t line, pm_value **node)
                     { return pm_repeat (a->node (), down, right, file, line, node); });
  }

  octave_value
  band (const ValuePtr& a, int64_t least, int64_t most)
  {
    return recorded (PM_BAND, { least, most, 0, 0 }, a, a->dims (), a->value_class (),
                     [&] (const char *file, uint32_t line, pm_value **node)
                     { return pm_band (a->node (), least, most, file, line, node); });
  }

  octave_value
  empty_band (const ValuePtr& a)
  {
    return band (a, 1, 0);
  }

  octave_value
  compute_structural (pm_operation operation, const int64_t *parameters, const dim_vector& dims,
                      const std::vector<octave_value>& operands)
  {
    const octave_value& a = operands[0];
    octave_value side (static_cast<double> (parameters[0] + 1));
    switch (operation)
      {
      case PM_VIEW:
        {
          NDArray numbers (dims);
          for (octave_idx_type j = 0; j < dims(1); ++j)
            for (octave_idx_type i = 0; i < dims(0); ++i)
              numbers(i, j) = 1 + parameters[0] + parameters[1] * i + parameters[2] * j;
          octave_value taken = shims::index (a, ovl (numbers), false).reshape (dims);
          if (taken.isreal ())
            return taken;
          switch (static_cast<Part> (parameters[3]))
            {
            case Part::conjugate:
              return taken.conj ();
            case Part::real:
              return taken.real ();
            default:
              return taken;
            }
        }
      case PM_REPEAT:
        return call_built_in ("repmat", ovl (a, dims(0) / a.rows (), dims(1) / a.columns ()));
      case PM_JOIN:
        return call_built_in ("cat", ovl (side, a, operands[1]));
      case PM_BAND:
        if (parameters[0] > parameters[1])
          return a.imag ();
        if (parameters[0] == - far)
          return call_built_in ("tril", ovl (a, static_cast<double> (parameters[1])));
        return call_built_in ("triu", ovl (a, static_cast<double> (parameters[0])));
      case PM_DIAGONAL:
        return a.diag (parameters[0]).full_value ();
      case PM_SUM:
        return call_built_in ("sum", ovl (a, side));
      case PM_PRODUCT:
        return call_built_in ("prod", ovl (a, side));
      case PM_SUM_OF_SQUARES:
        return call_built_in ("sumsq", ovl (a, side));
      case PM_CUMULATIVE_SUM:
        return call_built_in ("cumsum", ovl (a, side));
      case PM_ANY:
        return a.any (parameters[0]);
      case PM_ALL:
        return a.all (parameters[0]);
      case PM_MAXIMUM:
        return call_built_in ("max", ovl (a, Matrix (), side));
      case PM_MINIMUM:
        return call_built_in ("min", ovl (a, Matrix (), side));
      case PM_NORM:
        return call_built_in ("norm", ovl (a, "fro"));
      default:
        error_with_id ("pmatrix:execution", "p_matrix: unknown operation %d", static_cast<int> (operation));
      }
  }
}
