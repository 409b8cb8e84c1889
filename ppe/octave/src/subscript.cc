// SPDX-License-Identifier: GPL-3.0-or-later

// Subscripts.  Reading one forces the value and gives Octave's own answer.  Writing one is copy-on-write: a value that
// another variable shares, or that a pending operation still reads, is copied; a value of our own is changed in place.

#include "octave_p_matrix.h"

using pmatrix::unwrap;
using pmatrix::wrap;

// The full matrix of a p_matrix is a plain value, so one form of subsref serves the three that Octave calls.
octave_value
octave_p_matrix::subsref (const std::string& type, const std::list<octave_value_list>& idx)
{
  octave_value v = full ();
  return v.subsref (type, idx);
}

octave_value_list
octave_p_matrix::subsref (const std::string& type, const std::list<octave_value_list>& idx, int)
{
  return subsref (type, idx);
}

octave_value
octave_p_matrix::subsref (const std::string& type, const std::list<octave_value_list>& idx, bool)
{
  return subsref (type, idx);
}

octave_value
octave_p_matrix::do_index_op (const octave_value_list& idx, bool resize_ok)
{
  return shims::index (full (), idx, resize_ok);
}

octave_value
octave_p_matrix::fast_elem_extract (octave_idx_type n) const
{
  const octave_value& v = full ();
  // A scalar has no fast path of its own in Octave, and callers take an undefined value for "out of range".
  if (v.numel () == 1)
    return n == 0 ? v : octave_value ();
  return v.fast_elem_extract (n);
}

shims::index_vector_type
octave_p_matrix::index_vector (bool require_integers) const
{
  return full ().index_vector (require_integers);
}

octave_value
octave_p_matrix::subsasgn (const std::string& type, const std::list<octave_value_list>& idx, const octave_value& rhs)
{
  octave_value source = unwrap (rhs);

  if (m_value.use_count () > 1)
    {
      octave_value copy = full ();
      copy.assign (octave_value::op_asn_eq, type, idx, source);
      return wrap (copy);
    }

  octave_value own = m_value->take_full ();
  try
    {
      own.assign (octave_value::op_asn_eq, type, idx, source);
    }
  catch (...)
    {
      // A subscript that is out of bounds must not cost the variable its value.
      m_value->put_full (own);
      throw;
    }

  octave_value result = wrap (own);
  m_value->put_full (own);
  return result;
}
