// SPDX-License-Identifier: GPL-3.0-or-later

// Subscripts.  Reading an element forces the value; a part of a matrix is a p_matrix.  Writing an element or
// a part changes the array in place, unless another variable shares the value or a pending operation still
// reads it: then the array is copied first.

#include "type/octave_p_matrix.h"
#include "type/slice.h"

using pmatrix::unwrap;
using pmatrix::wrap;

// The full matrix of a p_matrix is a plain value, so one form of subsref serves the three that Octave calls.
octave_value
octave_p_matrix::subsref (const std::string& type, const std::list<octave_value_list>& idx)
{
  if (type.empty () || type[0] != '(')
    {
      octave_value v = full ();
      return v.subsref (type, idx);
    }
  octave_value part = select (idx.front ());
  return type.length () == 1 ? part : part.next_subsref (type, idx);
}

static bool
is_number (const octave_value& v)
{
  // Octave makes a vector of its dimensions to count the elements of a scalar.
  return v.is_scalar_type () || (v.numel () == 1 && ! v.is_magic_colon () && ! v.is_string ());
}

// Whether a part can be recorded: parts by masks and by lists of subscripts have no lazy form.
static bool
has_lazy_form (const octave_value& v)
{
  return v.is_magic_colon () || v.is_range () || v.numel () <= 1 || v.is_string ();
}

static bool
every (const octave_value_list& idx, bool (*is_so) (const octave_value&))
{
  for (octave_idx_type i = 0; i < idx.length (); ++i)
    if (! is_so (idx(i)))
      return false;
  return true;
}

// An element is read at once, which computes the value; a part is a p_matrix.
octave_value
octave_p_matrix::select (const octave_value_list& idx)
{
  bool one = every (idx, is_number);
  if (! one && ! every (idx, has_lazy_form))
    pmatrix::note_fallback ("indexing");

  octave_value part;
  try
    {
      pmatrix::Slice slice;
      if (! m_value->is_held () && pmatrix::find_slice (m_value->rows (), m_value->columns (), idx, slice))
        part = one ? m_value->read_slice (slice) : pmatrix::take_slice (m_value, slice);
    }
  catch (const octave::index_exception&)
    {
      // Not a subscript: said below, as Octave says it where its own matrix stands.
    }
  if (part.is_undefined ())
    part = shims::index (full (), idx, false);
  return one || part.numel () == 1 ? unwrap (part) : wrap (part);
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
  if (! resize_ok)
    return select (idx);
  return shims::index (full (), idx, resize_ok);
}

octave_value
octave_p_matrix::fast_elem_extract (octave_idx_type n) const
{
  const octave_value& v = taken ();
  // A scalar has no fast path of its own in Octave, and callers take an undefined value for "out of range".
  if (v.numel () == 1)
    return n == 0 ? v : octave_value ();
  return v.fast_elem_extract (n);
}

shims::index_vector_type
octave_p_matrix::index_vector (bool require_integers) const
{
  return taken ().index_vector (require_integers);
}

octave_value
octave_p_matrix::subsasgn (const std::string& type, const std::list<octave_value_list>& idx, const octave_value& rhs)
{
  if (! m_value->has_result () || ! every (idx.front (), has_lazy_form))
    pmatrix::note_fallback ("indexed assignment");

  bool shared = m_value.use_count () > 1;
  if (! shared && type == "("
      && (pmatrix::assign_slice (*m_value, idx.front (), rhs) || pmatrix::assign_masked (*m_value, idx.front (), rhs)))
    return octave_value (this, true);

  octave_value source = unwrap (rhs);
  if (shared)
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
      // The variable keeps its value when a subscript is out of bounds.
      m_value->put_full (own);
      throw;
    }
  if (! pmatrix::is_wrapped (own))
    return own;
  m_value->put_full (own);
  return octave_value (this, true);
}
