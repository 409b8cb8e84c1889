// SPDX-License-Identifier: GPL-3.0-or-later

// Octave's arrays as the engine's constants, and the engine's results as Octave's arrays.

#ifndef PMATRIX_ARRAYS_H
#define PMATRIX_ARRAYS_H

#include "session/engine.h"

namespace pmatrix
{
  struct Slice;

  // True for a full array or number of class double, single or logical that is not a range, a diagonal matrix
  // or another stand-in for one.
  bool is_plain (const octave_value& v);

  // True for a value that a p_matrix can stand for: a full double, single or logical array.
  bool is_wrappable (const octave_value& v);

  // True for a value that the engine can have as well: a real array of two dimensions that is_wrappable
  // accepts.
  bool has_engine_form (const octave_value& v);

  pm_class class_of (const octave_value& v);
  pm_class class_of (const octave_base_value& v);

  // Bytes of an element in Octave's arrays of this class.
  inline std::size_t
  element_bytes (pm_class value_class)
  {
    return value_class == PM_DOUBLE ? sizeof (double) : value_class == PM_SINGLE ? sizeof (float) : sizeof (bool);
  }

  // Ranges, diagonal and permutation matrices become the full matrix that they stand for.  A full complex
  // array stays as it is: Octave would make a real one of complex (1, 0).
  octave_value without_structure (const octave_value& v);

  // A node for a constant; `v` must have an engine form.  A large array is held and read in place; a small
  // array is copied, which is cheaper.
  pm_value * constant_node (const octave_value& v);

  // Octave's array of the elements of a computed value.
  octave_value read_elements (const pm_value *node);

  // Octave's array of the elements of a slice of a computed value.
  octave_value read_slice (const pm_value *node, const Slice& slice);

  // The elements of a real array of two dimensions, to be changed in place; null for a number.  Elements that
  // another array shares are copied first.
  void * own_elements (octave_value& array);
}

#endif
