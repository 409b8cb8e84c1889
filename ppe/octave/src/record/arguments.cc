// SPDX-License-Identifier: GPL-3.0-or-later

#include "record/arguments.h"

#include <cmath>

#include "record/structure.h"

namespace pmatrix
{
  bool
  whole (const octave_value& given, octave_idx_type& result)
  {
    octave_value v = unwrap (given);
    if (! v.isnumeric () || ! v.isreal () || v.numel () != 1)
      return false;
    double x = v.double_value ();
    if (! (std::abs (x) <= far) || x != std::floor (x))
      return false;
    result = static_cast<octave_idx_type> (x);
    return true;
  }

  const ValuePtr *
  first_value (const octave_value_list& args)
  {
    const octave_value first = args.length () > 0 ? args(0) : octave_value ();
    if (! octave_p_matrix::is_p_matrix (first.get_rep ()))
      return nullptr;
    const ValuePtr& a = octave_p_matrix::from (first.get_rep ()).value ();
    return ! a->is_held () && a->numel () > 0 ? &a : nullptr;
  }

  ValuePtr
  value_of (const octave_value& v)
  {
    return octave_p_matrix::is_p_matrix (v.get_rep ()) ? octave_p_matrix::from (v.get_rep ()).value () : ValuePtr ();
  }
}
