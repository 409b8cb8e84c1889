// SPDX-License-Identifier: GPL-3.0-or-later

#include "type/arrays.h"

#include <set>
#include <vector>

#include <octave/ov-bool-mat.h>
#include <octave/ov-flt-re-mat.h>
#include <octave/ov-re-mat.h>

#include "session/profile.h"
#include "type/slice.h"

namespace pmatrix
{
  // An Octave array that the engine reads in place.  It holds the array, never an octave_value: a 1x1
  // octave_value turns into a scalar and frees the elements.
  template <typename ARRAY>
  struct Held : public HeldArray
  {
    explicit Held (const ARRAY& a) : array (a) { }

    const ARRAY array;
  };

  // Arrays up to this size are copied into the engine.
  static const std::size_t copied_bytes = 1024;

  template <typename ARRAY>
  static pm_value *
  wrap_array (const ARRAY& array, pm_class value_class)
  {
    pm_session *in_session = session ();
    collect_released ();
    count_bytes_in (array.byte_size ());

    pm_value *node = nullptr;
    if (array.byte_size () <= copied_bytes)
      {
        check (pm_constant_copy (in_session, array.data (), array.rows (), array.columns (), value_class, &node));
        return node;
      }

    auto *held = new Held<ARRAY> (array);
    pm_status status = pm_constant (in_session, held->array.data (), array.rows (), array.columns (), value_class,
                                    release_later, static_cast<HeldArray *> (held), &node);
    if (status != PM_OK)
      {
        delete held;
        check (status);
      }
    return node;
  }

  pm_class
  class_of (const octave_value& v)
  {
    return class_of (v.get_rep ());
  }

  pm_class
  class_of (const octave_base_value& v)
  {
    return v.is_single_type () ? PM_SINGLE : v.islogical () ? PM_LOGICAL : PM_DOUBLE;
  }

  bool
  is_plain (const octave_value& v)
  {
    // By type id, which is the position in the list of types.  Has no destructor: values may end at exit.
    static const std::vector<bool> *plain = [] ()
      {
        const std::set<std::string> names {
          "scalar", "matrix", "complex scalar", "complex matrix", "float scalar", "float matrix", "float complex scalar",
          "float complex matrix", "bool", "bool matrix" };
        string_vector types = interpreter ().get_type_info ().installed_type_names ();
        auto *table = new std::vector<bool> ();
        for (octave_idx_type id = 0; id < types.numel (); ++id)
          table->push_back (names.count (types(id)) > 0);
        return table;
      } ();
    std::size_t id = v.type_id ();
    return id < plain->size () && (*plain)[id];
  }

  bool
  is_wrappable (const octave_value& v)
  {
    return is_plain (v)
           || (! v.issparse () && ! v.isobject () && (v.is_double_type () || v.is_single_type () || v.islogical ()));
  }

  bool
  has_engine_form (const octave_value& v)
  {
    return is_wrappable (v) && v.isreal () && v.ndims () == 2;
  }

  octave_value
  without_structure (const octave_value& v)
  {
    if (is_plain (v))
      return v;
    if (! v.isreal ())
      return v.is_diag_matrix () ? v.full_value () : v;
    switch (class_of (v))
      {
      case PM_SINGLE:
        return v.float_array_value ();
      case PM_LOGICAL:
        return v.bool_array_value ();
      default:
        return v.array_value ();
      }
  }

  pm_value *
  constant_node (const octave_value& v)
  {
    switch (class_of (v))
      {
      case PM_SINGLE:
        return wrap_array (v.float_array_value (), PM_SINGLE);
      case PM_LOGICAL:
        return wrap_array (v.bool_array_value (), PM_LOGICAL);
      default:
        return wrap_array (v.array_value (), PM_DOUBLE);
      }
  }

  // Calls READ (array) with a new array of this shape, and of the class of the elements.
  template <typename READ>
  static octave_value
  filled (const pm_value *node, octave_idx_type rows, octave_idx_type columns, READ read)
  {
    auto fill = [&] (auto array)
      {
        count_bytes_out (array.byte_size ());
        check (read (array.fortran_vec (), static_cast<std::size_t> (array.byte_size ())));
        return octave_value (array);
      };
    dim_vector dims (rows, columns);
    switch (pm_value_class (node))
      {
      case PM_SINGLE:
        return fill (FloatNDArray (dims));
      case PM_LOGICAL:
        return fill (boolNDArray (dims));
      default:
        return fill (NDArray (dims));
      }
  }

  octave_value
  read_elements (const pm_value *node)
  {
    return filled (node, pm_rows (node), pm_columns (node),
                   [&] (void *to, std::size_t bytes) { return pm_read (node, to, bytes); });
  }

  octave_value
  read_slice (const pm_value *node, const Slice& slice)
  {
    return filled (node, slice.rows, slice.columns, [&] (void *to, std::size_t bytes)
                   { return pm_read_view (node, slice.rows, slice.columns, slice.offset, slice.row_step, slice.column_step, to, bytes); });
  }

  template <typename MATRIX>
  static void *
  own_elements_of (octave_value& array)
  {
    auto *matrix = dynamic_cast<MATRIX *> (array.internal_rep ());
    return matrix ? matrix->matrix_ref ().fortran_vec () : nullptr;
  }

  void *
  own_elements (octave_value& array)
  {
    array.make_unique ();
    switch (class_of (array))
      {
      case PM_SINGLE:
        return own_elements_of<octave_float_matrix> (array);
      case PM_LOGICAL:
        return own_elements_of<octave_bool_matrix> (array);
      default:
        return own_elements_of<octave_matrix> (array);
      }
  }
}
