// SPDX-License-Identifier: GPL-3.0-or-later

// Small operations: those on so few elements that recording in the engine, scheduling and an MEU cost more than
// the arithmetic.  A small operation is recorded in a Small, and the engine's kernels compute it in this thread.
// Its result has the bits of the engine's result.
//
// On at most PM_FEW_ELEMENTS elements, operations are as lazy as operations of the engine: a Small holds its
// operands until somebody needs its elements.  The last operation of a long chain is computed at once, so that
// chains stay short: a walk through a chain then needs little stack, and a chain holds little memory.  On more
// elements, an operation is computed when it is stated, as the engine does with operations that are as short.

#ifndef PMATRIX_SMALL_H
#define PMATRIX_SMALL_H

#include <array>
#include <memory>

#include "session/engine.h"

namespace pmatrix
{
  class Value;
  struct Slice;
  typedef std::shared_ptr<Value> ValuePtr;

  class Small
  {
  public:

    // An element-wise operation.  form, a, b and scalar are as pm_operation_of gives them; b is null where
    // there is no second value.
    Small (pm_operation operation, int form, ValuePtr a, ValuePtr b, double scalar, pm_class scalar_class, const pm_small& result,
           int depth);

    // The product of two matrices of real numbers, of which one is transposed: the left one, or the right one.
    Small (ValuePtr a, ValuePtr b, bool left_is_transposed, const pm_small& result, int depth);

    // A movement or reduction of one matrix (structure.h).  Octave computes it, unless it is a view, or a
    // reduction of numbers.
    Small (pm_operation operation, const std::array<int64_t, 4>& parameters, ValuePtr a, const pm_small& result, int depth);

    // The elements of a slice of an array, copied at once.
    Small (const void *from, const Slice& slice, pm_class value_class);

    Small (const Small&) = delete;
    Small& operator = (const Small&) = delete;

    ~Small ();

    octave_idx_type rows () const { return m_result.rows; }
    octave_idx_type columns () const { return m_result.columns; }
    pm_class value_class () const { return m_result.value_class; }

    const Value * first () const { return m_a.get (); }
    const Value * second () const { return m_b.get (); }

    // Bytes of the elements.
    std::size_t bytes () const;

    bool may_be_complex () const { return m_may_be_complex && ! m_computed; }

    bool has_elements () const { return m_computed; }
    int depth () const { return m_depth; }

    // Whether the result and the operands of an operation that has not been computed yet have few elements.
    bool is_of_few () const;

    // Computes the elements, which have not been computed yet.  False when an operand or the result is complex,
    // or when the operation is Octave's to compute: then nothing has changed.
    bool compute_elements ();

    // Computes the operation, which has not been computed yet.  Where compute_elements is false, `full` gets
    // Octave's result, and there are no elements.
    void compute (octave_value& full);

    const void * elements () const { return m_elements; }

    // Octave's own array of the elements, which have been computed.  It is the only reference to the array, so that
    // a change copies nothing.
    octave_value octave ();

  private:

    // Where the elements go.
    void * room ();

    bool compute_move ();
    bool compute_elementwise ();

    // Lets the operands go.
    void finish ();

    // Reduces the elements of the operand; false when Octave has to do it.
    bool reduce (const void *elements);

    // Copies the elements of a slice of an array.
    void take (const void *from, const Slice& slice);

    pm_operation m_operation;
    int m_form;
    ValuePtr m_a, m_b;
    double m_scalar;
    pm_class m_scalar_class;
    std::array<int64_t, 4> m_parameters;
    // Which operands of a product are transposed.
    bool m_transposed[2] = { false, false };
    // Shape and class of the result; its data is null.
    pm_small m_result;
    int m_depth;
    bool m_computed;
    bool m_may_be_complex;
    // Up to 16 elements stand here, because allocating memory for them would cost as much as computing them.
    // More elements stand in m_many, and those of a large matrix in m_array, Octave's own array: making one takes
    // as long as copying some hundred elements.
    alignas (double) unsigned char m_few[16 * sizeof (double)];
    std::unique_ptr<unsigned char[]> m_many;
    octave_value m_array;
    // Where they stand.
    void *m_elements;
  };

  // Records an operation on small values; null when it has no small form, or small operations are switched
  // off.
  ValuePtr record_small (pm_operation operation, int form, const ValuePtr& a, const ValuePtr& b, double scalar,
                         pm_class scalar_class);

  // Records the product of two matrices of which one is transposed, the left one or the right one; null when it
  // is not small, or an operand may be complex.
  ValuePtr record_small_product (const ValuePtr& a, const ValuePtr& b, bool left_is_transposed);

  // Records a movement or reduction of a small value; null when the value or the result is not small.
  ValuePtr record_small (pm_operation operation, const std::array<int64_t, 4>& parameters, const ValuePtr& a,
                         const dim_vector& dims, pm_class value_class);

  // The elements of a slice of an array; null when there are too many, or small operations are switched off.
  ValuePtr small_part (const void *elements, const Slice& slice, pm_class value_class);

  // The most elements that operands and result of a small operation have.  Few, if no operation is to be
  // computed when it is stated.
  octave_idx_type most_small_elements (pm_operation operation);

  // So many elements are copied in less time than the engine takes to record where they are.
  const octave_idx_type most_copied_elements = 4096;

  // How many small operations there have been.
  struct SmallCounts
  {
    uint64_t recorded, executed, dropped;
  };

  const SmallCounts& small_counts ();
}

#endif
