// Saving and loading.  A p_matrix is written as the type name and the data of the matrix that it stands for, in Octave's own
// format for that type, so that loading gives back a p_matrix with the same class and bits.

#include <cstring>

#include <octave/oct-stream.h>
#include <octave/ls-utils.h>

#include "octave_p_matrix.h"

// A fresh value of the type of that name, to be filled by its own load function.
static bool
prototype (const std::string& type_name, octave_value& v)
{
  v = pmatrix::interpreter ().get_type_info ().lookup_type (type_name);
  return v.is_defined ();
}

// Takes over what was loaded.
static bool
adopt (octave_p_matrix& p, const octave_value& loaded)
{
  octave_value wrapped = pmatrix::wrap (loaded);
  if (! octave_p_matrix::is_p_matrix (wrapped.get_rep ()))
    return false;
  p.become (octave_p_matrix::from (wrapped.get_rep ()));
  return true;
}

bool
octave_p_matrix::save_ascii (std::ostream& os)
{
  octave_value v = full ();
  os << "# holds: " << v.type_name () << "\n";
  return v.save_ascii (os);
}

bool
octave_p_matrix::load_ascii (std::istream& is)
{
  const std::string key = "# holds: ";
  std::string line;
  octave_value v;
  return std::getline (is, line) && line.compare (0, key.size (), key) == 0 && prototype (line.substr (key.size ()), v)
         && v.load_ascii (is) && adopt (*this, v);
}

bool
octave_p_matrix::save_binary (std::ostream& os, bool save_as_floats)
{
  octave_value v = full ();
  std::string name = v.type_name ();
  char length = static_cast<char> (name.size ());
  os.write (&length, 1);
  os.write (name.data (), name.size ());
  return v.save_binary (os, save_as_floats);
}

bool
octave_p_matrix::load_binary (std::istream& is, bool swap, octave::mach_info::float_format format)
{
  char length = 0;
  if (! is.read (&length, 1) || length <= 0)
    return false;
  std::string name (length, ' ');
  octave_value v;
  return is.read (&name[0], length) && prototype (name, v) && v.load_binary (is, swap, format) && adopt (*this, v);
}

// In HDF5 the type name and the data are two entries of the group that Octave made for the variable.
bool
octave_p_matrix::save_hdf5 (octave_hdf5_id location, const char *name, bool save_as_floats)
{
  octave_value v = full ();
  octave_value type_name (v.type_name ());
  return type_name.save_hdf5 (location, "holds", false) && v.save_hdf5 (location, name, save_as_floats);
}

bool
octave_p_matrix::load_hdf5 (octave_hdf5_id location, const char *name)
{
  octave_value type_name, v;
  return prototype ("string", type_name) && type_name.load_hdf5 (location, "holds")
         && prototype (type_name.string_value (), v) && v.load_hdf5 (location, name) && adopt (*this, v);
}
