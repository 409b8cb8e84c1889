/* Fails in the way that it is told, or computes. */
#include <spu_mfcio.h>

static char buffer[128] __attribute__((aligned(128)));

int main(unsigned long long spe, unsigned long long argp, unsigned long long envp)
{
    unsigned sum = 0;
    (void)spe;
    switch ((unsigned)argp) {
    case 0: /* works for a while, until it is told to end */
        while (spu_stat_in_mbox() == 0)
            sum++;
        return spu_read_in_mbox();
    case 1: /* an invalid instruction */
        __asm__ volatile("sync\n\t.long 0x00800000");
        break;
    case 2: /* a halt */
        __asm__ volatile("heqi %0, 0" : : "r"(sum));
        break;
    case 3: /* DMA to a bad local-store address */
        mfc_get(buffer + 1, envp, 128, 0, 0, 0);
        break;
    case 4: /* DMA from nowhere */
        mfc_get(buffer, 0x1000, 128, 0, 0, 0);
        break;
    case 5: /* DMA to memory that may only be read */
        mfc_put(buffer, envp, 128, 0, 0, 0);
        break;
    case 6: /* no such command */
        spu_mfcdma64(buffer, mfc_ea2h(envp), mfc_ea2l(envp), 128, 0, 0x7fff);
        break;
    case 7: /* an endless loop */
        spu_write_out_mbox(7);
        for (;;)
            __asm__ volatile("");
    case 8: /* waits for ever */
        spu_write_out_mbox(8);
        return spu_read_in_mbox();
    case 9: /* a stop that means an isolation failure */
        __asm__ volatile("stop 0x2201");
        break;
    case 10: /* a reservation of nowhere */
        mfc_getllar(buffer, 0x1000, 0, 0);
        break;
    }
    mfc_write_tag_mask(1 << 0);
    mfc_read_tag_status_all();
    return 99;
}
