// SPDX-License-Identifier: GPL-3.0-or-later

// A line on the terminal that says how far a long force is.

#ifndef PMATRIX_PROGRESS_H
#define PMATRIX_PROGRESS_H

#include <chrono>

#include "session/engine.h"

namespace pmatrix
{
  // The line of one force.  It appears in the third second of the force, and is erased at its end.  Nothing
  // is written when standard error is no terminal, or after p_config ("progress", false).
  class ProgressLine
  {
  public:

    ProgressLine () : m_start (std::chrono::steady_clock::now ()) { }
    ~ProgressLine ();

    ProgressLine (const ProgressLine&) = delete;
    ProgressLine& operator = (const ProgressLine&) = delete;

    // Called from time to time while the program waits.
    void show ();

  private:

    typedef std::chrono::steady_clock::time_point Time;

    const Time m_start;
    Time m_next;
    bool m_begun = false, m_shown = false;
    pm_progress m_first;
  };
}

#endif
