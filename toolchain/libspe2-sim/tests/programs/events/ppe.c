/* Three contexts, served by one thread that waits for their events. */
#include "common.h"

#define SPES 3

int main(void)
{
    spe_event_handler_ptr_t handler = spe_event_handler_create();
    CHECK(handler != NULL);
    struct run runs[SPES];
    spe_event_unit_t unit;
    for (unsigned i = 0; i < SPES; i++) {
        runs[i] = (struct run){.spe = make_context(SPE_EVENTS_ENABLE), .argp = (void *)(uintptr_t)(i + 1)};
        unit = (spe_event_unit_t){.events = SPE_EVENT_OUT_INTR_MBOX | SPE_EVENT_SPE_STOPPED, .spe = runs[i].spe};
        unit.data.u32 = i;
        CHECK(spe_event_handler_register(handler, &unit) == 0);
        FAILS(spe_event_handler_register(handler, &unit), EEXIST);
        spe_stop_info_t stop;
        FAILS(spe_stop_info_read(runs[i].spe, &stop), EAGAIN);
    }
    spe_event_unit_t units[2];
    CHECK(spe_event_wait(handler, units, 2, 0) == 0);
    CHECK(spe_event_wait(handler, units, 2, 20) == 0);
    for (unsigned i = 0; i < SPES; i++)
        start(&runs[i]);

    unsigned greeted = 0, answered = 0, stopped = 0;
    while (stopped < SPES) {
        int count = spe_event_wait(handler, units, 2, -1);
        CHECK(count >= 1 && count <= 2);
        for (int i = 0; i < count; i++) {
            unsigned number = units[i].data.u32, word;
            CHECK(number < SPES && units[i].spe == runs[number].spe);
            if (units[i].events == SPE_EVENT_OUT_INTR_MBOX) {
                if (spe_out_intr_mbox_read(units[i].spe, &word, 1, SPE_MBOX_ANY_NONBLOCKING) != 1)
                    continue;
                if (word == number + 1) {
                    greeted++;
                    word = 10 * word;
                    CHECK(spe_in_mbox_write(units[i].spe, &word, 1, SPE_MBOX_ALL_BLOCKING) == 1);
                } else {
                    CHECK(word == 10 * (number + 1));
                    answered++;
                }
            } else {
                CHECK(units[i].events == SPE_EVENT_SPE_STOPPED);
                spe_stop_info_t stop;
                CHECK(spe_stop_info_read(units[i].spe, &stop) == 0);
                CHECK(stop.stop_reason == SPE_EXIT);
                CHECK(stop.result.spe_exit_code == (int)(10 * (number + 1)));
                stopped++;
            }
        }
    }
    CHECK(greeted == SPES);
    for (unsigned i = 0; i < SPES; i++)
        CHECK(exit_code(&runs[i]) == (int)(10 * (i + 1)));

    /* Room in the inbound mailbox is an event too, as long as there is any. */
    unit = (spe_event_unit_t){.events = SPE_EVENT_IN_MBOX | SPE_EVENT_TAG_GROUP, .spe = runs[0].spe};
    unit.data.ptr = runs;
    CHECK(spe_event_handler_register(handler, &unit) == 0);
    CHECK(spe_event_wait(handler, units, 2, 1000) >= 1);
    unsigned words[4] = {0};
    CHECK(spe_in_mbox_write(runs[0].spe, words, 4, SPE_MBOX_ALL_BLOCKING) == 4);
    while (spe_out_intr_mbox_read(runs[0].spe, words, 1, SPE_MBOX_ANY_NONBLOCKING) == 1)
        answered++;
    /* A proxy command completes a tag group. */
    static char data[16] LINE;
    CHECK(spe_mfcio_get(runs[0].spe, 0x3000, data, sizeof data, 3, 0, 0) == 0);
    CHECK(spe_event_wait(handler, units, 1, 1000) == 1);
    CHECK(units[0].events == SPE_EVENT_TAG_GROUP && units[0].data.ptr == runs);
    unsigned status;
    CHECK(spe_mfcio_tag_status_read(runs[0].spe, 0, SPE_TAG_ALL, &status) == 0);
    CHECK(status == 1 << 3);
    CHECK(spe_event_handler_deregister(handler, &unit) == 0);
    FAILS(spe_event_handler_deregister(handler, &unit), ENOENT);

    spe_context_ptr_t plain = make_context(0);
    unit.spe = plain;
    FAILS(spe_event_handler_register(handler, &unit), ENOTSUP);
    spe_stop_info_t stop;
    FAILS(spe_stop_info_read(plain, &stop), ENOTSUP);
    unit.spe = NULL;
    FAILS(spe_event_handler_register(handler, &unit), EINVAL);
    FAILS(spe_event_wait(handler, NULL, 1, 0), EINVAL);
    CHECK(spe_context_destroy(plain) == 0);
    for (unsigned i = 0; i < SPES; i++)
        CHECK(spe_context_destroy(runs[i].spe) == 0);
    CHECK(spe_event_handler_destroy(handler) == 0);
    FAILS(spe_event_wait(handler, units, 1, 0), ESRCH);
    printf("%u greeted, %u stopped\n", greeted, stopped);
    return 0;
}
