// SPDX-License-Identifier: GPL-3.0-or-later

// An allocator for objects that come and go one by one, as the values of a loop do.  It keeps the memory of
// the objects that ended last for the next objects.  The C library keeps the memory of a handful of objects
// only, and a chain of small operations has more objects.

#ifndef PMATRIX_REUSED_H
#define PMATRIX_REUSED_H

#include <cstddef>
#include <new>

namespace pmatrix
{
  template <typename T>
  struct Reused
  {
    typedef T value_type;

    Reused () = default;
    template <typename U> Reused (const Reused<U>&) { }

    T * allocate (std::size_t count)
    {
      Kept& kept = kept_here ();
      if (count != 1 || ! kept.first)
        return static_cast<T *> (::operator new (count * sizeof (T)));
      Free *memory = kept.first;
      kept.first = memory->next;
      --kept.count;
      return reinterpret_cast<T *> (memory);
    }

    void deallocate (T *memory, std::size_t count) noexcept
    {
      Kept& kept = kept_here ();
      if (count != 1 || kept.count >= most)
        {
          ::operator delete (memory);
          return;
        }
      kept.first = ::new (static_cast<void *> (memory)) Free { kept.first };
      ++kept.count;
    }

    template <typename U> bool operator == (const Reused<U>&) const { return true; }
    template <typename U> bool operator != (const Reused<U>&) const { return false; }

  private:

    struct Free
    {
      Free *next;
    };

    struct Kept
    {
      Free *first;
      std::size_t count;
    };

    // Objects whose memory is kept.
    static const std::size_t most = 64;

    // Each thread keeps memory of its own: the last reference to a value may be in the thread of Octave's
    // graphical interface.
    static Kept& kept_here ()
    {
      static_assert (sizeof (T) >= sizeof (Free) && alignof (T) <= alignof (std::max_align_t), "memory serves both");
      static thread_local Kept kept = { nullptr, 0 };
      return kept;
    }
  };
}

#endif
