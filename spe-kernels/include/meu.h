/* meu.h - the protocol between the PPE and a Matrix Execution Unit (MEU).
 *
 * The PPE writes an operation record into a ring in main memory, and then one mailbox word that says where it lies.
 * The MEU fetches the record and the operands by DMA, executes the operation, writes the result back, and, ordered
 * behind that result by a fence on the same tag, its completion record.  Every structure is in the byte order of the
 * PPE (big-endian on a Cell, where the SPE is big-endian as well; the host's own order on the host engine).
 *
 * Rust reads this file through bindings (src/sys/), and the PPE writes the lines in ppe/src/engine/record/.
 */
#ifndef PMATRIX_MEU_H
#define PMATRIX_MEU_H

#include <stdint.h>

/* Changes with every change of a layout or of a meaning below; the MEU refuses records of another version.  An operation
 * that is new changes nothing: the image for an SPE, which alone is compiled apart from what writes records, answers every
 * number that it does not know with MEU_STATUS_OPCODE, and the resident operation that is new is the last of them. */
#define MEU_PROTOCOL_VERSION 5u

#define MEU_LINE_BYTES 128u            /* a cache line, the unit of the record ring */
#define MEU_RING_LINES 128u            /* lines in the record ring of one MEU */
#define MEU_RECORD_LINES 6u            /* lines of the longest record */
#define MEU_RECORD_BLOCKS 3u           /* blocks in the first line of a record */
#define MEU_LINE_BLOCKS 4u             /* blocks in a further line */
#define MEU_LINE_STEPS 8u              /* steps in a further line */
#define MEU_MAILBOX_DEPTH 4u           /* entries of an SPE's inbound mailbox */

/* Local-store budget (the map stands in spe-kernels/README.md). */
#define MEU_LOCAL_STORE_BYTES 262144u
#define MEU_CODE_BYTES 28416u          /* code and constants at most */
#define MEU_BUFFER_COUNT 3u
#define MEU_BUFFER_BYTES 76800u        /* one of the three buffers: the operands of one operation, or its result */
#define MEU_BLOCK_BYTES 38400u         /* one block of a two-operand operation */

/* Mailbox words: bits 0..15 the first ring line of the record, bits 16..23 the number of its lines. */
#define MEU_WORD(line, lines) (((uint32_t) (lines) << 16) | (uint32_t) (line))
#define MEU_WORD_TERMINATE 0xffffffffu /* finish what is held, write it back, then stop */

/* What an operation computes, element by element but for the matrix product (operations.def).
 *
 * The opcodes below MEU_RESIDENT_COUNT are in the image for an SPE, whose code is resident in the local store and has no
 * room for more: there the MEU answers any other opcode with MEU_STATUS_OPCODE, and whoever drives it executes the
 * operation itself. */
enum meu_opcode {
#define OPERATION(NAME, ...) MEU_OP_##NAME,
#include "operations.def"
  MEU_OPCODE_COUNT
};

#define MEU_IS_SPE 1
#define MEU_IS_HOST 0
enum {
  MEU_RESIDENT_COUNT = 0
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
  + MEU_IS_##resident
#include "operations.def"
};

/* Where the two operands of an element-wise operation come from. */
enum meu_form {
  MEU_FORM_BLOCKS = 0,       /* operands 0 (and 1) are blocks */
  MEU_FORM_SCALAR_RIGHT = 1, /* b is the record's scalar; operand 0 is a */
  MEU_FORM_SCALAR_LEFT = 2   /* a is the record's scalar; operand 0 is b */
};

enum meu_precision { MEU_SINGLE = 0, MEU_DOUBLE = 1 };

/* Completion status. */
enum meu_status {
  MEU_STATUS_OK = 0,
  MEU_STATUS_VERSION = 1,    /* the record has another protocol version */
  MEU_STATUS_OPCODE = 2,     /* unknown opcode, form or precision, or an opcode that this MEU does not have */
  MEU_STATUS_SHAPE = 3,      /* rows, columns, counts or numbers do not fit the operation or the local store */
  MEU_STATUS_DMA = 4,        /* a transfer broke a rule of the MFC (detail: enum mfc_fault of the host engine) */
  MEU_STATUS_DOMAIN = 5      /* a result would be complex, or NaN a truth value: nothing was written back */
};

/* An SPE loads and stores 16 bytes at a time.  Where a structure begins on such a boundary, the compiler knows in which of
 * them a field lies, and where: half as many instructions as for a field anywhere. */
#ifdef __SPU__
#define MEU_QUADWORDS __attribute__ ((aligned (16)))
#else
#define MEU_QUADWORDS
#endif
/* A field at the beginning of a quadword of its own takes still fewer. */
#define MEU_OWN_QUADWORD MEU_QUADWORDS

/* A block of a column-major matrix in main memory.  Column c begins at ea + c * stride_bytes; rows are contiguous.
 * ea and stride_bytes are multiples of 16, and whole 16-byte groups of rows are transferred: the matrix has that much
 * room, and what lies beyond `rows` is arbitrary and never influences a result. */
struct meu_block {
  uint64_t ea;
  uint32_t stride_bytes;
  uint32_t rows;             /* logical rows, at least 1 */
  uint32_t columns;          /* logical columns, at least 1 */
  uint8_t precision;         /* enum meu_precision */
  uint8_t reserved[11];      /* zero */
} MEU_QUADWORDS;

/* Programs: up to PROGRAM_STEPS element-wise operations, executed one after the other on a strip of all blocks, then on
 * the next strip.  An element-wise operation alone is a program of one step.
 *
 * What a step reads or writes has a number: the block inputs from 0 on, the strips, which pass from step to step and
 * never reach main memory, from PROGRAM_INPUTS on, and behind the strips of the program the block results. */
#define PROGRAM_STEPS 16u
#define PROGRAM_INPUTS 8u
#define PROGRAM_STRIPS 16u
#define PROGRAM_RESULTS 4u

/* Bytes of a strip: long enough that an SPE takes a small part of the time to go from step to step, and a fraction of the
 * nearest cache of other processors.  In a local store the strips lie behind the results. */
#define PROGRAM_STRIP_BYTES 4096u

struct program_step {
  uint8_t opcode;            /* enum meu_opcode, element-wise; or the conversion, as the only step of a program */
  uint8_t form;              /* enum meu_form */
  uint8_t operands[2];       /* the numbers of an input, or of a strip or result that an earlier step has written; the
                              * same number twice where the operation takes one block */
  uint8_t result;            /* the number of a strip or of a result, and no operand of this step */
  uint8_t reserved[3];       /* zero */
  double scalar;             /* of the scalar forms; rounded to single before use in single precision */
} MEU_QUADWORDS;

/* A product.  With `parts` > 1 it is an accumulation chain, which computes (a(0) b(0) + a(1) b(1)) + ..., each product
 * as a product alone would be, added in this order; the sum stays in the local store.  Part p of the inner side begins at
 * divisor * (base * p + min (p, longer)) and has divisor * (base + (p < longer)) elements, cut at `inner` (chain.h).  The
 * inputs of the record are those of part 0; those of the other parts lie as far behind them in their matrices, in a
 * along the columns, in b along the rows. */
struct meu_product {
  uint8_t opcode;            /* MEU_OP_MULTIPLY */
  uint8_t reserved[7];       /* zero */
  uint16_t parts;            /* products that are summed up: 1, or more in an accumulation chain */
  uint16_t longer;           /* of a chain, as are the next two: how many parts come first that are one divisor longer */
  uint16_t divisor;          /* lengths of parts are multiples of this, but for the end of the last */
  uint16_t base;             /* length of the shorter parts, in units of the divisor */
} MEU_QUADWORDS;

union meu_work {
  struct program_step step;  /* of a program of one step; the opcode alone in other programs and in direct operations */
  struct meu_product product;
};

/* One operation.  Its blocks are the inputs, and behind them the results: three in the first line, and four in each
 * further line.  Behind the blocks of a MEU_PROGRAM, from a new line on, stand the steps, eight a line.  A direct operation
 * (direct.h) has no blocks here: its second line is a struct direct_operation.
 *
 * A record lies in one piece: where too few lines are left before the end of the ring, it begins at the ring's start. */
struct meu_record {
  uint8_t version;           /* MEU_PROTOCOL_VERSION */
  uint8_t flags;             /* MEU_FLAG_* */
  uint8_t input_count;       /* 1 to PROGRAM_INPUTS; a product has 2 */
  uint8_t result_count;      /* 1 to PROGRAM_RESULTS; a product has 1 */
  uint8_t step_count;        /* 1, unless the opcode is MEU_PROGRAM */
  uint8_t strip_count;       /* up to PROGRAM_STRIPS */
  uint8_t reserved[2];       /* zero */
  uint32_t sequence;         /* counts the operations offered to this MEU, from 1, modulo 2^32 */
  uint32_t inner;            /* of a chain: length of the inner side that all parts together cover */
  union meu_work work;
  struct meu_block blocks[MEU_RECORD_BLOCKS];
} __attribute__ ((aligned (128)));

#define MEU_PROGRAM 255u     /* the opcode of a program whose steps stand in further lines */

#define MEU_FLAG_PROFILE 1u  /* fill in the stage times of the completion record */
#define MEU_FLAG_MEMORY 2u   /* inputs are read and results are written where they lie, not in the local store, so blocks
                              * may be larger; only a MEU that can address main memory does so, and direct operations
                              * have no other way */

/* One a MEU, in a line of its own.  The MEU writes it whole with one fenced 128-byte put after each operation. */
struct meu_completion {
  uint32_t sequence;         /* the last operation that is done: all up to it are */
  uint32_t status;           /* enum meu_status: OK, or the first failure; a failed MEU executes nothing more */
  uint32_t failed_sequence;  /* the operation that failed, with a status that is not OK */
  uint32_t detail;           /* of MEU_STATUS_DMA the fault, of MEU_STATUS_DOMAIN the step of the program */
  uint64_t fetch_ns;         /* of the last operation, with MEU_FLAG_PROFILE: time waited for */
  uint64_t execute_ns;       /* each of the three stages */
  uint64_t write_back_ns;
  uint8_t reserved[88];
} __attribute__ ((aligned (128)));

/* What a MEU is told when it starts. */
struct meu_parameters {
  uint64_t ring_ea;          /* of MEU_RING_LINES lines */
  uint64_t completion_ea;
  uint32_t version;
  uint32_t meu;              /* index, for messages */
  uint32_t tick_ns_q16;      /* nanoseconds of one decrementer tick, times 65536; the host's tick is one nanosecond */
  uint8_t reserved[100];
} __attribute__ ((aligned (128)));

#endif
