/* memory.c - memcpy and memset for the few bytes that the MEU moves by hand.  In the C library they are
 * fast and large. */
#include <stddef.h>

void *memcpy (void *to, const void *from, size_t bytes)
{
  char *t = to;
  const char *f = from;
  while (bytes-- != 0)
    *t++ = *f++;
  return to;
}

void *memset (void *to, int value, size_t bytes)
{
  char *t = to;
  while (bytes-- != 0)
    *t++ = (char) value;
  return to;
}
