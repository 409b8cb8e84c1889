// SPDX-License-Identifier: GPL-3.0-or-later

// A reference to a value of the engine, which is given back when its owner ends.

#ifndef PMATRIX_REFERENCE_H
#define PMATRIX_REFERENCE_H

#include <utility>

#include "session/engine.h"

namespace pmatrix
{
  class Reference
  {
  public:

    Reference () : m_value (nullptr) { }
    // Takes over the reference.
    explicit Reference (pm_value *value) : m_value (value) { }
    Reference (Reference&& other) noexcept : m_value (other.take ()) { }
    Reference& operator = (Reference&& other) noexcept { std::swap (m_value, other.m_value); return *this; }

    ~Reference ()
    {
      // A lock inside the parent's engine may have been held by a thread that a forked child does not have.
      if (m_value && ! is_of_parent_process (m_value))
        pm_value_release (m_value);
    }

    pm_value * get () const { return m_value; }
    pm_value * take () { return std::exchange (m_value, nullptr); }

  private:

    pm_value *m_value;
  };
}

#endif
