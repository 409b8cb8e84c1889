// SPDX-License-Identifier: GPL-3.0-or-later

#include "record/fallback.h"

#include <memory>
#include <set>
#include <vector>

#include <octave/error.h>
#include <octave/symtab.h>

#include "type/octave_p_matrix.h"
#include "session/profile.h"

namespace pmatrix
{
  static const char *warning_id = "pmatrix:fallback";

  uint64_t&
  fallbacks ()
  {
    static uint64_t count = 0;
    return count;
  }

  // Octave compares an identifier with each identifier that has an option, which takes ten microseconds.
  // Therefore the answer is kept until the options change: then Octave makes new cells, since these hold on
  // to the cells of the answer.
  bool
  fallback_warning ()
  {
    static Cell *known_identifiers = new Cell (), *known_states = new Cell ();
    static bool enabled = false;

    const octave_map all = interpreter ().get_error_system ().warning_options ();
    bool known = true;
    for (auto field = all.begin (); field != all.end (); ++field)
      {
        const octave_value *cells = all.contents (field).data ();
        known = known && (cells == known_identifiers->data () || cells == known_states->data ());
      }
    if (! known)
      {
        enabled = shims::warning_enabled (warning_id);
        *known_identifiers = all.contents ("identifier");
        *known_states = all.contents ("state");
      }
    return enabled;
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

    ScriptLine at = script_line ();
    if (! at.file.empty ())
      warning_with_id (warning_id, "p_matrix: %s is computed by Octave, at line %u of %s", what.c_str (), at.line,
                       std::string (at.file).c_str ());
    else if (at.line > 0)
      warning_with_id (warning_id, "p_matrix: %s is computed by Octave, at line %u", what.c_str (), at.line);
    else
      warning_with_id (warning_id, "p_matrix: %s is computed by Octave", what.c_str ());
  }

  // Functions that read a matrix, to convert it, to print it, to save it, and functions that evaluate the
  // text of a program.
  static bool
  only_reads (const std::string& function)
  {
    static const std::set<std::string> *names = new std::set<std::string> {
      "double", "single", "logical", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "char", "full",
      "disp", "display", "fdisp", "printf", "fprintf", "sprintf", "puts", "fputs", "fwrite", "error", "warning", "save",
      "eval", "evalc", "evalin", "source", "__pm__" };
    return names->count (function) > 0;
  }

  void
  note_full_value ()
  {
    octave::tree_evaluator& evaluator = interpreter ().get_evaluator ();
    octave_function *running = evaluator.current_function ();
    if (! running || running->is_user_code ())
      return;

    // Calls that have been looked at and have not ended, the innermost last.  Octave has a stack frame for
    // each call.
    static auto *calls = new std::vector<std::weak_ptr<octave::stack_frame>> ();
    std::shared_ptr<octave::stack_frame> call = evaluator.get_current_stack_frame ();
    while (! calls->empty () && calls->back ().expired ())
      calls->pop_back ();
    if (! calls->empty () && calls->back ().lock () == call)
      return;
    calls->push_back (call);
    if (! only_reads (running->name ()))
      note_fallback (running->name ());
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
