// SPDX-License-Identifier: GPL-3.0-or-later

#include "type/slice.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "record/structure.h"

namespace pmatrix
{
  namespace
  {
    // One subscript: the elements first, first + step, ...
    struct Subscript
    {
      octave_idx_type first, step, count;
      bool colon;
      octave_idx_type rows, columns;    // dimensions of the subscript
    };

    bool
    find_elements (const octave_value& v, octave_idx_type length, Subscript& result)
    {
      const Subscript all = { 0, 1, length, true, length, 1 };
      if (v.is_magic_colon ())
        {
          result = all;
          return true;
        }
      // Octave's list of one subscript takes longer than reading an element.
      if (v.is_real_scalar () && v.is_double_type ())
        {
          double number = v.double_value ();
          if (! (number >= 1 && number <= length && number == std::floor (number)))
            return false;
          result = { static_cast<octave_idx_type> (number) - 1, 1, 1, false, 1, 1 };
          return true;
        }
      // Text other than ":" is left to Octave, which warns of it.
      if (v.is_string () && ! (v.numel () == 1 && v.string_value () == ":"))
        return false;
      shims::index_vector_type index = v.index_vector ();
      if (index.is_colon ())
        {
          result = all;
          return true;
        }
      octave_idx_type count = index.length (length);
      if (v.ndims () != 2 || index.extent (length) > length || ! (index.is_scalar () || index.is_range ()))
        return false;
      result = { count > 0 ? index(0) : 0, index.is_range () ? index.increment () : 1, count, false, v.rows (), v.columns () };
      return true;
    }

    // Copies between a slice of the array WHOLE and an array of the slice's elements alone, column after column.
    // The array that is not changed is const.
    template <typename WHOLE, typename PART>
    void
    copy_slice (const Slice& slice, WHOLE *whole, PART *part)
    {
      auto copy = [] (WHOLE *w, octave_idx_type step, PART *p, octave_idx_type count)
        {
          for (octave_idx_type i = 0; i < count; ++i)
            if constexpr (std::is_const<WHOLE>::value)
              p[i] = w[i * step];
            else
              w[i * step] = p[i];
        };
      auto copy_run = [] (WHOLE *w, PART *p, octave_idx_type count)
        {
          if constexpr (std::is_const<WHOLE>::value)
            std::copy_n (w, count, p);
          else
            std::copy_n (p, count, w);
        };
      whole += slice.offset;
      // One row is copied like a column.
      if (slice.rows == 1 && slice.column_step == 1)
        copy_run (whole, part, slice.columns);
      else if (slice.rows == 1)
        copy (whole, slice.column_step, part, slice.columns);
      else
        for (octave_idx_type j = 0; j < slice.columns; ++j, whole += slice.column_step, part += slice.rows)
          if (slice.row_step == 1)
            copy_run (whole, part, slice.rows);
          else
            copy (whole, slice.row_step, part, slice.rows);
    }

    // Calls F (an element of the class).
    template <typename F>
    void
    with_element (pm_class value_class, F f)
    {
      switch (value_class)
        {
        case PM_SINGLE:
          f (float ());
          break;
        case PM_LOGICAL:
          f (bool ());
          break;
        default:
          f (double ());
        }
    }

    void
    copy_to_slice (pm_class value_class, const Slice& slice, void *whole, const void *elements)
    {
      with_element (value_class, [&] (auto zero)
        {
          typedef decltype (zero) ELEMENT;
          copy_slice (slice, static_cast<ELEMENT *> (whole), static_cast<const ELEMENT *> (elements));
        });
    }

    // The elements of a real matrix that has been computed, one after the other.  They stand in BUFFER when
    // only the engine has them.
    const void *
    elements_of (Value& value, std::vector<unsigned char>& buffer)
    {
      value.compute ();
      if (value.is_held ())
        return nullptr;
      if (const void *elements = value.elements_at_hand ())
        return elements;
      buffer.resize (value.numel () * element_bytes (value.value_class ()));
      check (pm_read (value.node (), buffer.data (), buffer.size ()));
      return buffer.data ();
    }
  }

  // The elements of what is assigned, if FITS (class, rows, columns).  Null if not, or if it is no real matrix.
  template <typename FITS>
  static const void *
  elements_that_fit (const octave_value& elements, std::vector<unsigned char>& buffer, FITS fits)
  {
    const octave_base_value& rep = elements.get_rep ();
    if (octave_p_matrix::is_p_matrix (rep))
      {
        Value& value = *octave_p_matrix::from (rep).value ();
        return fits (value.value_class (), value.rows (), value.columns ()) ? elements_of (value, buffer) : nullptr;
      }
    if (is_plain (elements) && has_engine_form (elements) && fits (class_of (rep), elements.rows (), elements.columns ()))
      return rep.mex_get_data ();
    return nullptr;
  }

  // Whether what is assigned is one number of this class.
  static bool
  is_number_of (const octave_value& elements, pm_class value_class, double& number)
  {
    const octave_base_value& rep = elements.get_rep ();
    if (octave_p_matrix::is_p_matrix (rep))
      {
        Value& value = *octave_p_matrix::from (rep).value ();
        return value.value_class () == value_class && value.is_number (number);
      }
    if (! elements.is_real_scalar () || ! is_plain (elements) || class_of (rep) != value_class)
      return false;
    number = elements.double_value ();
    return true;
  }

  // The truth values of a mask of the shape of A; null for any other subscript, and where Octave has to fetch them.
  static const bool *
  mask_of (const octave_value& v, const Value& a)
  {
    if (! v.islogical () || v.is_scalar_type ())
      return nullptr;
    const octave_base_value& rep = v.get_rep ();
    if (octave_p_matrix::is_p_matrix (rep))
      {
        Value& value = *octave_p_matrix::from (rep).value ();
        return value.rows () == a.rows () && value.columns () == a.columns () ? static_cast<const bool *> (value.small_elements ())
                                                                            : nullptr;
      }
    return is_plain (v) && v.dims () == a.dims () ? static_cast<const bool *> (rep.mex_get_data ()) : nullptr;
  }

  void
  copy_from_slice (pm_class value_class, const Slice& slice, const void *whole, void *elements)
  {
    with_element (value_class, [&] (auto zero)
      {
        typedef decltype (zero) ELEMENT;
        copy_slice (slice, static_cast<const ELEMENT *> (whole), static_cast<ELEMENT *> (elements));
      });
  }

  octave_value
  element_of (pm_class value_class, const void *elements, octave_idx_type number)
  {
    octave_value element;
    with_element (value_class, [&] (auto zero)
      {
        typedef decltype (zero) ELEMENT;
        element = octave_value (static_cast<const ELEMENT *> (elements)[number]);
      });
    return element;
  }

  bool
  find_slice (octave_idx_type rows, octave_idx_type columns, const octave_value_list& idx, Slice& result)
  {
    if (idx.length () == 1)
      {
        Subscript all;
        if (! find_elements (idx(0), rows * columns, all))
          return false;
        // A part of a vector has the orientation of the vector.
        bool vector = (rows == 1) != (columns == 1);
        if (vector && ! all.colon && (all.rows == 1 || all.columns == 1))
          {
            all.rows = columns == 1 ? all.count : 1;
            all.columns = columns == 1 ? 1 : all.count;
          }
        bool down = all.columns == 1;
        result = { all.rows, all.columns, all.first, down ? all.step : 0, down ? 0 : all.step, false };
        return true;
      }

    Subscript down, right;
    if (idx.length () != 2 || ! find_elements (idx(0), rows, down) || ! find_elements (idx(1), columns, right))
      return false;
    result = { down.count, right.count, down.first + right.first * rows, down.step, right.step * rows, down.colon && right.colon };
    return true;
  }

  octave_value
  take_slice (const ValuePtr& a, const Slice& slice)
  {
    if (slice.whole)
      return octave_value (new octave_p_matrix (a));

    bool is_pending = ! a->has_result ();
    const void *elements = a->elements_at_hand ();
    octave_idx_type count = slice.numel ();
    if (! is_pending && (count == 0 || (elements && count == 1)))
      return octave_value ();
    if (is_pending || (! elements && count > most_copied_elements))
      return view (a, slice.rows, slice.columns, slice.offset, slice.row_step, slice.column_step);
    if (! elements)
      return a->read_slice (slice);
    if (ValuePtr small = small_part (elements, slice, a->value_class ()))
      return pending (std::move (small));
    // A large part of consecutive elements shares the memory of the matrix in Octave, which copies nothing.
    // As long as Octave's part is held, an assignment to an element copies the whole matrix, and pending
    // operations hold parts for a long time.  Therefore a part that is small beside the matrix is copied.
    if (count > a->numel () / 4)
      return octave_value ();
    pm_value *node = nullptr;
    pm_session *in_session = session ();
    check (pm_constant_view (in_session, elements, a->rows (), a->columns (), a->value_class (), slice.rows, slice.columns,
                             slice.offset, slice.row_step, slice.column_step, &node));
    return pending (node, false);
  }

  bool
  assign_slice (Value& a, const octave_value_list& idx, const octave_value& elements)
  {
    Slice slice;
    try
      {
        if (! a.elements_at_hand () || ! find_slice (a.rows (), a.columns (), idx, slice))
          return false;
      }
    catch (const octave::index_exception&)
      {
        // Not a subscript, which Octave says better.
        return false;
      }

    std::vector<unsigned char> buffer;
    const void *from = elements_that_fit (elements, buffer, [&] (pm_class value_class, octave_idx_type rows, octave_idx_type columns)
      { return value_class == a.value_class () && rows == slice.rows && columns == slice.columns; });
    void *to = from ? a.own_elements () : nullptr;
    if (! to)
      return false;
    copy_to_slice (a.value_class (), slice, to, from);
    return true;
  }

  bool
  assign_masked (Value& a, const octave_value_list& idx, const octave_value& elements)
  {
    const bool *mask = idx.length () == 1 && a.elements_at_hand () ? mask_of (idx(0), a) : nullptr;
    if (! mask)
      return false;

    octave_idx_type numel = a.numel ();
    double number = 0;
    bool is_one = is_number_of (elements, a.value_class (), number);
    std::vector<unsigned char> buffer;
    const void *from = is_one ? nullptr : elements_that_fit (elements, buffer,
      [&] (pm_class value_class, octave_idx_type rows, octave_idx_type columns)
      { return value_class == a.value_class () && rows * columns == std::count (mask, mask + numel, true); });
    void *to = is_one || from ? a.own_elements () : nullptr;
    if (! to)
      return false;
    with_element (a.value_class (), [&] (auto zero)
      {
        typedef decltype (zero) ELEMENT;
        ELEMENT *changed = static_cast<ELEMENT *> (to);
        const ELEMENT one = static_cast<ELEMENT> (number), *next = static_cast<const ELEMENT *> (from);
        // Without a jump for each element.
        if (is_one)
          for (octave_idx_type i = 0; i < numel; ++i)
            changed[i] = mask[i] ? one : changed[i];
        else
          for (octave_idx_type i = 0; i < numel; ++i)
            if (mask[i])
              changed[i] = *next++;
      });
    return true;
  }
}
