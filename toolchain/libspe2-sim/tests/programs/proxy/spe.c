/* Adds up what the PPE put into local store, and leaves the sums where it is told. */
#include <spu_mfcio.h>

int main(unsigned long long spe, unsigned long long argp)
{
    (void)spe;
    volatile unsigned *words = (volatile unsigned *)(unsigned)argp;
    for (int round = 0; round < 2; round++) {
        unsigned count = spu_read_in_mbox(), sum = 0;
        for (unsigned i = 0; i < count; i++)
            sum += words[i];
        words[0] = sum;
        spu_write_out_intr_mbox(sum);
    }
    return 0;
}
