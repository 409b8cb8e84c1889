// SPDX-License-Identifier: GPL-3.0-or-later

#include <array>
#include <cstring>

#include "complexity/complexity.h"
#include "complexity/recompute.h"
#include "type/reused.h"
#include "type/slice.h"
#include "small/small_double.h"
#include "record/structure.h"
#include "session/profile.h"

namespace pmatrix
{
  // More elements are computed in Octave's own array.
  static const octave_idx_type most_copied_here = 512;

  // The longest chain that stays pending.  The operands of such a chain fit the processor's nearest cache.
  static const int deepest = 16;

  octave_idx_type
  most_small_elements (pm_operation operation)
  {
    static const std::array<uint32_t, operation_count> most = [] ()
      {
        std::array<uint32_t, operation_count> elements;
        for (int number = 0; number < operation_count; ++number)
          elements[number] = pm_small_elements (static_cast<pm_operation> (number));
        return elements;
      } ();
    return all_operations_are_lazy () ? std::min<octave_idx_type> (most[operation], PM_FEW_ELEMENTS) : most[operation];
  }

  static SmallCounts counts;

  const SmallCounts&
  small_counts ()
  {
    return counts;
  }

  static pm_small
  described (const Value& value, bool transposed = false)
  {
    return { nullptr, static_cast<uint32_t> (value.rows ()), static_cast<uint32_t> (value.columns ()), value.value_class (),
             transposed };
  }

  Small::Small (pm_operation operation, int form, ValuePtr a, ValuePtr b, double scalar, pm_class scalar_class,
                const pm_small& result, int depth)
    : m_operation (operation), m_form (form), m_a (std::move (a)), m_b (std::move (b)), m_scalar (scalar),
      m_scalar_class (scalar_class), m_parameters (), m_result (result), m_depth (depth), m_computed (false),
      m_may_be_complex (pmatrix::may_be_complex (operation, form, scalar,
                                                 m_a->may_be_complex () || (m_b && m_b->may_be_complex ()))),
      m_elements (nullptr)
  {
    ++counts.recorded;
    if (profile_is_on ())
      count_small (operation);
  }

  Small::Small (ValuePtr a, ValuePtr b, bool left_is_transposed, const pm_small& result, int depth)
    : Small (PM_MULTIPLY, 0, std::move (a), std::move (b), 0, PM_DOUBLE, result, depth)
  {
    m_transposed[left_is_transposed ? 0 : 1] = true;
  }

  Small::Small (pm_operation operation, const std::array<int64_t, 4>& parameters, ValuePtr a, const pm_small& result, int depth)
    : m_operation (operation), m_form (0), m_a (std::move (a)), m_scalar (0), m_scalar_class (PM_DOUBLE),
      m_parameters (parameters), m_result (result), m_depth (depth), m_computed (false),
      m_may_be_complex (pmatrix::may_be_complex (operation, m_parameters.data (), m_a->may_be_complex ())), m_elements (nullptr)
  {
    ++counts.recorded;
    if (profile_is_on ())
      count_small (operation);
  }

  Small::~Small ()
  {
    // m_a is there until the operation has been computed.
    if (m_a)
      ++counts.dropped;
  }

  std::size_t
  Small::bytes () const
  {
    return std::size_t (m_result.rows) * m_result.columns * element_bytes (m_result.value_class);
  }

  template <typename ARRAY>
  static octave_value
  new_array (const pm_small& described, void *& elements)
  {
    ARRAY array (dim_vector (described.rows, described.columns));
    elements = array.fortran_vec ();
    return octave_value (array);
  }

  void *
  Small::room ()
  {
    if (m_elements)
      return m_elements;
    m_elements = m_few;
    if (rows () * columns () > most_copied_here)
      switch (m_result.value_class)
        {
        case PM_SINGLE:
          m_array = new_array<FloatNDArray> (m_result, m_elements);
          break;
        case PM_LOGICAL:
          m_array = new_array<boolNDArray> (m_result, m_elements);
          break;
        default:
          m_array = new_array<NDArray> (m_result, m_elements);
        }
    else if (bytes () > sizeof (m_few))
      {
        m_many.reset (new unsigned char[bytes ()]);
        m_elements = m_many.get ();
      }
    return m_elements;
  }

  void
  Small::take (const void *from, const Slice& slice)
  {
    copy_from_slice (m_result.value_class, slice, from, room ());
    m_computed = true;
  }

  Small::Small (const void *from, const Slice& slice, pm_class value_class)
    : m_operation (PM_VIEW), m_form (0), m_scalar (0), m_scalar_class (PM_DOUBLE), m_parameters (),
      m_result { nullptr, static_cast<uint32_t> (slice.rows), static_cast<uint32_t> (slice.columns), value_class, 0 },
      m_depth (0), m_computed (false), m_may_be_complex (false), m_elements (nullptr)
  {
    take (from, slice);
  }

  bool
  Small::reduce (const void *elements)
  {
    if (m_operation < PM_SUM || (m_operation == PM_NORM && m_a->value_class () == PM_LOGICAL))
      return false;
    pm_small a = described (*m_a), result = m_result;
    a.data = const_cast<void *> (elements);
    result.data = room ();
    check (pm_small_reduce (m_operation, m_parameters[0], &a, &result));
    return true;
  }

  void
  Small::finish ()
  {
    ++counts.executed;
    m_a.reset ();
    m_b.reset ();
    m_depth = 0;
  }

  bool
  Small::is_of_few () const
  {
    return rows () * columns () <= PM_FEW_ELEMENTS && m_a->numel () <= PM_FEW_ELEMENTS && (! m_b || m_b->numel () <= PM_FEW_ELEMENTS);
  }

  bool
  Small::compute_move ()
  {
    const void *elements = m_a->small_elements ();
    if (! elements)
      return false;
    if (m_operation == PM_VIEW)
      take (elements, { rows (), columns (), m_parameters[0], m_parameters[1], m_parameters[2], false });
    return m_computed || reduce (elements);
  }

  bool
  Small::compute_elementwise ()
  {
    pm_small a = described (*m_a, m_transposed[0]), b = { nullptr, 0, 0, PM_DOUBLE, 0 };
    m_a->small_elements ();
    if (m_b)
      {
        b = described (*m_b, m_transposed[1]);
        b.data = const_cast<void *> (m_b->small_elements ());
      }
    // The addresses are asked for last: computing one operand may move the elements of the second operand.
    a.data = const_cast<void *> (m_a->small_elements ());
    if (! a.data || (m_b && ! b.data))
      return false;

    pm_small result = m_result;
    result.data = room ();
    const pm_small *second = m_b ? &b : nullptr;
    bool in_double = m_form == 0 || m_scalar_class == PM_DOUBLE;
    if (in_double && compute_double (m_operation, m_form, a, second, m_scalar, result))
      return true;
    pm_status status = pm_small_compute (m_operation, m_form, &a, second, m_scalar, m_scalar_class, &result);
    if (status != PM_ERROR_DOMAIN)
      check (status);
    return status == PM_OK;
  }

  bool
  Small::compute_elements ()
  {
    m_computed = m_operation >= PM_VIEW ? compute_move () : compute_elementwise ();
    if (m_computed)
      finish ();
    return m_computed;
  }

  void
  Small::compute (octave_value& full)
  {
    if (compute_elements ())
      return;
    if (m_operation >= PM_VIEW)
      full = compute_structural (m_operation, m_parameters.data (), dim_vector (m_result.rows, m_result.columns),
                                 { m_a->full () });
    else
      full = compute_in_octave (m_operation, m_form, m_a->full (), m_b ? m_b->full () : octave_value (), m_scalar,
                                m_result.value_class);
    finish ();
  }

  template <typename ARRAY>
  static octave_value
  array_of (const pm_small& described, const void *elements)
  {
    typedef typename ARRAY::element_type ELEMENT;
    if (described.rows == 1 && described.columns == 1)
      return octave_value (*static_cast<const ELEMENT *> (elements));
    ARRAY array (dim_vector (described.rows, described.columns));
    std::memcpy (array.fortran_vec (), elements, array.numel () * sizeof (ELEMENT));
    return octave_value (array);
  }

  octave_value
  Small::octave ()
  {
    if (m_array.is_defined ())
      {
        octave_value whole = m_array;
        m_array = octave_value ();
        return whole;
      }
    switch (m_result.value_class)
      {
      case PM_SINGLE:
        return array_of<FloatNDArray> (m_result, elements ());
      case PM_LOGICAL:
        return array_of<boolNDArray> (m_result, elements ());
      default:
        return array_of<NDArray> (m_result, elements ());
      }
  }

  // A Small and the Value that refers to it, in one piece of memory.
  struct SmallOwner
  {
    template <typename... ARGUMENTS>
    explicit SmallOwner (ARGUMENTS&&... arguments) : own (std::forward<ARGUMENTS> (arguments)...) { }

    Small own;
  };

  // The base that comes first is made first, and destroyed last.
  class SmallValue : private SmallOwner, public Value
  {
  public:

    template <typename... ARGUMENTS>
    explicit SmallValue (ARGUMENTS&&... arguments) : SmallOwner (std::forward<ARGUMENTS> (arguments)...), Value (own) { }

    bool is_of_few () const { return own.is_of_few (); }
    bool compute_elements () { return own.compute_elements (); }
  };

  // A chain is computed before it grows too long, and an operation on more than a few elements at once, unless
  // it is Octave's to compute.
  template <typename... ARGUMENTS>
  static ValuePtr
  recorded (int depth, ARGUMENTS&&... arguments)
  {
    auto value = std::allocate_shared<SmallValue> (Reused<SmallValue> (), std::forward<ARGUMENTS> (arguments)..., depth);
    if (depth >= deepest)
      value->compute ();
    else if (! value->is_of_few ())
      value->compute_elements ();
    return value;
  }

  ValuePtr
  small_part (const void *elements, const Slice& slice, pm_class value_class)
  {
    if (slice.numel () > most_copied_elements || ! small_operations ())
      return ValuePtr ();
    return std::allocate_shared<SmallValue> (Reused<SmallValue> (), elements, slice, value_class);
  }

  // Shape and class of the result; false for what has no small form.
  static bool
  describe (pm_operation operation, int form, const pm_small& a, const pm_small *b, pm_class scalar_class, pm_small& result)
  {
    bool in_double = form == 0 || scalar_class == PM_DOUBLE;
    return (in_double && describe_double (operation, form, a, b, result))
           || pm_small_describe (operation, form, &a, b, scalar_class, &result) == PM_OK;
  }

  // A product with one element is element-wise.
  static pm_operation
  meant (pm_operation operation, const Value& a, const Value *b)
  {
    return operation == PM_MULTIPLY && (! b || a.is_scalar () || b->is_scalar ()) ? PM_TIMES : operation;
  }

  ValuePtr
  record_small (pm_operation operation, int form, const ValuePtr& a, const ValuePtr& b, double scalar, pm_class scalar_class)
  {
    octave_idx_type most = most_small_elements (meant (operation, *a, b.get ()));
    if (a->numel () > most || (b && b->numel () > most))
      return ValuePtr ();
    int depth = a->small_depth ();
    if (depth < 0 || ! small_operations ())
      return ValuePtr ();
    if (b)
      {
        int other = b->small_depth ();
        if (other < 0)
          return ValuePtr ();
        depth = std::max (depth, other);
      }

    pm_small first = described (*a), second = { nullptr, 0, 0, PM_DOUBLE, 0 }, result;
    if (b)
      second = described (*b);
    // What does not fit is reported when it is recorded in the engine's graph.
    if (! describe (operation, form, first, b ? &second : nullptr, scalar_class, result))
      return ValuePtr ();

    return recorded (depth + 1, operation, form, a, b, scalar, scalar_class, result);
  }

  ValuePtr
  record_small_product (const ValuePtr& a, const ValuePtr& b, bool left_is_transposed)
  {
    octave_idx_type most = most_small_elements (PM_MULTIPLY);
    if (a->numel () > most || b->numel () > most || a->may_be_complex () || b->may_be_complex () || ! small_operations ())
      return ValuePtr ();
    pm_small first = described (*a, left_is_transposed), second = described (*b, ! left_is_transposed), result;
    if (! describe (PM_MULTIPLY, 0, first, &second, PM_DOUBLE, result))
      return ValuePtr ();
    int depth = a->small_depth (), other = b->small_depth ();
    if (depth < 0 || other < 0)
      return ValuePtr ();
    return recorded (std::max (depth, other) + 1, a, b, left_is_transposed, result);
  }

  ValuePtr
  record_small (pm_operation operation, const std::array<int64_t, 4>& parameters, const ValuePtr& a, const dim_vector& dims,
                pm_class value_class)
  {
    octave_idx_type most = most_small_elements (operation);
    // Octave computes the norm of truth values.
    if (a->value_class () == PM_LOGICAL && operation == PM_NORM)
      most = PM_FEW_ELEMENTS;
    if (a->numel () > most || dims.numel () > most || dims.numel () == 0)
      return ValuePtr ();
    int depth = a->small_depth ();
    if (depth < 0 || ! small_operations ())
      return ValuePtr ();
    pm_small result = { nullptr, static_cast<uint32_t> (dims(0)), static_cast<uint32_t> (dims(1)), value_class, 0 };
    return recorded (depth + 1, operation, parameters, a, result);
  }
}
