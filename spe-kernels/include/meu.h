/* meu.h - the protocol between the PPE and a Matrix Execution Unit (MEU).
 *
 * The PPE writes an operation record into a ring in main memory.  Then it sends one mailbox word, which says
 * where the record is.  The MEU fetches the record and the operands by DMA, executes the operation, and
 * writes the result back.  Then it writes its completion record, with a fence on the tag of the result, so
 * that the completion record follows the result.
 *
 * Every structure is in the byte order of the PPE.  On a Cell PPE and SPE are big-endian; on the host engine
 * both have the machine's byte order.
 *
 * Rust reads this file through bindings (src/sys/), and the PPE writes the lines in ppe/src/engine/record/.
 */
#ifndef PMATRIX_MEU_H
#define PMATRIX_MEU_H

#include <stdint.h>

/* Changes with every change of a layout or a meaning in this file.  The MEU refuses records of another
 * version.  A new operation does not change the version: only the image for an SPE is compiled apart from the
 * code that writes records, and it answers an opcode that it does not have with MEU_STATUS_OPCODE. */
#define MEU_PROTOCOL_VERSION 11u

#define MEU_LINE_BYTES 128u            /* a cache line, the unit of the record ring */
#define MEU_RING_LINES 128u            /* lines in the record ring of one MEU */
#define MEU_RECORD_LINES 6u            /* lines of the longest record */
#define MEU_RECORD_BLOCKS 3u           /* blocks in the first line of a record */
#define MEU_LINE_BLOCKS 4u             /* blocks in a further line */
#define MEU_LINE_STEPS 8u              /* steps in a further line */
#define MEU_MAILBOX_DEPTH 4u           /* entries of an SPE's inbound mailbox */

/* Local-store budget (the map stands in spe-kernels/README.md). */
#define MEU_LOCAL_STORE_BYTES 262144u
#define MEU_CODE_BYTES 29952u          /* code and constants at most, the overlay area included */
#define MEU_OVERLAY_BYTES 4608u        /* the overlay area, and an overlay in main memory */
#define MEU_BUFFER_COUNT 3u
#define MEU_BUFFER_BYTES 76288u        /* a buffer: the operands of one operation, or its result */
#define MEU_BLOCK_BYTES 38144u         /* one block of a two-operand operation */

/* Mailbox words: bits 0..15 the first ring line of the record, bits 16..23 the number of its lines. */
#define MEU_WORD(line, lines) (((uint32_t) (lines) << 16) | (uint32_t) (line))
#define MEU_WORD_TERMINATE 0xffffffffu /* finish what is held, write it back, then stop */

/* What an operation computes: the matrix product, or an element-wise operation (operations.def).
 *
 * The MEU of an SPE does not have all opcodes.  It answers other opcodes with MEU_STATUS_OPCODE, so the PPE
 * has to execute these operations. */
enum meu_opcode {
#define OPERATION(NAME, ...) MEU_OP_##NAME,
#include "operations.def"
  MEU_OPCODE_COUNT
};

/* Where the program of an SPE has the code of an operation, in the words of operations.def: resident in the
 * image, nowhere, or in one of the overlays.  An overlay is code that the MEU fetches into the overlay area
 * of the local store when an operation needs it. */
enum meu_residence {
  MEU_RESIDENCE_HOST,        /* not in the program of an SPE */
  MEU_RESIDENCE_SPE,         /* in the image */
#define OVERLAY(NAME, sources) MEU_RESIDENCE_##NAME,
#include "overlays.def"
  MEU_RESIDENCE_END
};

#define MEU_FIRST_OVERLAY (MEU_RESIDENCE_SPE + 1)

/* Where the two operands of an element-wise operation come from. */
enum meu_form {
  MEU_FORM_BLOCKS = 0,       /* operands 0 (and 1) are blocks */
  MEU_FORM_SCALAR_RIGHT = 1, /* b is the record's scalar; operand 0 is a */
  MEU_FORM_SCALAR_LEFT = 2   /* a is the record's scalar; operand 0 is b */
};

/* How the inputs of a move in a local store become its result (move.h).  A move that gathers has no form. */
enum meu_move {
  MEU_MOVE_BELOW = 0,        /* below each other */
  MEU_MOVE_BESIDE = 1,       /* beside each other */
  MEU_MOVE_TRANSPOSED = 2,   /* the one input, transposed */
  MEU_MOVE_BAND = 3,         /* the one input, with +0 outside of some diagonals */
  MEU_MOVE_PICKED = 4        /* some rows of the one input, its columns in order or in reverse */
};

/* Longest step from row to row of what is picked. */
#define MOVE_MOST_APART 16u

/* Elements of a block.  MEU_BYTE is a truth value, 0 or 1: in main memory only, and not on an SPE. */
enum meu_precision { MEU_SINGLE = 0, MEU_DOUBLE = 1, MEU_BYTE = 2 };

/* Completion status. */
enum meu_status {
  MEU_STATUS_OK = 0,
  MEU_STATUS_VERSION = 1,    /* the record has another protocol version */
  MEU_STATUS_OPCODE = 2,     /* unknown opcode, form or precision, or an opcode that this MEU does not have */
  MEU_STATUS_SHAPE = 3,      /* shapes, counts or numbers do not fit the operation or the local store */
  MEU_STATUS_DMA = 4,        /* a transfer broke a rule of the MFC (detail on a host: enum mfc_fault) */
  MEU_STATUS_DOMAIN = 5      /* a result would be complex, or NaN a truth value: nothing was written back */
};

/* An SPE loads and stores quadwords of 16 bytes.  When a structure begins at a quadword, the compiler
 * knows in which quadword a field lies, and at which byte.  Then an access takes half as many
 * instructions. */
#ifdef __SPU__
#define MEU_QUADWORDS __attribute__ ((aligned (16)))
#else
#define MEU_QUADWORDS
#endif
/* An access to a field at the beginning of a quadword of its own takes still fewer instructions. */
#define MEU_OWN_QUADWORD MEU_QUADWORDS

/* A block of a column-major matrix in main memory.  Column c begins at ea + c * stride_bytes, and its rows
 * are contiguous. ea and stride_bytes are multiples of 16.  Whole quadwords are transferred, so the memory
 * of a column reaches to the end of its last quadword.  The bytes beyond `rows` are arbitrary and never
 * influence a result. */
struct meu_block {
  uint64_t ea;
  uint32_t stride_bytes;
  uint32_t rows;             /* logical rows, at least 1 */
  uint32_t columns;          /* logical columns, at least 1 */
  uint8_t precision;         /* enum meu_precision */
  uint8_t reserved[11];      /* zero */
} MEU_QUADWORDS;

/* Programs: up to PROGRAM_STEPS element-wise operations, executed one after the other on a strip of all
 * blocks, then on the next strip.  An element-wise operation alone is a program of one step.
 *
 * What a step reads or writes has a number.  Block inputs have numbers from 0 on.  Strips have numbers
 * from PROGRAM_INPUTS on; they pass values from step to step and never reach main memory.  The numbers of
 * block results follow the numbers of the program's strips. */
#define PROGRAM_STEPS 16u
#define PROGRAM_INPUTS 8u
#define PROGRAM_STRIPS 16u
#define PROGRAM_RESULTS 4u

/* Bytes of a strip.  A strip is so long that an SPE takes a small fraction of the time to go from step to
 * step, and takes a fraction of the nearest cache of other processors.  In a local store the strips follow
 * the results. */
#define PROGRAM_STRIP_BYTES 4096u

struct program_step {
  uint8_t opcode;            /* enum meu_opcode: element-wise, or a conversion as the only step */
  uint8_t form;              /* enum meu_form */
  uint8_t operands[2];       /* numbers of an input, or of a strip or result that an earlier step has written;
                              * an operation on one block has its number twice */
  uint8_t result;            /* the number of a strip or of a result, and no operand of this step */
  uint8_t reserved[3];       /* zero */
  double scalar;             /* of the scalar forms; rounded to single before use in single precision */
} MEU_QUADWORDS;

/* A product.  With `parts` > 1 it is an accumulation chain, which computes (a(0) b(0) + a(1) b(1)) + ...
 * in this order.  Each product has the bits of a product alone.  The sum stays in the local store.
 *
 * Part p of the inner side begins at divisor * (base * p + min (p, longer)) and has divisor * (base + (p <
 * longer)) elements, cut at `inner` (chain.h).  The inputs of the record are the operands of part 0.  The
 * operands of part p are at the beginning of part p in the matrices: along the columns of a, along the
 * rows of b.
 *
 * A product in a local store may have an epilogue: a program that reads the sum while it is there.  Input 0
 * of the program is the sum, and has the shape of the results.  Inputs 1 and up are the blocks of the record
 * behind a and b.  Result 0 takes the place of the sum, so the last step alone writes it. */
struct meu_product {
  uint8_t opcode;            /* MEU_OP_MULTIPLY */
  uint8_t transposed;        /* MEU_TRANSPOSED_*, with MEU_FLAG_MEMORY only */
  uint8_t reserved[6];       /* zero */
  uint16_t parts;            /* products that are summed up: 1, or more in an accumulation chain */
  uint16_t longer;           /* of a chain: number of parts at the front that are one divisor longer */
  uint16_t divisor;          /* of a chain: lengths of parts but the last are multiples of it */
  uint16_t base;             /* of a chain: length of the shorter parts, in units of the divisor */
} MEU_QUADWORDS;

/* An operand is stored transposed: its block has the rows and columns of what is stored, and the operands of
 * the next parts follow along the other side. */
#define MEU_TRANSPOSED_A 1u
#define MEU_TRANSPOSED_B 2u

union meu_work {
  struct program_step step;  /* the step of a program of one step; else its opcode alone */
  struct meu_product product;
};

/* One operation.  Its blocks are the inputs, followed by the results: three in the first line, and four in
 * each further line.  The steps of a MEU_PROGRAM or of an epilogue follow the blocks, from a new line on,
 * eight in each line.  A move or reduction in main memory (direct.h) has no blocks here: its second line is a
 * struct direct_operation.  A reduction or move in a local store (reduction.h, move.h) has the lines of an
 * operation of one step.  The form of this step is the side, or an enum meu_move.  A move that gathers
 * (gather.h) has no inputs and a second line, struct meu_gather.
 *
 * The lines of a record are neighbours.  Where too few lines are left before the end of the ring, the
 * record begins at the start of the ring. */
struct meu_record {
  uint8_t version;           /* MEU_PROTOCOL_VERSION */
  uint8_t flags;             /* MEU_FLAG_* */
  uint8_t input_count;       /* 1 to PROGRAM_INPUTS; a product without epilogue has 2 */
  uint8_t result_count;      /* 1 to PROGRAM_RESULTS; a product without epilogue has 1 */
  uint8_t step_count;        /* 1 to PROGRAM_STEPS; of a product: the steps of its epilogue, 0 without one */
  uint8_t strip_count;       /* up to PROGRAM_STRIPS */
  uint8_t of_bytes;          /* enum meu_precision: in which a program of blocks of bytes alone is computed */
  uint8_t reserved;          /* zero */
  uint32_t sequence;         /* counts the operations offered to this MEU, from 1, modulo 2^32 */
  uint32_t inner;            /* for a chain: length of the inner side that all parts together cover */
  union meu_work work;
  struct meu_block blocks[MEU_RECORD_BLOCKS];
} __attribute__ ((aligned (128)));

#define MEU_PROGRAM 255u     /* the opcode of a program whose steps stand in further lines */

#define MEU_FLAG_PROFILE 1u  /* fill in the stage times of the completion record */
#define MEU_FLAG_MEMORY 2u   /* inputs and results stay in main memory, so blocks may be larger;
                              * for an MEU that addresses main memory */

/* Which elements a move gathers: the second line of its record.  The operand stays in main memory.
 *
 * Element (0, 0) is at `ea`, in row `row` of the operand.  The elements below it lie `down` rows and `down_bytes`
 * bytes from one to the next.  A step that passes the last of `height` rows goes back by `height` rows, and by
 * `wrap_bytes` on.  The elements on the right of it lie `right` rows and `right_bytes` bytes from one to the next,
 * which may pass the last row too.  The first of them is number `column` of `width` columns.  Behind the last of
 * these columns the walk goes on by `turn_bytes` more.
 *
 * Of `rows` and `columns` of the result the elements are gathered in this way.  All further rows and columns repeat
 * them.  On a diagonal (`diagonal` 1) the elements of one row become elements (to_row, to_column), (to_row + 1,
 * to_column + 1) and so on, and all others are +0. */
struct meu_gather {
  uint64_t ea;
  int64_t down_bytes;
  int64_t right_bytes;
  int64_t wrap_bytes;
  int64_t turn_bytes;
  uint32_t row;              /* less than height */
  uint32_t height;
  uint32_t down;             /* less than height */
  uint32_t right;            /* less than height */
  uint32_t column;           /* less than width */
  uint32_t width;
  uint32_t rows;             /* at least 1; on a diagonal 1 */
  uint32_t columns;          /* at least 1; on a diagonal perhaps 0 */
  uint32_t diagonal;         /* 0 or 1 */
  uint32_t to_row;
  uint32_t to_column;
  uint8_t reserved[44];      /* zero */
} __attribute__ ((aligned (128)));

/* How far an MEU has come.  The PPE polls this doubleword while the MEU writes it, and loads it with one
 * instruction: what the PPE decides follows from one report.  An MEU reports its operations in order, and the
 * first failure last.  So the operation behind `sequence` has failed. */
struct meu_report {
  uint32_t sequence;         /* the last completed operation: all operations up to it are completed */
  uint16_t status;           /* enum meu_status: OK, or the first failure, which ends all execution */
  uint16_t detail;           /* with MEU_STATUS_DMA the fault, with MEU_STATUS_DOMAIN the step */
} __attribute__ ((aligned (8)));

/* An MEU has one completion record, in a line of its own.  The MEU writes the whole line with one fenced
 * 128-byte put after each operation.  Once the PPE has seen the report of the last operation, the MEU writes
 * nothing more, and the PPE reads the times behind the report.  A processor that copies the line piece by
 * piece stores the report last. */
struct meu_completion {
  struct meu_report report;
  uint64_t fetch_ns;         /* of the last operation, with MEU_FLAG_PROFILE: time waited for */
  uint64_t execute_ns;       /* each of the three stages */
  uint64_t write_back_ns;
  uint8_t reserved[96];
} __attribute__ ((aligned (128)));

/* The parameters that an MEU fetches when it starts. */
struct meu_parameters {
  uint64_t ring_ea;          /* of MEU_RING_LINES lines */
  uint64_t completion_ea;
  uint64_t overlays_ea;      /* of an SPE: its overlays, MEU_OVERLAY_BYTES each (overlays.def) */
  uint32_t version;
  uint32_t meu;              /* index, for messages */
  uint32_t tick_ns_q16;      /* 65536 times the nanoseconds of a decrementer tick; a host's tick is 1 ns */
  uint8_t reserved[92];
} __attribute__ ((aligned (128)));

#endif
