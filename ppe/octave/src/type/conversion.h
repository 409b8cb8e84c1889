// SPDX-License-Identifier: GPL-3.0-or-later

// p_matrix (X).
//
// The function that users call is a file, p_matrix.m, with its help and its demonstration.  A call of a file
// costs ten times what a conversion costs.  Therefore the conversion is also the method p_matrix of the
// classes double, single and logical, and Octave takes a method before a file.  (The class p_matrix can have
// no such method: it would be the constructor of a class, which Octave looks for in files alone.)  The method
// hands on to the file what it cannot convert, so that errors come from there.

#ifndef PMATRIX_CONVERSION_H
#define PMATRIX_CONVERSION_H

#include "shims.h"

namespace pmatrix
{
  // The p_matrix of a full array of class double, single or logical; an Octave error for anything else.
  octave_value convert (const octave_value& v);

  // Makes the method; called once, when the library is loaded.
  void install_conversion ();
}

#endif
