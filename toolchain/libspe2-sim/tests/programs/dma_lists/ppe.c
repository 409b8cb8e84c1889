/* An SPE program from a file: strided rows by DMA lists, and a completion record that is polled. */
#include "common.h"

#define ROWS 24
#define ROW_BYTES 144
#define STRIDE_BYTES 512

static unsigned char matrices[2][ROWS * STRIDE_BYTES] LINE;
static volatile uint32_t record[4] LINE;
static struct {
    uint64_t source, target, record;
    uint32_t rows, row_bytes, stride_bytes, pad[3];
} parameters LINE;

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    FAILS_NULL(spe_image_open("no such file"), ENOENT);
    FAILS_NULL(spe_image_open("/"), ENODEV);
    FAILS_NULL(spe_image_open(argv[0]), EINVAL);
    spe_program_handle_t *program = spe_image_open(argv[1]);
    CHECK(program != NULL);
    struct run run = {.spe = spe_context_create(0, NULL), .argp = &parameters};
    CHECK(run.spe != NULL);
    CHECK(spe_program_load(run.spe, program) == 0);
    CHECK(spe_image_close(program) == 0);
    FAILS(spe_image_close(NULL), EINVAL);
    FAILS(spe_program_load(run.spe, NULL), EINVAL);
    FAILS(spe_program_load(NULL, &spe_program), ESRCH);

    for (unsigned i = 0; i < sizeof matrices[0]; i++)
        matrices[0][i] = (unsigned char)(i * 7);
    parameters.source = spe_address(matrices[0]);
    parameters.target = spe_address(matrices[1]);
    parameters.record = spe_address(record);
    parameters.rows = spe32(ROWS);
    parameters.row_bytes = spe32(ROW_BYTES);
    parameters.stride_bytes = spe32(STRIDE_BYTES);
    start(&run);
    while (__atomic_load_n(&record[1], __ATOMIC_ACQUIRE) == 0)
        continue;
    /* The record comes after the data, so that is there now, whether the program has ended or not. */
    unsigned moved = 0;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned at = 0; at < STRIDE_BYTES; at++) {
            unsigned char was = matrices[0][row * STRIDE_BYTES + at], is = matrices[1][row * STRIDE_BYTES + at];
            CHECK(is == (at < ROW_BYTES ? (unsigned char)(was + 1) : 0));
            moved += at < ROW_BYTES;
        }
    CHECK(record[0] == spe32(1 << 3));
    CHECK(record[1] == spe32(0x600d));
    CHECK(exit_code(&run) == 0);
    CHECK(spe_context_destroy(run.spe) == 0);
    printf("%u bytes moved\n", moved);
    return 0;
}
