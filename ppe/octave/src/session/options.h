// SPDX-License-Identifier: GPL-3.0-or-later

// The options of the session: what the environment says at first, and what p_config has chosen since.

#ifndef PMATRIX_OPTIONS_H
#define PMATRIX_OPTIONS_H

#include <cstdint>
#include <string>

#include "pmatrix.h"

namespace pmatrix
{
  // What p_config sets and shows.
  struct Options
  {
    std::string engine, scheduler, model, profile, hostfile;
    uint32_t meus, ranks, shard;
    double ranks_work_ms;
    bool overlap, immediate, common;
    uint64_t max_operations, max_depth, max_bytes, ranks_memory;
    bool small, synchronous, progress;
  };

  const Options& options ();

  // Makes CHOSEN the options from now on.
  void keep_options (const Options& chosen);

  // Whether an engine made with the options A would be of use with the options B.
  bool has_the_same_engine (const Options& a, const Options& b);

  // The options as the C interface takes them; texts are pointers into CHOSEN.
  pm_options given_options (const Options& chosen);

  // Raises an Octave error for options that no engine can work with.
  void check_options (const Options& chosen);

  // Whether the environment asks for a warning of each fallback.
  bool warnings_in_environment ();

  // True when small operations stay out of the engine (small.h).
  bool small_operations ();

  // True when no operation is to be computed before its elements are needed.
  bool all_operations_are_lazy ();
}

#endif
