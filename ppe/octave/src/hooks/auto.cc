// SPDX-License-Identifier: GPL-3.0-or-later

#include <list>
#include <map>

#include "hooks/auto.h"
#include "hooks/replace.h"

namespace pmatrix
{
  // 0 while p_auto is off.
  static octave_idx_type least_elements = 0;

  void
  wrap_from (octave_idx_type elements)
  {
    least_elements = elements;
  }

  bool
  wraps_automatically ()
  {
    return least_elements > 0;
  }

  static bool
  names_a_class (const octave_value_list& args)
  {
    for (octave_idx_type i = 0; i < args.length (); ++i)
      if (args(i).is_string ())
        return true;
    return false;
  }

  static bool
  is_large (const octave_value& v)
  {
    return v.is_defined () && v.numel () >= least_elements && has_engine_form (v);
  }

  octave_value_list
  wrap_automatically (const octave_value_list& args, octave_value_list results)
  {
    // Octave's own functions get Octave's own matrices.
    if (wraps_automatically () && results.length () > 0 && is_large (results(0)) && ! names_a_class (args) && ! called_by_octave ())
      results(0) = wrap (results(0).full_value ());
    return results;
  }

  namespace
  {
    class AutomaticLinspace : public Replacement
    {
    public:

      using Replacement::Replacement;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        return wrap_automatically (args, octave_builtin::execute (evaluator, nargout, args));
      }
    };

    // load (FILE) sets variables of its caller; s = load (FILE) gives their values in a struct, or a matrix.
    class AutomaticLoad : public Replacement
    {
    public:

      using Replacement::Replacement;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        if (! wraps_automatically () || called_by_octave ())
          return octave_builtin::execute (evaluator, nargout, args);
        if (nargout > 0)
          return wrapped_result (octave_builtin::execute (evaluator, nargout, args));

        // A variable that has another value afterwards has been loaded.
        std::map<std::string, octave_value> before = variables ();
        octave_value_list results = octave_builtin::execute (evaluator, nargout, args);
        for (const auto& variable : variables ())
          {
            auto old = before.find (variable.first);
            bool loaded = old == before.end () || &old->second.get_rep () != &variable.second.get_rep ();
            if (loaded && is_large (variable.second))
              interpreter ().assign (variable.first, wrap (variable.second));
          }
        return results;
      }

    private:

      static std::map<std::string, octave_value>
      variables ()
      {
        std::map<std::string, octave_value> values;
        for (const std::string& name : interpreter ().variable_names ())
          values[name] = interpreter ().varval (name);
        return values;
      }

      static octave_value_list
      wrapped_result (octave_value_list results)
      {
        if (results.length () == 0)
          return results;
        if (is_large (results(0)))
          results(0) = wrap (results(0).full_value ());
        else if (results(0).isstruct () && results(0).numel () == 1)
          {
            octave_scalar_map values = results(0).scalar_map_value ();
            string_vector names = values.fieldnames ();
            for (octave_idx_type i = 0; i < names.numel (); ++i)
              if (is_large (values.contents (names(i))))
                values.setfield (names(i), wrap (values.contents (names(i))));
            results(0) = octave_value (values);
          }
        return results;
      }
    };
  }

  void
  teach_automatic_wrapping (octave::interpreter& interp)
  {
    octave::symbol_table& symbols = interp.get_symbol_table ();
    replace_built_in<AutomaticLinspace> (symbols, "linspace");
    replace_built_in<AutomaticLoad> (symbols, "load");
  }
}
