// SPDX-License-Identifier: GPL-3.0-or-later

// Slices: the elements of a matrix that colons, ranges and numbers name.  A slice is a view (pm_view), so it
// can be recorded, and elements can be copied from it and to it without Octave's lists of subscripts.

#ifndef PMATRIX_SLICE_H
#define PMATRIX_SLICE_H

#include "type/value.h"

namespace pmatrix
{
  struct Slice
  {
    octave_idx_type rows, columns, offset, row_step, column_step;
    bool whole;    // every element in its place

    octave_idx_type numel () const { return rows * columns; }
  };

  // The slice of a matrix of this size that subscripts name.  False when a subscript is no colon, range or
  // number, or leads out of the matrix.  Throws octave::index_exception for what is no subscript.
  bool find_slice (octave_idx_type rows, octave_idx_type columns, const octave_value_list& idx, Slice& result);

  // Copies the elements of a slice of the array WHOLE to an array of these elements alone, column after column.
  void copy_from_slice (pm_class value_class, const Slice& slice, const void *whole, void *elements);

  // Octave's own number or truth value of one element of an array.
  octave_value element_of (pm_class value_class, const void *elements, octave_idx_type number);

  // A p_matrix of the elements of a slice.  It is recorded when the matrix is pending, and otherwise copied
  // at once where that costs less than Octave's own subscripts do; undefined where it does not.
  octave_value take_slice (const ValuePtr& a, const Slice& slice);

  // Copies elements into a slice of a matrix that no other variable has.  False, and nothing has been
  // changed, when Octave has to do it: when the classes or shapes differ, or Octave's array is not at hand.
  bool assign_slice (Value& a, const octave_value_list& idx, const octave_value& elements);

  // The same for the elements where a mask, a matrix of truth values of the same shape, is true: they become one
  // number, or as many elements as there are.
  bool assign_masked (Value& a, const octave_value_list& idx, const octave_value& elements);
}

#endif
