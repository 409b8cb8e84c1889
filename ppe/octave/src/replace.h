// SPDX-License-Identifier: GPL-3.0-or-later

// Octave's built-in functions can be replaced by ones of ours, which hand on to Octave's own what they are not about.

#ifndef PMATRIX_REPLACE_H
#define PMATRIX_REPLACE_H

#include <octave/ov-builtin.h>
#include <octave/symtab.h>

#include "shims.h"

namespace pmatrix
{
  // Octave's own function under its own name, with its help text; a subclass has its say in execute ().
  class Replacement : public octave_builtin
  {
  public:

    // POINTER is Octave's function, which takes the interpreter as well or does not.
    template <typename POINTER>
    Replacement (POINTER pointer, const octave_builtin& octave)
      : octave_builtin (pointer, octave.name (), octave.src_file_name (), octave.doc_string ())
    { }
  };

  // Puts a REPLACED, made from Octave's function and ARGUMENTS, in the place of the built-in function, if this Octave has it.
  template <typename REPLACED, typename... ARGUMENTS>
  void
  replace_built_in (octave::symbol_table& symbols, const std::string& name, const ARGUMENTS&... arguments)
  {
    octave_value known = symbols.find_built_in_function (name);
    const octave_builtin *octave = known.is_defined () ? dynamic_cast<octave_builtin *> (known.function_value ()) : nullptr;
    if (! octave)
      return;
    octave_function *replacement = octave->function () ? new REPLACED (octave->function (), *octave, arguments...)
                                                       : new REPLACED (octave->method (), *octave, arguments...);
    symbols.install_built_in_function (name, octave_value (replacement));
  }
}

#endif
