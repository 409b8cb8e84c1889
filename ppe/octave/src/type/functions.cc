// SPDX-License-Identifier: GPL-3.0-or-later

// Functions of a p_matrix.  Mappers that the engine has are recorded; for all other functions Octave computes
// with the full matrix.

#include <algorithm>
#include <vector>

#include "record/graph.h"
#include "record/operations.h"
#include "record/structure.h"

using pmatrix::wrap;

bool
octave_p_matrix::engine_has (unary_mapper_t function, pm_operation& operation)
{
  // Indexed by function; -1 where there is no operation.
  static const std::vector<int> known = [] ()
    {
      std::vector<int> table;
      for (int i = 0; i < octave_base_value::num_unary_mappers; ++i)
        {
          auto mapper = static_cast<octave_base_value::unary_mapper_t> (i);
          // Octave has another name for the mapper than for the function.
          std::string name = mapper == octave_base_value::umap_signum ? "sign" : octave_base_value::get_umap_name (mapper);
          pm_operation found;
          table.push_back (pmatrix::find_operation (name, 1, found) ? found : -1);
        }
      return table;
    } ();
  if (known[function] >= 0)
    operation = static_cast<pm_operation> (known[function]);
  return known[function] >= 0;
}

// The elements, or of elements that turn out to be complex their PART; logical values become doubles.
static octave_value
real_part (const pmatrix::ValuePtr& value, pmatrix::Part part)
{
  if (value->value_class () != PM_LOGICAL)
    return pmatrix::part_of (value, part);
  return pmatrix::pending (pmatrix::node_of ([&] (const char *file, uint32_t line, pm_value **node)
                                             { return pm_convert (value->node (), PM_DOUBLE, file, line, node); }), false);
}

// Zeros, unless the elements turn out to be complex.
static octave_value
imaginary_part (const pmatrix::ValuePtr& value)
{
  octave_value number = real_part (value, pmatrix::Part::whole);
  return pmatrix::empty_band (octave_p_matrix::from (number.get_rep ()).value ());
}

octave_value
octave_p_matrix::map (unary_mapper_t function) const
{
  if (! m_value->is_held () && function == umap_real)
    return real_part (m_value, pmatrix::Part::real);
  if (! m_value->is_held () && function == umap_conj)
    return real_part (m_value, pmatrix::Part::conjugate);
  if (! m_value->is_held () && function == umap_imag && numel () > 0)
    return imaginary_part (m_value);

  pm_operation operation;
  octave_value result;
  if (engine_has (function, operation))
    result = pmatrix::record_unary (operation, m_value);
  if (result.is_defined ())
    return result;
  pmatrix::note_fallback (get_umap_name (function));
  return wrap (full ().get_rep ().map (function));
}

static octave_base_value *
to_full_matrix (const octave_base_value& v)
{
  return octave_p_matrix::from (v).full ().get_rep ().clone ();
}

// The id of the type with this name; -1 if there is none.
static int
type_id_named (const char *name)
{
  string_vector names = pmatrix::interpreter ().get_type_info ().installed_type_names ();
  for (octave_idx_type id = 0; id < names.numel (); ++id)
    if (names(id) == name)
      return id;
  return -1;
}

// The id of the type of the full value, which follows from its class, whether it is a scalar, and whether it
// is complex.
static int
full_type_id (pmatrix::Value& value)
{
  static const int complex_ids[] = { type_id_named ("float complex matrix"), type_id_named ("float complex scalar"),
                                     type_id_named ("complex matrix"), type_id_named ("complex scalar") };
  static const int ids[] = { type_id_named ("float matrix"), type_id_named ("float scalar"), type_id_named ("matrix"),
                             type_id_named ("scalar"), type_id_named ("bool matrix"), type_id_named ("bool") };
  int row = 2 * value.value_class () + value.is_scalar ();
  return value.is_real () ? ids[row] : complex_ids[row];
}

// Octave compares the type that this conversion gives with the type of the other operand, to see whether the
// other operand has to be converted too.  Without the type, TRUE_MATRIX(1) = P would make the left side
// double.
octave_base_value::type_conv_info
octave_p_matrix::numeric_conversion_function () const
{
  return type_conv_info (to_full_matrix, full_type_id (*m_value));
}

octave_value
octave_p_matrix::convert_to_str_internal (bool pad, bool force, char type) const
{
  return taken ().convert_to_str_internal (pad, force, type);
}

octave_value
octave_p_matrix::all (int dim) const
{
  // Of the rows of a matrix with up to eight columns Octave counts NaN as false, otherwise as true.
  bool few = rows () > 1 && columns () <= 8 && dim == 1 && ! islogical ();
  return ! m_value->is_held () && numel () > 0 && dim < 2 && ! few ? pmatrix::reduced (PM_ALL, m_value, dim) : taken ().all (dim);
}

octave_value
octave_p_matrix::any (int dim) const
{
  return ! m_value->is_held () && numel () > 0 && dim < 2 ? pmatrix::reduced (PM_ANY, m_value, dim) : taken ().any (dim);
}

octave_value
octave_p_matrix::squeeze () const
{
  return m_value->is_held () ? wrap (taken ().squeeze ()) : octave_value (new octave_p_matrix (m_value));
}

octave_value
octave_p_matrix::reshape (const dim_vector& dv) const
{
  if (! m_value->is_held () && dv.ndims () == 2 && dv.numel () == numel ())
    return pmatrix::view (m_value, dv(0), dv(1), 0, 1, dv(0));
  return wrap (taken ().reshape (dv));
}

octave_value
octave_p_matrix::permute (const Array<int>& order, bool inverse) const
{
  if (! m_value->is_held () && order.numel () == 2 && order(0) == 1 && order(1) == 0)
    return pmatrix::transposed (m_value, pmatrix::Part::whole);
  return wrap (taken ().permute (order, inverse));
}

octave_value
octave_p_matrix::resize (const dim_vector& dv, bool fill) const
{
  return wrap (taken ().resize (dv, fill));
}

octave_value
octave_p_matrix::diag (octave_idx_type k) const
{
  octave_idx_type m = rows (), n = columns ();
  // Octave's own diagonal matrix, whose products and inverses differ from products and inverses of the full
  // matrix.
  if (k == 0 && (m == 1 || n == 1))
    return taken ().diag (k);
  if (! m_value->is_held () && numel () > 0)
    {
      if (m == 1 || n == 1)
        return pmatrix::diagonal (m_value, k);
      octave_idx_type row = std::max<octave_idx_type> (-k, 0), column = std::max<octave_idx_type> (k, 0);
      if (row < m && column < n)
        return pmatrix::view (m_value, std::min (m - row, n - column), 1, row + column * m, m + 1, 0);
    }
  return wrap (taken ().diag (k));
}

octave_value
octave_p_matrix::diag (octave_idx_type m, octave_idx_type n) const
{
  return wrap (taken ().diag (m, n));
}

octave_value
octave_p_matrix::sort (octave_idx_type dim, sortmode mode) const
{
  return wrap (taken ().sort (dim, mode));
}

octave_value
octave_p_matrix::sort (Array<octave_idx_type>& order, octave_idx_type dim, sortmode mode) const
{
  return wrap (taken ().sort (order, dim, mode));
}

shims::mex_pointer
octave_p_matrix::mex_get_data () const
{
  return taken ().mex_get_data ();
}

int
octave_p_matrix::write (octave::stream& os, int block_size, oct_data_conv::data_type output_type, int skip,
                        octave::mach_info::float_format format) const
{
  return taken ().write (os, block_size, output_type, skip, format);
}
