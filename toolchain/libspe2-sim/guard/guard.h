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

/* Installs the handlers of SIGSEGV and SIGBUS; other faults than ours go on to the handlers that were there. */
int spe2_guard_install(const struct spe2_registers *registers);

/* Copies bytes out of memory, by naturally aligned pieces of up to eight bytes, each of them read at once.  The
 * address and the number are multiples of the same 1, 2, 4 or 8, and all bytes lie in one page.  0, or -1 if there is no
 * readable memory.
 */
int spe2_guard_load(void *to, uint64_t from, unsigned bytes);

/* The same into memory.  What was written before by this thread becomes visible first. */
int spe2_guard_store(uint64_t to, const void *from, unsigned bytes);

/* Replaces the 128 bytes at line by desired if they are as expected.  What others write with plain stores and atomic
 * instructions is respected exactly if at most one doubleword changes.  1 if replaced, 0 if not, -1 without memory.
 */
int spe2_guard_exchange(uint64_t line, const uint64_t *expected, const uint64_t *desired);

/* An access of this process to the registers of an SPE, served by the instruction's effect on ucontext.  1 if it was
 * served, 0 if the instruction is not one that reads or writes a word.
 */
int spe2_trap_serve(const struct spe2_registers *registers, uintptr_t address, void *ucontext);

#endif
