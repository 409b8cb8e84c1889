// SPDX-License-Identifier: GPL-3.0-or-later

// The one pmatrix session of this Octave process: its life, and how its failures become Octave errors.
//
// Life.  The session is created when the first operation is recorded.  Once p_config chooses another engine,
// the next operation creates another session, and the earlier one ends with the last of its values.  The
// session in use is never destroyed: at exit the process ends with whatever is still pending, and its threads
// never run code that has been unloaded, because the library is linked with -z nodelete.  Nothing global here
// has a destructor, so threads that still run during exit find it intact.
//
// Fork.  A forked child has none of the engine's threads, and locks of the parent's session may be held for
// ever.  A fork handler notices the child.  The child's first operation creates a session of its own.  Values
// that the parent had computed become operands there; forcing a value that is pending in the parent is an
// error.  The child leaks references to values of the parent instead of releasing them.

#ifndef PMATRIX_ENGINE_H
#define PMATRIX_ENGINE_H

#include <cstdint>
#include <string>
#include <string_view>

#include "pmatrix.h"
#include "session/options.h"
#include "shims.h"

namespace pmatrix
{
  // Remembers the interpreter and installs the fork handler; called once, when the library is loaded.
  void start (octave::interpreter& interp);

  octave::interpreter& interpreter ();

  // The session, created at the first call; a forked child creates one of its own.
  pm_session *session ();

  bool session_exists ();

  // True in a child that was forked after the session was created.
  bool in_forked_child ();

  // True in such a child for a value of the parent's session.
  bool is_of_parent_process (const pm_value *value);

  // Makes CHOSEN the options from now on; options that a user gave have been through check_options.
  // Operations that were recorded before stay with the engine that they were recorded for.
  void choose (const Options& chosen);

  // Raises an Octave error unless the status is PM_OK; it begins with the name of the function that the user
  // called.
  void check (pm_status status, const char *caller = "p_matrix");

  // True for a value of an earlier engine's session, which cannot be an operand in the session in use.
  bool is_of_an_earlier_session (const pm_value *value);

  // True once the process has been told to end; values that are still pending will not be computed.
  bool process_is_ending ();

  // Waits in slices, so that Ctrl-C leads back to the prompt; gives PM_OK or the failure.
  pm_status wait_for (const pm_value *value);

  // Where the program stands; recorded with each operation for messages.
  struct Position
  {
    const char *file;
    uint32_t line;
  };

  Position user_position ();

  // A line of the user's script.  Where the program stands in a file of Octave's library, it is the line that
  // called the library.  The name of the file stays until the next call.
  struct ScriptLine
  {
    std::string_view file;
    uint32_t line;
  };

  ScriptLine script_line ();

  // True when the program stands in a file of Octave's library.
  bool called_by_octave ();

  // An array of Octave's that the engine reads in place.  The engine gives it back on any thread, by
  // release_later.  collect_released destroys it, on the interpreter's thread, which alone may handle
  // Octave's data.
  struct HeldArray
  {
    HeldArray *next = nullptr;
    virtual ~HeldArray () = default;
  };

  void release_later (void *held);

  void collect_released ();

  // How often an operator or function without a lazy form was computed by Octave.
  uint64_t& fallbacks ();
}

#endif
