// SPDX-License-Identifier: GPL-3.0-or-later

#include "type/value.h"

#include <set>
#include <vector>

#include "session/profile.h"
#include "complexity/recompute.h"

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

  // Ranges, diagonal and permutation matrices become the full matrix that they stand for.  A full complex
  // array stays as it is: Octave would make a real one of complex (1, 0).
  static octave_value
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

  Value::Value (const octave_value& full)
    : m_small (nullptr), m_node (nullptr), m_read (0)
  {
    put_full (full);
  }

  void
  Value::put_full (const octave_value& full)
  {
    keep (without_structure (full));
    m_class = class_of (full);
    m_rows = m_full.rows ();
    m_columns = is_held () ? m_full.dims ().numel (1) : m_full.columns ();
  }

  Value::Value (pm_value *node, bool may_be_complex)
    : m_small (nullptr), m_node (node), m_rows (pm_rows (node)), m_columns (pm_columns (node)), m_read (0), m_class (pm_value_class (node)),
      m_content (may_be_complex ? Content::undecided : Content::real)
  { }

  void
  Value::keep (const octave_value& full)
  {
    m_full = full;
    m_small = nullptr;
    m_content = full.isreal () && full.ndims () == 2 ? Content::real : Content::held;
  }

  Value::Value (Small& small)
    : m_small (&small), m_node (nullptr), m_rows (small.rows ()), m_columns (small.columns ()), m_read (0), m_class (small.value_class ()),
      m_content (small.may_be_complex () ? Content::undecided : Content::real)
  { }

  bool
  Value::has_result () const
  {
    if (m_full.is_defined ())
      return true;
    if (m_small)
      return m_small->has_elements ();
    return m_node && pm_has_result (m_node);
  }

  // Small operations depend on small operations alone, and chains of them are short.
  static void
  collect_small (const Value& value, std::set<const Value *>& seen, Value::Below& below)
  {
    const Small *small = value.small ();
    if (! small || small->has_elements () || ! seen.insert (&value).second)
      return;
    below.operations += 1;
    below.bytes += small->bytes ();
    for (const Value *operand : { small->first (), small->second () })
      if (operand)
        collect_small (*operand, seen, below);
  }

  Value::Below
  Value::below () const
  {
    Below below = { 0, 0, "", 0 };
    if (m_small)
      {
        std::set<const Value *> seen;
        collect_small (*this, seen, below);
      }
    else if (m_mosaic)
      {
        // The concatenation itself; what its parts still need shows once it has been put together.
        below.operations = 1;
        below.bytes = numel () * (m_class == PM_DOUBLE ? sizeof (double) : m_class == PM_SINGLE ? sizeof (float) : sizeof (bool));
      }
    else if (m_node && m_full.is_undefined () && ! is_of_parent_process (m_node))
      {
        pm_information information;
        check (pm_value_information (m_node, &information));
        below = { information.operations, information.bytes, information.file, information.line };
      }
    return below;
  }

  void
  Value::fetch_few ()
  {
    if (m_node && m_content == Content::real && m_full.is_undefined () && numel () <= PM_SMALL_ELEMENTS
        && ! is_of_parent_process (m_node) && pm_has_result (m_node))
      full ();
  }

  bool
  Value::is_number (double& number)
  {
    if (! is_scalar () || m_content != Content::real)
      return false;
    fetch_few ();
    if (m_small && m_small->has_elements ())
      full ();
    if (m_full.is_undefined ())
      return false;
    number = m_full.double_value ();
    return true;
  }

  int
  Value::small_depth ()
  {
    if (m_mosaic && numel () <= PM_SMALL_ELEMENTS)
      put_together ();
    fetch_few ();
    if (m_full.is_undefined ())
      return m_small ? m_small->depth () : -1;
    return ! is_held () && numel () <= PM_SMALL_ELEMENTS && numel () > 0 ? 0 : -1;
  }

  const void *
  Value::small_elements ()
  {
    if (m_small && m_small->has_elements ())
      return m_small->elements ();
    if (m_full.is_undefined ())
      {
        // A result that is complex is a full value from then on.
        octave_value computed;
        m_small->compute (computed);
        if (computed.is_undefined ())
          {
            m_content = Content::real;
            return m_small->elements ();
          }
        keep (computed);
      }
    return is_held () ? nullptr : m_full.get_rep ().mex_get_data ();
  }

  Value::Value (const Mosaic& mosaic, pm_class value_class, bool may_be_complex)
    : m_small (nullptr), m_node (nullptr), m_mosaic (new Mosaic (mosaic)), m_rows (mosaic.dims ()(0)), m_columns (mosaic.dims ()(1)),
      m_read (0), m_class (value_class), m_content (may_be_complex ? Content::undecided : Content::real)
  { }

  void
  Value::put_together ()
  {
    if (! m_mosaic)
      return;
    // The parts stay until that has worked.
    if (numel () > PM_SMALL_ELEMENTS && ! in_forked_child ())
      m_node = m_mosaic->node (m_class);
    if (! m_node)
      keep (m_mosaic->full (m_class));
    m_mosaic.reset ();
  }

  void
  Value::leave_earlier_session ()
  {
    if (! m_node || ! is_of_an_earlier_session (m_node))
      return;
    full ();
    drop_node ();
  }

  bool
  Value::is_real ()
  {
    if (may_be_complex ())
      compute ();
    return ! is_held () || m_full.isreal ();
  }

  bool
  Value::can_have_node ()
  {
    put_together ();
    leave_earlier_session ();
    if (may_be_complex () && ! m_node)
      compute ();
    return ! is_held ();
  }

  pm_value *
  Value::node ()
  {
    put_together ();
    leave_earlier_session ();
    if (! m_node)
      {
        const octave_value& elements = full ();
        if (is_held ())
          error_with_id ("pmatrix:held", "p_matrix: the engine was to have a complex matrix or an array of more than two dimensions");
        m_node = constant_node (elements);
      }
    return m_node;
  }

  void
  Value::compute ()
  {
    put_together ();
    if (m_full.is_defined ())
      return;
    if (m_small)
      {
        small_elements ();
        return;
      }

    collect_released ();
    pm_status status = wait_for (m_node);
    if (status == PM_ERROR_DOMAIN)
      {
        keep (recompute (m_node));
        drop_node ();
      }
    else
      {
        check (status);
        m_content = Content::real;
      }
  }

  const octave_value&
  Value::full ()
  {
    compute ();
    if (m_full.is_undefined ())
      {
        m_full = m_small ? m_small->octave () : read_elements (m_node);
        m_small = nullptr;
      }
    return m_full;
  }

  // A view of a result that the engine has.
  template <typename ARRAY>
  static octave_value
  read_array (const pm_value *node, octave_idx_type rows, octave_idx_type columns, octave_idx_type offset, octave_idx_type row_step,
              octave_idx_type column_step)
  {
    ARRAY array (dim_vector (rows, columns));
    count_bytes_out (array.byte_size ());
    check (pm_read_view (node, rows, columns, offset, row_step, column_step, array.fortran_vec (),
                         array.numel () * sizeof (typename ARRAY::element_type)));
    return octave_value (array);
  }

  octave_value
  Value::read_view (octave_idx_type rows, octave_idx_type columns, octave_idx_type offset, octave_idx_type row_step,
                    octave_idx_type column_step)
  {
    compute ();
    m_read += rows * columns;
    // Copying all of a small matrix costs no more than finding a part of it.  A program that goes on reading
    // parts of a large one has it copied once.
    if (m_full.is_defined () || ! m_node || numel () <= 1024 || m_read > numel () / 4)
      return octave_value ();
    switch (m_class)
      {
      case PM_SINGLE:
        return read_array<FloatNDArray> (m_node, rows, columns, offset, row_step, column_step);
      case PM_LOGICAL:
        return read_array<boolNDArray> (m_node, rows, columns, offset, row_step, column_step);
      default:
        return read_array<NDArray> (m_node, rows, columns, offset, row_step, column_step);
      }
  }

  octave_value
  Value::take_full ()
  {
    octave_value taken = full ();
    m_full = octave_value ();
    drop_node ();
    // The engine's reference to the array, if it had one, goes now: otherwise the change would copy the
    // array.
    collect_released ();
    return taken;
  }

  void
  Value::drop_node ()
  {
    // A lock inside the parent's engine may have been held by a thread that a forked child does not have.
    if (m_node && ! is_of_parent_process (m_node))
      pm_value_release (m_node);
    m_node = nullptr;
  }

  template <typename ARRAY>
  static octave_value
  read_array (const pm_value *node)
  {
    ARRAY array (dim_vector (pm_rows (node), pm_columns (node)));
    count_bytes_out (array.byte_size ());
    check (pm_read (node, array.fortran_vec (), array.numel () * sizeof (typename ARRAY::element_type)));
    return octave_value (array);
  }

  octave_value
  read_elements (const pm_value *node)
  {
    switch (pm_value_class (node))
      {
      case PM_SINGLE:
        return read_array<FloatNDArray> (node);
      case PM_LOGICAL:
        return read_array<boolNDArray> (node);
      default:
        return read_array<NDArray> (node);
      }
  }
}
