// SPDX-License-Identifier: GPL-3.0-or-later

// What p_config shows and sets.  What belongs to the engine is chosen before it starts; what belongs to this package may be
// changed at any time.

#include <cmath>

#include <octave/ov-struct.h>

#include "config.h"

namespace pmatrix
{
  octave_value
  configuration ()
  {
    const Options& chosen = options ();
    octave_scalar_map result;
    result.assign ("engine", octave_value (chosen.engine));
    result.assign ("meus", octave_value (static_cast<double> (chosen.meus)));
    result.assign ("scheduler", octave_value (chosen.scheduler));
    result.assign ("overlap", octave_value (chosen.overlap));
    result.assign ("model", octave_value (chosen.model));
    result.assign ("max_operations", octave_value (static_cast<double> (chosen.max_operations)));
    result.assign ("max_depth", octave_value (static_cast<double> (chosen.max_depth)));
    result.assign ("max_bytes", octave_value (static_cast<double> (chosen.max_bytes)));
    result.assign ("small", octave_value (chosen.small));
    result.assign ("synchronous", octave_value (chosen.synchronous));
    result.assign ("progress", octave_value (chosen.progress));
    result.assign ("warnings", octave_value (fallback_warning ()));
    result.assign ("running", octave_value (session_exists ()));
    return result;
  }

  static uint64_t
  count (const std::string& name, const octave_value& v, double largest)
  {
    double x = v.xdouble_value ("p_config: %s must be a number", name.c_str ());
    if (! (x >= 1 && x <= largest && x == std::floor (x)))
      error_with_id ("pmatrix:argument", "p_config: %s must be a whole number from 1 to %g", name.c_str (), largest);
    return static_cast<uint64_t> (x);
  }

  static bool
  on_or_off (const std::string& name, const octave_value& v)
  {
    if (v.is_string ())
      {
        std::string text = v.string_value ();
        if (text == "on" || text == "off")
          return text == "on";
      }
    else if ((v.islogical () || v.isnumeric ()) && v.numel () == 1)
      {
        double x = v.double_value ();
        if (x == 0 || x == 1)
          return x == 1;
      }
    error_with_id ("pmatrix:argument", "p_config: %s must be true or false, or \"on\" or \"off\"", name.c_str ());
  }

  static std::string
  text (const std::string& name, const octave_value& v)
  {
    return v.xstring_value ("p_config: %s must be a string", name.c_str ());
  }

  // Gives false for a name that the engine does not know.
  static bool
  set_engine_option (Options& chosen, const std::string& name, const octave_value& v)
  {
    const double largest_count = 4503599627370496.0;
    if (name == "engine")
      chosen.engine = text (name, v);
    else if (name == "scheduler")
      chosen.scheduler = text (name, v);
    else if (name == "model")
      chosen.model = text (name, v);
    else if (name == "meus")
      chosen.meus = static_cast<uint32_t> (count (name, v, 4096));
    else if (name == "overlap")
      chosen.overlap = on_or_off (name, v);
    else if (name == "max_operations")
      chosen.max_operations = count (name, v, largest_count);
    else if (name == "max_depth")
      chosen.max_depth = count (name, v, largest_count);
    else if (name == "max_bytes")
      chosen.max_bytes = count (name, v, largest_count);
    else
      return false;
    return true;
  }

  void
  configure (const std::string& name, const octave_value& v)
  {
    Options chosen = options ();
    if (name == "small")
      chosen.small = on_or_off (name, v);
    else if (name == "synchronous")
      chosen.synchronous = on_or_off (name, v);
    else if (name == "progress")
      chosen.progress = on_or_off (name, v);
    else if (name == "warnings")
      switch_fallback_warning (on_or_off (name, v));
    else
      {
        if (! set_engine_option (chosen, name, v))
          error_with_id ("pmatrix:argument", "p_config: there is no option named '%s'", name.c_str ());
        if (session_exists ())
          error_with_id ("pmatrix:running",
                         "p_config: %s cannot be changed after the first operation; set it at the start of the program",
                         name.c_str ());
        check_options (chosen);
      }
    choose (chosen);
  }
}
