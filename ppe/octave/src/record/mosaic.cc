// SPDX-License-Identifier: GPL-3.0-or-later

#include "record/mosaic.h"

#include <algorithm>

#include "record/graph.h"

namespace pmatrix
{
  namespace
  {
    Reference
    part_node (const octave_value& v)
    {
      const octave_base_value& rep = v.get_rep ();
      return Reference (octave_p_matrix::is_p_matrix (rep) ? pm_value_retain (octave_p_matrix::from (rep).value ()->node ())
                                                           : constant_node (v));
    }

    bool
    can_have_node (const octave_value& v)
    {
      return ! octave_p_matrix::is_p_matrix (v.get_rep ()) || octave_p_matrix::from (v.get_rep ()).value ()->can_have_node ();
    }

    // Joins neighbours in pairs, then pairs of pairs, so that no element is moved more often than necessary.
    Reference
    joined (std::vector<Reference> nodes, int side)
    {
      while (nodes.size () > 1)
        {
          std::vector<Reference> pairs;
          for (std::size_t i = 0; i + 1 < nodes.size (); i += 2)
            {
              pairs.emplace_back (pmatrix::node_of ([&] (const char *file, uint32_t line, pm_value **pair)
                { return pm_join (nodes[i].get (), nodes[i+1].get (), side, file, line, pair); }));
            }
          if (nodes.size () % 2 == 1)
            pairs.push_back (std::move (nodes.back ()));
          nodes = std::move (pairs);
        }
      return std::move (nodes.front ());
    }
  }

  Mosaic
  Mosaic::with (const octave_value& part, octave_idx_type row, octave_idx_type column) const
  {
    Mosaic result = *this;
    if (m_parts->size () != m_count)
      result.m_parts = std::make_shared<std::vector<Part>> (m_parts->begin (), m_parts->begin () + m_count);
    // A copy, so that a variable does not seem shared because a matrix is made of its value.
    result.m_parts->push_back ({ octave_value (part.get_rep ().clone ()), row, column });
    ++result.m_count;
    const octave_base_value& rep = part.get_rep ();
    if (octave_p_matrix::is_p_matrix (rep) && octave_p_matrix::from (rep).value ()->may_be_complex ())
      result.m_may_be_complex = true;
    return result;
  }

  pm_value *
  Mosaic::node (pm_class value_class) const
  {
    const std::vector<Part>& parts = *m_parts;
    for (std::size_t i = 0; i < m_count; ++i)
      if (! can_have_node (parts[i].value))
        return nullptr;

    // The first part of each row of parts, as far as parts lie side by side and rows lie below each other.
    std::vector<std::size_t> starts;
    octave_idx_type row = 0;
    for (std::size_t i = 0; i < m_count; )
      {
        octave_idx_type height = parts[i].value.rows (), column = 0;
        starts.push_back (i);
        for (; i < m_count && column < m_dims(1); ++i)
          {
            const Part& part = parts[i];
            if (part.row != row || part.column != column || part.value.rows () != height)
              return nullptr;
            column += part.value.columns ();
          }
        if (column != m_dims(1))
          return nullptr;
        row += height;
      }
    if (m_count == 0 || row != m_dims(0))
      return nullptr;

    starts.push_back (m_count);
    std::vector<Reference> rows;
    for (std::size_t r = 0; r + 1 < starts.size (); ++r)
      {
        std::vector<Reference> nodes;
        for (std::size_t i = starts[r]; i < starts[r+1]; ++i)
          nodes.push_back (part_node (parts[i].value));
        rows.push_back (joined (std::move (nodes), 1));
      }
    Reference whole = joined (std::move (rows), 0);
    if (pm_value_class (whole.get ()) == value_class)
      return whole.take ();
    return node_of ([&] (const char *file, uint32_t line, pm_value **converted)
                    { return pm_convert (whole.get (), value_class, file, line, converted); });
  }

  bool
  Mosaic::has_elements () const
  {
    auto has_result = [] (const Part& part)
      {
        const octave_base_value& rep = part.value.get_rep ();
        return ! octave_p_matrix::is_p_matrix (rep) || octave_p_matrix::from (rep).value ()->has_result ();
      };
    return std::all_of (m_parts->begin (), m_parts->begin () + m_count, has_result);
  }

  octave_value_list
  Mosaic::parts () const
  {
    octave_value_list parts (m_count);
    for (std::size_t i = 0; i < m_count; ++i)
      parts(i) = (*m_parts)[i].value;
    return parts;
  }

  octave_value
  Mosaic::full (pm_class value_class) const
  {
    octave_value result;
    switch (value_class)
      {
      case PM_SINGLE:
        result = FloatNDArray (m_dims, 0.0f);
        break;
      case PM_LOGICAL:
        result = boolNDArray (m_dims, false);
        break;
      default:
        result = NDArray (m_dims, 0.0);
      }
    for (std::size_t i = 0; i < m_count; ++i)
      result = insert (result, unwrap ((*m_parts)[i].value), (*m_parts)[i].row, (*m_parts)[i].column);
    return result;
  }

  octave_value
  insert (const octave_value& a, const octave_value& b, octave_idx_type row, octave_idx_type column)
  {
    // Octave counts a 1x0 row above b as a row, but not when it computes the size of a.
    auto inside = [] (octave_idx_type at, octave_idx_type room) { return std::max<octave_idx_type> (0, std::min (at, room)); };
    Array<octave_idx_type> where (dim_vector (2, 1));
    where(0) = inside (row, a.rows () - b.rows ());
    where(1) = inside (column, a.columns () - b.columns ());
    return shims::concatenate (interpreter ().get_type_info (), a, b, where);
  }
}
