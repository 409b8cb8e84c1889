/* spe.c - in place of an MEU: takes one operation, and fails as FAULT says. */
#include <spu_mfcio.h>

static char buffer[128] __attribute__ ((aligned (128)));

int main (void)
{
  spu_read_in_mbox ();
#if FAULT == 1
  __asm__ volatile ("sync\n\t.long 0x00800000"); /* no such instruction */
#elif FAULT == 2
  __asm__ volatile ("heqi %0, 0" : : "r" (0)); /* a halt */
#elif FAULT == 3
  mfc_get (buffer + 1, 0x10000, 128, 0, 0, 0); /* addresses that do not fit each other */
#elif FAULT == 4
  mfc_get (buffer, 0x1000, 128, 0, 0, 0); /* from where there is no memory */
#else
  for (;;) /* for ever */
    __asm__ volatile ("");
#endif
  mfc_write_tag_mask (1);
  mfc_read_tag_status_all ();
  return 99;
}
