/* One SPE program, run twice on one context: arguments, printf, exit status. */
#include "common.h"

static char text[32] LINE = "a text in main memory";

int main(void)
{
    spe_context_ptr_t spe = make_context(0);
    for (int round = 1; round <= 2; round++) {
        unsigned entry = SPE_DEFAULT_ENTRY;
        spe_stop_info_t stop;
        printf("PPE: round %d\n", round);
        CHECK(spe_context_run(spe, &entry, 0, text, (void *)(uintptr_t)round, &stop) == 0);
        CHECK(stop.stop_reason == SPE_EXIT);
        CHECK(stop.result.spe_exit_code == 42);
        CHECK(stop.spu_status == (0x202a << 16 | 2));
    }
    /* The handle of the loaded program is what debuggers look at. */
    CHECK(((spe_program_handle_t *)spe)->elf_image == spe_program.elf_image);
    CHECK(spe_context_destroy(spe) == 0);
    FAILS(spe_context_destroy(NULL), ESRCH);
    FAILS(spe_context_destroy(spe), ESRCH);
    FAILS_NULL(spe_context_create(SPE_ISOLATE, NULL), ENODEV);
    FAILS_NULL(spe_context_create(1, NULL), EINVAL);
    printf("PPE: done\n");
    return 0;
}
