/* Four SPEs and the PPE count up one word, and four SPEs share a pair under a lock. */
#include "common.h"

#define SPES 4
#define ROUNDS 300

/* A line with counters, one with the lock, one with the pair. */
static uint32_t lines[3][32] LINE;

int main(void)
{
    struct run runs[SPES];
    for (int i = 0; i < SPES; i++) {
        runs[i] = (struct run){.spe = make_context(0), .argp = lines, .envp = (void *)ROUNDS};
        start(&runs[i]);
    }
    /* A neighbour of their word in its doubleword, counted by instructions of the PPE. */
    for (int i = 0; i < 10000; i++)
        __atomic_fetch_add(&lines[0][4], 1, __ATOMIC_RELAXED);
    for (int i = 0; i < SPES; i++) {
        CHECK(exit_code(&runs[i]) == 0);
        CHECK(spe_context_destroy(runs[i].spe) == 0);
    }
    CHECK(lines[0][4] == 10000);
    printf("%u, %u and %u\n", spe32(lines[0][5]), spe32(lines[2][0]), spe32(lines[2][1]));
    return 0;
}
