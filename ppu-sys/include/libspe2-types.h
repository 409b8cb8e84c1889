/* Types and constants of libspe2 2.x.  Names, layouts and values follow the library's binary interface.  The
 * description of it is our own.  This header needs no other header, so it can be checked for any target.
 */
#ifndef libspe2_types_h
#define libspe2_types_h

#include "cbea_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An SPE program in memory, as the embedding tools of the toolchain describe it. */
typedef struct spe_program_handle {
    unsigned int handle_size; /* sizeof(spe_program_handle_t) of whoever made it */
    void *elf_image;          /* the whole ELF file */
    void *toe_shadow;         /* addresses for the .toe section of the program, or NULL */
} spe_program_handle_t;

struct spe_context_base_priv;
struct spe_context_event_priv;
struct spe_gang_context_base_priv;
struct spe_gang_context_event_priv;

/* A logical SPE.  Only the handle of the loaded program is public: debuggers read it. */
struct spe_context {
    spe_program_handle_t handle;
    struct spe_context_base_priv *base_private;
    struct spe_context_event_priv *event_private;
};
typedef struct spe_context *spe_context_ptr_t;

/* A group of SPE contexts that are to run together. */
struct spe_gang_context {
    struct spe_gang_context_base_priv *base_private;
    struct spe_gang_context_event_priv *event_private;
};
typedef struct spe_gang_context *spe_gang_context_ptr_t;

/* Why spe_context_run returned.  stop_reason says which member of result holds. */
typedef struct spe_stop_info {
    unsigned int stop_reason;
    union {
        int spe_exit_code;         /* SPE_EXIT: 0 to 255 */
        int spe_signal_code;       /* SPE_STOP_AND_SIGNAL: the 14-bit stop code */
        int spe_runtime_error;     /* SPE_RUNTIME_ERROR: SPE_SPU_* */
        int spe_runtime_exception; /* SPE_RUNTIME_EXCEPTION: SPE_DMA_* or SPE_INVALID_DMA */
        int spe_runtime_fatal;     /* SPE_RUNTIME_FATAL: an errno */
        int spe_callback_error;    /* SPE_CALLBACK_ERROR: what the handler returned */
        int spe_isolation_error;   /* SPE_ISOLATION_ERROR */
        void *__reserved_ptr;
        unsigned long long __reserved_u64;
    } result;
    int spu_status; /* the SPU status register, or -1 */
} spe_stop_info_t;

/* What the user wants to get back with an event. */
typedef union spe_event_data {
    void *ptr;
    unsigned int u32;
    unsigned long long u64;
} spe_event_data_t;

/* Events of one context: to register them, and as the result of waiting. */
typedef struct spe_event_unit {
    unsigned int events; /* SPE_EVENT_* */
    spe_context_ptr_t spe;
    spe_event_data_t data;
} spe_event_unit_t;

typedef void *spe_event_handler_ptr_t;
typedef int spe_event_handler_t;

/* Which part of the problem-state area to map. */
enum ps_area {
    SPE_MSSYNC_AREA,
    SPE_MFC_COMMAND_AREA,
    SPE_CONTROL_AREA,
    SPE_SIG_NOTIFY_1_AREA,
    SPE_SIG_NOTIFY_2_AREA
};

/* Flags of spe_context_create. */
#define SPE_CFG_SIGNOTIFY1_OR 0x00000010
#define SPE_CFG_SIGNOTIFY2_OR 0x00000020
#define SPE_MAP_PS 0x00000040
#define SPE_ISOLATE 0x00000080
#define SPE_ISOLATE_EMULATE 0x00000100
#define SPE_EVENTS_ENABLE 0x00001000
#define SPE_AFFINITY_MEMORY 0x00002000
#define SPE_NOSCHED 0x00004000

/* Stop reasons. */
#define SPE_EXIT 1
#define SPE_STOP_AND_SIGNAL 2
#define SPE_RUNTIME_ERROR 3
#define SPE_RUNTIME_EXCEPTION 4
#define SPE_RUNTIME_FATAL 5
#define SPE_CALLBACK_ERROR 6
#define SPE_ISOLATION_ERROR 7

/* Runtime errors, which are bits of the SPU status register.  The first and the third bit are never reported
 * as errors. */
#define SPE_SPU_STOPPED_BY_STOP 0x02
#define SPE_SPU_HALT 0x04
#define SPE_SPU_WAITING_ON_CHANNEL 0x08
#define SPE_SPU_SINGLE_STEP 0x10
#define SPE_SPU_INVALID_INSTR 0x20
#define SPE_SPU_INVALID_CHANNEL 0x40

/* Runtime exceptions. */
#define SPE_DMA_ALIGNMENT 0x0008
#define SPE_DMA_SEGMENTATION 0x0020
#define SPE_DMA_STORAGE 0x0040
#define SPE_INVALID_DMA 0x0800

/* The signal by which an SPE may interrupt the PPE program. */
#define SIGSPE SIGURG

/* Events. */
#define SPE_EVENT_OUT_INTR_MBOX 0x00000001
#define SPE_EVENT_IN_MBOX 0x00000002
#define SPE_EVENT_TAG_GROUP 0x00000004
#define SPE_EVENT_SPE_STOPPED 0x00000008
#define SPE_EVENT_ALL_EVENTS                                                                                          \
    (SPE_EVENT_OUT_INTR_MBOX | SPE_EVENT_IN_MBOX | SPE_EVENT_TAG_GROUP | SPE_EVENT_SPE_STOPPED)

/* How a mailbox function waits. */
#define SPE_MBOX_ALL_BLOCKING 1
#define SPE_MBOX_ANY_BLOCKING 2
#define SPE_MBOX_ANY_NONBLOCKING 3

/* How spe_mfcio_tag_status_read waits. */
#define SPE_TAG_ALL 1
#define SPE_TAG_ANY 2
#define SPE_TAG_IMMEDIATE 3

/* Flags and the entry point of spe_context_run. */
#define SPE_DEFAULT_ENTRY 0xffffffffU
#define SPE_RUN_USER_REGS 0x00000001
#define SPE_NO_CALLBACKS 0x00000002

/* Modes of spe_callback_handler_register. */
#define SPE_CALLBACK_NEW 1
#define SPE_CALLBACK_UPDATE 2

/* What spe_cpu_info_get tells, and its answers to SPE_CPU_TYPE. */
#define SPE_COUNT_PHYSICAL_CPU_NODES 1
#define SPE_COUNT_PHYSICAL_SPES 2
#define SPE_COUNT_USABLE_SPES 3
#define SPE_CPU_TYPE 4
#define SPE_CPU_TYPE_CELLBE 1
#define SPE_CPU_TYPE_CELLEDP 2

/* Registers of spe_signal_write. */
#define SPE_SIG_NOTIFY_REG_1 0x0001
#define SPE_SIG_NOTIFY_REG_2 0x0002

#ifdef __cplusplus
}
#endif

#endif
