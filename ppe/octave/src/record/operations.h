// SPDX-License-Identifier: GPL-3.0-or-later

// What the package has to know of each operation of the engine, from the one table of operations
// (PM_OPERATIONS of pmatrix.h).  An element-wise operation that the table gains is recorded, described and
// computed again by Octave without a line in this package.

#ifndef PMATRIX_OPERATIONS_H
#define PMATRIX_OPERATIONS_H

#include <string>

#include "pmatrix.h"

namespace pmatrix
{
  // The class of the result.  NUMBER: single or double.  TRUTH: logical.  EXTREMUM: logical where all
  // operands are logical, else a number.  DIRECT: by a rule of its own (structure.cc), for an operation that
  // moves elements or reduces columns and rows.
  enum class Gives { NUMBER, TRUTH, EXTREMUM, DIRECT };

  // The elements for which an operation has a real result.
  enum class Domain { ANY, NOT_NAN, NOT_NEGATIVE, FROM_MINUS_ONE, FROM_ONE, WITHIN_ONE, POWER };

  // What Octave gives for complex operands; REFUSED: an error.
  enum class OfComplex { COMPLEX, REAL, REFUSED };

  struct Operation
  {
    const char *function;    // of Octave; "" where no function is this operation alone
    int operands;
    Gives gives;
    Domain domain;
    OfComplex of_complex;
  };

#define PMATRIX_OPERATION(OPERATION, FUNCTION, OPERANDS, GIVES, DOMAIN_OF, OF_COMPLEX) \
  { FUNCTION, OPERANDS, Gives::GIVES, Domain::DOMAIN_OF, OfComplex::OF_COMPLEX },

  // Indexed by pm_operation.
  constexpr Operation operations[] = { PM_OPERATIONS (PMATRIX_OPERATION) };

#undef PMATRIX_OPERATION

  constexpr int operation_count = sizeof (operations) / sizeof (operations[0]);

  constexpr bool
  is_elementwise (pm_operation operation)
  {
    return operation != PM_MULTIPLY && operations[operation].gives != Gives::DIRECT;
  }

  // The element-wise operation that a function of Octave with so many operands is; false when there is none.
  inline bool
  find_operation (const std::string& function, int operands, pm_operation& found)
  {
    for (int number = 0; number < operation_count; ++number)
      {
        pm_operation operation = static_cast<pm_operation> (number);
        if (is_elementwise (operation) && operations[number].operands == operands && function == operations[number].function)
          {
            found = operation;
            return true;
          }
      }
    return false;
  }
}

#endif
