/* mfc.h - a Memory Flow Controller (MFC) for an MEU that runs on a thread of the host.
 *
 * It makes the checks of a Cell's MFC, and in chaos mode executes commands in any order that a Cell's MFC
 * may choose. */
#ifndef PMATRIX_HOST_MFC_H
#define PMATRIX_HOST_MFC_H

#include <stdint.h>

/* Opcodes and modifiers, as on the Cell. */
#define MFC_PUT 0x20u
#define MFC_GET 0x40u
#define MFC_BARRIER 0x01u
#define MFC_FENCE 0x02u
#define MFC_LIST 0x04u

#define MFC_QUEUE_DEPTH 16u

/* Details of MEU_STATUS_DMA that come from the MFC. */
enum mfc_fault {
  MFC_FAULT_SIZE = 16,        /* not 0, 1, 2, 4, 8 or a multiple of 16 up to 16384 */
  MFC_FAULT_ALIGNMENT = 17,   /* of either address, or their low four bits differ */
  MFC_FAULT_LOCAL_STORE = 18, /* outside the data of the local store */
  MFC_FAULT_LIST = 19,        /* list of more than 2048 elements, misaligned, or outside the local store */
  MFC_FAULT_WINDOW = 20,      /* a list element crosses a 4 GiB boundary */
  MFC_FAULT_TAG = 21,         /* tag above 31 */
  MFC_FAULT_ADDRESS = 22      /* ea is 0 */
};

typedef struct mfc_list_element {
  uint64_t notify : 1;
  uint64_t reserved : 16;
  uint64_t size : 15;
  uint64_t eal : 32;
} mfc_list_element_t;

/* The PPE's side of the mailbox.  The functions are called on the MEU's thread and must not unwind. */
struct mfc_mailbox {
  void *context;
  uint32_t (*read) (void *context);                        /* the next word; waits for one */
  uint32_t (*count) (void *context);                       /* words that read would give without waiting */
  void (*completed) (void *context, uint32_t words_left);  /* a completion record has become visible */
};

struct mfc_command {
  uint32_t opcode;
  uint32_t size;
  uint32_t tag;
  uint8_t *ls;
  const mfc_list_element_t *list;
  uint64_t ea;
};

struct mfc {
  uint8_t *local_store;      /* of MEU_LOCAL_STORE_BYTES */
  uint32_t data_offset;      /* below lies the code on an SPE: no transfer may touch it */
  const struct mfc_mailbox *mailbox;
  uint64_t completion_ea;
  uint32_t tag_mask;
  uint32_t faults[32];       /* the first fault under each tag that nobody has taken */
  uint64_t epoch_ns;         /* time at which the decrementer stood at 0 */
  uint32_t chaos;
  uint64_t random;
  uint32_t queued;           /* in chaos mode: commands not yet executed, oldest first */
  struct mfc_command queue[MFC_QUEUE_DEPTH];
};

/* Makes this the MFC of the calling thread, until the next call. NULL: the thread has no MFC. */
void mfc_attach (struct mfc *mfc);

/* What spu_mfcio.h is made of; all work on the calling thread's MFC. */
void mfc_issue (uint32_t opcode, void *ls, uint64_t ea, const mfc_list_element_t *list, uint32_t size, uint32_t tag);
void mfc_set_tag_mask (uint32_t mask);
uint32_t mfc_wait_all (void);
uint32_t mfc_mailbox_read (void);
uint32_t mfc_mailbox_count (void);
void mfc_decrementer_write (uint32_t value);
uint32_t mfc_decrementer_read (void);

/* The first fault under a tag since the last call, or 0. The faulty command has moved nothing after the
 * fault. */
uint32_t mfc_take_fault (uint32_t tag);

#endif
