// SPDX-License-Identifier: GPL-3.0-or-later

// Operators and functions that have no lazy form: Octave computes them on full matrices.  Each is counted, and each can be
// reported, to show what keeps a script from running on the engine.

#include <octave/error.h>
#include <octave/symtab.h>

#include "octave_p_matrix.h"
#include "profile.h"

namespace pmatrix
{
  static const char *warning_id = "pmatrix:fallback";

  uint64_t&
  fallbacks ()
  {
    static uint64_t count = 0;
    return count;
  }

  bool
  fallback_warning ()
  {
    return shims::warning_enabled (warning_id);
  }

  void
  switch_fallback_warning (bool on)
  {
    octave::feval ("warning", ovl (on ? "on" : "off", warning_id), 0);
  }

  void
  note_fallback (const std::string& what)
  {
    count_fallback (what);
    if (! fallback_warning ())
      return;

    Position at = user_position ();
    if (at.file)
      warning_with_id (warning_id, "p_matrix: %s is computed by Octave, at line %u of %s", what.c_str (), at.line, at.file);
    else if (at.line > 0)
      warning_with_id (warning_id, "p_matrix: %s is computed by Octave, at line %u", what.c_str (), at.line);
    else
      warning_with_id (warning_id, "p_matrix: %s is computed by Octave", what.c_str ());
  }

  octave_value
  compute_unary (octave_value::unary_op op, const octave_value& v)
  {
    note_fallback ("operator " + octave_value::unary_op_as_string (op));
    return wrap (shims::unary (op, unwrap (v)));
  }

  octave_value
  compute_binary (octave_value::binary_op op, const octave_value& a, const octave_value& b)
  {
    note_fallback ("operator " + octave_value::binary_op_as_string (op));
    return wrap (shims::binary (op, unwrap (a), unwrap (b)));
  }

  octave_value
  call_built_in (const std::string& name, const octave_value_list& args)
  {
    octave_value function = interpreter ().get_symbol_table ().builtin_find (name);
    return octave::feval (function.function_value (), args, 1)(0);
  }

  octave_value_list
  wrap_matrices (octave_value_list results)
  {
    for (octave_idx_type i = 0; i < results.length (); ++i)
      if (results(i).is_defined () && results(i).numel () != 1)
        results(i) = wrap (results(i));
    return results;
  }
}
