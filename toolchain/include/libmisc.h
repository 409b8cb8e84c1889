/* libmisc.h - memory on a boundary of a power of two, by the names of the Cell's library of that name. */
#ifndef LIBMISC_H
#define LIBMISC_H

#include <malloc_align.h>

static inline void *malloc_align (size_t bytes, unsigned int log2_boundary)
{
  return _malloc_align (bytes, log2_boundary);
}

static inline void *calloc_align (size_t count, size_t bytes, unsigned int log2_boundary)
{
  return _calloc_align (count, bytes, log2_boundary);
}

static inline void free_align (void *memory) { _free_align (memory); }

#endif
