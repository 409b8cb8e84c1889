/* Words both ways, in every blocking mode. */
#include "common.h"

static void read_out(spe_context_ptr_t spe, unsigned *words, int count)
{
    while (count > 0) {
        int read = spe_out_mbox_read(spe, words, count);
        CHECK(read >= 0);
        words += read;
        count -= read;
    }
}

int main(void)
{
    struct run run = {.spe = make_context(0)};
    spe_context_ptr_t spe = run.spe;
    unsigned words[12], word;

    /* Before it runs: nothing to read, room for four. */
    CHECK(spe_in_mbox_status(spe) == 4);
    CHECK(spe_out_mbox_status(spe) == 0);
    CHECK(spe_out_intr_mbox_status(spe) == 0);
    CHECK(spe_out_mbox_read(spe, &word, 1) == 0);
    CHECK(spe_out_intr_mbox_read(spe, &word, 1, SPE_MBOX_ANY_NONBLOCKING) == 0);
    unsigned six[6] = {2, 3, 4, 5, 6, 7};
    CHECK(spe_in_mbox_write(spe, six, 6, SPE_MBOX_ANY_NONBLOCKING) == 4);
    CHECK(spe_in_mbox_status(spe) == 0);
    CHECK(spe_in_mbox_write(spe, six + 4, 2, SPE_MBOX_ANY_NONBLOCKING) == 0);
    start(&run);

    read_out(spe, words, 1);
    CHECK(words[0] == 4);
    CHECK(spe_out_intr_mbox_read(spe, words, 1, SPE_MBOX_ALL_BLOCKING) == 1);
    CHECK(words[0] == 6);
    read_out(spe, words, 1);
    CHECK(words[0] == 8);
    CHECK(spe_out_intr_mbox_read(spe, words, 1, SPE_MBOX_ANY_BLOCKING) == 1);
    CHECK(words[0] == 10);
    word = 0;
    CHECK(spe_in_mbox_write(spe, &word, 1, SPE_MBOX_ALL_BLOCKING) == 1);
    read_out(spe, words, 10);
    for (unsigned i = 0; i < 10; i++)
        CHECK(words[i] == i + 1);

    unsigned twelve[12], expected = 0;
    for (unsigned i = 0; i < 12; i++)
        expected += twelve[i] = i * i;
    int written = spe_in_mbox_write(spe, twelve, 12, SPE_MBOX_ANY_BLOCKING);
    CHECK(written >= 1 && written <= 12);
    if (written < 12)
        CHECK(spe_in_mbox_write(spe, twelve + written, 12 - written, SPE_MBOX_ALL_BLOCKING) == 12 - written);
    CHECK(spe_out_intr_mbox_read(spe, words, 4, SPE_MBOX_ALL_BLOCKING) == 4);
    CHECK(words[0] == expected && words[1] == 100 && words[2] == 200 && words[3] == 300);
    CHECK(exit_code(&run) == 10);

    FAILS(spe_in_mbox_write(spe, NULL, 1, SPE_MBOX_ALL_BLOCKING), EINVAL);
    FAILS(spe_in_mbox_write(spe, &word, 0, SPE_MBOX_ALL_BLOCKING), EINVAL);
    FAILS(spe_in_mbox_write(spe, &word, 1, 4), EINVAL);
    FAILS(spe_out_mbox_read(spe, NULL, 1), EINVAL);
    FAILS(spe_out_intr_mbox_read(spe, &word, 1, 0), EINVAL);
    FAILS(spe_out_mbox_status(NULL), ESRCH);
    CHECK(spe_context_destroy(spe) == 0);
    printf("sum of squares %u\n", expected);
    return 0;
}
