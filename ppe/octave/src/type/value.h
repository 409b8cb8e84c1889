// SPDX-License-Identifier: GPL-3.0-or-later

// One matrix value, pending or computed.  After B = A both variables share one Value, so that copying a
// variable computes nothing and copies no elements.
//
// A Value is in one of four states:
//   Known      Octave's own array is at hand; the engine gets the array when an operation needs it, so that a
//              loop which assigns elements never meets the engine
//   Recorded   a place in the engine's graph: the result of a recorded operation
//   Parts      the parts of a matrix that brackets have put together, until somebody needs the matrix
//              (mosaic.h)
//   Small      a small operation, which the engine never sees (small.h)
// Computing leads from the last three states to Known, and putting parts together to Recorded or Known.
//
// The engine has real matrices of two dimensions.  A Value of any other array is *held*: it is known, and
// Octave computes with it.  A pending Value that turns out to be complex (complexity.h) is held from then on.
//
// These functions compute, as their comments say: is_real, small_depth, small_elements, can_have_node, node,
// full, compute, read_slice and take_full.  No other function does.

#ifndef PMATRIX_VALUE_H
#define PMATRIX_VALUE_H

#include <memory>
#include <variant>

#include "record/mosaic.h"
#include "session/reference.h"
#include "small/small.h"
#include "type/arrays.h"

namespace pmatrix
{
  // One function for each state, as one object for std::visit.
  template <typename... FUNCTIONS>
  struct ByState : FUNCTIONS...
  {
    using FUNCTIONS::operator ()...;
  };

  template <typename... FUNCTIONS>
  ByState (FUNCTIONS...) -> ByState<FUNCTIONS...>;

  struct Slice;

  class Value
  {
  public:

    // A known array; must be wrappable.
    explicit Value (const octave_value& full);

    // Takes over the reference to a recorded operation.
    Value (pm_value *node, bool may_be_complex);

    // A matrix that is being put together.
    Value (const Mosaic& mosaic, pm_class value_class);

    Value (const Value&) = delete;
    Value& operator = (const Value&) = delete;

    // Makes a vector, which Octave allocates.  So recording asks for rows and columns instead.
    dim_vector dims () const { return is_held () ? std::get<Known> (m_state).full.dims () : dim_vector (m_rows, m_columns); }

    // The columns of an array of more than two dimensions are the columns of all its pages.
    octave_idx_type rows () const { return m_rows; }
    octave_idx_type columns () const { return m_columns; }
    octave_idx_type numel () const { return m_rows * m_columns; }

    pm_class value_class () const { return m_class; }

    // Whether Octave's function gave the array as a list of indices, as sort and find do.  Octave keeps such a
    // list in a type of its own, until it is changed.
    bool is_index_list () const { return m_is_index_list; }


    bool is_scalar () const { return m_rows == 1 && m_columns == 1; }

    bool has_result () const;

    // True when Octave's own array is at hand.
    bool is_known () const { return std::holds_alternative<Known> (m_state); }

    // A complex matrix, or an array of more than two dimensions; a pending value that turns out to be complex
    // becomes one.
    bool is_held () const
    {
      const Known *known = std::get_if<Known> (&m_state);
      return known && ! known->has_engine_form;
    }

    // Pending, and it may turn out to be complex.
    bool may_be_complex () const;

    // Whether the elements are real; computes a value that may be complex.
    bool is_real ();

    // The elements, when there are few and computing them needs no engine; null otherwise.  Computes a small
    // operation.
    const void *small_elements ();

    // The elements of a real value, when they stand outside of the engine; otherwise null.  Computes nothing.
    const void *elements_at_hand () const;

    // The elements of Octave's own array, to be changed in place; null when there is no such array.  An array
    // that others share is copied first, and the engine gets the array anew when an operation needs it.
    void *own_elements ();

    // Whether the value is one real number that is known, and which.
    bool is_number (double& number);

    // The number of operations that small_elements would have to compute in a row; -1 when there are no small
    // elements.  A small mosaic is put together, which computes its parts.
    int small_depth ();

    // Whether the engine can have the value.  A value that may be complex, and that the engine does not have
    // yet, is computed to find out.
    bool can_have_node ();

    // The small operation of a pending value; null for any other value.
    const Small * small () const
    {
      Small *const *small = std::get_if<Small *> (&m_state);
      return small ? *small : nullptr;
    }

    // The parts of a matrix that is being put together; null for any other value.
    const Mosaic * mosaic () const
    {
      const Parts *parts = std::get_if<Parts> (&m_state);
      return parts ? parts->get () : nullptr;
    }

    // The node in the engine's graph.  When there is none yet, a constant is made of the array.  Only for a
    // value whose can_have_node is true.
    pm_value *node ();

    // The matrix as Octave has it; computes it first if need be.
    const octave_value& full ();

    // The operations that have to be executed before the elements are there.  Asking for them never forces.
    struct Below
    {
      uint64_t operations, bytes;
      std::string file;
      uint32_t line;
    };

    Below below () const;

    // Waits until the value has been computed, without fetching it.
    void compute ();

    // An element, or elements of a result that the engine has, which are copied from there; undefined when the whole
    // matrix is at hand, or is worth having because much of it has been read.  Computes the value.
    octave_value read_slice (const Slice& slice);

    // Gives the array away so that it can be changed in place; the caller gives an array back by put_full.
    octave_value take_full ();

    // The value is this array from now on, which may have another size and class than the array before; must
    // be wrappable.
    void put_full (const octave_value& full);

  protected:

    // The result of an operation on small matrices, which lives as long as the value.
    explicit Value (Small& small);

  private:

    struct Known
    {
      octave_value full;
      // False for an array that is held.
      bool has_engine_form;
      // The engine's reference to the matrix, if the engine has it as well.
      Reference node;
    };

    struct Recorded
    {
      Reference node;
      bool may_be_complex;
      // How many elements read_slice has copied.
      octave_idx_type read;
    };

    typedef std::unique_ptr<const Mosaic> Parts;

    // Makes FULL the value: known, with elements that stand nowhere else.
    void know (const octave_value& full);

    // Gives the engine's node of a known array up before the array is changed in place.
    void forget_node ();

    // Fetches the elements of a result that the engine has computed.
    void fetch ();

    // Fetches the elements of a result of the engine, if they are few and the engine has computed them.
    void fetch_few ();

    // Leads from parts to the matrix.
    void put_together ();

    // Lets a value of an earlier engine's session be computed by that engine, and be known.
    void leave_earlier_session ();

    std::variant<Known, Recorded, Parts, Small *> m_state;
    octave_idx_type m_rows, m_columns;
    pm_class m_class;
    bool m_is_index_list = false;
  };
}

#endif
