/* elementwise.c - prints what an element costs each element-wise operation of an SPE, in decrementer
 * ticks. */
#include <spu_intrinsics.h>
#include <stdio.h>

#include "kernels.h"

#define SIDE 64u

static char a[8 * SIDE * SIDE] __attribute__ ((aligned (128))), b[8 * SIDE * SIDE] __attribute__ ((aligned (128)));
static char result[8 * SIDE * SIDE] __attribute__ ((aligned (128)));

/* All kernels of an SPE, here resident. */
static const struct {
  const char *name;
  kernel_elementwise *kernels[2];
} operations[] = {
#define ROW(name) { #name, { name##_single_v16, name##_double_v16 } },
#define ROW_VECTOR(name) ROW (name)
#define ROW_LIBRARY(name) ROW (name)
#define ROW_NONE(name)
#define ROW_SPE(name, kernel) ROW_##kernel (name)
#define ROW_OVERLAY ROW_SPE
#define ROW_HOST(name, kernel)
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
  BY_RESIDENCE (ROW, resident) (name, kernel)
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

static double ticks (kernel_elementwise *kernel, uint32_t precision)
{
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
  for (uint32_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
    printf ("%-10s %10.2f %10.2f\n", operations[i].name, ticks (operations[i].kernels[MEU_SINGLE], MEU_SINGLE),
            ticks (operations[i].kernels[MEU_DOUBLE], MEU_DOUBLE));
  return 0;
}
