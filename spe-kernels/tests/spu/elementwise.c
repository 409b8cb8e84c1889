/* elementwise.c - prints what each element-wise operation of an SPE costs, in decrementer ticks an element. */
#include <spu_intrinsics.h>
#include <stdio.h>

#include "kernel.h"

#define SIDE 64u

static char a[8 * SIDE * SIDE] __attribute__ ((aligned (128))), b[8 * SIDE * SIDE] __attribute__ ((aligned (128)));
static char result[8 * SIDE * SIDE] __attribute__ ((aligned (128)));

static const char *const names[MEU_RESIDENT_COUNT] = {
#define TEXT_SPE(name) #name,
#define TEXT_HOST(name)
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
  TEXT_##resident (name)
#include "operations.def"
};

static void fill (char *block, uint32_t precision, double first, double step)
{
  for (uint32_t i = 0; i < SIDE * SIDE; i++)
    if (precision == MEU_DOUBLE)
      ((double *) block)[i] = first + (double) i * step;
    else
      ((float *) block)[i] = (float) (first + (double) i * step);
}

static double ticks (uint32_t opcode, uint32_t precision)
{
  kernel_elementwise *kernel = kernel_table_v16.elementwise[opcode][precision];
  uint32_t bytes = SIDE * kernel_column_bytes (SIDE, precision);
  fill (a, precision, 0.5, 0.001);
  fill (b, precision, 1.25, 0.0005);
  spu_writech (SPU_WrDec, 0xffffffff);
  uint32_t since = spu_readch (SPU_RdDec);
  (void) kernel (result, a, b, 16, 16, bytes);
  return (double) (since - spu_readch (SPU_RdDec)) / (double) (SIDE * SIDE);
}

int main (void)
{
  printf ("%-10s %10s %10s\n", "", "single", "double");
  for (uint32_t opcode = MEU_OP_ADD; opcode < MEU_OP_CONVERT; opcode++)
    printf ("%-10s %10.2f %10.2f\n", names[opcode], ticks (opcode, MEU_SINGLE), ticks (opcode, MEU_DOUBLE));
  return 0;
}
