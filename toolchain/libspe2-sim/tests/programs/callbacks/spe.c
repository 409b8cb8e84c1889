/* Calls the PPE by numbers of its own, stops in between, and is given registers. */
#include <spu_intrinsics.h>

/* Of the C runtime: stops with a code, with a number and arguments for the PPE. */
extern int __send_to_ppe(int signal, unsigned op, void *data);

static vector unsigned int block __attribute__((aligned(16)));

static unsigned call(unsigned number, unsigned argument)
{
    block = (vector unsigned int){argument, 0, 0, 0};
    __send_to_ppe(0x2100 + number, 9, &block);
    return spu_extract(block, 0);
}

int main(unsigned long long a, unsigned long long b, unsigned long long c)
{
    unsigned value = (unsigned)a + (unsigned)(b >> 32) + (unsigned)c;
    value = call(40, value);
    spu_stop(0x11);
    value = call(41, value);
    spu_stop(0x3001);
    call(42, value);
    return value & 0xff;
}
