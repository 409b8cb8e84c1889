// SPDX-License-Identifier: GPL-3.0-or-later

// Which results may turn out to be complex, as far as that shows before any element is computed.
//
// A root, logarithm or power of a negative number is complex, and Octave then makes the whole matrix complex.
// Operations on complex operands have complex results, but for the operations of has_real_result.  The
// question whether a pending value is real computes the value only if the value may be complex.

#ifndef PMATRIX_COMPLEXITY_H
#define PMATRIX_COMPLEXITY_H

#include <limits>

#include "record/operations.h"

namespace pmatrix
{
  // Whether an exponent is a whole number within the range of int.  Only with such an exponent does Octave
  // take a power of negative numbers to be real.
  inline bool
  is_int (double exponent)
  {
    return exponent < std::numeric_limits<int>::max () && exponent > std::numeric_limits<int>::min ()
           && static_cast<int> (exponent) == exponent;
  }

  // Whether complex operands have a real result.
  inline bool
  has_real_result (pm_operation operation)
  {
    return operations[operation].of_complex != OfComplex::COMPLEX;
  }

  // Whether the result of an operation of the engine may be complex; OPERAND_MAY tells whether an operand may
  // be.  FORM and SCALAR as pm_operation_of gives them.
  inline bool
  may_be_complex (pm_operation operation, int form, double scalar, bool operand_may)
  {
    switch (operations[operation].domain)
      {
      case Domain::ANY:
      case Domain::NOT_NAN:
        return operand_may && ! has_real_result (operation);
      case Domain::POWER:
        return operand_may || form == 0 || (form == 1 ? ! is_int (scalar) : scalar < 0);
      default:
        return true;
      }
  }

  // Whether the result of an operation with parameters (structure.h) may be complex.
  inline bool
  may_be_complex (pm_operation operation, const int64_t *parameters, bool operand_may)
  {
    // A view may take real parts alone, and a band without diagonals stands for the imaginary part.
    if ((operation == PM_VIEW && parameters[3] == 2) || (operation == PM_BAND && parameters[0] > parameters[1]))
      return false;
    return may_be_complex (operation, 0, 0, operand_may);
  }

  // Whether Octave refuses complex operands: where one may be complex, that is found out when the operation
  // is recorded, so that the error comes at the line of the operation.
  inline bool
  refuses_complex (pm_operation operation)
  {
    return operations[operation].of_complex == OfComplex::REFUSED;
  }
}

#endif
