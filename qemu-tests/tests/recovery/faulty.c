/* faulty.c - a libspe2 that gives one SPE another program: the load that FAULTY_LOAD counts (from 0) gets the
 * file FAULTY_PROGRAM.  All other functions are those of the library that faulty.c is linked with. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libspe2.h>
#include <stdlib.h>

int spe_program_load (spe_context_ptr_t spe, spe_program_handle_t *program)
{
  static int loads;
  int (*load) (spe_context_ptr_t, spe_program_handle_t *);
  *(void **) &load = dlsym (RTLD_NEXT, "spe_program_load");
  if (__atomic_fetch_add (&loads, 1, __ATOMIC_SEQ_CST) == atoi (getenv ("FAULTY_LOAD")))
    program = spe_image_open (getenv ("FAULTY_PROGRAM"));
  return load (spe, program);
}
