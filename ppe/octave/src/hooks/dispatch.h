// SPDX-License-Identifier: GPL-3.0-or-later

// Who asks a p_matrix for its built-in type, and whether it is complex.
//
// Octave asks for one of two reasons that need different answers.  When it looks for the function that a call
// means, only a value without a built-in type lets it find @p_matrix/NAME.m: a "double" would be looked for
// in @double.  Built-in functions and, from Octave 7, ranges ask in order to choose the code for a type of
// element, and refuse a value without one.
//
// Nothing that is passed along tells the two apart, but the code that asks does.  Octave has one function
// that looks at the arguments of a call, and octave_value passes the question on inline, so the return
// address lies in that function or in another.  Which function it is shows when a call is made at load time.
// Where that cannot be found out (no unwind tables, or an Octave whose octave_value does not pass the
// question on inline), every question counts as one for a method: functions of the class work, and ranges and
// some built-in functions refuse a p_matrix.
//
// In the same way Octave's code for brackets is told from all other code that asks whether a p_matrix is an
// object.  To brackets a p_matrix is an object, because the parts beside an object are given to its method
// horzcat or vertcat as they are (brackets.h).  Where the code for brackets cannot be found out, a p_matrix
// is no object, and Octave puts full values together.
//
// Whether a pending root is complex shows only when it has been computed.  Two places of Octave ask every
// matrix whether it is complex, and need no true answer: brackets, to which the answer matters for built-in
// classes alone, and the lists of variables (whos, and the graphical interface at each prompt), which would
// compute whatever is pending.  Both places are found out in the same way, and told that a matrix which may
// be complex is real.  Where they cannot be found out, their question computes the matrix.

#ifndef PMATRIX_DISPATCH_H
#define PMATRIX_DISPATCH_H

namespace pmatrix
{
  // Finds out which functions of Octave look for methods; called once, when the type has been registered.
  void learn_who_dispatches ();

  // True when the code that a question returns to looks for a method.
  bool looks_for_method (const void *return_address);

  // Finds out which functions of Octave evaluate brackets; called when horzcat and vertcat have been
  // replaced.
  void learn_who_has_brackets ();

  // True when the code that a question returns to evaluates brackets.
  bool puts_into_brackets (const void *return_address);

  // True in a method horzcat or vertcat that Octave calls for brackets, not by its name.  Takes microseconds.
  bool called_for_brackets ();

  // True in an operator that Octave computes for x += y or its like, where it could have changed x in place.
  // Takes microseconds.
  bool in_compound_assignment ();

  // Finds out who asks whether matrices are complex and needs no true answer; called once, when everything
  // has been installed.
  void learn_who_asks_in_passing ();

  // True when the code that a question returns to asks whether a matrix is complex, and needs no true answer.
  bool asks_in_passing (const void *return_address);

  // Has Octave list the variables of the function that runs, as its graphical interface does.
  void list_variables ();
}

#endif
