/* malloc_align.h - memory on a boundary of a power of two, by the names in programs for the Cell. */
#ifndef MALLOC_ALIGN_H
#define MALLOC_ALIGN_H

#include <malloc.h>
#include <string.h>

static inline void *_malloc_align (size_t bytes, unsigned int log2_boundary)
{
  return memalign ((size_t) 1 << log2_boundary, bytes);
}

static inline void *_calloc_align (size_t count, size_t bytes, unsigned int log2_boundary)
{
  size_t all;
  if (__builtin_mul_overflow (count, bytes, &all))
    return NULL;
  void *memory = _malloc_align (all, log2_boundary);
  return memory == NULL ? NULL : memset (memory, 0, all);
}

static inline void _free_align (void *memory) { free (memory); }

#endif
