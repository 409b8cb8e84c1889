// SPDX-License-Identifier: GPL-3.0-or-later

// The one function of this library that Octave can call.  Its first argument says what to do; the functions
// that users call (p_matrix, has_result, p_config, p_profile and the methods of p_matrix) are .m files that
// call it.
//
// PKG_ADD: __pm__ ("init");
// PKG_DEL: __pm__ ("unload");

#include <octave/defun-dld.h>
#include <octave/ov-struct.h>

#include "hooks/auto.h"
#include "hooks/brackets.h"
#include "hooks/class_names.h"
#include "type/conversion.h"
#include "session/config.h"
#include "hooks/dispatch.h"
#include "hooks/graphics.h"
#include "hooks/methods.h"
#include "session/profile.h"
#include "hooks/replace.h"

namespace pmatrix
{
  static octave_value
  has_result (const octave_value& v)
  {
    return ! octave_p_matrix::is_p_matrix (v.get_rep ()) || octave_p_matrix::from (v.get_rep ()).value ()->has_result ();
  }

  static octave_value
  information (const octave_value& v)
  {
    if (! octave_p_matrix::is_p_matrix (v.get_rep ()))
      error_with_id ("Octave:invalid-input-type", "p_info: X must be a p_matrix, not a %s", v.type_name ().c_str ());

    const ValuePtr& value = octave_p_matrix::from (v.get_rep ()).value ();
    static const char *class_names[] = { "single", "double", "logical" };
    Value::Below below = value->below ();
    dim_vector dims = value->dims ();
    Matrix size (1, dims.ndims ());
    for (int i = 0; i < dims.ndims (); ++i)
      size(i) = dims(i);

    octave_scalar_map result;
    result.assign ("class", octave_value (class_names[value->value_class ()]));
    result.assign ("size", octave_value (size));
    result.assign ("has_result", octave_value (value->has_result ()));
    result.assign ("operations", octave_value (static_cast<double> (below.operations)));
    result.assign ("bytes", octave_value (static_cast<double> (below.bytes)));
    result.assign ("file", octave_value (below.file));
    result.assign ("line", octave_value (static_cast<double> (below.line)));
    return result;
  }

  // Waits for the p_matrix values among the arguments after the first.
  static void
  wait (const octave_value_list& args)
  {
    for (octave_idx_type i = 1; i < args.length (); ++i)
      if (octave_p_matrix::is_p_matrix (args(i).get_rep ()))
        octave_p_matrix::from (args(i).get_rep ()).value ()->compute ();
  }

  // Whether the functions of this library stand in front of Octave's.
  static bool in_front = false;

  // Defines the type, once.  The type stays when the package is unloaded, because there may be values of it.
  static void
  define_type (octave::interpreter& interp)
  {
    static bool defined = false;
    if (defined)
      return;

    // Installing the type or its operators twice would abort Octave.
    octave::type_info& ti = interp.get_type_info ();
    string_vector names = ti.installed_type_names ();
    for (octave_idx_type i = 0; i < names.numel (); ++i)
      if (names(i) == "p_matrix")
        error_with_id ("pmatrix:loaded", "pmatrix: this Octave has loaded another build of the package already; start Octave anew");
    defined = true;

    start (interp);
    octave_p_matrix::register_type (ti);
    install_operators (ti);
    define_failed_brackets (ti);
    learn_who_dispatches ();
    install_methods (interp);
    install_conversion ();
    teach_class_name (interp);
    teach_automatic_wrapping (interp);
    give_graphics_full_values (interp);
    switch_fallback_warning (warnings_in_environment ());
    interp.mlock ();
  }

  static void
  load (octave::interpreter& interp)
  {
    // Every call asks, and the package has nearly always been loaded.
    if (in_front)
      return;
    define_type (interp);
    put_in_front (interp.get_symbol_table ());
    learn_who_has_brackets ();
    learn_rows ();
    in_front = true;
    learn_who_asks_in_passing ();
  }

  static void
  unload (octave::interpreter& interp)
  {
    if (! in_front)
      return;
    wrap_from (0);
    take_away (interp.get_symbol_table ());
    in_front = false;
  }
}

DEFMETHOD_DLD (__pm__, interp, args, ,
               "-*- texinfo -*-\n"
               "@deftypefn {} {@dots{} =} __pm__ (@var{what}, @dots{})\n"
               "Undocumented internal function of the pmatrix package.\n"
               "@end deftypefn")
{
  octave_idx_type given = args.length ();
  if (given == 0)
    print_usage ();

  std::string what = args(0).xstring_value ("__pm__: WHAT must be a string");
  if (what == "unload" && given == 1)
    {
      pmatrix::unload (interp);
      return ovl ();
    }
  pmatrix::load (interp);

  if (what == "init" && given == 1)
    return ovl ();
  if (what == "convert" && given == 2)
    return ovl (pmatrix::convert (args(1)));
  if (what == "functions" && given == 2)
    return ovl (pmatrix::elementwise_functions (args(1).int_value ()));
  if (what == "has_result" && given == 2)
    return ovl (pmatrix::has_result (args(1)));
  if (what == "variables" && given == 1)
    {
      pmatrix::list_variables ();
      return ovl ();
    }
  if (what == "auto" && given == 1)
    return ovl (pmatrix::wraps_automatically ());
  if (what == "auto" && given == 2)
    {
      pmatrix::wrap_from (args(1).idx_type_value ());
      return ovl ();
    }
  if (what == "information" && given == 2)
    return ovl (pmatrix::information (args(1)));
  if (what == "wait")
    {
      pmatrix::wait (args);
      return ovl ();
    }
  if (what == "profile" && given == 1)
    return ovl (pmatrix::profile ());
  if (what == "reset profile" && given == 1)
    {
      pmatrix::reset_profile ();
      return ovl ();
    }
  if (what == "profile" && given == 2)
    {
      pmatrix::switch_profile (args(1).bool_value ());
      return ovl ();
    }
  if (what == "save timeline" && given == 2)
    {
      pmatrix::save_timeline (args(1).string_value ());
      return ovl ();
    }
  if (what == "config" && given == 1)
    return ovl (pmatrix::configuration ());
  if (what == "configure")
    {
      pmatrix::configure (args.slice (1, given - 1));
      return ovl ();
    }

  error_with_id ("pmatrix:argument", "__pm__: no such action: %s", what.c_str ());
}
