/* meu.h - the protocol between the PPE and a Matrix Execution Unit (MEU).
 *
 * The PPE writes an operation record into a ring in main memory, and then one mailbox word that says where it lies.
 * The MEU fetches the record and the operands by DMA, executes the operation, writes the result back, and, ordered
 * behind that result by a fence on the same tag, its completion record.  Every structure is in the byte order of the
 * PPE (big-endian on a Cell, where the SPE is big-endian as well; the host's own order on the host engine).
 *
 * The Rust twin of this file is ppe/src/engine/record.rs; static assertions there keep the two alike.
 */
#ifndef PMATRIX_MEU_H
#define PMATRIX_MEU_H

#include <stdint.h>

/* Changes with every change of a layout or of a meaning below; the MEU refuses records of another version. */
#define MEU_PROTOCOL_VERSION 4u

#define MEU_LINE_BYTES 128u            /* a cache line, the unit of the record ring */
#define MEU_RING_LINES 64u             /* lines in the record ring of one MEU */
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
#define OPERATION(number, NAME, ...) MEU_OP_##NAME = number,
#include "operations.def"
  MEU_OPCODE_COUNT
};

#define MEU_IS_SPE 1
#define MEU_IS_HOST 0
enum {
  MEU_RESIDENT_COUNT = 0
#define OPERATION(number, NAME, name, Name, function, conforms, takes, gives, domain, kernel, resident, meaning)      \
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
  MEU_STATUS_SHAPE = 3,      /* rows, columns or operand count do not fit the operation or the local store */
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

/* A block of a column-major matrix in main memory.  Column c begins at ea + c * stride_bytes; rows are contiguous.
 * ea and stride_bytes are multiples of 16, and whole 16-byte groups of rows are transferred: the matrix has that much
 * room, and what lies beyond `rows` is arbitrary and never influences a result. */
struct meu_block {
  uint64_t ea;
  uint32_t stride_bytes;
  uint16_t rows;             /* logical rows, at least 1 */
  uint16_t columns;          /* logical columns, at least 1 */
  uint8_t precision;         /* enum meu_precision */
  uint8_t reserved[7];       /* zero */
  uint64_t reserved_ea;      /* zero */
} MEU_QUADWORDS;

/* Accumulation chains: a product with `parts` > 1 computes (a(0) b(0) + a(1) b(1)) + ..., each product as a product
 * alone would be, added in this order; the sum stays in the local store.  Part p of the inner side begins at
 * divisor * (base * p + min (p, longer)) and has divisor * (base + (p < longer)) elements, cut at `inner`.  The operands
 * of the record are those of part 0; those of the others lie as far behind them in their matrices, in a along the
 * columns, in b along the rows. */

/* One operation.  The first line holds two operands; operand 2 and further ones follow in the next lines, four a
 * line.  Element-wise operations broadcast: an operand with one row and/or one column is repeated along that side. */
struct meu_record {
  uint16_t version;          /* MEU_PROTOCOL_VERSION */
  uint8_t opcode;            /* enum meu_opcode */
  uint8_t form;              /* enum meu_form */
  uint16_t operand_count;
  uint8_t lines;             /* lines of this record, 1 with up to two operands */
  uint8_t flags;             /* MEU_FLAG_* */
  uint32_t sequence;         /* counts the operations offered to this MEU, from 1, modulo 2^32 */
  uint16_t parts;            /* products that are summed up: 1, or more in an accumulation chain */
  uint16_t longer;           /* of a chain, as are the next three: how many parts come first that are one divisor longer */
  double scalar;             /* of the scalar forms; rounded to single before use in single precision */
  uint32_t inner;            /* length of the inner side that all parts together cover */
  uint16_t divisor;          /* lengths of parts are multiples of this, but for the end of the last */
  uint16_t base;             /* length of the shorter parts, in units of the divisor */
  struct meu_block result;
  struct meu_block operands[2];
} __attribute__ ((aligned (128)));

#define MEU_FLAG_PROFILE 1u  /* fill in the stage times of the completion record */
#define MEU_FLAG_DIRECT 2u   /* result.ea is the address of a direct_description (direct.h), and nothing else matters;
                              * only a MEU that can address main memory executes it */
#define MEU_FLAG_MEMORY 4u   /* operands are read and the result is written where they lie (memory.h), not in the local
                              * store, so blocks may be larger; only a MEU that can address main memory does so */

/* One a MEU, in a line of its own.  The MEU writes it whole with one fenced 128-byte put after each operation. */
struct meu_completion {
  uint32_t sequence;         /* the last operation that is done: all up to it are */
  uint32_t status;           /* enum meu_status: OK, or the first failure; a failed MEU executes nothing more */
  uint32_t failed_sequence;  /* the operation that failed, with a status that is not OK */
  uint32_t detail;
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
