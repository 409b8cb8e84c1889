/* The C runtime's calls to the PPE: files, formatted input and output, memory of the process, system
 * calls. */
#include <fcntl.h>
#include <spu_mfcio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern int __send_to_ppe(int signal, unsigned op, void *data);

static struct {
    unsigned long long value;
    unsigned pad[2];
} arguments[3] __attribute__((aligned(16)));

/* Memory of the process: 1 calloc, 2 free, 3 malloc, 4 realloc, 5 posix_memalign. */
static unsigned long long memory_call(unsigned op, unsigned long long a, unsigned long long b)
{
    arguments[0].value = a;
    arguments[1].value = b;
    __send_to_ppe(0x2105, op, arguments);
    return arguments[0].value;
}

static char buffer[128] __attribute__((aligned(128)));

static void transfer(int put, unsigned long long ea)
{
    if (put)
        mfc_put(buffer, ea, sizeof buffer, 0, 0, 0);
    else
        mfc_get(buffer, ea, sizeof buffer, 0, 0, 0);
    mfc_write_tag_mask(1 << 0);
    mfc_read_tag_status_all();
}

static int main_memory(void)
{
    unsigned long long ea = memory_call(1, 4, 256);
    unsigned long long line = (ea + 127) & ~127ULL;
    transfer(0, line);
    if (!ea || buffer[0] || buffer[127])
        return 0;
    strcpy(buffer, "in main memory");
    transfer(1, line);
    memset(buffer, 0, sizeof buffer);
    transfer(0, line);
    printf("SPE: %s\n", buffer);
    ea = memory_call(4, ea, 100000);
    if (!ea)
        return 0;
    memory_call(2, ea, 0);
    ea = memory_call(3, 10000, 0);
    memory_call(2, ea, 0);
    return ea != 0;
}

static int files(void)
{
    const char *name = "library.txt";
    FILE *file = fopen(name, "w");
    if (!file)
        return 0;
    fprintf(file, "%d %s\n", 12345, "words");
    fputs("second line\n", file);
    if (fclose(file))
        return 0;
    int number = 0;
    char word[16], line[32];
    file = fopen(name, "r");
    if (!file || fscanf(file, "%d %15s\n", &number, word) != 2 || !fgets(line, sizeof line, file))
        return 0;
    fclose(file);
    printf("SPE: %d %s, %s", number, word, line);

    int descriptor = open(name, O_RDONLY);
    char bytes[8] = {0};
    if (descriptor < 0 || lseek(descriptor, 6, SEEK_SET) != 6 || read(descriptor, bytes, 5) != 5)
        return 0;
    close(descriptor);
    if (strcmp(bytes, "words") || unlink(name) || open(name, O_RDONLY) >= 0)
        return 0;
    sprintf(line, "%x", 0xabc);
    unsigned value;
    return sscanf(line, "%x", &value) == 1 && value == 0xabc;
}

/* The kernel's own call: a stop, and the address of the number and six parameters behind it. */
static long long system_call(unsigned long long number)
{
    static unsigned long long block[7] __attribute__((aligned(16)));
    static unsigned code[4] __attribute__((aligned(16)));
    memset(block, 0, sizeof block);
    block[0] = number;
    code[0] = 0x2104;
    code[1] = (unsigned)block;
    code[2] = 0x40200000; /* nop */
    code[3] = 0x35000000; /* bi $0 */
    spu_sync();
    ((void (*)(void))code)();
    return (long long)((volatile unsigned long long *)block)[0];
}

int main(unsigned long long spe, unsigned long long argp)
{
    (void)spe;
    if (!main_memory())
        return 1;
    if (!files())
        return 2;
    if (system_call(20) != (long long)argp)
        return 3;
    if (system_call(9999) != -38)
        return 4;
    return 0;
}
