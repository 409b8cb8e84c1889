// SPDX-License-Identifier: GPL-3.0-or-later

#include "hooks/replace.h"

#include <vector>

namespace pmatrix
{
  static const char *class_name = "p_matrix";

  namespace
  {
    // A built-in function of Octave, and its replacement.
    struct Replaced
    {
      std::string name;
      octave_value octave, ours;
    };

    // A function that is the method of classes only.
    struct Added
    {
      std::string name;
      octave_value ours;
      std::set<std::string> classes;
    };
  }

  // The two lists are never destroyed: at exit Octave's own data may be gone before them.
  static std::vector<Replaced>&
  all_replaced ()
  {
    static std::vector<Replaced> *all = new std::vector<Replaced> ();
    return *all;
  }

  static std::vector<Added>&
  all_added ()
  {
    static std::vector<Added> *all = new std::vector<Added> ();
    return *all;
  }

  static bool
  is_method (const octave_value& function)
  {
    return function.function_value ()->handles_dispatch_class (class_name);
  }

  void
  add_replacement (const std::string& name, const octave_value& octave, octave_function *ours)
  {
    all_replaced ().push_back ({ name, octave, octave_value (ours) });
  }

  void
  add_method (FileMethod *ours, const std::set<std::string>& classes)
  {
    for (const std::string& name : classes)
      ours->push_dispatch_class (name);
    all_added ().push_back ({ ours->name (), octave_value (ours), classes });
  }

  // Lets Octave look for the method NAME of a class, and remember it.  The method is FUNCTION, which is the
  // built-in function at this moment, unless the class has a file of this name.
  static void
  remember (octave::symbol_table& symbols, const std::string& name, const octave_value& function, const std::string& of_class)
  {
    function.function_value ()->lock ();
    symbols.find_method (name, of_class);
  }

  // Lets Octave forget the method NAME.  Octave cannot forget one method alone: it forgets all functions that
  // it has found under a name, except locked functions and, since this method keeps it, a function that was
  // defined by a command.
  static void
  forget (octave::symbol_table& symbols, const std::string& name, const octave_value& function)
  {
    octave_value defined_by_command = symbols.find_cmdline_function (name);
    function.function_value ()->unlock ();
    symbols.get_fcn_info (name)->clear ();
    symbols.install_cmdline_function (name, defined_by_command);
  }

  void
  put_in_front (octave::symbol_table& symbols)
  {
    for (const Replaced& function : all_replaced ())
      {
        symbols.install_built_in_function (function.name, function.ours);
        if (is_method (function.ours))
          remember (symbols, function.name, function.ours, class_name);
      }
    for (const Added& function : all_added ())
      {
        if (symbols.is_built_in_function_name (function.name))
          continue;
        symbols.install_built_in_function (function.name, function.ours);
        for (const std::string& of_class : function.classes)
          remember (symbols, function.name, function.ours, of_class);
        symbols.install_built_in_function (function.name, octave_value ());
      }
  }

  void
  take_away (octave::symbol_table& symbols)
  {
    for (const Replaced& function : all_replaced ())
      symbols.install_built_in_function (function.name, function.octave);
    for (const Added& function : all_added ())
      if (! is_method (function.ours))
        forget (symbols, function.name, function.ours);
  }

  std::set<std::string>
  method_names ()
  {
    std::set<std::string> names;
    for (const Replaced& function : all_replaced ())
      if (is_method (function.ours))
        names.insert (function.name);
    for (const Added& function : all_added ())
      if (is_method (function.ours))
        names.insert (function.name);
    return names;
  }
}
