/* Accesses to memory of the process that may not be there, and to registers that are no memory at all. */
#ifndef SPE2_GUARD_H
#define SPE2_GUARD_H

#include <stdint.h>

/* The registers of SPEs: whether an address belongs to one, and their values. */
struct spe2_registers {
    int (*contains)(uintptr_t address);
    uint32_t (*read)(uintptr_t address);
    void (*write)(uintptr_t address, uint32_t value);
};

/* Installs the handlers of SIGSEGV and SIGBUS.  A fault that is neither in a guarded access nor in a register
 * is passed on to the handler that was there before. */
int spe2_guard_install(const struct spe2_registers *registers);

/* Copies bytes out of memory, in naturally aligned pieces of 1, 2, 4 or 8 bytes, each of them read at once,
 * the first piece first.  The address and the number of bytes are multiples of the size of a piece, and all
 * bytes lie in one page.  0, or -1 if there is no readable memory.
 */
int spe2_guard_load(void *to, uint64_t from, unsigned bytes);

/* Copies bytes into memory in such pieces, the first piece last.  Earlier writes of this thread become
 * visible before all of them. */
int spe2_guard_store(uint64_t to, const void *from, unsigned bytes);

/* Replaces the 128 bytes at line by desired if they equal expected.  If at most one doubleword changes, this
 * is atomic with respect to plain stores and atomic instructions of other threads.  1 if replaced, 0 if not,
 * -1 if there is no memory.
 */
int spe2_guard_exchange(uint64_t line, const uint64_t *expected, const uint64_t *desired);

/* Executes the instruction that has accessed a register of an SPE, by changing ucontext as the instruction
 * would. 1 if it was executed, 0 if the instruction does not read or write a word.
 */
int spe2_trap_serve(const struct spe2_registers *registers, uintptr_t address, void *ucontext);

#endif
