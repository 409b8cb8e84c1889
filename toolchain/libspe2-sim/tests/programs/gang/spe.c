/* Sums its share of a vector, double buffered. */
#include <spu_mfcio.h>

#define CHUNK 256

struct share {
    unsigned long long start;
    unsigned chunks, sum;
};

static struct share share __attribute__((aligned(16)));
static unsigned buffers[2][CHUNK] __attribute__((aligned(128)));

int main(unsigned long long spe, unsigned long long argp)
{
    (void)spe;
    mfc_get(&share, argp, sizeof share, 2, 0, 0);
    mfc_write_tag_mask(1 << 2);
    mfc_read_tag_status_all();
    unsigned sum = 0;
    mfc_get(buffers[0], share.start, sizeof buffers[0], 0, 0, 0);
    for (unsigned chunk = 0; chunk < share.chunks; chunk++) {
        unsigned now = chunk & 1;
        if (chunk + 1 < share.chunks)
            mfc_get(buffers[!now], share.start + (chunk + 1) * sizeof buffers[0], sizeof buffers[0], !now, 0, 0);
        mfc_write_tag_mask(1 << now);
        mfc_read_tag_status_all();
        for (unsigned i = 0; i < CHUNK; i++)
            sum += buffers[now][i];
    }
    share.sum = sum;
    mfc_put(&share, argp, sizeof share, 2, 0, 0);
    mfc_write_tag_mask(1 << 2);
    mfc_read_tag_status_all();
    return 0;
}
