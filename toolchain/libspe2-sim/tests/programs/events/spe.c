/* Sends its number, waits for a word by its event facility, sends it back, and ends with it. */
#include <spu_mfcio.h>

int main(unsigned long long spe, unsigned long long argp)
{
    (void)spe;
    spu_write_event_mask(MFC_IN_MBOX_AVAILABLE_EVENT);
    spu_write_out_intr_mbox((unsigned)argp);
    while (spu_stat_in_mbox() == 0) {
        unsigned events = spu_read_event_status();
        spu_write_event_ack(events);
        if (!(events & MFC_IN_MBOX_AVAILABLE_EVENT))
            return 255;
    }
    unsigned word = spu_read_in_mbox();
    spu_write_out_intr_mbox(word);
    return word;
}
