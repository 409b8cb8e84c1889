// SPDX-License-Identifier: GPL-3.0-or-later

#include "session/engine.h"
#include "session/profile.h"
#include "session/progress.h"

#include <atomic>
#include <csignal>
#include <exception>
#include <pthread.h>
#include <utility>

#include <octave/defaults.h>

namespace pmatrix
{
  // Octave must be able to look for Ctrl-C at least this often while it waits.
  static const uint64_t wait_slice_ms = 50;

  static octave::interpreter *the_interpreter_in_use = nullptr;
  static pm_session *the_session = nullptr;
  // Engines may have been chosen before the engine in use; their sessions live as long as their values.
  static bool there_was_a_session = false, there_were_several = false;
  static bool forked = false;
  static std::atomic<HeldArray *> released_arrays (nullptr);

  // Whether SIGTERM or SIGHUP has come.  Octave then saves all variables before it ends, and pending values
  // are not waited for.
  static volatile std::sig_atomic_t ending = 0;
  static struct sigaction octave_action_on_term, octave_action_on_hangup;

  static void
  notice_end (int number)
  {
    ending = 1;
    (number == SIGTERM ? octave_action_on_term : octave_action_on_hangup).sa_handler (number);
  }

  // Lets notice_end handle a signal; it calls OCTAVE_ACTION, Octave's own handler.
  static void
  notice_end_on (int number, struct sigaction& octave_action)
  {
    if (sigaction (number, nullptr, &octave_action) != 0 || octave_action.sa_flags & SA_SIGINFO
        || octave_action.sa_handler == SIG_DFL || octave_action.sa_handler == SIG_IGN)
      return;
    struct sigaction action = octave_action;
    action.sa_handler = notice_end;
    sigaction (number, &action, nullptr);
  }

  // Whether Octave handles signals in handle_signals.
  static bool handling = false;

  // Lets Octave handle its signals; throws what Octave throws.
  static void
  handle_signals ()
  {
    struct Guard
    {
      Guard () { handling = true; }
      ~Guard () { handling = false; }
    } guard;
    OCTAVE_QUIT;
  }

  // Whether Octave's function `save` runs.
  static bool
  save_is_called ()
  {
    octave_function *function = interpreter ().get_evaluator ().current_function ();
    return function && function->name () == "save";
  }

  bool
  process_is_ending ()
  {
    // Octave has a thread that takes signals without a handler (sigwait). If that thread takes the signal,
    // notice_end is not called. But who handles a signal and saves variables without the function `save` (as
    // a user may in the debugger that Ctrl-C has called) does so because the process ends.
    return ending || (handling && ! save_is_called ());
  }

  // In the child, where the threads of the session do not exist: the next operation creates another session.
  static void
  notice_fork ()
  {
    forked = there_was_a_session;
    there_were_several = there_were_several || forked;
    the_session = nullptr;
  }

  void
  start (octave::interpreter& interp)
  {
    the_interpreter_in_use = &interp;
    pthread_atfork (nullptr, nullptr, notice_fork);
    notice_end_on (SIGTERM, octave_action_on_term);
    notice_end_on (SIGHUP, octave_action_on_hangup);
  }

  octave::interpreter&
  interpreter ()
  {
    return *the_interpreter_in_use;
  }

  bool
  session_exists ()
  {
    return the_session != nullptr;
  }

  bool
  in_forked_child ()
  {
    return forked;
  }

  bool
  is_of_parent_process (const pm_value *value)
  {
    return forked && ! (the_session && pm_value_is_in (value, the_session));
  }

  static void
  refuse_pending_of_parent_process (const pm_value *value)
  {
    if (is_of_parent_process (value) && ! pm_has_result (value))
      error_with_id ("pmatrix:fork",
                     "p_matrix: this value is pending in the parent process; "
                     "compute it with p_wait (X) before the process forks");
  }

  void
  choose (const Options& chosen)
  {
    if (the_session && ! has_the_same_engine (chosen, options ()))
      {
        keep_engine_counts ();
        pm_session_release (the_session);
        the_session = nullptr;
        there_were_several = true;
      }
    keep_options (chosen);
  }

  // What Octave threw when a recording call asked whether to give up.
  static std::exception_ptr&
  thrown ()
  {
    // Leaked on purpose: see the head of engine.h.
    static std::exception_ptr *exception = new std::exception_ptr ();
    return *exception;
  }

  // Called while recording waits for room: Octave handles its signals here, and the exception of Ctrl-C waits
  // until the recording call has returned.
  static int
  is_interrupted (void *)
  {
    try
      {
        handle_signals ();
        return 0;
      }
    catch (...)
      {
        thrown () = std::current_exception ();
        return 1;
      }
  }

  static pm_session *
  create_session ()
  {
    pm_options given = given_options (options ());
    pm_session *created = nullptr;
    check (pm_session_create (&given, &created));
    check (pm_session_interrupt (created, is_interrupted, nullptr));
    begin_profile (created);
    there_was_a_session = true;
    return created;
  }

  pm_session *
  session ()
  {
    if (! the_session)
      the_session = create_session ();
    return the_session;
  }

  bool
  is_of_an_earlier_session (const pm_value *value)
  {
    return there_were_several && ! pm_value_is_in (value, session ());
  }

  void
  check (pm_status status, const char *caller)
  {
    if (status == PM_OK)
      return;

    if (status == PM_ERROR_CANCELLED && thrown ())
      {
        std::exception_ptr interrupt = nullptr;
        std::swap (interrupt, thrown ());
        std::rethrow_exception (interrupt);
      }

    std::string id = pm_last_error_id ();
    std::string message = pm_last_error_message ();

    // The text that Octave has when memory for its own matrices is lacking.
    if (status == PM_ERROR_MEMORY)
      error_with_id (id.c_str (), "out of memory or dimension too large for Octave's index type");

    if (status == PM_ERROR_FORK)
      id = "pmatrix:fork";
    else if (id.empty ())
      id = status == PM_ERROR_ARGUMENT ? "pmatrix:argument" : "pmatrix:execution";

    error_with_id (id.c_str (), "%s: %s", caller, message.c_str ());
  }

  // Warns of MEUs that have been lost.
  static void
  warn_of_losses ()
  {
    char text[2000] = "";
    if (pm_session_losses (session (), text, sizeof text) == PM_OK && *text)
      warning_with_id ("pmatrix:lost", "p_matrix: %s", text);
  }

  pm_status
  wait_for (const pm_value *value)
  {
    refuse_pending_of_parent_process (value);
    if (ending && ! pm_has_result (value))
      {
        // Octave may not have seen the signal yet.  Nobody needs the value, so it is not computed.
        handle_signals ();
        throw octave::exit_exception (1);
      }

    int done = 0;
    if (pm_has_result (value))
      return pm_wait (value, wait_slice_ms, &done);

    Waiting waiting;
    ProgressLine progress;
    for (;;)
      {
        pm_status status = pm_wait (value, wait_slice_ms, &done);
        if (status != PM_OK || done)
          {
            warn_of_losses ();
            return status;
          }
        progress.show ();
        try
          {
            handle_signals ();
          }
        catch (...)
          {
            // Ctrl-C ends the work as well; its operations are pending again.
            check (pm_value_cancel (value));
            throw;
          }
      }
  }

  Position
  user_position ()
  {
    octave::tree_evaluator& evaluator = interpreter ().get_evaluator ();

    // Fetching a file's name copies a string, and a loop asks for one name again and again.
    static const octave_user_code *last_code = nullptr;
    static std::string *last_file = new std::string ();

    octave_user_code *code = evaluator.debug_user_code ();
    if (! code)
      return { nullptr, 0 };

    if (code != last_code)
      {
        last_code = code;
        *last_file = code->fcn_file_name ();
      }

    int line = evaluator.debug_user_code_line ();
    return { last_file->empty () ? nullptr : last_file->c_str (), line > 0 ? static_cast<uint32_t> (line) : 0 };
  }

  static bool
  is_library_file (std::string_view file)
  {
    static const std::string *own = new std::string (octave::config::fcn_file_dir ());
    return file.compare (0, own->length (), *own) == 0;
  }

  bool
  called_by_octave ()
  {
    Position at = user_position ();
    return at.file && is_library_file (at.file);
  }

  ScriptLine
  script_line ()
  {
    // The name of a file of the library's caller, as long as it is of use.
    static std::string *caller = new std::string ();

    Position at = user_position ();
    if (at.file && is_library_file (at.file))
      for (const auto& frame : interpreter ().get_evaluator ().backtrace_info ())
        if (! is_library_file (frame.file_name ()))
          {
            *caller = frame.file_name ();
            return { *caller, frame.line () > 0 ? static_cast<uint32_t> (frame.line ()) : 0 };
          }
    return { at.file ? at.file : "", at.line };
  }

  void
  release_later (void *held)
  {
    HeldArray *array = static_cast<HeldArray *> (held);
    array->next = released_arrays.load (std::memory_order_relaxed);
    while (! released_arrays.compare_exchange_weak (array->next, array, std::memory_order_release,
                                                    std::memory_order_relaxed))
      ;
  }

  void
  collect_released ()
  {
    // Nearly always there is nothing, and a load is cheaper than an exchange.
    if (! released_arrays.load (std::memory_order_relaxed))
      return;

    HeldArray *array = released_arrays.exchange (nullptr, std::memory_order_acquire);
    while (array)
      {
        HeldArray *next = array->next;
        delete array;
        array = next;
      }
  }
}
