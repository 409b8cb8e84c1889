// SPDX-License-Identifier: GPL-3.0-or-later

#include "record/operand.h"

#include <vector>

#include "hooks/dispatch.h"

namespace pmatrix
{
  namespace
  {
    struct KindName
    {
      const char *type_name;
      Kind kind;
    };

    const KindName kind_names[] = {
      { "p_matrix", Kind::lazy },
      { "matrix", Kind::array },
      { "null_matrix", Kind::array },
      { "float matrix", Kind::array },
      { "bool matrix", Kind::array },
      { "range", Kind::array },
      { "double_range", Kind::array },
      { "trivial range", Kind::array },
      { "scalar", Kind::scalar },
      { "float scalar", Kind::scalar },
      { "bool", Kind::scalar },
      { "diagonal matrix", Kind::structured },
      { "float diagonal matrix", Kind::structured },
      { "permutation matrix", Kind::structured },
    };

    // Indexed by type id.
    std::vector<Kind>&
    kinds ()
    {
      static std::vector<Kind> *table = new std::vector<Kind> ();
      return *table;
    }
  }

  Kind
  kind_of (const octave_base_value& v)
  {
    std::size_t id = v.type_id ();
    return id < kinds ().size () ? kinds ()[id] : Kind::other;
  }

  std::size_t
  operand_kinds ()
  {
    return kinds ().size ();
  }

  void
  find_operand_kinds (octave::type_info& ti)
  {
    // The type id is the position in this list; asking a prototype for its id gives the wrong answer for
    // null_matrix.
    string_vector names = ti.installed_type_names ();
    kinds ().assign (names.numel (), Kind::other);
    for (octave_idx_type id = 0; id < names.numel (); ++id)
      for (const KindName& known : kind_names)
        if (names(id) == known.type_name)
          kinds ()[id] = known.kind;
  }

  // Zeros of the operand's class and shape, which no other value shares; undefined where Octave never changes
  // a matrix of this class in place.
  static octave_value
  unshared_zeros (const Operand& x)
  {
    octave_value v = x.octave ();
    if (v.issparse () || v.is_range () || x.kind () == Kind::structured || ! (v.isnumeric () || v.islogical ()))
      return octave_value ();
    if (v.isinteger ())
      return shims::binary (octave_value::op_el_mul, v, octave_value (0.0));
    if (v.islogical ())
      return octave_value (boolNDArray (v.dims (), false));
    if (v.isreal ())
      return v.is_single_type () ? octave_value (FloatNDArray (v.dims (), 0.0f)) : octave_value (NDArray (v.dims (), 0.0));
    return v.is_single_type () ? octave_value (FloatComplexNDArray (v.dims (), FloatComplex (0, 1)))
                               : octave_value (ComplexNDArray (v.dims (), Complex (0, 1)));
  }

  void
  refuse_growth (octave_value::binary_op op, const Operand& a, const Operand& b)
  {
    octave_idx_type rows = b.rows (), columns = b.columns ();
    bool fits = (rows == 1 || rows == a.rows ()) && (columns == 1 || columns == a.columns ())
                && (b.kind () != Kind::other || b.octave ().ndims () == 2);
    // Octave adds a list of indices, and to a list of indices, in a new matrix.
    if (a.is_index_list () || b.is_index_list ())
      return;
    // The variable is one reference to the value; a.octave () is a second one.  No x is changed in place by text.
    if (fits || b.octave ().is_string () || a.is_one_by_one () || a.octave ().get_count () > 2 || ! in_compound_assignment ())
      return;
    octave_value left = unshared_zeros (a), right = b.kind () == Kind::lazy ? unshared_zeros (b) : unwrap (b.octave ());
    octave_value::assign_op assignment = octave_value::binary_op_to_assign_op (op);
    if (left.is_defined () && assignment < octave_value::num_assign_ops)
      left.assign (assignment, right);
  }
}
