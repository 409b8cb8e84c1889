/* mfc.c - the host's Memory Flow Controller.
 *
 * In normal mode a command is executed when it is issued.  In chaos mode it enters a queue and is executed at
 * a random later time, at the latest when the MEU waits for its tag.  Any queued command may be executed
 * first, unless tags, fences and barriers forbid it.  After a put the bytes in the local store are
 * overwritten with NaN.  So an MEU that lacks a wait gets wrong results here, as it may get on a Cell.
 */
#include <stddef.h>
#include <string.h>
#include <time.h>
#include "mfc.h"
#include "meu.h"

#define ELEMENT_BYTES_MAX 16384u
#define LIST_BYTES_MAX 16384u

static __thread struct mfc *current;

void mfc_attach (struct mfc *mfc) { current = mfc; }

/* Calls of the mailbox. Meanwhile another MEU may have run on this thread, as in a model that executes threads
 * in turns. */
static uint32_t mailbox_count (struct mfc *mfc)
{
  uint32_t count = mfc->mailbox->count (mfc->mailbox->context);
  mfc_attach (mfc);
  return count;
}

static uint32_t mailbox_read (struct mfc *mfc)
{
  uint32_t word = mfc->mailbox->read (mfc->mailbox->context);
  mfc_attach (mfc);
  return word;
}

static void mailbox_completed (struct mfc *mfc)
{
  mfc->mailbox->completed (mfc->mailbox->context, mailbox_count (mfc));
  mfc_attach (mfc);
}

static uint32_t fault_of (const struct mfc *mfc, const uint8_t *ls, uint64_t ea, uint32_t size)
{
  uintptr_t begin = (uintptr_t) mfc->local_store + mfc->data_offset;
  uintptr_t end = (uintptr_t) mfc->local_store + MEU_LOCAL_STORE_BYTES, at = (uintptr_t) ls;

  if (size > ELEMENT_BYTES_MAX || (size >= 16 ? size % 16 != 0 : (size & (size - 1)) != 0))
    return MFC_FAULT_SIZE;
  if (((ea ^ at) & 15) != 0 || (size != 0 && (ea & (size >= 16 ? 15 : size - 1)) != 0))
    return MFC_FAULT_ALIGNMENT;
  if (at < begin || at > end || size > end - at)
    return MFC_FAULT_LOCAL_STORE;
  if (ea == 0)
    return MFC_FAULT_ADDRESS;
  return 0;
}

/* The line becomes visible by doublewords, and the report, which says that the rest is there, last of all.
 * The PPE reads the report with acquire. */
static void put_completion (struct mfc *mfc, const uint8_t *ls)
{
  uint64_t *to = (uint64_t *) (uintptr_t) mfc->completion_ea;
  uint64_t pieces[MEU_LINE_BYTES / sizeof *to];
  _Static_assert (offsetof (struct meu_completion, report) == 0, "the report is the first piece");
  _Static_assert (sizeof (struct meu_report) == sizeof *to, "the report is one piece");
  memcpy (pieces, ls, sizeof pieces);
  for (uint32_t i = MEU_LINE_BYTES / sizeof *to; i-- > 0;)
    __atomic_store_n (&to[i], pieces[i], i == 0 ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
  mailbox_completed (mfc);
}

static uint32_t move (struct mfc *mfc, uint32_t opcode, uint8_t *ls, uint64_t ea, uint32_t size)
{
  uint32_t fault = fault_of (mfc, ls, ea, size);
  if (fault != 0)
    return fault;
  if (opcode & MFC_GET)
    memcpy (ls, (const void *) (uintptr_t) ea, size);
  else if (ea == mfc->completion_ea)
    put_completion (mfc, ls);
  else {
    memcpy ((void *) (uintptr_t) ea, ls, size);
    if (mfc->chaos)
      memset (ls, 0xff, size);
  }
  return 0;
}

static uint32_t move_list (struct mfc *mfc, const struct mfc_command *command)
{
  uintptr_t list = (uintptr_t) command->list, begin = (uintptr_t) mfc->local_store + mfc->data_offset;
  uintptr_t end = (uintptr_t) mfc->local_store + MEU_LOCAL_STORE_BYTES;
  if (command->size == 0 || command->size > LIST_BYTES_MAX || command->size % sizeof (mfc_list_element_t) != 0
      || list % 8 != 0 || list < begin || list > end || command->size > end - list)
    return MFC_FAULT_LIST;
  uint8_t *ls = command->ls;
  for (uint32_t i = 0; i < command->size / sizeof (mfc_list_element_t); i++) {
    uint32_t size = command->list[i].size, low = command->list[i].eal;
    if (size != 0 && low + (size - 1) < low)
      return MFC_FAULT_WINDOW;
    uint32_t fault = move (mfc, command->opcode, ls, (command->ea & ~(uint64_t) 0xffffffff) | low, size);
    if (fault != 0)
      return fault;
    ls += (size + 15u) & ~15u;
  }
  return 0;
}

static void execute (struct mfc *mfc, const struct mfc_command *command)
{
  uint32_t fault = command->opcode & MFC_LIST
                     ? move_list (mfc, command)
                     : move (mfc, command->opcode, command->ls, command->ea, command->size);
  if (fault != 0 && mfc->faults[command->tag] == 0)
    mfc->faults[command->tag] = fault;
}

static uint32_t random_below (struct mfc *mfc, uint32_t bound)
{
  /* xorshift, with the multiplication that whitens its high half */
  mfc->random ^= mfc->random >> 12;
  mfc->random ^= mfc->random << 25;
  mfc->random ^= mfc->random >> 27;
  return (uint32_t) ((mfc->random * 0x2545f4914f6cdd1du) >> 33) % bound;
}

static uint32_t may_go (const struct mfc *mfc, uint32_t index)
{
  const struct mfc_command *command = &mfc->queue[index];
  for (uint32_t i = 0; i < index; i++)
    if (mfc->queue[i].tag == command->tag
        && ((command->opcode & (MFC_FENCE | MFC_BARRIER)) || (mfc->queue[i].opcode & MFC_BARRIER)))
      return 0;
  return 1;
}

/* Executes one of the commands that may go; the oldest always may. */
static void execute_any (struct mfc *mfc)
{
  uint32_t candidates[MFC_QUEUE_DEPTH], count = 0;
  for (uint32_t i = 0; i < mfc->queued; i++)
    if (may_go (mfc, i))
      candidates[count++] = i;
  uint32_t index = candidates[random_below (mfc, count)];
  struct mfc_command command = mfc->queue[index];
  mfc->queued--;
  memmove (&mfc->queue[index], &mfc->queue[index + 1], (mfc->queued - index) * sizeof command);
  execute (mfc, &command);
}

/* Time passes. */
static void drift (struct mfc *mfc)
{
  while (mfc->queued != 0 && random_below (mfc, 3) == 0)
    execute_any (mfc);
}

void mfc_issue (uint32_t opcode, void *ls, uint64_t ea, const mfc_list_element_t *list, uint32_t size, uint32_t tag)
{
  struct mfc *mfc = current;
  struct mfc_command command = { opcode, size, tag, ls, list, ea };
  if (tag > 31) {
    mfc->faults[0] = MFC_FAULT_TAG;
    return;
  }
  if (!mfc->chaos) {
    execute (mfc, &command);
    return;
  }
  if (mfc->queued == MFC_QUEUE_DEPTH)
    execute_any (mfc);
  mfc->queue[mfc->queued++] = command;
  drift (mfc);
}

void mfc_set_tag_mask (uint32_t mask) { current->tag_mask = mask; }

static uint32_t is_waited_for (const struct mfc *mfc)
{
  for (uint32_t i = 0; i < mfc->queued; i++)
    if (mfc->tag_mask >> mfc->queue[i].tag & 1)
      return 1;
  return 0;
}

uint32_t mfc_wait_all (void)
{
  while (is_waited_for (current))
    execute_any (current);
  return current->tag_mask;
}

uint32_t mfc_take_fault (uint32_t tag)
{
  uint32_t fault = current->faults[tag];
  current->faults[tag] = 0;
  return fault;
}

uint32_t mfc_mailbox_read (void)
{
  /* However long the MEU waits here, the MFC goes on. */
  if (mailbox_count (current) == 0)
    while (current->queued != 0)
      execute_any (current);
  return mailbox_read (current);
}

uint32_t mfc_mailbox_count (void)
{
  drift (current);
  return mailbox_count (current);
}

static uint64_t now_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

void mfc_decrementer_write (uint32_t value) { current->epoch_ns = now_ns () + value; }

uint32_t mfc_decrementer_read (void) { return (uint32_t) (current->epoch_ns - now_ns ()); }
