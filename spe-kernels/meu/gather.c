/* gather.c - moves whose elements lie anywhere in their operand (gather.h).
 *
 * Elements that follow each other in a column of the operand are a run.  Two walks go from run to run.  The first
 * makes lists of the quadwords around the runs.  The second copies the runs to their places.  The first walk is a
 * batch ahead: DMA fetches one half of the buffer while the other half is copied.
 */
#include "gather.h"
#include "store.h"

#ifdef __SPU__
#include "spu/copy.h"
#else
/* Copies so many bytes of each of some columns. */
static void copy (char *to, uint32_t stride, const char *from, uint32_t from_stride, uint32_t columns, uint32_t length)
{
  for (; columns != 0; columns--, to += stride, from += from_stride)
    __builtin_memcpy (to, from, length);
}
#endif

/* The halves of the buffer have tags of their own, behind the tags of the MEU. */
#define GATHER_TAG (MEU_BUFFER_COUNT + 2)

/* Of a half: quadwords, and elements of the list. */
#define DATA_BYTES 24576u
#define LIST_ELEMENTS 1536u
#define HALF_BYTES (DATA_BYTES + LIST_ELEMENTS * (uint32_t) sizeof (mfc_list_element_t))

#define RUN_BYTES_MAX 8192u
#define ELEMENT_BYTES_MAX 16384u

_Static_assert (2 * HALF_BYTES + 2 * MEU_LINE_BYTES <= MEU_BUFFER_BYTES, "both halves and the record fit the buffer");
_Static_assert (sizeof (struct meu_gather) == MEU_LINE_BYTES, "what is gathered is one line");

/* Where a walk is. */
struct walk {
  uint64_t ea;        /* of the next element */
  uint64_t column_ea; /* of the first element of its column */
  uint32_t row;       /* of the operand, of the next element */
  uint32_t column_row;
  uint32_t column;    /* of the operand's columns, where these are repeated */
  uint32_t rows;      /* left in this column of the result */
  uint32_t columns;   /* left in the result, with this one */
};

/* The quadwords of a batch, as far as a walk has come. */
struct batch {
  uint64_t end;    /* behind the last quadword in main memory; 0 before the first */
  const char *data; /* behind the last quadword in the buffer */
};

/* The elements at which a walk is. */
struct run {
  uint64_t ea;      /* of the quadwords that are to be fetched for them */
  uint32_t bytes;   /* of these quadwords: 0 if the batch has them already */
  uint32_t elements;
  const char *from; /* where the elements are in the buffer */
};

static struct walk first (const struct meu_gather *gather)
{
  return (struct walk) { gather->ea, gather->ea, gather->row, gather->row, gather->column, gather->rows, gather->columns };
}

/* Whether elements of a column of the result follow each other in main memory. */
static uint32_t has_runs (const struct meu_gather *gather, uint32_t shift)
{
  return gather->down == 1 && gather->down_bytes == (int64_t) 1 << shift;
}

/* The functions of a walk are in the loops of their callers, whose variables are registers.  A branch that is taken
 * costs an SPE more than all else that it does for an element alone, so the path of such an element has none. */
#define WALK static inline __attribute__ ((always_inline))

WALK uint32_t least (uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

/* The run at which a walk is, of elements of 1 << shift bytes. */
WALK struct run run_of (const struct walk *walk, const struct batch *batch, uint32_t height, uint32_t runs, uint32_t shift)
{
  uint32_t elements = 1, before = (uint32_t) walk->ea & 15;
  if (__builtin_expect (runs, 0)) {
    uint32_t to_window = (0u - (uint32_t) walk->ea) >> shift; /* 0: a whole window is left */
    elements = least (least (height - walk->row, walk->rows), RUN_BYTES_MAX >> shift);
    elements = least (elements - 1, to_window - 1) + 1;
  }
  struct run run = { walk->ea - before, (before + (elements << shift) + 15) & -16u, elements, batch->data + before };
  uint32_t shared = run.ea + 16 == batch->end ? 16 : 0;
  run.ea += shared;
  run.bytes -= shared;
  run.from -= shared;
  return run;
}

/* Goes on behind a run. */
WALK void pass (struct walk *walk, struct batch *batch, const struct run *run, const struct meu_gather *gather,
                uint32_t runs, uint32_t shift)
{
  batch->end = run->ea + run->bytes;
  batch->data += run->bytes;
  walk->rows -= run->elements;
  if (__builtin_expect (runs, 0)) {
    walk->row += run->elements;
    walk->ea += run->elements << shift;
  } else {
    walk->row += gather->down;
    walk->ea += (uint64_t) gather->down_bytes;
  }
  uint32_t wraps = 0u - (uint32_t) (walk->row >= gather->height);
  walk->row -= gather->height & wraps;
  walk->ea += (uint64_t) gather->wrap_bytes & (uint64_t) (int64_t) (int32_t) wraps;
  if (__builtin_expect (walk->rows != 0, 1))
    return;
  walk->rows = gather->rows;
  walk->columns--;
  walk->column_ea += (uint64_t) gather->right_bytes;
  walk->column_row += gather->right;
  if (walk->column_row >= gather->height) {
    walk->column_row -= gather->height;
    walk->column_ea += (uint64_t) gather->wrap_bytes;
  }
  if (++walk->column == gather->width) {
    walk->column = 0;
    walk->column_ea += (uint64_t) gather->turn_bytes;
  }
  walk->ea = walk->column_ea;
  walk->row = walk->column_row;
}

/* Starts the fetch of the next batch into a half of the buffer.  Returns how many runs it has. */
static uint32_t fetch_batch (struct walk *from, const struct meu_gather *described, uint32_t shift, char *half,
                             uint32_t tag)
{
  struct walk walk = *from;
  const struct meu_gather gather = *described;
  struct batch batch = { 0, half };
  mfc_list_element_t *list = (mfc_list_element_t *) (half + DATA_BYTES);
  uint32_t elements = 0, count = 0, size = 0, window = (uint32_t) (walk.ea >> 32), runs = has_runs (described, shift);
  for (; walk.columns != 0; count++) {
    struct run run = run_of (&walk, &batch, gather.height, runs, shift);
    if (__builtin_expect (run.bytes != 0, 1)) {
      uint32_t ends = ((uint32_t) (run.ea >> 32) != window) | ((uint32_t) (batch.data - half) + run.bytes > DATA_BYTES);
      if (__builtin_expect (ends, 0))
        break;
      uint32_t begins = (run.ea != batch.end) | (size + run.bytes > ELEMENT_BYTES_MAX);
      if (__builtin_expect (begins, 1)) {
        if (__builtin_expect (elements == LIST_ELEMENTS, 0))
          break;
        elements++;
        size = 0;
        list[elements - 1] = (mfc_list_element_t) { .eal = (uint32_t) run.ea };
      }
      size += run.bytes;
      list[elements - 1].size = size;
    }
    pass (&walk, &batch, &run, &gather, runs, shift);
  }
  if (elements != 0)
    mfc_getl (half, (uint64_t) window << 32, list, elements * sizeof (mfc_list_element_t), tag, 0, 0);
  *from = walk;
  return count;
}

/* Waits for a batch.  Returns the detail of a fault. */
static uint32_t wait_for (uint32_t tag)
{
#ifdef __SPU__
  mfc_write_tag_mask (1u << tag);
  (void) mfc_read_tag_status_all ();
  return 0;
#else
  return dma_wait (tag);
#endif
}

/* Copies one element; all other bytes of its quadword stay. */
WALK void put (char *to, const char *from, uint32_t shift)
{
#ifdef __SPU__
  qword element = (qword) spu_rlqwbyte ((vector float) vf_load ((const char *) ((uint32_t) from & -16u)), (int) from);
  qword place = si_from_ptr (to), old = si_lqd (place, 0);
  qword pattern = shift == 2 ? si_cwd (place, 0) : si_cdd (place, 0);
  si_stqd (si_shufb (element, old, pattern), place, 0);
#else
  __builtin_memcpy (to, from, 1u << shift);
#endif
}

/* Copies the runs of a batch to `to` and on.  Returns where the next element goes. */
static char *copy_batch (struct walk *from, const struct meu_gather *described, uint32_t shift, uint32_t stride, char *to,
                         const char *half, uint32_t count)
{
  struct walk walk = *from;
  const struct meu_gather gather = *described;
  struct batch batch = { 0, half };
  uint32_t gap_bytes = stride - (gather.rows << shift), runs = has_runs (described, shift);
  for (; count != 0; count--) {
    struct run run = run_of (&walk, &batch, gather.height, runs, shift);
    if (__builtin_expect (run.elements == 1, 1))
      put (to, run.from, shift);
    else
      copy (to, stride, run.from, stride, 1, run.elements << shift);
    pass (&walk, &batch, &run, &gather, runs, shift);
    to += run.elements << shift;
    to += gap_bytes & (0u - (uint32_t) (walk.rows == gather.rows));
  }
  *from = walk;
  return to;
}

/* Makes all rows and columns of the result of those that were gathered. */
static void repeat (const struct kernel_block *result, const struct meu_gather *gather, uint32_t shift)
{
  char *to = result->data;
  uint32_t stride = result->stride_bytes, rows = gather->rows, columns = gather->columns;
  while (rows < result->rows) {
    uint32_t more = least (rows, result->rows - rows);
    copy (to + (rows << shift), stride, to, stride, columns, more << shift);
    rows += more;
  }
  while (columns < result->columns) {
    uint32_t more = least (columns, result->columns - columns);
    copy (to + columns * stride, stride, to, stride, more, result->rows << shift);
    columns += more;
  }
}

static uint32_t check (const struct kernel_block *result, const struct meu_gather *gather, uint32_t count,
                       const struct program_step *step)
{
  uint32_t rows = gather->rows, columns = gather->columns;
  if (step->opcode != GATHER_OPCODE || result->precision > MEU_DOUBLE)
    return MEU_STATUS_OPCODE;
  if (count != 0 || gather->ea == 0 || ((uint32_t) gather->ea & (kernel_element_bytes (result->precision) - 1)) != 0 || gather->row >= gather->height || gather->down >= gather->height
      || gather->right >= gather->height || gather->column >= gather->width || rows - 1 >= result->rows)
    return MEU_STATUS_SHAPE;
  if (gather->diagonal == 0)
    return columns - 1 < result->columns ? MEU_STATUS_OK : MEU_STATUS_SHAPE;
  return rows == 1 && gather->to_row <= result->rows && columns <= result->rows - gather->to_row
             && gather->to_column <= result->columns && columns <= result->columns - gather->to_column
           ? MEU_STATUS_OK
           : MEU_STATUS_SHAPE;
}

uint32_t gather_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                         const struct program_step *step)
{
  (void) operands;
  const struct meu_record *record
    = (const struct meu_record *) ((const char *) step - __builtin_offsetof (struct meu_record, work));
  const struct meu_gather *gather = (const struct meu_gather *) (record + 1);
  char *halves = (char *) (record + 2) - MEU_BUFFER_BYTES, *to = result->data;
  uint32_t shift = result->precision == MEU_DOUBLE ? 3 : 2, stride = result->stride_bytes;
  uint32_t status = check (result, gather, count, step);
  if (status != MEU_STATUS_OK)
    return status;
  if (gather->diagonal) {
    for (uint32_t left = stride * result->columns; left != 0; left -= 16, to += 16)
      *(quad *) to = (quad) { 0 };
    to = (char *) result->data + gather->to_column * stride + (gather->to_row << shift);
    stride += 1u << shift;
  }
  struct walk fetched = first (gather), copied = fetched;
  uint32_t runs = fetch_batch (&fetched, gather, shift, halves, GATHER_TAG), half = 0;
  while (runs != 0) {
    uint32_t next = 1 - half, next_runs = fetch_batch (&fetched, gather, shift, halves + next * HALF_BYTES, GATHER_TAG + next);
    if (wait_for (GATHER_TAG + half) != 0)
      return MEU_STATUS_DMA;
    to = copy_batch (&copied, gather, shift, stride, to, halves + half * HALF_BYTES, runs);
    half = next;
    runs = next_runs;
  }
  if (!gather->diagonal)
    repeat (result, gather, shift);
  return MEU_STATUS_OK;
}
