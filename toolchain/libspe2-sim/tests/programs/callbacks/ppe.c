/* Handlers of the program's own, stops for the user, and registers at the start. */
#include "common.h"

static int calls;

/* The word behind the stop: operation and address of the arguments in local store. */
static uint32_t *arguments(void *ls, unsigned npc)
{
    uint32_t word = spe32(*(uint32_t *)((char *)ls + npc));
    CHECK(word >> 24 == 9);
    return (uint32_t *)((char *)ls + (word & 0xffffff));
}

static int square(void *ls, unsigned npc)
{
    uint32_t *block = arguments(ls, npc);
    uint32_t value = spe32(block[0]);
    block[0] = spe32(value * value);
    block[3] = 0;
    calls++;
    return 0;
}

static int increment(void *ls, unsigned npc)
{
    uint32_t *block = arguments(ls, npc);
    block[0] = spe32(spe32(block[0]) + 1);
    block[3] = 0;
    calls++;
    return 0;
}

static int refuse(void *ls, unsigned npc)
{
    (void)ls;
    (void)npc;
    return 7;
}

int main(void)
{
    CHECK(spe_callback_handler_register((void *)increment, 40, SPE_CALLBACK_NEW) == 0);
    CHECK(spe_callback_handler_query(40) == (void *)increment);
    CHECK(spe_callback_handler_register((void *)square, 40, SPE_CALLBACK_UPDATE) == 0);
    CHECK(spe_callback_handler_query(40) == (void *)square);
    CHECK(spe_callback_handler_register((void *)increment, 41, SPE_CALLBACK_NEW) == 0);
    CHECK(spe_callback_handler_register((void *)refuse, 42, SPE_CALLBACK_NEW) == 0);
    CHECK(spe_callback_handler_query(0) != NULL);
    FAILS_NULL(spe_callback_handler_query(43), ESRCH);
    FAILS(spe_callback_handler_register((void *)refuse, 42, SPE_CALLBACK_NEW), EACCES);
    FAILS(spe_callback_handler_register((void *)refuse, 1, SPE_CALLBACK_NEW), EACCES);
    FAILS(spe_callback_handler_register(NULL, 43, SPE_CALLBACK_NEW), EINVAL);
    FAILS(spe_callback_handler_register((void *)refuse, 43, SPE_CALLBACK_UPDATE), ESRCH);
    FAILS(spe_callback_handler_register((void *)refuse, 256, SPE_CALLBACK_NEW), EINVAL);

    spe_context_ptr_t spe = make_context(0);
    /* r3 = 1 << 64 | 3 in its doublewords, so that only the low word counts, and so on: 3 + 4 + 5. */
    unsigned registers[12] = {1, 3, 0, 0, 4, 9, 0, 0, 2, 5, 0, 0};
    unsigned entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t stop;
    CHECK(spe_context_run(spe, &entry, SPE_RUN_USER_REGS, registers, NULL, &stop) == 0x11);
    CHECK(stop.stop_reason == SPE_STOP_AND_SIGNAL && stop.result.spe_signal_code == 0x11);
    CHECK(calls == 1);

    /* Without callbacks a call is an ordinary stop: entry is behind the stop, at the call's data word. */
    CHECK(spe_context_run(spe, &entry, SPE_NO_CALLBACKS, NULL, NULL, &stop) == 0x2129);
    CHECK(stop.stop_reason == SPE_STOP_AND_SIGNAL && calls == 1);
    CHECK(increment(spe_ls_area_get(spe), entry) == 0);
    entry += 4;
    CHECK(spe_context_run(spe, &entry, 0, NULL, NULL, &stop) == 0x3001);
    FAILS(spe_context_run(spe, &entry, 0, NULL, NULL, &stop), EFAULT);
    CHECK(stop.stop_reason == SPE_CALLBACK_ERROR && stop.result.spe_callback_error == 7);
    entry += 4;
    CHECK(spe_context_run(spe, &entry, 0, NULL, NULL, &stop) == 0);
    CHECK(stop.stop_reason == SPE_EXIT);
    int code = stop.result.spe_exit_code;

    for (unsigned number = 40; number <= 42; number++)
        CHECK(spe_callback_handler_deregister(number) == 0);
    FAILS(spe_callback_handler_deregister(40), ESRCH);
    entry = SPE_DEFAULT_ENTRY;
    FAILS(spe_context_run(spe, &entry, 0, NULL, NULL, &stop), EFAULT);
    CHECK(stop.stop_reason == SPE_CALLBACK_ERROR && stop.result.spe_callback_error == -1);
    CHECK(spe_context_destroy(spe) == 0);
    printf("12 squared and one more is %d\n", code);
    return 0;
}
