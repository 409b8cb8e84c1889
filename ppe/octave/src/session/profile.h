// SPDX-License-Identifier: GPL-3.0-or-later

// What p_profile reports: how often the program waited and why, what Octave computed, and what the engine
// did.

#ifndef PMATRIX_PROFILE_H
#define PMATRIX_PROFILE_H

#include "session/engine.h"

namespace pmatrix
{
  // Exists while the program waits for the engine to compute a result.  The wait is counted for the built-in
  // function that is running, and for the line of the user's script.
  class Waiting
  {
  public:

    Waiting ();
    ~Waiting ();

    Waiting (const Waiting&) = delete;
    Waiting& operator = (const Waiting&) = delete;

  private:

    struct Place *m_place;
    uint64_t m_start_ns;
  };

  // Counts that Octave computes this operator or function.
  void count_fallback (const std::string& what);

  // Counts the bytes of an array that the engine gets, and of a result that Octave gets from the engine.
  void count_bytes_in (std::size_t bytes);
  void count_bytes_out (std::size_t bytes);

  // Keeps the counts of the engine in use; called before another engine takes its place.
  void keep_engine_counts ();

  // All counts since the start, or since the last reset, as a struct.
  octave_value profile ();
  void reset_profile ();
}

#endif
