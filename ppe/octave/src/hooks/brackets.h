// SPDX-License-Identifier: GPL-3.0-or-later

// [a, b; c, d], horzcat, vertcat and cat.
//
// Octave takes a p_matrix in brackets for an object.  It calls the method horzcat for each row of parts, and
// then the method vertcat for the rows; parts without elements are among the arguments.  Where all parts are
// real full matrices and numbers, the result is a mosaic (mosaic.h).  Text, integers and cells are put
// together by Octave: by its code for brackets, or by the function that the program called by name.  So
// class, saturation, warnings and errors are Octave's.
//
// A row of plain values above or below a p_matrix comes to these methods too.  Therefore they are methods of
// every class.

#ifndef PMATRIX_BRACKETS_H
#define PMATRIX_BRACKETS_H

#include "type/octave_p_matrix.h"

namespace pmatrix
{
  // Parts side by side (side 1) or one below the other (side 0), when they have a lazy form; otherwise
  // undefined.
  octave_value join (int side, const octave_value_list& parts);

  // The same, by Octave where they have none; `name` is the function.
  octave_value join_or_compute (const char *name, int side, const octave_value_list& parts);

  // Finds out what Octave does with the rows of brackets; called when horzcat and vertcat have been replaced.
  void learn_rows ();

  // Called once, when the library is loaded: the type of what stands for an error.
  void define_failed_brackets (octave::type_info& types);

  // Called for every p_matrix that stands in brackets.
  void expect_brackets ();

  // A row of brackets, where plain values are put together by one of these methods; otherwise undefined.
  octave_value plain_row (int side, const octave_value_list& parts);

  // The part that stands for an error, if there is one; otherwise undefined.
  octave_value failed_row (const octave_value_list& parts);
}

#endif
