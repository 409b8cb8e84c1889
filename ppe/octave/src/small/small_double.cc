// SPDX-License-Identifier: GPL-3.0-or-later

#include "small/small_double.h"

// With the usual optimisation GCC takes the loops of this file element by element.
#if defined (__GNUC__) && ! defined (__clang__)
#  pragma GCC optimize ("O3")
#endif

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "record/operations.h"

namespace pmatrix
{
  namespace
  {
    // The engine's kernels know wider vectors than this file, which pays for more elements.
    constexpr std::size_t most_here = 256;

    bool
    is_scalar (const pm_small& matrix)
    {
      return matrix.rows == 1 && matrix.columns == 1;
    }

    // The sides of a factor of a product, after it has been transposed where the product asks for that.
    uint32_t
    rows_of (const pm_small& factor)
    {
      return factor.transposed ? factor.columns : factor.rows;
    }

    uint32_t
    columns_of (const pm_small& factor)
    {
      return factor.transposed ? factor.rows : factor.columns;
    }

    // The operand whose shape is the shape of an element-wise result.  Null when a row or column is
    // broadcast, or when the shapes do not fit.
    const pm_small *
    larger (const pm_small& a, const pm_small *b)
    {
      if (! b || is_scalar (*b) || (a.rows == b->rows && a.columns == b->columns))
        return &a;
      return is_scalar (a) ? b : nullptr;
    }

    // One operand of an element-wise operation: elements, or one number that is repeated.
    struct Side
    {
      const double *elements;
      bool repeated;
    };

    template <typename RESULT, typename FUNCTION>
    bool
    each (const pm_small& result, Side a, Side b, FUNCTION function)
    {
      RESULT *to = static_cast<RESULT *> (result.data);
      std::size_t count = std::size_t (result.rows) * result.columns;
      const double *p = a.elements, *q = b.elements;
      if (b.repeated)
        for (std::size_t i = 0; i < count; ++i)
          to[i] = function (p[i], *q);
      else if (a.repeated)
        for (std::size_t i = 0; i < count; ++i)
          to[i] = function (*p, q[i]);
      else
        for (std::size_t i = 0; i < count; ++i)
          to[i] = function (p[i], q[i]);
      return true;
    }
  }

  static bool
  negates_truth (pm_operation operation, const pm_small& a)
  {
    return operation == PM_NOT && a.value_class == PM_LOGICAL;
  }

  bool
  describe_double (pm_operation operation, int form, const pm_small& a, const pm_small *b, pm_small& result)
  {
    if (negates_truth (operation, a))
      {
        result = { nullptr, a.rows, a.columns, PM_LOGICAL, 0 };
        return true;
      }
    const Operation& known = operations[operation];
    int operands = form == 0 && ! b ? 1 : 2;
    if (known.gives == Gives::DIRECT || operation == PM_CONVERT || operands != known.operands
        || a.value_class != PM_DOUBLE || (b && b->value_class != PM_DOUBLE))
      return false;

    if (operation == PM_MULTIPLY && b && ! is_scalar (a) && ! is_scalar (*b))
      {
        // The time of a longer product decides.
        auto few = [] (uint64_t rows, uint32_t columns) { return rows * columns <= PM_FEW_ELEMENTS; };
        if (columns_of (a) != rows_of (*b) || ! few (a.rows, a.columns) || ! few (b->rows, b->columns)
            || ! few (rows_of (a), columns_of (*b)))
          return false;
        result = { nullptr, rows_of (a), columns_of (*b), PM_DOUBLE, 0 };
        return true;
      }

    const pm_small *shape = larger (a, b);
    if (! shape)
      return false;
    result = { nullptr, shape->rows, shape->columns, known.gives == Gives::TRUTH ? PM_LOGICAL : PM_DOUBLE, 0 };
    return true;
  }

  // A product of few multiplications, with the bits of the engine's product (kernel.h): fused
  // multiplications and additions in order, and then +0 is added.
  static bool
  multiply (const pm_small& a, const pm_small& b, const pm_small& result)
  {
    const uint32_t inner = columns_of (a);
    if (uint64_t (result.rows) * result.columns * inner > PM_FEW_ELEMENTS)
      return false;
    const double *p = static_cast<const double *> (a.data), *q = static_cast<const double *> (b.data);
    // From one row to the next, and from one column to the next.
    const uint32_t p_down = a.transposed ? a.rows : 1, p_right = a.transposed ? 1 : a.rows;
    const uint32_t q_down = b.transposed ? b.rows : 1, q_right = b.transposed ? 1 : b.rows;
    double *to = static_cast<double *> (result.data);
    for (uint32_t j = 0; j < result.columns; ++j)
      for (uint32_t i = 0; i < result.rows; ++i)
        {
          double sum = 0;
          for (uint32_t k = 0; k < inner; ++k)
            sum = std::fma (p[i * p_down + k * p_right], q[k * q_down + j * q_right], sum);
          *to++ = sum + 0.0;
        }
    return true;
  }

  bool
  compute_double (pm_operation operation, int form, const pm_small& a, const pm_small *b, double scalar, const pm_small& result)
  {
    if (negates_truth (operation, a))
      {
        const bool *from = static_cast<const bool *> (a.data);
        std::size_t count = std::size_t (result.rows) * result.columns;
        std::transform (from, from + count, static_cast<bool *> (result.data), std::logical_not<bool> ());
        return true;
      }
    if (operation == PM_MULTIPLY && b && a.value_class == PM_DOUBLE && b->value_class == PM_DOUBLE && ! is_scalar (a)
        && ! is_scalar (*b))
      return multiply (a, *b, result);
    if (a.value_class != PM_DOUBLE || (b && b->value_class != PM_DOUBLE) || ! larger (a, b)
        || std::size_t (result.rows) * result.columns > most_here)
      return false;

    Side x = { static_cast<const double *> (a.data), is_scalar (a) };
    Side y = b ? Side { static_cast<const double *> (b->data), is_scalar (*b) } : Side { &scalar, true };
    if (form == 2)
      std::swap (x, y);

    switch (operation)
      {
      case PM_ADD:
        return each<double> (result, x, y, [] (double p, double q) { return p + q; });
      case PM_SUBTRACT:
        return each<double> (result, x, y, [] (double p, double q) { return p - q; });
      case PM_MULTIPLY:
      case PM_TIMES:
        return each<double> (result, x, y, [] (double p, double q) { return p * q; });
      case PM_DIVIDE:
        return each<double> (result, x, y, [] (double p, double q) { return p / q; });
      case PM_EQUAL:
        return each<bool> (result, x, y, [] (double p, double q) { return p == q; });
      case PM_NOT_EQUAL:
        return each<bool> (result, x, y, [] (double p, double q) { return p != q; });
      case PM_LESS:
        return each<bool> (result, x, y, [] (double p, double q) { return p < q; });
      case PM_LESS_EQUAL:
        return each<bool> (result, x, y, [] (double p, double q) { return p <= q; });
      case PM_GREATER:
        return each<bool> (result, x, y, [] (double p, double q) { return p > q; });
      case PM_GREATER_EQUAL:
        return each<bool> (result, x, y, [] (double p, double q) { return p >= q; });
      case PM_ABS:
        return each<double> (result, x, y, [] (double p, double) { return std::fabs (p); });
      case PM_NEGATE:
        return each<double> (result, x, y, [] (double p, double) { return -p; });
      default:
        return false;
      }
  }
}
