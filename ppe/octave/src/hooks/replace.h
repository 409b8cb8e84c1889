// SPDX-License-Identifier: GPL-3.0-or-later

// Functions of this package that stand in front of Octave's while the package is loaded, and are taken away
// when it is unloaded.
//
// A built-in function of Octave is replaced by a function of this package, the replacement, which hands calls
// without a p_matrix on.  A replacement may also be the method of the class p_matrix, so that Octave finds it
// before it has looked through the path.
//
// A function that is a file of Octave's library has no built-in function of its name, and must not get one:
// at every change of the path Octave would warn that the file shadows the built-in function.  So the function
// of this package is a method only, the method of some classes.  Octave finds methods in files, and in
// built-in functions that declare a class.  It remembers the methods that it has found, and keeps a locked
// method also when functions are cleared.  So the function of this package is a built-in function for a
// moment only, in which Octave looks for the method.
//
// Methods of the class p_matrix stay when the package is unloaded: values that the program still has go on
// working.

#ifndef PMATRIX_REPLACE_H
#define PMATRIX_REPLACE_H

#include <set>

#include <octave/ov-builtin.h>
#include <octave/symtab.h>

#include "shims.h"

namespace pmatrix
{
  // A replacement that calls Octave's own function, with its name and help text; a subclass overrides execute
  // ().
  class Replacement : public octave_builtin
  {
  public:

    // POINTER is Octave's function: one that takes the interpreter too, or one that does not.
    template <typename POINTER>
    Replacement (POINTER pointer, const octave_builtin& octave)
      : octave_builtin (pointer, octave.name (), octave.src_file_name (), octave.doc_string ())
    { }
  };

  // A method in front of a function that is a file.
  class FileMethod : public octave_builtin
  {
  public:

    explicit FileMethod (const char *name) : octave_builtin (unreached, name) { }

    // A handle to a file calls the method of a class in the file's place when the method says that it is a
    // method.  Octave 6 asks is_class_method, later versions ask is_legacy_method.
    bool is_legacy_method (const std::string& of_class = "") const { return is_class_method (of_class); }
    bool is_class_method (const std::string& of_class = "") const { return of_class.empty () || handles_dispatch_class (of_class); }

  private:

    static octave_value_list unreached (const octave_value_list&, int) { return octave_value_list (); }
  };

  // OURS is to stand in the place of OCTAVE, the built-in function that Octave finds by NAME.  The function's
  // own name may be another, since Octave has aliases.
  void add_replacement (const std::string& name, const octave_value& octave, octave_function *ours);

  // OURS is to be the method of CLASSES in front of the file of its name.
  void add_method (FileMethod *ours, const std::set<std::string>& classes);

  // Makes a REPLACED, from Octave's function and ARGUMENTS, for the built-in function of this name, if this
  // Octave has it.
  template <typename REPLACED, typename... ARGUMENTS>
  void
  replace_built_in (octave::symbol_table& symbols, const std::string& name, const ARGUMENTS&... arguments)
  {
    octave_value known = symbols.find_built_in_function (name);
    const octave_builtin *octave = known.is_defined () ? dynamic_cast<octave_builtin *> (known.function_value ()) : nullptr;
    if (! octave)
      return;
    add_replacement (name, known, octave->function () ? new REPLACED (octave->function (), *octave, arguments...)
                                                      : new REPLACED (octave->method (), *octave, arguments...));
  }

  // Puts all functions that have been added in front of Octave's, or takes them away.
  void put_in_front (octave::symbol_table& symbols);
  void take_away (octave::symbol_table& symbols);

  // The functions that are methods of the class p_matrix.
  std::set<std::string> method_names ();
}

#endif
