/* Counts up a shared word, and takes a lock to count up a pair, by the atomic unit. */
#include <spu_mfcio.h>

static volatile unsigned line[32] __attribute__((aligned(128)));

static void add(unsigned long long ea, unsigned index)
{
    do {
        mfc_getllar(line, ea, 0, 0);
        mfc_read_atomic_status();
        line[index]++;
        mfc_putllc(line, ea, 0, 0);
    } while (mfc_read_atomic_status() & MFC_PUTLLC_STATUS);
}

static void lock(unsigned long long ea)
{
    for (;;) {
        mfc_getllar(line, ea, 0, 0);
        mfc_read_atomic_status();
        if (line[0] == 0) {
            line[0] = 1;
            mfc_putllc(line, ea, 0, 0);
            if (!(mfc_read_atomic_status() & MFC_PUTLLC_STATUS))
                return;
        }
    }
}

static void unlock(unsigned long long ea)
{
    for (unsigned i = 0; i < 32; i++)
        line[i] = 0;
    mfc_putlluc(line, ea, 0, 0);
    mfc_read_atomic_status();
}

int main(unsigned long long spe, unsigned long long counters, unsigned long long rounds)
{
    static volatile unsigned pair[4] __attribute__((aligned(16)));
    (void)spe;
    unsigned torn = 0;
    for (unsigned i = 0; i < rounds; i++) {
        add(counters, 5);
        lock(counters + 128);
        mfc_get(pair, counters + 256, sizeof pair, 0, 0, 0);
        mfc_write_tag_mask(1 << 0);
        mfc_read_tag_status_all();
        torn += pair[0] != pair[1];
        pair[0]++;
        pair[1]++;
        mfc_put(pair, counters + 256, sizeof pair, 0, 0, 0);
        mfc_read_tag_status_all();
        unlock(counters + 128);
    }
    return torn != 0;
}
