/* The PPE side of the programs: checks, and the byte order of SPEs, which is big-endian on any host. */
#ifndef COMMON_H
#define COMMON_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libspe2.h>

/* The SPE program that is linked into each of these programs. */
extern spe_program_handle_t spe_program;

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s:%d: not so: %s (errno: %s)\n", __FILE__, __LINE__, #condition, strerror(errno));      \
            exit(1);                                                                                                  \
        }                                                                                                             \
    } while (0)

/* A call that has to fail with an error number. */
#define FAILS(call, number)                                                                                           \
    do {                                                                                                              \
        errno = 0;                                                                                                    \
        CHECK((long)(call) == -1);                                                                                    \
        CHECK(errno == (number));                                                                                     \
    } while (0)

/* A call that has to fail with an error number, by returning a null pointer. */
#define FAILS_NULL(call, number)                                                                                      \
    do {                                                                                                              \
        errno = 0;                                                                                                    \
        CHECK((call) == NULL);                                                                                        \
        CHECK(errno == (number));                                                                                     \
    } while (0)

#define LINE __attribute__((aligned(128)))

static inline uint32_t spe32(uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap32(value);
#else
    return value;
#endif
}

static inline uint64_t spe64(uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap64(value);
#else
    return value;
#endif
}

/* An address as a program on an SPE reads it. */
static inline uint64_t spe_address(const volatile void *address)
{
    return spe64((uintptr_t)address);
}

/* A context with the program in it. */
static inline spe_context_ptr_t make_context(unsigned flags)
{
    spe_context_ptr_t spe = spe_context_create(flags, NULL);
    CHECK(spe != NULL);
    CHECK(spe_program_load(spe, &spe_program) == 0);
    return spe;
}

/* A run in a thread of its own. */
struct run {
    pthread_t thread;
    spe_context_ptr_t spe;
    void *argp, *envp;
    int result, error;
    spe_stop_info_t stop;
};

static inline void *run_thread(void *argument)
{
    struct run *run = argument;
    unsigned entry = SPE_DEFAULT_ENTRY;
    run->result = spe_context_run(run->spe, &entry, 0, run->argp, run->envp, &run->stop);
    run->error = errno;
    return NULL;
}

static inline void start(struct run *run)
{
    CHECK(pthread_create(&run->thread, NULL, run_thread, run) == 0);
}

/* Waits for the end of a run, which has to be an exit. */
static inline int exit_code(struct run *run)
{
    CHECK(pthread_join(run->thread, NULL) == 0);
    CHECK(run->result == 0);
    CHECK(run->stop.stop_reason == SPE_EXIT);
    return run->stop.result.spe_exit_code;
}

#endif
