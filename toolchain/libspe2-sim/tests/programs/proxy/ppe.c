/* DMA that the PPE asks for, and the mapped local store. */
#include "common.h"

#define WORDS 1024
#define BUFFER 0x20000

static uint32_t words[WORDS] LINE;
static uint32_t back[WORDS] LINE;

int main(void)
{
    struct run run = {.spe = make_context(0), .argp = (void *)BUFFER};
    spe_context_ptr_t spe = run.spe;
    CHECK(spe_ls_size_get(spe) == 0x40000);
    char *ls = spe_ls_area_get(spe);
    CHECK(ls != NULL && (uintptr_t)ls % 128 == 0);
    start(&run);

    uint32_t expected = 0, sum, count = WORDS, status = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = spe32(i ^ 0x55);
        expected += i ^ 0x55;
    }
    /* In quarters: plain, with fence, with barrier, plain. */
    unsigned quarter = sizeof words / 4;
    char *source = (char *)words;
    CHECK(spe_mfcio_get(spe, BUFFER, source, quarter, 5, 0, 0) == 0);
    CHECK(spe_mfcio_getf(spe, BUFFER + quarter, source + quarter, quarter, 5, 0, 0) == 0);
    CHECK(spe_mfcio_getb(spe, BUFFER + 2 * quarter, source + 2 * quarter, quarter, 5, 0, 0) == 0);
    CHECK(spe_mfcio_get(spe, BUFFER + 3 * quarter, source + 3 * quarter, quarter, 6, 0, 0) == 0);
    CHECK(spe_mfcio_tag_status_read(spe, 1 << 5 | 1 << 6, SPE_TAG_ALL, &status) == 0);
    CHECK(status == (1 << 5 | 1 << 6));
    CHECK(spe_mfcio_tag_status_read(spe, 0, SPE_TAG_ANY, &status) == 0 && status != 0);
    CHECK(spe_mfcio_tag_status_read(spe, 1 << 5, SPE_TAG_IMMEDIATE, &status) == 0 && status == 1 << 5);
    CHECK(spe_in_mbox_write(spe, &count, 1, SPE_MBOX_ALL_BLOCKING) == 1);
    CHECK(spe_out_intr_mbox_read(spe, &sum, 1, SPE_MBOX_ALL_BLOCKING) == 1);
    CHECK(sum == expected);

    CHECK(spe_mfcio_put(spe, BUFFER, back, 16, 1, 0, 0) == 0);
    CHECK(spe_mfcio_putf(spe, BUFFER + 16, back + 4, 112, 1, 0, 0) == 0);
    CHECK(spe_mfcio_putb(spe, BUFFER + 128, back + 32, sizeof back - 128, 1, 0, 0) == 0);
    CHECK(spe_mfcio_tag_status_read(spe, 1 << 1, SPE_TAG_ALL, &status) == 0 && status == 1 << 1);
    CHECK(back[0] == spe32(expected));
    CHECK(memcmp(back + 1, words + 1, sizeof back - 4) == 0);

    /* The second time through the mapping. */
    uint32_t two[2] = {spe32(40), spe32(2)};
    memcpy(ls + BUFFER, two, sizeof two);
    count = 2;
    CHECK(spe_in_mbox_write(spe, &count, 1, SPE_MBOX_ALL_BLOCKING) == 1);
    CHECK(spe_out_intr_mbox_read(spe, &sum, 1, SPE_MBOX_ALL_BLOCKING) == 1);
    CHECK(sum == 42);
    CHECK(exit_code(&run) == 0);
    memcpy(two, ls + BUFFER, sizeof two);
    CHECK(two[0] == spe32(42));

    FAILS(spe_mfcio_get(spe, BUFFER, words, 16, 16, 0, 0), EINVAL);
    FAILS(spe_mfcio_get(spe, BUFFER, words, 16, 0, 256, 0), EINVAL);
    FAILS(spe_mfcio_get(spe, BUFFER + 1, words, 16, 0, 0, 0), EIO);
    FAILS(spe_mfcio_put(spe, BUFFER, (void *)0x80, 16, 0, 0, 0), EIO);
    FAILS(spe_mfcio_tag_status_read(spe, 1, 7, &status), EINVAL);
    FAILS(spe_mfcio_tag_status_read(spe, 1, SPE_TAG_ALL, NULL), EINVAL);
    CHECK(spe_context_destroy(spe) == 0);
    FAILS_NULL(spe_ls_area_get(NULL), ESRCH);
    printf("sums %u and %u\n", expected, sum);
    return 0;
}
