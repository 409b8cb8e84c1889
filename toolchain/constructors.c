/* Runs constructors where compiler and linker were built without --disable-initfini-array: they put them into
   .init_array, of which the SPU's start-up code knows nothing.

       spu-elf-gcc -Wl,--wrap=main program.c toolchain/constructors.c

   With a compiler built as spu-gcc.sh builds it, the array is empty, and this does no harm. */

__extension__ typedef unsigned long long address;
typedef void constructor(void);

/* Weak, for a linker that does not define them. */
extern constructor *__init_array_start[] __attribute__((weak));
extern constructor *__init_array_end[] __attribute__((weak));

int __real_main(address spe, address argp, address envp);
int __wrap_main(address spe, address argp, address envp);

int __wrap_main(address spe, address argp, address envp) {
    constructor **next;
    for (next = __init_array_start; next < __init_array_end; next++) (*next)();
    return __real_main(spe, argp, envp);
}
