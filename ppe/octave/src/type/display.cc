// SPDX-License-Identifier: GPL-3.0-or-later

// Display: a p_matrix looks exactly as the matrix that it stands for.  All forms of display force, except the
// short forms that lists of variables and debuggers ask for; these say that a value is pending.

#include <octave/pr-flt-fmt.h>

#include "type/octave_p_matrix.h"

bool
octave_p_matrix::print_as_scalar () const
{
  return full ().print_as_scalar ();
}

void
octave_p_matrix::print (std::ostream& os, bool pr_as_read_syntax)
{
  octave_value v = full ();
  v.print (os, pr_as_read_syntax);
}

void
octave_p_matrix::print_raw (std::ostream& os, bool pr_as_read_syntax) const
{
  full ().print_raw (os, pr_as_read_syntax);
}

bool
octave_p_matrix::print_name_tag (std::ostream& os, const std::string& name) const
{
  return full ().print_name_tag (os, name);
}

void
octave_p_matrix::print_with_name (std::ostream& os, const std::string& name, bool)
{
  full ().print_with_name (os, name);
}

float_display_format
octave_p_matrix::get_edit_display_format () const
{
  return full ().get_edit_display_format ();
}

std::string
octave_p_matrix::edit_display (const float_display_format& format, octave_idx_type i, octave_idx_type j) const
{
  return full ().edit_display (format, i, j);
}

void
octave_p_matrix::short_disp (std::ostream& os) const
{
  os << dims ().str () << (m_value->has_result () ? " p_matrix" : " p_matrix, pending");
}

void
octave_p_matrix::print_info (std::ostream& os, const std::string& prefix) const
{
  os << prefix << "p_matrix " << dims ().str () << (m_value->has_result () ? "" : ", pending") << "\n";
}
