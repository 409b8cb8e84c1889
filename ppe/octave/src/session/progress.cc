// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstdio>
#include <unistd.h>

#include "session/progress.h"

namespace pmatrix
{
  static const std::chrono::seconds first_shown_after (2);
  static const std::chrono::milliseconds shown_again_after (200);

  // The line begins behind the program's own output.  The cursor's position there is saved, and the cursor is
  // put back to write the line anew or to erase it.  A line longer than the terminal is cut off.
  static const char *save_cursor = "\0337";
  static const char *restore_cursor = "\0338\033[K";

  void
  ProgressLine::show ()
  {
    Time now = std::chrono::steady_clock::now ();
    if (! m_begun)
      {
        m_begun = true;
        m_next = m_start + first_shown_after;
        if (pm_session_progress (session (), &m_first) != PM_OK)
          m_first = pm_progress ();
      }
    if (now < m_next || ! options ().progress || ! isatty (STDERR_FILENO))
      return;
    m_next = now + shown_again_after;

    pm_progress progress;
    if (pm_session_progress (session (), &progress) != PM_OK)
      return;
    double done = static_cast<double> (progress.work_executed - m_first.work_executed);
    double all = done + static_cast<double> (progress.work_in_flight);
    uint64_t blocks = progress.block_operations_executed - m_first.block_operations_executed;
    uint64_t known = progress.block_operations_lowered - m_first.block_operations_executed;
    double seconds = std::chrono::duration<double> (now - m_start).count ();

    std::fputs (m_shown ? restore_cursor : save_cursor, stderr);
    std::fprintf (stderr, "\033[?7l[pmatrix: %.0f %%, %llu of %llu block operations so far, %.0f s; Ctrl-C stops it]\033[?7h",
                  all > 0 ? 100 * done / all : 0.0, static_cast<unsigned long long> (blocks),
                  static_cast<unsigned long long> (known), seconds);
    std::fflush (stderr);
    m_shown = true;
  }

  ProgressLine::~ProgressLine ()
  {
    if (! m_shown)
      return;
    std::fputs (restore_cursor, stderr);
    std::fflush (stderr);
  }
}
