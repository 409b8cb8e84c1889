// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include <cctype>
#include <chrono>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include <octave/oct-map.h>
#include <octave/ov-fcn.h>
#include <octave/ov-struct.h>
#include <octave/pt-eval.h>

#include "session/profile.h"
#include "small/small.h"

namespace pmatrix
{
  // One cause of a force, or one fallback, with the line of the script and how often it happened there.
  struct Place
  {
    std::string what, file;
    uint32_t line;
    uint64_t count, ns;
  };

  namespace
  {
    // What happened, in which file, and in which line.
    template <typename TEXT>
    using Cause = std::tuple<TEXT, TEXT, uint32_t>;

    // Causes are looked up at each force and each fallback, without copies of their texts.
    typedef std::map<Cause<std::string>, Place, std::less<>> Places;

    struct Counters
    {
      Places forces, fallbacks, small_operations;
      uint64_t bytes_in = 0, bytes_out = 0;
      // The counters of the engine and of small operations at the last reset.
      pm_statistics engine = pm_statistics ();
      SmallCounts small = SmallCounts ();
      bool was_reset = false;
    };
  }

  static Counters&
  counters ()
  {
    // Never destroyed, because values may be computed at exit.
    static Counters *all = new Counters ();
    return *all;
  }

  static uint64_t
  now_ns ()
  {
    return std::chrono::duration_cast<std::chrono::nanoseconds> (std::chrono::steady_clock::now ().time_since_epoch ()).count ();
  }

  // The entry of PLACES for WHAT in the script's present line.
  static Place&
  place_of (Places& places, const std::string& what)
  {
    ScriptLine at = script_line ();
    auto found = places.find (Cause<std::string_view> (what, at.file, at.line));
    if (found == places.end ())
      {
        std::string file (at.file);
        found = places.emplace (Cause<std::string> (what, file, at.line), Place { what, file, at.line, 0, 0 }).first;
      }
    ++found->second.count;
    return found->second;
  }

  // The name of the built-in function that is running.  Operators, subscripts and conditions are no
  // functions.
  static std::string
  what_runs ()
  {
    octave_function *running = interpreter ().get_evaluator ().current_function ();
    if (! running || running->is_user_code ())
      return "element, condition or operator";
    return running->name () == "__pm__" ? "p_wait" : running->name ();
  }

  Waiting::Waiting ()
    : m_place (&place_of (counters ().forces, what_runs ())), m_start_ns (now_ns ())
  { }

  Waiting::~Waiting ()
  {
    m_place->ns += now_ns () - m_start_ns;
  }

  void
  count_fallback (const std::string& what)
  {
    ++fallbacks ();
    place_of (counters ().fallbacks, what);
  }

  void
  count_bytes_in (std::size_t bytes)
  {
    counters ().bytes_in += bytes;
  }

  void
  count_bytes_out (std::size_t bytes)
  {
    counters ().bytes_out += bytes;
  }

  // The counts of the engines that were chosen earlier.
  static pm_statistics earlier_engines;

  // What all engines have done, and what is pending at this moment.
  static pm_statistics
  engine_statistics ()
  {
    pm_statistics s = pm_statistics ();
    if (session_exists ())
      check (pm_session_statistics (session (), &s));

    const pm_statistics& earlier = earlier_engines;
    s.operations_recorded += earlier.operations_recorded;
    s.operations_executed += earlier.operations_executed;
    s.operations_dropped += earlier.operations_dropped;
    s.block_operations += earlier.block_operations;
    s.block_edges += earlier.block_edges;
    s.traces += earlier.traces;
    s.flushes_forced += earlier.flushes_forced;
    s.flushes_operations += earlier.flushes_operations;
    s.flushes_depth += earlier.flushes_depth;
    s.flushes_bytes += earlier.flushes_bytes;
    s.lower_ns += earlier.lower_ns;
    s.schedule_ns += earlier.schedule_ns;
    s.execute_ns += earlier.execute_ns;
    s.bytes_peak = std::max (s.bytes_peak, earlier.bytes_peak);
    return s;
  }

  void
  keep_engine_counts ()
  {
    earlier_engines = engine_statistics ();
  }

  // Whether p_profile has ever been on.
  static bool was_profiling = false;

  // Whether there may be a timeline.  All engines of the process share it, also one that has not begun yet.
  static bool
  has_timeline ()
  {
    return was_profiling || session_exists ();
  }

  void
  reset_profile ()
  {
    Counters& all = counters ();
    // A wait that is going on has no place here: the program is not in a force when it calls this.
    all = Counters ();
    all.engine = engine_statistics ();
    all.small = small_counts ();
    all.was_reset = true;
    fallbacks () = 0;
    if (has_timeline ())
      check (pm_session_profile_clear (session ()), "p_profile");
  }

  bool profiling = false;

  void
  switch_profile (bool on)
  {
    if (session_exists ())
      check (pm_session_profile (session (), on), "p_profile");
    profiling = on;
    was_profiling = was_profiling || on;
  }

  void
  begin_profile (pm_session *created)
  {
    if (profiling)
      check (pm_session_profile (created, 1), "p_profile");
  }

  // The names of the engine's operations: those of the constants, PM_LESS_OR_EQUAL as "less-or-equal".
  static std::string
  operation_name (uint32_t operation)
  {
#define PMATRIX_NAME(OPERATION, FUNCTION, OPERANDS, GIVES, DOMAIN_OF, OF_COMPLEX) #OPERATION,
    static const char *const constants[] = { PM_OPERATIONS (PMATRIX_NAME) };
#undef PMATRIX_NAME
    std::string name = std::string (constants[operation]).substr (3);
    for (char& c : name)
      c = c == '_' ? '-' : static_cast<char> (std::tolower (c));
    return name;
  }

  void
  count_small (pm_operation operation)
  {
    place_of (counters ().small_operations, operation_name (operation));
  }

  namespace
  {
    // One line of a table of operations.
    struct OperationTotal
    {
      std::string file, operation;
      double line, recorded, at_once, small, blocks, blocks_at_once, seconds;
    };
  }

  static void
  add_total (const pm_total *total, void *data)
  {
    double line = total->line, recorded = total->recorded, at_once = total->computed_at_once;
    double here = total->blocks_at_once, on_meus = total->blocks_on_meus;
    static_cast<std::vector<OperationTotal> *> (data)->push_back (
      { total->file, operation_name (total->operation), line, recorded, at_once, 0, here + on_meus, here, total->ns / 1e9 });
  }

  octave_value
  operation_totals ()
  {
    std::vector<OperationTotal> totals;
    if (has_timeline ())
      check (pm_session_totals (session (), add_total, &totals), "p_profile");
    for (const auto& entry : counters ().small_operations)
      {
        const Place& place = entry.second;
        double line = place.line, count = place.count;
        totals.push_back ({ place.file, place.what, line, 0, 0, count, 0, 0, 0 });
      }

    dim_vector size (totals.size (), 1);
    octave_map result (size);
    auto assign = [&] (const char *field, octave_value (*of) (const OperationTotal&))
      {
        Cell values (size);
        for (std::size_t i = 0; i < totals.size (); ++i)
          values(i) = of (totals[i]);
        result.assign (field, values);
      };
    assign ("file", [] (const OperationTotal& total) { return octave_value (total.file); });
    assign ("line", [] (const OperationTotal& total) { return octave_value (total.line); });
    assign ("operation", [] (const OperationTotal& total) { return octave_value (total.operation); });
    assign ("recorded", [] (const OperationTotal& total) { return octave_value (total.recorded); });
    assign ("at_once", [] (const OperationTotal& total) { return octave_value (total.at_once); });
    assign ("small", [] (const OperationTotal& total) { return octave_value (total.small); });
    assign ("blocks", [] (const OperationTotal& total) { return octave_value (total.blocks); });
    assign ("blocks_at_once", [] (const OperationTotal& total) { return octave_value (total.blocks_at_once); });
    assign ("seconds", [] (const OperationTotal& total) { return octave_value (total.seconds); });
    return result;
  }

  void
  save_timeline (const std::string& file)
  {
    check (pm_session_profile_save (session (), file.c_str ()), "p_profile");
  }

  // A struct array with the fields NAME, file, line, count and, where seconds were measured, seconds; the
  // most frequent first.
  static octave_value
  listed (const Places& places, const char *name, bool with_seconds)
  {
    std::multimap<uint64_t, const Place *, std::greater<uint64_t>> sorted;
    for (const auto& place : places)
      sorted.emplace (place.second.count, &place.second);

    dim_vector size (sorted.size (), 1);
    Cell what (size), file (size), line (size), count (size), seconds (size);
    octave_idx_type i = 0;
    for (const auto& entry : sorted)
      {
        what(i) = entry.second->what;
        file(i) = entry.second->file;
        line(i) = static_cast<double> (entry.second->line);
        count(i) = static_cast<double> (entry.second->count);
        seconds(i) = static_cast<double> (entry.second->ns) / 1e9;
        ++i;
      }
    octave_map result (size);
    result.assign (name, what);
    result.assign ("file", file);
    result.assign ("line", line);
    result.assign ("count", count);
    if (with_seconds)
      result.assign ("seconds", seconds);
    return result;
  }

  octave_value
  profile ()
  {
    Counters& all = counters ();
    const pm_statistics& before = all.engine;
    pm_statistics s = engine_statistics ();

    const SmallCounts& small = small_counts ();
    uint64_t small_pending = small.recorded - small.executed - small.dropped;
    uint64_t small_executed = small.executed - all.small.executed;

    uint64_t wait_ns = 0, forces = 0;
    for (const auto& place : all.forces)
      {
        wait_ns += place.second.ns;
        forces += place.second.count;
      }

    const std::pair<const char *, double> fields[] = {
      { "operations_recorded", s.operations_recorded - before.operations_recorded + (small.recorded - all.small.recorded) },
      { "operations_executed", s.operations_executed - before.operations_executed + small_executed },
      { "operations_dropped", s.operations_dropped - before.operations_dropped + (small.dropped - all.small.dropped) },
      { "operations_pending", s.operations_pending + small_pending },
      { "small_operations", small_executed },
      { "block_operations", s.block_operations - before.block_operations },
      { "block_edges", s.block_edges - before.block_edges },
      { "traces", s.traces - before.traces },
      { "flushes_forced", s.flushes_forced - before.flushes_forced },
      { "flushes_operations", s.flushes_operations - before.flushes_operations },
      { "flushes_depth", s.flushes_depth - before.flushes_depth },
      { "flushes_bytes", s.flushes_bytes - before.flushes_bytes },
      { "forces", forces },
      { "fallbacks", fallbacks () },
      { "lower_seconds", (s.lower_ns - before.lower_ns) / 1e9 },
      { "schedule_seconds", (s.schedule_ns - before.schedule_ns) / 1e9 },
      { "execute_seconds", (s.execute_ns - before.execute_ns) / 1e9 },
      { "wait_seconds", wait_ns / 1e9 },
      { "bytes_in", all.bytes_in },
      { "bytes_out", all.bytes_out },
      { "bytes_pinned", s.bytes_pinned },
      { "bytes_peak", s.bytes_peak },
    };

    octave_scalar_map result;
    for (const auto& field : fields)
      result.assign (field.first, octave_value (field.second));
    result.assign ("forced_by", listed (all.forces, "cause", true));
    result.assign ("fallbacks_by", listed (all.fallbacks, "name", false));
    result.assign ("operations_by", operation_totals ());
    result.assign ("is_on", octave_value (profiling));
    result.assign ("was_reset", octave_value (all.was_reset));
    return result;
  }
}
