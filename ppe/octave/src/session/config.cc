// SPDX-License-Identifier: GPL-3.0-or-later

// Names and values of options are checked by the library's table of options, which the command line and the
// environment use as well.

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <octave/ov-struct.h>

#include "session/config.h"

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
    result.assign ("immediate", octave_value (chosen.immediate));
    result.assign ("common", octave_value (chosen.common));
    result.assign ("model", octave_value (chosen.model));
    result.assign ("profile", octave_value (chosen.profile));
    result.assign ("max_operations", octave_value (static_cast<double> (chosen.max_operations)));
    result.assign ("max_depth", octave_value (static_cast<double> (chosen.max_depth)));
    result.assign ("max_bytes", octave_value (static_cast<double> (chosen.max_bytes)));
    result.assign ("ranks", octave_value (static_cast<double> (chosen.ranks)));
    result.assign ("shard", octave_value (static_cast<double> (chosen.shard)));
    result.assign ("ranks_work_ms", octave_value (chosen.ranks_work_ms));
    result.assign ("ranks_memory", octave_value (static_cast<double> (chosen.ranks_memory)));
    result.assign ("hostfile", octave_value (chosen.hostfile));
    result.assign ("small", octave_value (chosen.small));
    result.assign ("synchronous", octave_value (chosen.synchronous));
    result.assign ("progress", octave_value (chosen.progress));
    result.assign ("warnings", octave_value (fallback_warning ()));
    result.assign ("running", octave_value (session_exists ()));
    return result;
  }

  // The text of a value, which the library's table of options reads.  A value that is no text, number or
  // switch becomes its size and class, which the table refuses and its message repeats.
  static std::string
  text (const octave_value& v)
  {
    if (v.is_string () && v.rows () <= 1)
      return v.string_value ();
    if ((v.islogical () || (v.isnumeric () && v.isreal ())) && v.numel () == 1)
      {
        double x = v.double_value ();
        char digits[64];
        std::snprintf (digits, sizeof digits, x == std::floor (x) && std::abs (x) < 1e16 ? "%.0f" : "%g", x);
        return digits;
      }
    return v.dims ().str () + " " + v.class_name ();
  }

  // The text of a value that the table of options allows.
  static std::string
  checked (const std::string& name, const octave_value& v)
  {
    std::string value = text (v);
    check (pm_option_check (name.c_str (), value.c_str ()), "p_config");
    return value;
  }

  static uint64_t
  count (const std::string& name, const octave_value& v)
  {
    return std::strtoull (checked (name, v).c_str (), nullptr, 10);
  }

  static bool
  on_or_off (const std::string& name, const octave_value& v)
  {
    std::string value = checked (name, v);
    return value == "on" || value == "true" || value == "1";
  }

  // Gives false for a name that is no option of the engine.
  static bool
  set_engine_option (Options& chosen, const std::string& name, const octave_value& v)
  {
    if (name == "engine")
      chosen.engine = checked (name, v);
    else if (name == "scheduler")
      chosen.scheduler = checked (name, v);
    else if (name == "model")
      chosen.model = checked (name, v);
    else if (name == "profile")
      chosen.profile = checked (name, v);
    else if (name == "meus")
      chosen.meus = static_cast<uint32_t> (count (name, v));
    else if (name == "overlap")
      chosen.overlap = on_or_off (name, v);
    else if (name == "immediate")
      chosen.immediate = on_or_off (name, v);
    else if (name == "common")
      chosen.common = on_or_off (name, v);
    else if (name == "max_operations")
      chosen.max_operations = count (name, v);
    else if (name == "max_depth")
      chosen.max_depth = count (name, v);
    else if (name == "max_bytes")
      chosen.max_bytes = count (name, v);
    else if (name == "ranks")
      chosen.ranks = static_cast<uint32_t> (count (name, v));
    else if (name == "shard")
      chosen.shard = static_cast<uint32_t> (count (name, v));
    else if (name == "ranks_work_ms")
      chosen.ranks_work_ms = std::strtod (checked (name, v).c_str (), nullptr);
    else if (name == "ranks_memory")
      chosen.ranks_memory = count (name, v);
    else if (name == "hostfile")
      chosen.hostfile = checked (name, v);
    else
      return false;
    return true;
  }

  void
  configure (const octave_value_list& names_and_values)
  {
    Options chosen = options ();
    bool warnings = fallback_warning ();
    for (octave_idx_type i = 0; i + 1 < names_and_values.length (); i += 2)
      {
        std::string name = names_and_values(i).xstring_value ("p_config: NAME must be a string");
        const octave_value& v = names_and_values(i+1);
        if (name == "small")
          chosen.small = on_or_off (name, v);
        else if (name == "synchronous")
          chosen.synchronous = on_or_off (name, v);
        else if (name == "progress")
          chosen.progress = on_or_off (name, v);
        else if (name == "warnings")
          warnings = on_or_off (name, v);
        else if (! set_engine_option (chosen, name, v))
          error_with_id ("pmatrix:argument", "p_config: there is no option named '%s'", name.c_str ());
      }
    check_options (chosen);
    choose (chosen);
    switch_fallback_warning (warnings);
  }
}
