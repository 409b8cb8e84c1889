/* dma.c - transfers of blocks between main memory and the local store.
 *
 * In the local store the columns of a block follow each other, each in whole quadwords, because the MFC
 * rounds the local-store address of every list element up to 16.  A list has one element for each column.  If
 * the columns also touch in main memory, the block is one run, which only the MFC's limits cut: 16 KiB for an
 * element, no element across a 4 GiB boundary, all elements of a list in one window of 4 GiB, 2048 elements
 * in a list.
 *
 * The MFC reads a list when it executes the command, so a list must stay as long as its transfer.  The list
 * is at the end of the buffer that the transfer fills or empties, behind the data.  A fetch may have to wait
 * for a write back from its buffer; its list is behind the bytes that the write back still needs.  A block of
 * very many short columns may leave too little room for its list.  Then each remaining column is transferred
 * by a command of its own.
 */
#include "store.h"

#ifndef MEU_OMIT
#define MEU_OMIT 0 /* tests build the MEU with one of its waits left out: see host/omitted.c */
#endif

#define MEU_OMIT_REUSE_BARRIER 2
#define MEU_OMIT_COMPLETION_FENCE 3

#define ELEMENT_BYTES_MAX 16384u
#define LIST_ELEMENTS_MAX 2048u

/* One way of many transfers under one tag. */
struct transfer {
  MEU_OWN_QUADWORD uint8_t *ls;               /* where the next element goes, or comes from */
  MEU_OWN_QUADWORD mfc_list_element_t *list;  /* the open list, growing upwards */
  MEU_OWN_QUADWORD mfc_list_element_t *limit; /* end of the room for lists */
  MEU_OWN_QUADWORD uint8_t *list_ls;          /* local-store address of the open list's first element */
  MEU_OWN_QUADWORD uint32_t elements;         /* of the open list */
  MEU_OWN_QUADWORD uint32_t window;           /* high word of the open list's addresses */
  MEU_OWN_QUADWORD uint32_t tag;
  MEU_OWN_QUADWORD uint32_t put;
  MEU_OWN_QUADWORD uint32_t barrier;          /* the next command waits for all before it */
};

/* At most a buffer, since check_room has seen the block. */
static uint32_t block_bytes (const struct meu_block *block)
{
  return kernel_column_bytes (block->rows, block->precision) * block->columns;
}

uint32_t dma_check (const struct meu_block *blocks, uint32_t count)
{
  for (const struct meu_block *block = blocks; block != blocks + count; block++) {
    if (block->ea == 0 || (block->ea & 15) != 0)
      return MEU_DETAIL_ADDRESS;
    if (block->columns > 1
        && ((block->stride_bytes & 15) != 0
            || block->stride_bytes < kernel_column_bytes (block->rows, block->precision)))
      return MEU_DETAIL_STRIDE;
  }
  return 0;
}

static void issue_one (struct transfer *transfer, uint64_t ea, uint32_t bytes)
{
  if (transfer->put)
    mfc_put (transfer->ls, ea, bytes, transfer->tag, 0, 0);
  else if (transfer->barrier)
    mfc_getb (transfer->ls, ea, bytes, transfer->tag, 0, 0);
  else
    mfc_get (transfer->ls, ea, bytes, transfer->tag, 0, 0);
  transfer->barrier = 0;
}

static void issue_list (struct transfer *transfer)
{
  uint32_t list_bytes = transfer->elements * sizeof (mfc_list_element_t);
  uint64_t window = (uint64_t) transfer->window << 32;
  if (transfer->elements == 0)
    return;
  if (transfer->put)
    mfc_putl (transfer->list_ls, window, transfer->list, list_bytes, transfer->tag, 0, 0);
  else if (transfer->barrier)
    mfc_getlb (transfer->list_ls, window, transfer->list, list_bytes, transfer->tag, 0, 0);
  else
    mfc_getl (transfer->list_ls, window, transfer->list, list_bytes, transfer->tag, 0, 0);
  transfer->barrier = 0;
  transfer->list += (transfer->elements + 1) & -2u;
  transfer->elements = 0;
}

static void add_element (struct transfer *transfer, uint64_t ea, uint32_t bytes)
{
  if (transfer->elements != 0
      && (transfer->window != (uint32_t) (ea >> 32) || transfer->elements == LIST_ELEMENTS_MAX
          || transfer->list + transfer->elements == transfer->limit))
    issue_list (transfer);
  if (transfer->list == transfer->limit)
    issue_one (transfer, ea, bytes);
  else {
    mfc_list_element_t *element = &transfer->list[transfer->elements];
    if (transfer->elements++ == 0) {
      transfer->window = (uint32_t) (ea >> 32);
      transfer->list_ls = transfer->ls;
    }
    element->notify = 0;
    element->reserved = 0;
    element->size = bytes;
    element->eal = (uint32_t) ea;
  }
  transfer->ls += bytes;
}

static void add_run (struct transfer *transfer, uint64_t ea, uint32_t bytes)
{
  while (bytes != 0) {
    uint32_t part = bytes < ELEMENT_BYTES_MAX ? bytes : ELEMENT_BYTES_MAX;
    uint32_t to_boundary = 0u - (uint32_t) ea; /* 0: a whole window is left */
    if (to_boundary != 0 && to_boundary < part)
      part = to_boundary;
    add_element (transfer, ea, part);
    ea += part;
    bytes -= part;
  }
}

/* Adds the columns of a block that all go into the open list.  Nearly every list is made by this function.
 * With the checks of add_element an SPE would take as long for a list as for half a product. */
static void add_columns (struct transfer *transfer, const struct meu_block *block, uint32_t column_bytes)
{
  mfc_list_element_t *to = transfer->list + transfer->elements, element = { .notify = 0, .reserved = 0 };
  if (transfer->elements == 0) {
    transfer->window = (uint32_t) (block->ea >> 32);
    transfer->list_ls = transfer->ls;
  }
  transfer->elements += block->columns;
  transfer->ls += block_bytes (block);
  element.size = column_bytes;
  element.eal = (uint32_t) block->ea;
  /* Two elements at once, since an SPE stores 16 bytes: one may be too much, in the room for lists, which
   * ends at a multiple of 16. */
  union {
    mfc_list_element_t elements[2];
    quad quad;
  } pair = { { element, element } };
  pair.elements[1].eal += block->stride_bytes;
  const quad step = { 0, 2 * block->stride_bytes, 0, 2 * block->stride_bytes };
  for (uint32_t left = (block->columns + 1u) / 2; left != 0; left--, to += 2) {
    *(quad *) to = pair.quad;
    pair.quad += step;
  }
}

/* Whether add_columns may be used: no limit of the MFC, and no end of the room for lists, lies between the
 * columns. */
static uint32_t fits_list (const struct transfer *transfer, const struct meu_block *block, uint32_t column_bytes)
{
  uint32_t elements = transfer->elements + block->columns, eal = (uint32_t) block->ea;
  return column_bytes <= ELEMENT_BYTES_MAX && elements <= LIST_ELEMENTS_MAX
         && transfer->list + elements <= transfer->limit && block->stride_bytes <= UINT32_MAX / LIST_ELEMENTS_MAX
         && eal + block->stride_bytes * block->columns >= eal;
}

static void add_block (struct transfer *transfer, const struct meu_block *block)
{
  uint32_t run_bytes = kernel_column_bytes (block->rows, block->precision), runs = block->columns;
  if (block->stride_bytes == run_bytes) {
    run_bytes = block_bytes (block);
    runs = 1;
  }
  /* A list has one window, and two operands may be in two windows. add_columns begins at even elements. */
  if (transfer->window != (uint32_t) (block->ea >> 32) || transfer->elements % 2 != 0)
    issue_list (transfer);
  if (runs != 1 && fits_list (transfer, block, run_bytes))
    add_columns (transfer, block, run_bytes);
  else {
    uint64_t ea = block->ea;
    for (; runs != 0; runs--, ea += block->stride_bytes)
      add_run (transfer, ea, run_bytes);
  }
}

static uint32_t all_bytes (const struct meu_block *blocks, uint32_t count)
{
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < count; i++)
    bytes += block_bytes (&blocks[i]);
  return bytes;
}

static struct transfer transfer_begin (uint8_t *buffer, uint32_t used_bytes, uint32_t limit_bytes, uint32_t tag,
                                       uint32_t put)
{
  struct transfer transfer;
  transfer.ls = buffer;
  transfer.list = (mfc_list_element_t *) (buffer + ((used_bytes + 15) & -16u));
  transfer.limit = (mfc_list_element_t *) (buffer + limit_bytes);
  transfer.list_ls = buffer;
  transfer.elements = 0;
  transfer.window = 0;
  transfer.tag = tag;
  transfer.put = put;
  transfer.barrier = !put && MEU_OMIT != MEU_OMIT_REUSE_BARRIER;
  return transfer;
}

static void add_blocks (struct transfer *transfer, const struct meu_block *blocks, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    add_block (transfer, &blocks[i]);
  issue_list (transfer);
}

void dma_fetch (uint8_t *buffer, uint32_t leaving_bytes, uint32_t kept_bytes, const struct meu_block *blocks,
                uint32_t count, uint32_t tag)
{
  uint32_t bytes = all_bytes (blocks, count), used_bytes = bytes > leaving_bytes ? bytes : leaving_bytes;
  struct transfer transfer = transfer_begin (buffer, used_bytes, MEU_BUFFER_BYTES - kept_bytes, tag, 0);
  add_blocks (&transfer, blocks, count);
}

uint32_t dma_write_back (uint8_t *buffer, uint32_t room_bytes, const struct meu_block *blocks, uint32_t count,
                         uint32_t tag)
{
  struct transfer transfer = transfer_begin (buffer, all_bytes (blocks, count), room_bytes, tag, 1);
  add_blocks (&transfer, blocks, count);
  return (uint32_t) ((uint8_t *) transfer.list - buffer);
}

void dma_fetch_lines (void *lines, uint64_t ea, uint32_t count, uint32_t tag)
{
  mfc_getf (lines, ea, count * MEU_LINE_BYTES, tag, 0, 0);
}

void dma_write_line (void *line, uint64_t ea, uint32_t tag)
{
#if MEU_OMIT == MEU_OMIT_COMPLETION_FENCE
  mfc_put (line, ea, MEU_LINE_BYTES, tag, 0, 0);
#else
  mfc_putf (line, ea, MEU_LINE_BYTES, tag, 0, 0);
#endif
}

uint32_t dma_wait (uint32_t tag)
{
  mfc_write_tag_mask (1u << tag);
  (void) mfc_read_tag_status_all ();
#ifdef __SPU__
  return 0; /* a fault stops the SPE, and the PPE hears of it from libspe2 */
#else
  return mfc_take_fault (tag);
#endif
}
