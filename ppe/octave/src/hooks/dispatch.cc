// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstdint>
#include <cstring>

#include <octave/call-stack.h>
#include <octave/syminfo.h>

#include <unwind.h>

#include "hooks/dispatch.h"
#include "type/octave_p_matrix.h"

namespace pmatrix
{
  namespace
  {
    // The functions of Octave that ask one question for one reason.
    class Askers
    {
    public:

      // Whether the code at an address belongs to one of these functions; UNKNOWN is the answer where that
      // cannot be found out.
      bool contain (const void *return_address, bool unknown)
      {
        Site& site = m_sites[(reinterpret_cast<std::uintptr_t> (return_address) >> 2) % site_count];
        if (site.address == return_address && ! m_learning)
          return site.contained;

        const void *function = _Unwind_FindEnclosingFunction (const_cast<void *> (return_address));
        if (m_learning && function && ! is_known (function) && m_count < most)
          m_functions[m_count++] = function;
        site.address = return_address;
        site.contained = function && m_count > 0 ? is_known (function) : unknown;
        return site.contained;
      }

      // Every function that asks between `learn (true)` and `learn (false)` becomes one of these functions.
      void learn (bool on) { m_learning = on; }

    private:

      bool is_known (const void *function) const
      {
        for (int i = 0; i < m_count; ++i)
          if (m_functions[i] == function)
            return true;
        return false;
      }

      // Addresses of the functions' first instructions.  A compiler may have split a function into several
      // parts.
      static const int most = 8;
      const void *m_functions[most];
      int m_count = 0;
      bool m_learning = false;

      // Finding the function of an address takes a search in the unwind tables, and every call with a
      // p_matrix asks.
      struct Site
      {
        const void *address;
        bool contained;
      };
      static const std::size_t site_count = 64;
      Site m_sites[site_count];
    };

    Askers dispatchers, brackets, passers;

    // The functions that are running, the innermost first.
    struct Callers
    {
      static const int most = 12;
      const void *functions[most];
      int count = 0;

      Callers () { _Unwind_Backtrace (add, this); }

      bool contain (const void *function) const
      {
        for (int i = 0; i < count; ++i)
          if (functions[i] == function)
            return true;
        return false;
      }

    private:

      static _Unwind_Reason_Code
      add (_Unwind_Context *context, void *data)
      {
        Callers& callers = *static_cast<Callers *> (data);
        void *inside = reinterpret_cast<void *> (_Unwind_GetIP (context) - 1);
        callers.functions[callers.count++] = _Unwind_FindEnclosingFunction (inside);
        return callers.count < most ? _URC_NO_REASON : _URC_END_OF_STACK;
      }
    };
  }

  bool
  looks_for_method (const void *return_address)
  {
    return dispatchers.contain (return_address, true);
  }

  bool
  puts_into_brackets (const void *return_address)
  {
    return brackets.contain (return_address, false);
  }

  bool
  in_compound_assignment ()
  {
    octave_value& (octave_value::*assign) (octave_value::assign_op, const octave_value&) = &octave_value::assign;
    const void *function = nullptr;
    static_assert (sizeof (assign) >= sizeof (function), "a pointer to a member begins with an address");
    std::memcpy (&function, &assign, sizeof (function));
    return Callers ().contain (function);
  }

  bool
  called_for_brackets ()
  {
    return Callers ().contain (reinterpret_cast<const void *> (&shims::do_class_concat));
  }

  bool
  asks_in_passing (const void *return_address)
  {
    return passers.contain (return_address, false);
  }

  static octave_value
  anonymous_function (const std::string& text)
  {
    return octave::feval ("str2func", ovl (text), 1)(0);
  }

  void
  learn_who_dispatches ()
  {
    // A p_matrix in each place where Octave asks: as the first argument, after matrices, and after a
    // p_matrix.  size_equal has no method of the class and asks for nothing but sizes.
    octave_value p (new octave_p_matrix ());
    dispatchers.learn (true);
    octave::feval ("size_equal", ovl (p, 1.0, p), 1);
    octave::feval ("size_equal", ovl (1.0, 1.0, p, p), 1);
    dispatchers.learn (false);
  }

  void
  learn_who_has_brackets ()
  {
    static bool learned = false;
    if (learned)
      return;
    learned = true;
    octave_value p (new octave_p_matrix ());
    octave_value function = anonymous_function ("@(p) [p, p; p, p]");
    brackets.learn (true);
    octave::feval (function.function_value (), ovl (p), 1);
    brackets.learn (false);
  }

  void
  learn_who_asks_in_passing ()
  {
    static bool learned = false;
    if (learned)
      return;
    learned = true;
    // A pending number that may be complex: a question that needs a true answer would compute it.
    octave_value p (new octave_p_matrix (std::make_shared<Value> (Mosaic (dim_vector (1, 1), true), PM_DOUBLE)));
    passers.learn (true);
    octave::feval (anonymous_function ("@(p) [p, p; p, p]").function_value (), ovl (p), 1);
    octave::feval (anonymous_function ("@(p) evalc (\"whos\")").function_value (), ovl (p), 1);
    octave::feval (anonymous_function ("@(p) __pm__ (\"variables\")").function_value (), ovl (p), 0);
    passers.learn (false);
  }

  void
  list_variables ()
  {
    interpreter ().get_evaluator ().get_symbol_info ();
  }
}
