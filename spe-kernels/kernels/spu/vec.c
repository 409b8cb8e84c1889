/* vec.c - the shared operations of vec.h as functions. */
#define VEC_DEFINE_SHARED
#include "vec.h"
