// SPDX-License-Identifier: GPL-3.0-or-later

// One operand of an operator or of a function of two values: what its Octave type means to the engine.

#ifndef PMATRIX_OPERAND_H
#define PMATRIX_OPERAND_H

#include <cmath>

#include "type/octave_p_matrix.h"
#include "type/reused.h"

namespace pmatrix
{
  // What an operand's Octave type means to the engine.
  enum class Kind : unsigned char
  {
    other,    // a value of no other kind: it has no lazy form
    lazy,     // p_matrix
    array,    // a full matrix, or a range, which is one
    scalar,
    structured  // diagonal and permutation matrices
  };

  // The kind of a value; never forces.
  Kind kind_of (const octave_base_value& v);

  // Finds out the kinds of Octave's types; called once, before operators are installed.
  void find_operand_kinds (octave::type_info& ti);

  // The number of types that have a kind.
  std::size_t operand_kinds ();

  inline octave_value
  borrowed (const octave_base_value& v)
  {
    return octave_value (const_cast<octave_base_value *> (&v), true);
  }

  // One side of a binary operator.
  class Operand
  {
  public:

    explicit Operand (const octave_base_value& v)
      : m_rep (v), m_kind (kind_of (v)), m_lazy (nullptr), m_scalar (0), m_class (PM_DOUBLE)
    {
      if (m_kind == Kind::lazy)
        {
          m_lazy = &octave_p_matrix::from (v).value ();
          m_class = (*m_lazy)->value_class ();
          if ((*m_lazy)->is_held ())
            m_kind = Kind::other;
          // The engine takes a number that is known with the operation.
          else if ((*m_lazy)->is_number (m_scalar))
            m_kind = Kind::scalar;
        }
      else if (m_kind == Kind::scalar)
        {
          m_scalar = v.double_value ();
          m_class = class_of (v);
        }
      else if (m_kind != Kind::other && v.ndims () != 2)
        m_kind = Kind::other;
      else
        m_class = class_of (v);
    }

    Operand (const Operand&) = delete;
    Operand& operator = (const Operand&) = delete;

    Kind kind () const { return m_kind; }
    bool has_lazy_form () const { return m_kind != Kind::other && m_kind != Kind::structured; }
    bool is_plain_scalar () const { return m_kind == Kind::scalar; }
    bool is_lazy () const { return m_lazy; }
    bool is_logical () const { return m_rep.islogical (); }
    bool is_index_list () const { return m_lazy && (*m_lazy)->is_index_list (); }
    bool is_one_by_one () const { return numel () == 1; }
    // Octave makes a vector of its dimensions to count the elements of a scalar.
    octave_idx_type numel () const { return m_kind == Kind::scalar ? 1 : m_lazy ? (*m_lazy)->numel () : m_rep.numel (); }
    octave_idx_type rows () const { return m_kind == Kind::scalar ? 1 : m_lazy ? (*m_lazy)->rows () : m_rep.rows (); }
    octave_idx_type columns () const { return m_kind == Kind::scalar ? 1 : m_lazy ? (*m_lazy)->columns () : m_rep.columns (); }
    double scalar () const { return m_scalar; }
    pm_class value_class () const { return m_class; }
    octave_value octave () const { return borrowed (m_rep); }
    // Octave's own matrix of the operand; computes a p_matrix.
    octave_value computed () const { return m_lazy ? (*m_lazy)->full () : octave (); }

    bool may_be_complex () const { return m_kind == Kind::lazy && (*m_lazy)->may_be_complex (); }

    // Computes the operand if it may be complex; afterwards it is lazy only if it is real.
    void decide ()
    {
      if (m_kind == Kind::lazy && ! (*m_lazy)->is_real ())
        m_kind = Kind::other;
    }

    // False for an operand that turned out to be complex.
    bool can_have_node () { return m_kind != Kind::lazy || (*m_lazy)->can_have_node (); }

    // The value, also of a plain matrix.
    const ValuePtr& value ()
    {
      if (m_lazy)
        return *m_lazy;
      if (! m_value)
        m_value = std::allocate_shared<Value> (Reused<Value> (), octave ());
      return m_value;
    }

    // Whether every element is true or false.  NaN is neither, and Octave refuses NaN at once.  So elements
    // that are not logical are computed here.
    bool has_truth ()
    {
      if (m_class == PM_LOGICAL)
        return true;
      if (m_kind == Kind::scalar)
        return ! std::isnan (m_scalar);
      octave_value v = computed ();
      if (! v.isreal ())
        return false;
      return m_class == PM_SINGLE ? ! v.float_array_value ().any_element_is_nan () : ! v.array_value ().any_element_is_nan ();
    }

    pm_value * node ()
    {
      if (m_lazy)
        return (*m_lazy)->node ();
      if (! m_constant.get ())
        m_constant = Reference (constant_node (octave ()));
      return m_constant.get ();
    }

  private:

    const octave_base_value& m_rep;
    Kind m_kind;
    const ValuePtr *m_lazy; // of a p_matrix
    ValuePtr m_value;       // of a plain matrix
    Reference m_constant;   // of a plain matrix, for this one operation
    double m_scalar;
    pm_class m_class;
  };

  // Raises Octave's error for x += y where y would broadcast x to another shape.  Octave changes x in place
  // when no other variable shares it and its class is right, and then refuses y.  Octave itself decides which
  // classes are right: it gets zeros of the two classes and shapes to change.
  void refuse_growth (octave_value::binary_op op, const Operand& a, const Operand& b);
}

#endif
