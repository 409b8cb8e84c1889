// SPDX-License-Identifier: GPL-3.0-or-later

#include "hooks/brackets.h"
#include "hooks/dispatch.h"
#include "type/octave_p_matrix.h"
#include "type/reused.h"

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_p_matrix_type, "p_matrix", "p_matrix");

octave_base_value *
octave_p_matrix_type::clone () const
{
  return new octave_p_matrix ();
}

octave_base_value *
octave_p_matrix_type::empty_clone () const
{
  return new octave_p_matrix ();
}

octave_base_value *
octave_p_matrix::empty_clone () const
{
  octave_value nothing;
  switch (m_value->value_class ())
    {
    case PM_SINGLE:
      nothing = FloatNDArray ();
      break;
    case PM_LOGICAL:
      nothing = boolNDArray ();
      break;
    default:
      nothing = NDArray ();
      break;
    }
  return new octave_p_matrix (std::make_shared<pmatrix::Value> (nothing));
}

octave_p_matrix::octave_p_matrix ()
  : m_value (std::make_shared<pmatrix::Value> (octave_value (NDArray (dim_vector (0, 0)))))
{ }

void *
octave_p_matrix::operator new (std::size_t bytes)
{
  // A derived type may be larger.
  return bytes == sizeof (octave_p_matrix) ? pmatrix::Reused<octave_p_matrix> ().allocate (1) : ::operator new (bytes);
}

void
octave_p_matrix::operator delete (void *memory, std::size_t bytes) noexcept
{
  if (bytes == sizeof (octave_p_matrix))
    pmatrix::Reused<octave_p_matrix> ().deallocate (static_cast<octave_p_matrix *> (memory), 1);
  else
    ::operator delete (memory);
}

builtin_type_t
octave_p_matrix::builtin_type () const
{
  return pmatrix::looks_for_method (__builtin_return_address (0)) ? btyp_unknown : full ().builtin_type ();
}

// Lists of variables ask for the name too, and must compute nothing.
std::string
octave_p_matrix::type_name () const
{
  return pmatrix::asks_in_passing (__builtin_return_address (0)) ? octave_p_matrix_type::type_name () : saved ().type_name ();
}

bool
octave_p_matrix::isobject () const
{
  if (! pmatrix::puts_into_brackets (__builtin_return_address (0)))
    return false;
  pmatrix::expect_brackets ();
  return true;
}

bool
octave_p_matrix::isreal () const
{
  return (m_value->may_be_complex () && pmatrix::asks_in_passing (__builtin_return_address (0))) || m_value->is_real ();
}

bool
octave_p_matrix::iscomplex () const
{
  return ! (m_value->may_be_complex () && pmatrix::asks_in_passing (__builtin_return_address (0))) && ! m_value->is_real ();
}

std::size_t
octave_p_matrix::byte_size () const
{
  if (m_value->is_held ())
    return full ().byte_size ();
  return numel () * pmatrix::element_bytes (m_value->value_class ());
}

namespace pmatrix
{
  octave_value
  pending (pm_value *node, bool may_be_complex)
  {
    return pending (std::make_shared<Value> (node, may_be_complex));
  }

  octave_value
  pending (ValuePtr value)
  {
    if (options ().synchronous)
      value->compute ();
    return octave_value (new octave_p_matrix (std::move (value)));
  }

  bool
  is_wrapped (const octave_value& v)
  {
    // Diagonal and permutation matrices mean more than the full matrix: Octave multiplies nothing by the
    // zeros beside the diagonal.
    return is_plain (v)
           || (! octave_p_matrix::is_p_matrix (v.get_rep ()) && is_wrappable (v) && ! v.is_diag_matrix () && ! v.is_perm_matrix ());
  }

  octave_value
  wrap (const octave_value& v)
  {
    return is_wrapped (v) ? octave_value (new octave_p_matrix (std::make_shared<Value> (v))) : v;
  }

  octave_value
  unwrap (const octave_value& v)
  {
    const octave_base_value& rep = v.get_rep ();
    return octave_p_matrix::is_p_matrix (rep) ? octave_p_matrix::from (rep).full () : v;
  }

  octave_value_list
  unwrap (const octave_value_list& args)
  {
    octave_value_list result = args;
    for (octave_idx_type i = 0; i < args.length (); ++i)
      result(i) = unwrap (args(i));
    return result;
  }
}
