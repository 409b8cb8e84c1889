// SPDX-License-Identifier: GPL-3.0-or-later

#include "type/conversion.h"
#include "hooks/replace.h"
#include "type/octave_p_matrix.h"

namespace pmatrix
{
  octave_value
  convert (const octave_value& v)
  {
    if (octave_p_matrix::is_p_matrix (v.get_rep ()))
      return v;
    if (! is_wrappable (v))
      error_with_id ("Octave:invalid-input-type",
                     "p_matrix: X must be a full array of class double, single or logical, not a %s", v.type_name ().c_str ());
    return octave_value (new octave_p_matrix (std::make_shared<Value> (v)));
  }

  namespace
  {
    class Conversion : public FileMethod
    {
    public:

      Conversion () : FileMethod ("p_matrix") { }

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        // A program may have a function of this name, so that it runs without wrapped matrices.
        octave::symbol_table& symbols = interpreter ().get_symbol_table ();
        octave_value function = symbols.find_cmdline_function (name ());
        if (function.is_undefined ())
          {
            if (args.length () == 1 && is_wrappable (args(0)))
              return octave_value_list (convert (args(0)));
            function = symbols.find_user_function (name ());
          }
        if (function.is_undefined ())
          error_with_id ("Octave:undefined-function", "'%s' undefined", name ().c_str ());
        return function.function_value ()->call (evaluator, nargout, args);
      }
    };
  }

  void
  install_conversion ()
  {
    add_method (new Conversion (), { "double", "single", "logical" });
  }
}
