// SPDX-License-Identifier: GPL-3.0-or-later

#include <octave/Cell.h>
#include <octave/oct-map.h>

#include "hooks/graphics.h"
#include "type/octave_p_matrix.h"
#include "hooks/replace.h"

namespace pmatrix
{
  // The full value of a p_matrix, in cells and structs too, as in set (h, {"xdata", "ydata"}, {x, y}).
  static octave_value
  unwrap_inside (const octave_value& v)
  {
    if (v.iscell ())
      {
        Cell cell = v.cell_value ();
        for (octave_idx_type i = 0; i < cell.numel (); ++i)
          cell(i) = unwrap_inside (cell(i));
        return octave_value (cell);
      }
    if (v.isstruct ())
      {
        octave_map map = v.map_value ();
        for (octave_idx_type k = 0; k < map.nfields (); ++k)
          {
            std::string name = map.fieldnames ()(k);
            map.setfield (name, unwrap_inside (octave_value (map.contents (name))).cell_value ());
          }
        return octave_value (map);
      }
    return unwrap (v);
  }

  namespace
  {
    class Drawing : public Replacement
    {
    public:

      using Replacement::Replacement;

      octave_value_list
      execute (octave::tree_evaluator& evaluator, int nargout, const octave_value_list& args) override
      {
        octave_value_list full_args = args;
        for (octave_idx_type i = 0; i < args.length (); ++i)
          full_args(i) = unwrap_inside (args(i));
        return octave_builtin::execute (evaluator, nargout, full_args);
      }
    };
  }

  void
  give_graphics_full_values (octave::interpreter& interp)
  {
    octave::symbol_table& symbols = interp.get_symbol_table ();
    for (const char *name : { "set", "addproperty", "__go_axes__", "__go_figure__", "__go_hggroup__", "__go_image__", "__go_light__",
                              "__go_line__", "__go_patch__", "__go_scatter__", "__go_surface__", "__go_text__", "__go_uibuttongroup__",
                              "__go_uicontextmenu__", "__go_uicontrol__", "__go_uimenu__", "__go_uipanel__", "__go_uipushtool__",
                              "__go_uitable__", "__go_uitoggletool__", "__go_uitoolbar__" })
      replace_built_in<Drawing> (symbols, name);
  }
}
