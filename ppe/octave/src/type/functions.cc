// SPDX-License-Identifier: GPL-3.0-or-later

// Functions of a p_matrix: the mappers that the engine has are recorded, everything else is Octave's answer on the full
// matrix.

#include <algorithm>

#include "record/complexity.h"
#include "record/structure.h"

using pmatrix::wrap;

static bool
engine_has (octave_base_value::unary_mapper_t function, pm_operation& operation)
{
  static const struct { octave_base_value::unary_mapper_t function; pm_operation operation; } known[] = {
    { octave_base_value::umap_abs, PM_ABS },
    { octave_base_value::umap_signum, PM_SIGN },
    { octave_base_value::umap_round, PM_ROUND },
    { octave_base_value::umap_floor, PM_FLOOR },
    { octave_base_value::umap_ceil, PM_CEIL },
    { octave_base_value::umap_fix, PM_FIX },
    { octave_base_value::umap_sqrt, PM_SQRT },
    { octave_base_value::umap_exp, PM_EXP },
    { octave_base_value::umap_expm1, PM_EXPM1 },
    { octave_base_value::umap_log, PM_LOG },
    { octave_base_value::umap_log2, PM_LOG2 },
    { octave_base_value::umap_log10, PM_LOG10 },
    { octave_base_value::umap_log1p, PM_LOG1P },
    { octave_base_value::umap_sin, PM_SIN },
    { octave_base_value::umap_cos, PM_COS },
    { octave_base_value::umap_tan, PM_TAN },
    { octave_base_value::umap_asin, PM_ASIN },
    { octave_base_value::umap_acos, PM_ACOS },
    { octave_base_value::umap_atan, PM_ATAN },
    { octave_base_value::umap_sinh, PM_SINH },
    { octave_base_value::umap_cosh, PM_COSH },
    { octave_base_value::umap_tanh, PM_TANH },
    { octave_base_value::umap_asinh, PM_ASINH },
    { octave_base_value::umap_acosh, PM_ACOSH },
    { octave_base_value::umap_atanh, PM_ATANH },
    { octave_base_value::umap_isnan, PM_ISNAN },
    { octave_base_value::umap_isinf, PM_ISINF },
    { octave_base_value::umap_isfinite, PM_ISFINITE },
  };

  for (const auto& entry : known)
    if (entry.function == function)
      {
        operation = entry.operation;
        return true;
      }
  return false;
}

// What changes nothing but perhaps the class, and what has no imaginary part.
static octave_value
real_part (const pmatrix::ValuePtr& value, pmatrix::Part part)
{
  if (value->value_class () != PM_LOGICAL)
    return pmatrix::part_of (value, part);
  pmatrix::session ();
  pmatrix::Position at = pmatrix::user_position ();
  pm_value *node = nullptr;
  pmatrix::check (pm_convert (value->node (), PM_DOUBLE, at.file, at.line, &node));
  return pmatrix::pending (node, false);
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
  bool recorded = ! m_value->is_held () && engine_has (function, operation);
  if (recorded)
    if (pmatrix::ValuePtr small = pmatrix::record_small (operation, 0, m_value, pmatrix::ValuePtr (), 0, PM_DOUBLE))
      return pmatrix::pending (std::move (small));

  if (! recorded || ! m_value->can_have_node ())
    {
      pmatrix::note_fallback (get_umap_name (function));
      return wrap (full ().get_rep ().map (function));
    }

  pmatrix::session ();
  pmatrix::Position at = pmatrix::user_position ();
  pm_value *node = nullptr;
  pmatrix::check (pm_unary (operation, m_value->node (), at.file, at.line, &node));
  return pmatrix::pending (node, pmatrix::may_be_complex (operation, 0, 0, m_value->may_be_complex ()));
}

static octave_base_value *
to_full_matrix (const octave_base_value& v)
{
  return octave_p_matrix::from (v).full ().get_rep ().clone ();
}

// The type id of each type that a full value may have: by class, whether it is a scalar, and whether it is complex.
static int
type_id_named (const char *name)
{
  string_vector names = pmatrix::interpreter ().get_type_info ().installed_type_names ();
  for (octave_idx_type id = 0; id < names.numel (); ++id)
    if (names(id) == name)
      return id;
  return -1;
}

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

// Octave compares the type that this conversion gives with the other operand's, to see whether that one has to be converted
// as well: without the type, TRUE_MATRIX(1) = P would make the left side double.
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
  // Octave's own diagonal matrix: its products and inverses are not those of the full matrix.
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
