// SPDX-License-Identifier: GPL-3.0-or-later

// A matrix that is being put together by [a, b; c, d], horzcat, vertcat or cat.
//
// A mosaic knows its parts and their places.  When the matrix is needed, recorded operations join the parts,
// rows first.  Where the parts cannot be recorded, or do not fill the matrix row by row, Octave inserts the
// parts into a matrix of zeros.

#ifndef PMATRIX_MOSAIC_H
#define PMATRIX_MOSAIC_H

#include <memory>
#include <vector>

#include "session/engine.h"

namespace pmatrix
{
  class Mosaic
  {
  public:

    // A matrix of zeros, without parts.
    explicit Mosaic (const dim_vector& dims, bool may_be_complex = false)
      : m_parts (std::make_shared<std::vector<Part>> ()), m_count (0), m_dims (dims), m_may_be_complex (may_be_complex)
    { }

    // This matrix with one more part.  The two mosaics share all parts that they have in common.
    Mosaic with (const octave_value& part, octave_idx_type row, octave_idx_type column) const;

    const dim_vector& dims () const { return m_dims; }

    // The node of the matrix in the engine's graph, of this class; null when the parts do not fill the
    // matrix.  The class may be another than the class of the joined parts, because parts without elements
    // count for the class too.
    pm_value * node (pm_class value_class) const;

    // Whether all parts have been computed.
    bool has_elements () const;

    // Whether a part may turn out to be complex.
    bool may_be_complex () const { return m_may_be_complex; }

    // The values of the parts.
    octave_value_list parts () const;

    // The matrix as Octave puts it together.
    octave_value full (pm_class value_class) const;

  private:

    struct Part
    {
      octave_value value;
      octave_idx_type row, column;
    };

    // Parts behind the first m_count belong to another mosaic, which shares the vector.
    std::shared_ptr<std::vector<Part>> m_parts;
    std::size_t m_count;
    dim_vector m_dims;
    bool m_may_be_complex;
  };

  // Inserts b into a, as Octave's concatenation does.
  octave_value insert (const octave_value& a, const octave_value& b, octave_idx_type row, octave_idx_type column);
}

#endif
