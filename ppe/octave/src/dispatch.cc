// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstdint>

#include <unwind.h>

#include "dispatch.h"
#include "octave_p_matrix.h"

namespace pmatrix
{
  // The start of each function that looks for methods: one, or the parts that a compiler made of it.
  static const int most_dispatchers = 8;
  static const void *dispatchers[most_dispatchers];
  static int dispatcher_count = 0;
  static bool learning = false;

  // Finding the function of an address takes a search in the unwind tables, and every call with a p_matrix asks.
  struct Site
  {
    const void *address;
    bool dispatches;
  };
  static const std::size_t site_count = 64;
  static Site sites[site_count];

  static bool
  is_dispatcher (const void *function)
  {
    for (int i = 0; i < dispatcher_count; ++i)
      if (dispatchers[i] == function)
        return true;
    return false;
  }

  bool
  looks_for_method (const void *return_address)
  {
    Site& site = sites[(reinterpret_cast<std::uintptr_t> (return_address) >> 2) % site_count];
    if (site.address == return_address)
      return site.dispatches;

    const void *function = _Unwind_FindEnclosingFunction (const_cast<void *> (return_address));
    if (learning && function && ! is_dispatcher (function) && dispatcher_count < most_dispatchers)
      dispatchers[dispatcher_count++] = function;
    site.address = return_address;
    site.dispatches = ! function || dispatcher_count == 0 || is_dispatcher (function);
    return site.dispatches;
  }

  void
  learn_who_dispatches ()
  {
    // A p_matrix in each place where Octave asks: as the first argument, after others, and after another p_matrix.
    // size_equal has no method of the class and asks for nothing but sizes.
    octave_value p (new octave_p_matrix ());
    learning = true;
    octave::feval ("size_equal", ovl (p, 1.0, p), 1);
    octave::feval ("size_equal", ovl (1.0, 1.0, p, p), 1);
    learning = false;
  }
}
