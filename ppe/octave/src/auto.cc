// SPDX-License-Identifier: GPL-3.0-or-later

// What p_auto does to the results of the functions that stand in front of Octave's own.

#include <octave/defaults.h>

#include "auto.h"

namespace pmatrix
{
  static octave_idx_type least_elements = 1000;

  void
  set_auto_limit (octave_idx_type elements)
  {
    least_elements = elements;
  }

  // Octave's own functions get Octave's own matrices.
  static bool
  called_by_octave ()
  {
    Position at = user_position ();
    static const std::string *own = new std::string (octave::config::fcn_file_dir ());
    return at.file && std::string (at.file).compare (0, own->length (), *own) == 0;
  }

  static bool
  names_a_class (const Cell& args)
  {
    for (octave_idx_type i = 0; i < args.numel (); ++i)
      if (args(i).is_string ())
        return true;
    return false;
  }

  octave_value
  wrap_automatically (const Cell& args, const Cell& results)
  {
    Cell wrapped = results;
    if (wrapped.numel () == 0 || names_a_class (args))
      return wrapped;
    octave_value& result = wrapped(0);
    if (result.is_defined () && result.numel () >= least_elements && is_wrappable (result) && ! called_by_octave ())
      result = wrap (result);
    return wrapped;
  }
}
