/* Gathers rows of a matrix by a list, adds one, and scatters them to another by a list that stalls in the
 * middle.  A completion record follows by fence.
 */
#include <spu_mfcio.h>

struct parameters {
    unsigned long long source, target, record;
    unsigned rows, row_bytes, stride_bytes, pad[3];
};

static struct parameters parameters __attribute__((aligned(16)));
static unsigned char data[16384] __attribute__((aligned(128)));
static mfc_list_element_t list[64] __attribute__((aligned(8)));
static volatile unsigned record[4] __attribute__((aligned(16)));

static void wait_for(unsigned tag)
{
    mfc_write_tag_mask(1 << tag);
    mfc_read_tag_status_all();
}

static void make_list(unsigned long long start)
{
    for (unsigned row = 0; row < parameters.rows; row++) {
        list[row].notify = 0;
        list[row].size = parameters.row_bytes;
        list[row].eal = (unsigned)start + row * parameters.stride_bytes;
    }
}

int main(unsigned long long spe, unsigned long long argp)
{
    (void)spe;
    mfc_get(&parameters, argp, sizeof parameters, 1, 0, 0);
    wait_for(1);
    make_list(parameters.source);
    mfc_getl(data, parameters.source, list, parameters.rows * sizeof list[0], 2, 0, 0);
    wait_for(2);
    for (unsigned i = 0; i < parameters.rows * parameters.row_bytes; i++)
        data[i]++;

    /* The last row's address is wrong until the list stalls before it. */
    make_list(parameters.target);
    unsigned last = parameters.rows - 1;
    list[last].eal = 0;
    list[last - 1].notify = 1;
    mfc_putl(data, parameters.target, list, parameters.rows * sizeof list[0], 3, 0, 0);
    unsigned stalled = mfc_read_list_stall_status();
    list[last].eal = (unsigned)parameters.target + last * parameters.stride_bytes;
    mfc_write_list_stall_ack(3);
    record[0] = stalled;
    record[1] = 0x600d;
    mfc_putf(record, parameters.record, sizeof record, 3, 0, 0);
    wait_for(3);
    return 0;
}
