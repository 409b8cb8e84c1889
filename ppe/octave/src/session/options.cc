// SPDX-License-Identifier: GPL-3.0-or-later

#include "session/engine.h"

namespace pmatrix
{
  static bool
  switch_in_environment (const char *name, bool otherwise)
  {
    int on = otherwise;
    check (pm_option_variable (name, &on));
    return on;
  }

  bool
  warnings_in_environment ()
  {
    return switch_in_environment ("PMATRIX_WARNINGS", false);
  }

  static Options
  default_options ()
  {
    pm_options defaults;
    check (pm_options_default (&defaults));

    Options chosen;
    chosen.engine = defaults.engine;
    chosen.scheduler = defaults.scheduler;
    chosen.model = defaults.model ? defaults.model : "";
    chosen.profile = defaults.profile ? defaults.profile : "";
    chosen.hostfile = defaults.hostfile ? defaults.hostfile : "";
    chosen.meus = defaults.meus;
    chosen.ranks = defaults.ranks;
    chosen.shard = defaults.shard;
    chosen.ranks_work_ms = defaults.ranks_work_ms;
    chosen.ranks_memory = defaults.ranks_memory;
    chosen.overlap = defaults.overlap != 0;
    chosen.immediate = defaults.immediate != 0;
    chosen.common = defaults.common != 0;
    chosen.max_operations = defaults.max_operations;
    chosen.max_depth = defaults.max_depth;
    chosen.max_bytes = defaults.max_bytes;
    chosen.small = switch_in_environment ("PMATRIX_SMALL", true);
    chosen.synchronous = switch_in_environment ("PMATRIX_SYNCHRONOUS", false);
    chosen.progress = switch_in_environment ("PMATRIX_PROGRESS", true);
    return chosen;
  }

  // A copy of what the options say, because every operation asks.
  static bool small_operations_are_on = false, small_operations_are_lazy = false;

  static void
  keep_small_operations (const Options& chosen)
  {
    // Whoever chooses another engine wants to see what that engine does with each operation.
    small_operations_are_on = chosen.small && chosen.engine == "host";
    small_operations_are_lazy = ! chosen.immediate;
  }

  static Options *
  new_options ()
  {
    Options *chosen = new Options (default_options ());
    keep_small_operations (*chosen);
    return chosen;
  }

  static Options&
  changeable_options ()
  {
    // Leaked on purpose: see the head of engine.h.
    static Options *chosen = new_options ();
    return *chosen;
  }

  const Options&
  options ()
  {
    return changeable_options ();
  }

  void
  keep_options (const Options& chosen)
  {
    changeable_options () = chosen;
    keep_small_operations (chosen);
  }

  bool
  has_the_same_engine (const Options& a, const Options& b)
  {
    return a.engine == b.engine && a.scheduler == b.scheduler && a.model == b.model && a.profile == b.profile
           && a.meus == b.meus && a.overlap == b.overlap && a.immediate == b.immediate && a.common == b.common
           && a.max_operations == b.max_operations && a.max_depth == b.max_depth && a.max_bytes == b.max_bytes
           && a.ranks == b.ranks && a.shard == b.shard && a.ranks_work_ms == b.ranks_work_ms
           && a.hostfile == b.hostfile && a.ranks_memory == b.ranks_memory;
  }

  bool
  small_operations ()
  {
    // The first call finds out what the environment asks for.
    options ();
    return small_operations_are_on;
  }

  bool
  all_operations_are_lazy ()
  {
    options ();
    return small_operations_are_lazy;
  }

  pm_options
  given_options (const Options& chosen)
  {
    pm_options given;
    check (pm_options_default (&given));
    given.engine = chosen.engine.c_str ();
    given.scheduler = chosen.scheduler.c_str ();
    given.model = chosen.model.empty () ? nullptr : chosen.model.c_str ();
    given.profile = chosen.profile.empty () ? nullptr : chosen.profile.c_str ();
    given.hostfile = chosen.hostfile.empty () ? nullptr : chosen.hostfile.c_str ();
    given.meus = chosen.meus;
    given.ranks = chosen.ranks;
    given.shard = chosen.shard;
    given.ranks_work_ms = chosen.ranks_work_ms;
    given.ranks_memory = chosen.ranks_memory;
    given.overlap = chosen.overlap;
    given.immediate = chosen.immediate;
    given.common = chosen.common;
    given.max_operations = chosen.max_operations;
    given.max_depth = chosen.max_depth;
    given.max_bytes = chosen.max_bytes;
    return given;
  }

  void
  check_options (const Options& chosen)
  {
    pm_options given = given_options (chosen);
    check (pm_options_check (&given), "p_config");
  }
}
