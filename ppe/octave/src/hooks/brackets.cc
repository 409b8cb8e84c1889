// SPDX-License-Identifier: GPL-3.0-or-later

#include "hooks/brackets.h"

#include <algorithm>
#include <vector>

#include "hooks/dispatch.h"

namespace pmatrix
{
  // The value of brackets that have failed.  Octave would put words of its own in the place of a method's
  // error.  So the method returns a value of this type, and the value raises the error at the first question
  // that Octave asks of it.  Its class is p_matrix, so that Octave calls the method vertcat for it.
  class FailedBrackets : public octave_base_value
  {
  public:

    // Octave needs a prototype of each type.
    FailedBrackets () : octave_base_value () { }

    explicit FailedBrackets (const octave::execution_exception& failure) : octave_base_value (), m_failure (failure) { }

    octave_base_value * clone () const { return new FailedBrackets (m_failure); }
    octave_base_value * empty_clone () const { return new FailedBrackets (); }

    // Octave also asks this of the result of a method, where no error may be raised yet.
    bool is_defined () const { if (! called_for_brackets ()) fail (); return true; }

    bool is_cs_list () const { fail (); }
    bool is_range () const { fail (); }
    bool is_true () const { fail (); }
    dim_vector dims () const { fail (); }
    octave_idx_type numel () const { fail (); }
    type_conv_info numeric_conversion_function () const { fail (); }
    octave_value subsref (const std::string&, const std::list<octave_value_list>&) { fail (); }
    octave_value_list subsref (const std::string&, const std::list<octave_value_list>&, int) { fail (); }

  private:

    OCTAVE_NORETURN void fail () const { throw octave::execution_exception (m_failure); }

    octave::execution_exception m_failure;

    DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
  };

  DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (FailedBrackets, "failed brackets", "p_matrix");

  void
  define_failed_brackets (octave::type_info& types)
  {
    FailedBrackets::register_type (types);
  }

  // Whether the engine can put a value into a larger matrix.
  static bool
  has_lazy_form (const octave_value& v)
  {
    const octave_base_value& rep = v.get_rep ();
    return octave_p_matrix::is_p_matrix (rep) ? ! octave_p_matrix::from (rep).value ()->is_held () : has_engine_form (v);
  }

  // Class of a matrix that is put together of parts of these classes.
  static pm_class
  joined_class (pm_class a, pm_class b)
  {
    if (a == PM_SINGLE || b == PM_SINGLE)
      return PM_SINGLE;
    return a == PM_LOGICAL && b == PM_LOGICAL ? PM_LOGICAL : PM_DOUBLE;
  }

  // The error of brackets for sizes that do not fit.  A function that was called by name has a text of its
  // own, and raises that error itself.
  static void
  report_mismatch (int side, const dim_vector& a, const dim_vector& b)
  {
    if (called_for_brackets ())
      error ("%s dimensions mismatch (%s vs %s)", side == 1 ? "horizontal" : "vertical", a.str ().c_str (), b.str ().c_str ());
  }

  octave_value
  join (int side, const octave_value_list& parts)
  {
    pm_class result_class = PM_LOGICAL;
    dim_vector dims (0, 0);
    std::vector<octave_value> filled;
    for (octave_idx_type i = 0; i < parts.length (); ++i)
      {
        const octave_value& part = parts(i);
        if (! has_lazy_form (part))
          return octave_value ();
        result_class = i == 0 ? class_of (part) : joined_class (result_class, class_of (part));
        dim_vector size = part.dims ();
        if (size.zero_by_zero ())
          continue;
        // Whether a matrix without elements fits depends on its size, by rules that are Octave's.
        if (size.numel () == 0)
          return octave_value ();
        if (filled.empty ())
          dims = size;
        else if (size(1 - side) != dims(1 - side))
          {
            report_mismatch (side, dims, size);
            return octave_value ();
          }
        else
          dims(side) += size(side);
        filled.push_back (part);
      }
    if (filled.size () == 1 && octave_p_matrix::is_p_matrix (filled[0].get_rep ()) && class_of (filled[0]) == result_class)
      return filled[0];

    Mosaic mosaic (dims);
    octave_idx_type at = 0;
    for (const octave_value& part : filled)
      {
        mosaic = mosaic.with (part, side == 0 ? at : 0, side == 1 ? at : 0);
        at += side == 0 ? part.rows () : part.columns ();
      }
    return octave_value (new octave_p_matrix (std::make_shared<Value> (mosaic, result_class)));
  }

  // A row of plain values that has been put together, and its parts, which the value of the row does not
  // tell.
  struct PlainRow
  {
    octave_value row;
    octave_value_list parts;
  };

  // The rows of plain values in the brackets that Octave is at.  They are forgotten in the method vertcat,
  // which Octave calls last.
  static std::vector<PlainRow>&
  plain_rows ()
  {
    static std::vector<PlainRow> *rows = new std::vector<PlainRow> ();
    return *rows;
  }

  // How many references a row has that Octave has put together for brackets.  A variable has more references,
  // and so has the value of inner brackets.  The number is found out at load time, like the callers in
  // dispatch.h.
  static int row_references = 0;
  static bool learning_rows = false;

  // The parts of a row of the brackets that Octave is at; empty for a value that is no such row.  Next to a
  // row of cells the parts are needed, because each gets a cell of its own.
  static octave_value_list
  parts_of_row (const octave_value& row)
  {
    for (const PlainRow& known : plain_rows ())
      if (&known.row.get_rep () == &row.get_rep ())
        return known.parts;
    if (learning_rows)
      row_references = row.get_count ();
    if (row.get_count () > row_references || ! octave_p_matrix::is_p_matrix (row.get_rep ()))
      return octave_value_list ();
    const Mosaic *mosaic = octave_p_matrix::from (row.get_rep ()).value ()->mosaic ();
    return mosaic ? mosaic->parts () : octave_value_list ();
  }

  // Each part in a cell of its own.
  static octave_value
  row_of_cells (const octave_value_list& parts)
  {
    Cell row (1, 0);
    for (octave_idx_type i = 0; i < parts.length (); ++i)
      if (! parts(i).isempty ())
        row.resize (dim_vector (1, row.numel () + 1), parts(i));
    return octave_value (row);
  }

  // The parts as Octave has them beside a cell: every part that is neither a cell nor empty is put into a
  // cell of its own.  An empty list where no part is a cell, or where Octave puts nothing into cells.
  static octave_value_list
  in_cells (const octave_value_list& parts, bool rows)
  {
    bool any = false, first = true;
    octave_value_list result = parts;
    for (octave_idx_type i = 0; i < parts.length (); ++i)
      {
        const octave_value& part = parts(i);
        if (part.isobject () || (first && part.isstruct () && ! part.dims ().zero_by_zero ()))
          return octave_value_list ();
        first = first && part.dims ().zero_by_zero () && ! part.iscell ();
        any = any || part.iscell ();
        if (part.iscell ())
          continue;
        octave_value_list of_row = rows ? parts_of_row (part) : octave_value_list ();
        if (! of_row.empty ())
          result(i) = row_of_cells (of_row);
        else
          result(i) = part.isempty () ? unwrap (part) : octave_value (Cell (part));
      }
    return any ? result : octave_value_list ();
  }

  static octave_value
  compute (const char *name, int side, const octave_value_list& parts)
  {
    bool in_brackets = called_for_brackets ();
    octave_value_list known = in_cells (parts, side == 0 && in_brackets);
    if (known.empty ())
      {
        note_fallback (name);
        known = unwrap (parts);
      }
    octave_value result = in_brackets ? shims::brackets (interpreter (), known, side == 1) : call_built_in (name, known);
    return result.numel () == 1 ? result : wrap (result);
  }

  octave_value
  join_or_compute (const char *name, int side, const octave_value_list& parts)
  {
    octave_value result;
    try
      {
        result = join (side, parts);
        if (result.is_undefined ())
          result = compute (name, side, parts);
      }
    catch (const octave::execution_exception& failure)
      {
        if (! called_for_brackets ())
          throw;
        result = octave_value (new FailedBrackets (failure));
      }
    if (side == 0)
      plain_rows ().clear ();
    return result;
  }

  void
  learn_rows ()
  {
    octave_value function = octave::feval ("str2func", ovl ("@(p) [p, p; {1, 2}]"), 1)(0);
    learning_rows = true;
    octave::feval (function.function_value (), ovl (octave_value (new octave_p_matrix ())), 1);
    learning_rows = false;
  }

  // Whether a p_matrix has stood in brackets since horzcat or vertcat was last called by its name.  While it
  // is false, plain values need not ask who calls them, which takes microseconds.
  static bool brackets_expected = false;

  void
  expect_brackets ()
  {
    brackets_expected = true;
  }

  octave_value
  plain_row (int side, const octave_value_list& parts)
  {
    if (! brackets_expected)
      return octave_value ();
    brackets_expected = called_for_brackets ();
    if (! brackets_expected)
      return octave_value ();
    octave_value result;
    try
      {
        octave_value_list known = in_cells (parts, side == 0);
        result = shims::brackets (interpreter (), known.empty () ? parts : known, side == 1);
      }
    catch (const octave::execution_exception& failure)
      {
        result = octave_value (new FailedBrackets (failure));
      }
    if (side == 1)
      plain_rows ().push_back ({ result, parts });
    else
      plain_rows ().clear ();
    return result;
  }

  octave_value
  failed_row (const octave_value_list& parts)
  {
    for (octave_idx_type i = 0; brackets_expected && i < parts.length (); ++i)
      if (dynamic_cast<const FailedBrackets *> (&parts(i).get_rep ()))
        return parts(i);
    return octave_value ();
  }
}
