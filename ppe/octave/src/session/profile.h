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

  // Whether p_profile is on: then the engine notes a timeline, and operations are counted by their lines.
  void switch_profile (bool on);

  extern bool profiling;

  inline bool
  profile_is_on ()
  {
    return profiling;
  }

  // Tells a new session that p_profile is on, if it is.
  void begin_profile (pm_session *created);

  // Counts an operation that stays out of the engine (small.h).
  void count_small (pm_operation operation);

  // What each kind of operation of each line has taken while p_profile was on, as a struct array.
  octave_value operation_totals ();

  // Writes the timeline to a file.
  void save_timeline (const std::string& file);

  // Keeps the counts of the engine in use; called before another engine takes its place.
  void keep_engine_counts ();

  // All counts since the start, or since the last reset, as a struct.
  octave_value profile ();
  void reset_profile ();
}

#endif
