/* A gang of as many contexts as there are SPEs shares a sum. On each chip the contexts are neighbours. */
#include "common.h"

#define CHUNK 256
#define CHUNKS_EACH 5
#define MOST 16

static uint32_t vector[MOST * CHUNKS_EACH * CHUNK] LINE;
static struct share {
    uint64_t start;
    uint32_t chunks, sum;
    uint8_t pad[112];
} shares[MOST] LINE;

int main(void)
{
    int spes = spe_cpu_info_get(SPE_COUNT_USABLE_SPES, -1);
    CHECK(spes >= 1 && spes <= MOST);
    CHECK(spe_cpu_info_get(SPE_COUNT_PHYSICAL_SPES, -1) >= spes);
    int nodes = spe_cpu_info_get(SPE_COUNT_PHYSICAL_CPU_NODES, -1);
    CHECK(nodes == (spes + 7) / 8);
    CHECK(spe_cpu_info_get(SPE_COUNT_USABLE_SPES, 0) == (spes < 8 ? spes : 8));
    int type = spe_cpu_info_get(SPE_CPU_TYPE, -1);
    CHECK(type == SPE_CPU_TYPE_CELLBE || type == SPE_CPU_TYPE_CELLEDP);
    FAILS(spe_cpu_info_get(99, -1), EINVAL);
    FAILS(spe_cpu_info_get(SPE_COUNT_USABLE_SPES, nodes), EINVAL);

    spe_gang_context_ptr_t gang = spe_gang_context_create(0);
    CHECK(gang != NULL);
    struct run runs[MOST];
    uint32_t expected = 0, sum = 0;
    for (unsigned i = 0; i < sizeof vector / sizeof vector[0]; i++) {
        vector[i] = spe32(i * i);
        if (i < (unsigned)spes * CHUNKS_EACH * CHUNK)
            expected += i * i;
    }
    for (int i = 0; i < spes; i++) {
        runs[i] = (struct run){.argp = &shares[i]};
        runs[i].spe = i == 0  ? spe_context_create_affinity(SPE_AFFINITY_MEMORY, NULL, gang)
                      : i < 8 ? spe_context_create_affinity(0, runs[i - 1].spe, gang)
                              : spe_context_create(0, gang);
        CHECK(runs[i].spe != NULL);
        CHECK(spe_program_load(runs[i].spe, &spe_program) == 0);
        shares[i].start = spe_address(vector + i * CHUNKS_EACH * CHUNK);
        shares[i].chunks = spe32(CHUNKS_EACH);
    }
    spe_context_ptr_t stranger = spe_context_create(0, NULL), member = spe_context_create(0, gang);
    CHECK(stranger != NULL && member != NULL);
    FAILS_NULL(spe_context_create_affinity(0, stranger, gang), EINVAL);
    FAILS_NULL(spe_context_create_affinity(0, NULL, NULL), ESRCH);
    FAILS_NULL(spe_context_create_affinity(SPE_AFFINITY_MEMORY, NULL, gang), EEXIST);
    /* A third neighbour, or, at the end of the row, more than a chip has. */
    FAILS_NULL(spe_context_create_affinity(0, runs[spes > 2 ? 1 : spes - 1].spe, gang), EEXIST);
    for (int i = 0; i < spes; i++)
        start(&runs[i]);
    FAILS(spe_gang_context_destroy(gang), EBUSY);
    for (int i = 0; i < spes; i++) {
        CHECK(exit_code(&runs[i]) == 0);
        /* The row has its places since the first of it ran. */
        if (i == 0 && spes > 1)
            FAILS_NULL(spe_context_create_affinity(0, runs[spes - 1].spe, gang), EBUSY);
        sum += spe32(shares[i].sum);
        CHECK(spe_context_destroy(runs[i].spe) == 0);
    }
    CHECK(sum == expected);
    CHECK(spe_context_destroy(stranger) == 0 && spe_context_destroy(member) == 0);
    CHECK(spe_gang_context_destroy(gang) == 0);
    FAILS(spe_gang_context_destroy(NULL), ESRCH);
    printf("the sum is right\n");
    return 0;
}
