/* free_align.h - _free_align, for memory of _malloc_align. */
#include <malloc_align.h>
