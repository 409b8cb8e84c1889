// SPDX-License-Identifier: GPL-3.0-or-later

// The few names that differ between Octave 6 and Octave 11.  Everything else in this package is one source
// for all versions.

#ifndef PMATRIX_SHIMS_H
#define PMATRIX_SHIMS_H

#include <octave/oct.h>
#include <octave/data.h>
#include <octave/ov.h>
#include <octave/ov-base.h>
#include <octave/ov-typeinfo.h>
#include <octave/interpreter.h>
#include <octave/pt-eval.h>
#include <octave/parse.h>
#include <octave/error.h>
#include <octave/version.h>
#if OCTAVE_MAJOR_VERSION < 10
#include <octave/pt-arg-list.h>
#include <octave/pt-const.h>
#include <octave/pt-mat.h>
#endif

namespace shims
{
#if OCTAVE_MAJOR_VERSION < 7

  typedef ::idx_vector index_vector_type;
  typedef void *mex_pointer;

  using ::do_class_concat;

  inline bool
  warning_enabled (const std::string& id)
  { return ::warning_enabled (id) != 0; }

  inline octave_value
  unary (octave_value::unary_op op, const octave_value& a)
  { return do_unary_op (op, a); }

  // ++v or --v.
  inline void
  step (octave_value::unary_op op, octave_value& v)
  { v.do_non_const_unary_op (op); }

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

  using octave::do_class_concat;

  inline bool
  warning_enabled (const std::string& id)
  { return octave::warning_enabled (id) != 0; }

  inline octave_value
  unary (octave_value::unary_op op, const octave_value& a)
  { return octave::unary_op (op, a); }

  inline void
  step (octave_value::unary_op op, octave_value& v)
  { v.non_const_unary_op (op); }

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

  // [a, b, ...] or [a; b; ...], put together by Octave's own code for brackets.
  inline octave_value
  brackets (octave::interpreter& interpreter, const octave_value_list& parts, bool beside)
  {
#if OCTAVE_MAJOR_VERSION < 10
    octave::tree_matrix matrix;
    octave::tree_argument_list *row = nullptr;
    for (octave_idx_type i = 0; i < parts.length (); ++i)
      {
        auto *part = new octave::tree_constant (parts(i));
        if (row && beside)
          row->append (part);
        else
          matrix.append (row = new octave::tree_argument_list (part));
      }
    return matrix.evaluate (interpreter.get_evaluator ());
#else
    // From Octave 10 on the library does not export the classes of the syntax tree.
    std::string text = "@(varargin) [";
    for (octave_idx_type i = 0; i < parts.length (); ++i)
      text += (i == 0 ? "" : beside ? ", " : "; ") + ("varargin{" + std::to_string (i + 1) + "}");
    octave_value function = interpreter.feval ("str2func", ovl (text + "]"), 1)(0);
    return interpreter.feval (function, parts, 1)(0);
#endif
  }
}

#endif
