/* Prints what it is given, and ends with a status. */
#include <spu_mfcio.h>
#include <stdio.h>

static char text[32] __attribute__((aligned(16)));

int main(unsigned long long spe, unsigned long long argp, unsigned long long envp)
{
    mfc_get(text, argp, sizeof text, 0, 0, 0);
    mfc_write_tag_mask(1 << 0);
    mfc_read_tag_status_all();
    printf("SPE: %s, %d, %s\n", text, (int)envp, spe ? "with a context" : "without");
    printf("SPE: %5.2f %c %08x %s\n", 3.14159, 'x', 0xbeef, "text");
    fflush(stdout);
    return 42;
}
