// SPDX-License-Identifier: GPL-3.0-or-later

// What p_profile tells: how often the program waited and why, what Octave computed, and what the engine did.

#ifndef PMATRIX_PROFILE_H
#define PMATRIX_PROFILE_H

#include "session/engine.h"

namespace pmatrix
{
  // While one of these exists the program waits for the engine; made only where a result is not there yet.
  // What waits is the built-in function that is running, in a line of the user's program.
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

  // Octave computes this operator or function.
  void count_fallback (const std::string& what);

  // Bytes of an array that the engine gets, and of a result that is fetched from it.
  void count_bytes_in (std::size_t bytes);
  void count_bytes_out (std::size_t bytes);

  // Another engine is about to be chosen: what the one in use has done so far goes on being counted.
  void keep_engine_counts ();

  // All of it since the start, or since the last reset.
  octave_value profile ();
  void reset_profile ();
}

#endif
