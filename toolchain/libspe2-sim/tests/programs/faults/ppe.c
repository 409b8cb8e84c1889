/* SPE programs fail one by one while another SPE program works on: each failure has its own result. */
#include "common.h"

#include <unistd.h>

static const char constant[256] LINE = "may only be read";

static const struct {
    const char *name;
    unsigned reason, value;
    int error;
} expected[] = {
    [1] = {"invalid instruction", SPE_RUNTIME_ERROR, SPE_SPU_INVALID_INSTR, EFAULT},
    [2] = {"halt", SPE_RUNTIME_ERROR, SPE_SPU_HALT, EFAULT},
    [3] = {"unaligned DMA", SPE_RUNTIME_EXCEPTION, SPE_DMA_ALIGNMENT, EIO},
    [4] = {"DMA from nowhere", SPE_RUNTIME_EXCEPTION, SPE_DMA_STORAGE, EIO},
    [5] = {"DMA to read-only memory", SPE_RUNTIME_EXCEPTION, SPE_DMA_STORAGE, EIO},
    [6] = {"invalid DMA command", SPE_RUNTIME_EXCEPTION, SPE_INVALID_DMA, EIO},
    [7] = {"endless loop, destroyed", SPE_RUNTIME_FATAL, EINTR, EFAULT},
    [8] = {"endless wait, destroyed", SPE_RUNTIME_FATAL, EINTR, EFAULT},
    [9] = {"isolation failure", SPE_ISOLATION_ERROR, 1, EFAULT},
    [10] = {"reservation of nowhere", SPE_RUNTIME_EXCEPTION, SPE_DMA_STORAGE, EIO},
};

int main(void)
{
    struct run worker = {.spe = make_context(SPE_EVENTS_ENABLE)};
    start(&worker);
    for (unsigned fault = 1; fault < sizeof expected / sizeof expected[0]; fault++) {
        for (unsigned flags = 0; flags <= SPE_EVENTS_ENABLE; flags += SPE_EVENTS_ENABLE) {
            struct run run = {.spe = make_context(flags), .argp = (void *)(uintptr_t)fault, .envp = (void *)constant};
            int destroyed = fault == 7 || fault == 8;
            start(&run);
            if (destroyed) {
                /* It has started. */
                while (spe_out_mbox_status(run.spe) == 0)
                    usleep(1000);
                CHECK(spe_context_destroy(run.spe) == 0);
            }
            CHECK(pthread_join(run.thread, NULL) == 0);
            CHECK(run.result == -1 && run.error == expected[fault].error);
            CHECK(run.stop.stop_reason == expected[fault].reason);
            CHECK((unsigned)run.stop.result.spe_runtime_error == expected[fault].value);
            if (!destroyed)
                CHECK(spe_context_destroy(run.spe) == 0);
        }
        printf("%s\n", expected[fault].name);
    }
    /* The program that works on has not noticed any failure. */
    unsigned word = 17;
    CHECK(spe_in_mbox_write(worker.spe, &word, 1, SPE_MBOX_ALL_BLOCKING) == 1);
    CHECK(exit_code(&worker) == 17);
    CHECK(spe_context_destroy(worker.spe) == 0);
    printf("the worker ended as it should\n");
    return 0;
}
