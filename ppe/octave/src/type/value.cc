// SPDX-License-Identifier: GPL-3.0-or-later

#include "type/value.h"

#include <set>

#include "complexity/recompute.h"
#include "type/slice.h"

namespace pmatrix
{
  Value::Value (const octave_value& full)
  {
    put_full (full);
  }

  Value::Value (pm_value *node, bool may_be_complex)
    : m_state (Recorded { Reference (node), may_be_complex, 0 }), m_rows (pm_rows (node)), m_columns (pm_columns (node)),
      m_class (pm_value_class (node))
  { }

  Value::Value (const Mosaic& mosaic, pm_class value_class)
    : m_state (std::make_unique<const Mosaic> (mosaic)), m_rows (mosaic.dims ()(0)), m_columns (mosaic.dims ()(1)),
      m_class (value_class)
  { }

  Value::Value (Small& small)
    : m_state (&small), m_rows (small.rows ()), m_columns (small.columns ()), m_class (small.value_class ())
  { }

  void
  Value::know (const octave_value& full)
  {
    m_state = Known { full, full.isreal () && full.ndims () == 2, Reference () };
  }

  void
  Value::put_full (const octave_value& full)
  {
    octave_value whole = without_structure (full);
    know (whole);
    m_is_index_list = ! is_plain (full) && full.type_name () == "lazy_index";
    m_class = class_of (full);
    m_rows = whole.rows ();
    m_columns = is_held () ? whole.dims ().numel (1) : whole.columns ();
  }

  octave_value
  Value::take_full ()
  {
    full ();
    forget_node ();
    octave_value taken;
    std::swap (taken, std::get<Known> (m_state).full);
    return taken;
  }

  void
  Value::forget_node ()
  {
    std::get<Known> (m_state).node = Reference ();
    m_is_index_list = false;
    // The engine's reference to the array, if it had one, goes now: otherwise the change would copy the
    // array.
    collect_released ();
  }

  void *
  Value::own_elements ()
  {
    if (! elements_at_hand ())
      return nullptr;
    full ();
    forget_node ();
    return pmatrix::own_elements (std::get<Known> (m_state).full);
  }

  // ---- Questions that compute nothing.

  bool
  Value::may_be_complex () const
  {
    return std::visit (ByState {
      [] (const Known&) { return false; },
      [] (const Recorded& recorded) { return recorded.may_be_complex; },
      [] (const Parts& parts) { return parts->may_be_complex (); },
      [] (const Small *small) { return small->may_be_complex (); } }, m_state);
  }

  bool
  Value::has_result () const
  {
    return std::visit (ByState {
      [] (const Known&) { return true; },
      [] (const Recorded& recorded) { return pm_has_result (recorded.node.get ()) != 0; },
      [] (const Parts&) { return false; },
      [] (const Small *small) { return small->has_elements (); } }, m_state);
  }

  // Small operations depend on small operations alone, and chains of them are short.
  static void
  collect_small (const Value& value, std::set<const Value *>& seen, Value::Below& below)
  {
    const Small *small = value.small ();
    if (! small || small->has_elements () || ! seen.insert (&value).second)
      return;
    below.operations += 1;
    below.bytes += small->bytes ();
    for (const Value *operand : { small->first (), small->second () })
      if (operand)
        collect_small (*operand, seen, below);
  }

  Value::Below
  Value::below () const
  {
    Below below = { 0, 0, "", 0 };
    std::visit (ByState {
      [] (const Known&) { },
      [&] (const Recorded& recorded)
        {
          if (is_of_parent_process (recorded.node.get ()))
            return;
          pm_information information;
          check (pm_value_information (recorded.node.get (), &information));
          below = { information.operations, information.bytes, information.file, information.line };
        },
      // The concatenation itself; what its parts still need shows once it has been put together.
      [&] (const Parts&) { below = { 1, numel () * element_bytes (m_class), "", 0 }; },
      [&] (const Small *)
        {
          std::set<const Value *> seen;
          collect_small (*this, seen, below);
        } }, m_state);
    return below;
  }

  const void *
  Value::elements_at_hand () const
  {
    if (const Small *small = this->small ())
      return small->has_elements () ? small->elements () : nullptr;
    const Known *known = std::get_if<Known> (&m_state);
    return known && known->has_engine_form ? known->full.get_rep ().mex_get_data () : nullptr;
  }

  // ---- Functions that compute.

  bool
  Value::is_real ()
  {
    if (may_be_complex ())
      compute ();
    const Known *known = std::get_if<Known> (&m_state);
    return ! known || known->full.isreal ();
  }

  void
  Value::put_together ()
  {
    const Parts *parts = std::get_if<Parts> (&m_state);
    if (! parts)
      return;
    const Mosaic& mosaic = **parts;
    // The engine takes longer to record a concatenation than Octave to copy some elements that are there.
    bool is_short = numel () <= PM_FEW_ELEMENTS || (numel () <= most_small_elements (PM_VIEW) && mosaic.has_elements ());
    // The parts stay until that has worked.
    pm_value *node = ! is_short && ! in_forked_child () ? mosaic.node (m_class) : nullptr;
    if (node)
      m_state = Recorded { Reference (node), mosaic.may_be_complex (), 0 };
    else
      know (mosaic.full (m_class));
  }

  void
  Value::fetch_few ()
  {
    const Recorded *recorded = std::get_if<Recorded> (&m_state);
    if (recorded && ! recorded->may_be_complex && numel () <= most_copied_elements
        && ! is_of_parent_process (recorded->node.get ()) && pm_has_result (recorded->node.get ()))
      fetch ();
  }

  bool
  Value::is_number (double& number)
  {
    if (! is_scalar () || may_be_complex ())
      return false;
    fetch_few ();
    if (Small *const *small = std::get_if<Small *> (&m_state); small && (*small)->has_elements ())
      know ((*small)->octave ());
    const Known *known = std::get_if<Known> (&m_state);
    if (! known || ! known->has_engine_form)
      return false;
    number = known->full.double_value ();
    return true;
  }

  int
  Value::small_depth ()
  {
    if (numel () > PM_SMALL_ELEMENTS)
      return -1;
    put_together ();
    fetch_few ();
    if (const Small *small = this->small ())
      return small->depth ();
    return is_known () && ! is_held () && numel () > 0 ? 0 : -1;
  }

  const void *
  Value::small_elements ()
  {
    if (Small *const *small = std::get_if<Small *> (&m_state); small && ! (*small)->has_elements ())
      {
        // A result that is complex, or that Octave computes, is known from then on.
        octave_value computed;
        (*small)->compute (computed);
        if (computed.is_defined ())
          know (computed);
      }
    return elements_at_hand ();
  }

  void
  Value::leave_earlier_session ()
  {
    const Reference *node = std::visit (ByState {
      [] (const Known& known) { return &known.node; },
      [] (const Recorded& recorded) { return &recorded.node; },
      [] (const auto&) -> const Reference * { return nullptr; } }, m_state);
    if (node && node->get () && is_of_an_earlier_session (node->get ()))
      know (octave_value (full ()));
  }

  bool
  Value::can_have_node ()
  {
    put_together ();
    leave_earlier_session ();
    if (! std::holds_alternative<Recorded> (m_state) && may_be_complex ())
      compute ();
    return ! is_held ();
  }

  pm_value *
  Value::node ()
  {
    put_together ();
    leave_earlier_session ();
    if (const Recorded *recorded = std::get_if<Recorded> (&m_state))
      return recorded->node.get ();
    full ();
    Known& known = std::get<Known> (m_state);
    if (! known.has_engine_form)
      error_with_id ("pmatrix:held", "p_matrix: the engine was to have a complex matrix or an array of more than two dimensions");
    if (! known.node.get ())
      known.node = Reference (constant_node (known.full));
    return known.node.get ();
  }

  void
  Value::compute ()
  {
    put_together ();
    if (std::holds_alternative<Small *> (m_state))
      small_elements ();
    Recorded *recorded = std::get_if<Recorded> (&m_state);
    if (! recorded)
      return;

    collect_released ();
    pm_status status = wait_for (recorded->node.get ());
    if (status == PM_ERROR_DOMAIN)
      {
        know (recompute (recorded->node.get ()));
        return;
      }
    check (status);
    recorded->may_be_complex = false;
  }

  void
  Value::fetch ()
  {
    Reference& node = std::get<Recorded> (m_state).node;
    octave_value elements = read_elements (node.get ());
    m_state = Known { elements, true, std::move (node) };
  }

  const octave_value&
  Value::full ()
  {
    compute ();
    if (Small *const *small = std::get_if<Small *> (&m_state))
      know ((*small)->octave ());
    else if (std::holds_alternative<Recorded> (m_state))
      fetch ();
    return std::get<Known> (m_state).full;
  }

  octave_value
  Value::read_slice (const Slice& slice)
  {
    compute ();
    Recorded *recorded = std::get_if<Recorded> (&m_state);
    if (! recorded)
      {
        // An element is read where it stands.
        const void *elements = slice.numel () == 1 ? elements_at_hand () : nullptr;
        return elements ? element_of (m_class, elements, slice.offset) : octave_value ();
      }
    recorded->read += slice.numel ();
    // Copying all of a small matrix costs no more than finding a part of it.  A program that goes on reading
    // parts of a large one has it copied once.
    if (numel () <= 1024 || recorded->read > numel () / 4)
      return octave_value ();
    return pmatrix::read_slice (recorded->node.get (), slice);
  }
}
