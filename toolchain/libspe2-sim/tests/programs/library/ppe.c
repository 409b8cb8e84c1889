/* Runs a program that uses its C library. */
#include "common.h"

#include <unistd.h>

int main(void)
{
    struct run run = {.spe = make_context(0), .argp = (void *)(uintptr_t)getpid()};
    start(&run);
    int code = exit_code(&run);
    CHECK(spe_context_destroy(run.spe) == 0);
    printf("PPE: %d\n", code);
    return code;
}
