/* Echoes words through both outbound mailboxes, then counts how much room it sees. */
#include <spu_mfcio.h>

int main(void)
{
    unsigned word;
    /* Until zero: words come back doubled, odd ones through the interrupt mailbox. */
    while ((word = spu_read_in_mbox()) != 0) {
        if (word & 1)
            spu_write_out_intr_mbox(2 * word);
        else
            spu_write_out_mbox(2 * word);
    }
    /* Ten words, as fast as the PPE takes them. */
    for (word = 1; word <= 10; word++)
        spu_write_out_mbox(word);
    /* The sum of twelve words, which do not fit at once. */
    unsigned sum = 0;
    for (int i = 0; i < 12; i++)
        sum += spu_read_in_mbox();
    spu_write_out_intr_mbox(sum);
    for (int i = 1; i <= 3; i++)
        spu_write_out_intr_mbox(100 * i);
    return spu_stat_in_mbox() + 10 * spu_stat_out_mbox();
}
