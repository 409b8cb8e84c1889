// SPDX-License-Identifier: GPL-3.0-or-later

// Saving and loading.  A p_matrix is written as the matrix that it stands for, under the name of the matrix's
// type, so that an Octave without this package can load the file.  Earlier versions wrote a cell with the
// matrix, under the name p_matrix; such files are loaded.

#include <iostream>

#include <octave/Cell.h>
#include <octave/ov-cell.h>

#include "type/octave_p_matrix.h"

static octave_value
empty_cell ()
{
  return octave_value (Cell ());
}

// Takes over what was loaded.
static bool
adopt (octave_p_matrix& p, const octave_value& loaded)
{
  Cell cell = loaded.cell_value ();
  if (cell.numel () != 1)
    return false;
  octave_value full = cell(0);
  if (! pmatrix::is_wrappable (full))
    return false;
  p.become (octave_p_matrix (std::make_shared<pmatrix::Value> (full)));
  return true;
}

octave_value
octave_p_matrix::saved () const
{
  bool left_out = pmatrix::process_is_ending () && ! m_value->has_result () && ! m_value->small ();
  return left_out ? octave_value (Matrix ()) : full ();
}

// The matrix that goes into a file; warns when it is not the matrix that the variable stands for.
static octave_value
written (const octave_p_matrix& p)
{
  octave_value matrix = p.saved ();
  if (matrix.numel () != p.numel ())
    std::cerr << "p_matrix: a matrix that has not been computed yet is saved without elements\n";
  return matrix;
}

bool
octave_p_matrix::save_ascii (std::ostream& os)
{
  octave_value matrix = written (*this);
  return matrix.save_ascii (os);
}

bool
octave_p_matrix::load_ascii (std::istream& is)
{
  octave_value cell = empty_cell ();
  return cell.load_ascii (is) && adopt (*this, cell);
}

bool
octave_p_matrix::save_binary (std::ostream& os, bool save_as_floats)
{
  octave_value matrix = written (*this);
  return matrix.save_binary (os, save_as_floats);
}

bool
octave_p_matrix::load_binary (std::istream& is, bool swap, octave::mach_info::float_format format)
{
  octave_value cell = empty_cell ();
  return cell.load_binary (is, swap, format) && adopt (*this, cell);
}

bool
octave_p_matrix::save_hdf5 (octave_hdf5_id location, const char *name, bool save_as_floats)
{
  octave_value matrix = written (*this);
  return matrix.save_hdf5 (location, name, save_as_floats);
}

bool
octave_p_matrix::load_hdf5 (octave_hdf5_id location, const char *name)
{
  octave_value cell = empty_cell ();
  return cell.load_hdf5 (location, name) && adopt (*this, cell);
}
