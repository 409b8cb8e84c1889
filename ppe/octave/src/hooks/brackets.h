// SPDX-License-Identifier: GPL-3.0-or-later

// [a, b; c, d], horzcat, vertcat and cat.
//
// Octave takes a p_matrix in brackets for an object.  It calls the method horzcat for each row of parts, and
// then the method vertcat for the rows; parts without elements are among the arguments.  Where all parts are
// real full matrices and numbers, the result is a mosaic (mosaic.h).  Text, integers and cells are put
// together by Octave: by its code for brackets, or by the function that the program called by name.  So
// class, saturation, warnings and errors are Octave's.
//
// For [1, 2; p] Octave calls horzcat for the row of plain values too.  Therefore horzcat and vertcat of this
// package are methods of every class.

#ifndef PMATRIX_BRACKETS_H
#define PMATRIX_BRACKETS_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // Parts side by side (side 1) or below each other (side 0), when all parts have a lazy form; otherwise
  // undefined.
  octave_value join (int side, const octave_value_list& parts);

  // Like join, but where a part has no lazy form Octave puts the parts together; `name` is the function.
  octave_value join_or_compute (const char *name, int side, const octave_value_list& parts);

  // Finds out what Octave does with the rows of brackets; called when horzcat and vertcat have been replaced.
  void learn_rows ();

  // Registers the type of the values that stand for an error; called once, when the library is loaded.
  void define_failed_brackets (octave::type_info& types);

  // Called for every p_matrix that stands in brackets.
  void expect_brackets ();

  // A row of plain values in brackets, put together by Octave; undefined when PARTS do not stand in brackets.
  octave_value plain_row (int side, const octave_value_list& parts);

  // The part that stands for an error, if there is one; otherwise undefined.
  octave_value failed_row (const octave_value_list& parts);
}

#endif
