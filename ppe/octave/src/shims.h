// SPDX-License-Identifier: GPL-3.0-or-later

// The few names that differ between Octave 6 and Octave 11.  Everything else in this package is one source for all of them.

#ifndef PMATRIX_SHIMS_H
#define PMATRIX_SHIMS_H

#include <octave/oct.h>
#include <octave/ov.h>
#include <octave/ov-base.h>
#include <octave/ov-typeinfo.h>
#include <octave/interpreter.h>
#include <octave/pt-eval.h>
#include <octave/parse.h>
#include <octave/error.h>
#include <octave/version.h>

namespace shims
{
#if OCTAVE_MAJOR_VERSION < 7

  typedef ::idx_vector index_vector_type;
  typedef void *mex_pointer;
  typedef octave_base_value& concatenated;

  inline bool
  warning_enabled (const std::string& id)
  { return ::warning_enabled (id) != 0; }

  inline octave_value
  unary (octave_value::unary_op op, const octave_value& a)
  { return do_unary_op (op, a); }

  inline octave_value
  binary (octave_value::binary_op op, const octave_value& a, const octave_value& b)
  { return do_binary_op (op, a, b); }

  inline octave_value
  concatenate (octave::type_info& ti, const octave_value& a, const octave_value& b,
               const Array<octave_idx_type>& where)
  { return do_cat_op (ti, a, b, where); }

  inline octave_value
  index (const octave_value& a, const octave_value_list& idx, bool resize_ok)
  { return const_cast<octave_value&> (a).do_index_op (idx, resize_ok); }

#else

  typedef octave::idx_vector index_vector_type;
  typedef const void *mex_pointer;
  typedef const octave_base_value& concatenated;

  inline bool
  warning_enabled (const std::string& id)
  { return octave::warning_enabled (id) != 0; }

  inline octave_value
  unary (octave_value::unary_op op, const octave_value& a)
  { return octave::unary_op (op, a); }

  inline octave_value
  binary (octave_value::binary_op op, const octave_value& a, const octave_value& b)
  { return octave::binary_op (op, a, b); }

  inline octave_value
  concatenate (octave::type_info& ti, const octave_value& a, const octave_value& b,
               const Array<octave_idx_type>& where)
  { return octave::cat_op (ti, a, b, where); }

  inline octave_value
  index (const octave_value& a, const octave_value_list& idx, bool resize_ok)
  { return const_cast<octave_value&> (a).index_op (idx, resize_ok); }

#endif
}

#endif
