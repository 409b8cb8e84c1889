// SPDX-License-Identifier: GPL-3.0-or-later

#include "record/operand.h"

#include <vector>

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
}
