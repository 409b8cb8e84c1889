// SPDX-License-Identifier: GPL-3.0-or-later

// The one way into the engine's graph.

#ifndef PMATRIX_GRAPH_H
#define PMATRIX_GRAPH_H

#include "session/engine.h"
#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // Records an operation, with the line of the user's program: RECORD (file, line, &node) calls the engine,
  // and its failure is an Octave error.
  template <typename RECORD>
  pm_value *
  node_of (RECORD record)
  {
    session ();
    Position at = user_position ();
    pm_value *node = nullptr;
    check (record (at.file, at.line, &node));
    return node;
  }

  // Records an operation.  Where its operands are small the result is SMALL (), and the engine sees nothing
  // of it.  Where an operand turned out to be complex, so that READY () is false, the result is undefined,
  // and Octave's to compute.  Otherwise RECORD (file, line, &node) calls the engine; MAY_BE_COMPLEX () says
  // whether the result may turn out to be complex.
  template <typename SMALL, typename READY, typename RECORD, typename COMPLEX>
  octave_value
  recorded (SMALL small, READY ready, RECORD record, COMPLEX may_be_complex)
  {
    if (ValuePtr value = small ())
      return pending (std::move (value));
    if (! ready ())
      return octave_value ();
    pm_value *node = node_of (record);
    return pending (node, may_be_complex ());
  }

  // An operation on one value that works element by element; undefined for what is complex, or has more than
  // two dimensions.
  octave_value record_unary (pm_operation operation, const ValuePtr& value);
}

#endif
