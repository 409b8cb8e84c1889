/* Guarded copies: a fault inside of one ends it with -1, in whatever way memory comes and goes meanwhile. */
#define _GNU_SOURCE
#include "guard.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Where a fault of this thread continues, while it makes a guarded access. The model of thread-local storage
 * is one whose access allocates nothing, because the handler reads it.
 */
static __thread sigjmp_buf *volatile resume __attribute__((tls_model("initial-exec")));

static struct spe2_registers registers;
static struct sigaction previous_segv, previous_bus;

static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *previous = number == SIGBUS ? &previous_bus : &previous_segv;
    if (previous->sa_flags & SA_SIGINFO) {
        previous->sa_sigaction(number, info, context);
    } else if (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN) {
        previous->sa_handler(number);
    } else {
        /* The access is repeated after the return, and ends the process as it would have without this
         * library. */
        sigaction(number, previous, 0);
    }
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    static const char unknown[] = "libspe2-sim: registers of an SPE are accessed by an instruction other than a "
                                  "plain load or store of a word\n";
    if (resume)
        siglongjmp(*resume, 1);
    if (number == SIGSEGV && registers.contains((uintptr_t)info->si_addr)) {
        if (spe2_trap_serve(&registers, (uintptr_t)info->si_addr, context))
            return;
        if (write(2, unknown, sizeof unknown - 1) < 0) {
            /* Nothing can be said, then. */
        }
    }
    pass_on(number, info, context);
}

int spe2_guard_install(const struct spe2_registers *given)
{
    registers = *given;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    /* Not deferred, because a jump out of the handler leaves the mask as it is. */
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, &previous_segv))
        return -1;
    return sigaction(SIGBUS, &action, &previous_bus);
}

static unsigned unit_of(uint64_t address, unsigned bytes)
{
    uint64_t low = address | bytes;
    return low & 1 ? 1 : low & 2 ? 2 : low & 4 ? 4 : 8;
}

/* The MFC of a Cell moves what lies in one line at once: a reader that sees a part of it sees all of it.  No
 * instruction of other processors stores 128 bytes at once, so lines are moved by pieces.  The first piece is
 * loaded before all other pieces, and stored after all other pieces.  So a thread or an SPE that polls the
 * first doubleword of a line, and then reads the rest, reads what belongs to the doubleword.  A thread that
 * polls another piece may see pieces of two puts.
 */
#define LOAD(type)                                                                                                    \
    for (unsigned at = 0; at < bytes; at += sizeof(type)) {                                                           \
        type value = __atomic_load_n((const type *)(source + at), at ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE);          \
        memcpy((char *)to + at, &value, sizeof value);                                                                \
    }                                                                                                                 \
    break

#define STORE(type)                                                                                                   \
    for (unsigned at = bytes; at;) {                                                                                  \
        type value;                                                                                                   \
        at -= sizeof value;                                                                                           \
        memcpy(&value, (const char *)from + at, sizeof value);                                                        \
        __atomic_store_n((type *)(target + at), value, at ? __ATOMIC_RELAXED : __ATOMIC_RELEASE);                     \
    }                                                                                                                 \
    break

int spe2_guard_load(void *to, uint64_t from, unsigned bytes)
{
    const char *source = (const char *)(uintptr_t)from;
    sigjmp_buf here;
    if ((uintptr_t)from != from || sigsetjmp(here, 0)) {
        resume = 0;
        return -1;
    }
    resume = &here;
    switch (unit_of(from, bytes)) {
    case 8:
        LOAD(uint64_t);
    case 4:
        LOAD(uint32_t);
    case 2:
        LOAD(uint16_t);
    default:
        LOAD(uint8_t);
    }
    resume = 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return 0;
}

int spe2_guard_store(uint64_t to, const void *from, unsigned bytes)
{
    char *target = (char *)(uintptr_t)to;
    sigjmp_buf here;
    if ((uintptr_t)to != to || sigsetjmp(here, 0)) {
        resume = 0;
        return -1;
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    resume = &here;
    switch (unit_of(to, bytes)) {
    case 8:
        STORE(uint64_t);
    case 4:
        STORE(uint32_t);
    case 2:
        STORE(uint16_t);
    default:
        STORE(uint8_t);
    }
    resume = 0;
    return 0;
}

/* Machines of 32 bits exchange halves of a doubleword. */
typedef uintptr_t cell;
#define CELLS (128 / (int)sizeof(cell))

int spe2_guard_exchange(uint64_t line, const uint64_t *expected, const uint64_t *desired)
{
    cell *target = (cell *)(uintptr_t)line;
    cell old[CELLS], new[CELLS];
    /* Changed cells before this cell have been replaced. */
    volatile int done = 0;
    sigjmp_buf here;
    if ((uintptr_t)line != line || sigsetjmp(here, 0)) {
        resume = 0;
        return -1;
    }
    memcpy(old, expected, sizeof old);
    memcpy(new, desired, sizeof new);
    resume = &here;
    int same = 1;
    for (int at = 0; at < CELLS; at++)
        same &= __atomic_load_n(&target[at], __ATOMIC_RELAXED) == old[at];
    for (; same && done < CELLS; done++) {
        cell current = old[done];
        if (new[done] != current)
            same = __atomic_compare_exchange_n(&target[done], &current, new[done], 0, __ATOMIC_SEQ_CST,
                                               __ATOMIC_RELAXED);
        if (!same)
            break;
    }
    if (!same) {
        /* Somebody was faster: take back what nobody changed since. */
        for (int at = 0; at < done; at++) {
            cell current = new[at];
            if (current != old[at])
                __atomic_compare_exchange_n(&target[at], &current, old[at], 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
        }
    } else {
        /* A line that does not change is stored nevertheless, so that it has to be writable. */
        cell first = old[0];
        if (new[0] == first)
            same = __atomic_compare_exchange_n(&target[0], &first, first, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
    resume = 0;
    return same;
}
