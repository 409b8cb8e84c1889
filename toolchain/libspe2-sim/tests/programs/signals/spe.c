/* Two SPEs pass a counter to and fro by their signal registers.  Each SPE gets the address of its partner's
 * registers. */
#include <spu_mfcio.h>

struct parameters {
    unsigned long long partner;
    unsigned rounds, first;
};

static struct parameters parameters __attribute__((aligned(16)));
/* A signal has the low four address bits of the register. */
static volatile unsigned signal_word[4] __attribute__((aligned(16)));

int main(unsigned long long spe, unsigned long long argp)
{
    (void)spe;
    mfc_get(&parameters, argp, sizeof parameters, 0, 0, 0);
    mfc_write_tag_mask(1 << 0);
    mfc_read_tag_status_all();
    /* The PPE program says by single bits of register 2, which are combined, when all is ready. */
    unsigned bits = 0;
    while (bits != 7)
        bits |= spu_read_signal2();
    unsigned counter = 0;
    for (unsigned round = 0; round < parameters.rounds; round++) {
        if (round > 0 || !parameters.first)
            counter = spu_read_signal1();
        signal_word[3] = counter + 1;
        mfc_sndsig(&signal_word[3], parameters.partner, 0, 0, 0);
        mfc_read_tag_status_all();
    }
    if (parameters.first)
        counter = spu_read_signal1();
    spu_write_out_mbox(counter);
    /* A word by direct access of the PPE. */
    spu_write_out_mbox(spu_read_in_mbox() + 1);
    spu_stop(0x123);
    return 0;
}
