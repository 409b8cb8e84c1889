/* multiply_double.S - the inner loops of the double-precision product on an SPE.
 *
 *   void multiply_tiles_double (char *result, const char *a, const char *b, uint32_t result_stride,
 *                               uint32_t a_stride, uint32_t b_stride, uint32_t inner, const char *addend,
 *                               uint32_t addend_stride, uint32_t count)
 *
 * `count` tiles of 8 rows and 4 columns, side by side: result = a b + addend, where the addend has 64 bytes
 * in each column and may be the result.  Strides in bytes; an addend stride of 0 repeats a column.  `inner`,
 * the length of the sums, is a multiple of 2, at least 2.  What lies behind the last columns of a and b may
 * be read and does not matter.
 *
 * One turn of the loop takes two steps along the sums, with 32 multiply-adds and one other even instruction.
 * A PowerXCell 8i begins a multiply-add in each cycle, a Cell BE in every seventh: there everything else is
 * hidden.
 *
 * Beside the multiply-adds of one step along the sums, on the odd pipe,
 *
 *   load_a   fetches the vectors of the next column of a into one set of registers while the other is in use,
 *   spread   spreads the next element of a column of b over a vector once the present one has been used,
 *   load_b   fetches the next vector of a column of b once all its present elements have been spread.
 *
 * INDEX counts for both operands: its first word is an address in a, its second the distance to the end of
 * the columns of b, which is zero once the last turn has begun.
 */
#include "computed.h"

        .set INDEX, 2
        .set RESULT, 3          /* of the next tile */
        .set RESULT_STRIDE, 6
        .set ADDEND, 10         /* of the next column */
        .set ADDEND_STRIDE, 11
        .set COUNT, 12
        .set A, 13              /* two sets of 4 vectors */
        .set B, 21              /* two elements of each of 4 columns */
        .set FACTOR, 25         /* one element of each of 4 columns, spread */
        .set SUM, 29            /* 4 columns of 4 vectors */
        .set B_END, 45          /* ends of 4 columns of b */
        .set PATTERN, 49        /* of the shuffles that spread elements 0 and 1 */
        .set OFFSET_A, 51       /* 2 columns of 4 vectors: distances in a */
        .set STEP, 59           /* of INDEX, in a turn */
        .set START, 60          /* of INDEX, in a tile */
        .set B_STEP, 61         /* 4 columns of b */
        .set TO, 62             /* column of the tile that is being stored */
        .set TO_STRIDE, 63
        .set RESULT_STEP, 64    /* 4 columns of the result */
        .set INDEX_B, 65
        .set FRAME_BYTES, 96

        .macro  multiply_add step, column, vector
        op3     dfma, %(SUM + 4 * (column) + (vector)), %(A + 4 * ((step) % 2) + (vector)), %(FACTOR + (column))
        .endm

        .macro  load_a step, vector
        op3     lqx, %(A + 4 * ((step) % 2) + (vector)), %(OFFSET_A + 4 * (step) + (vector)), %(INDEX)
        .endm
        .macro  spread step, column
        op4     shufb, %(FACTOR + (column)), %(B + (column)), %(B + (column)), %(PATTERN + (step))
        .endm
        .macro  load_b column, unused
        op3     lqx, %(B + (column)), %(B_END + (column)), %(INDEX_B)
        .endm
        .macro  index_b unused, unused2
        immediate rotqbyi, %(INDEX_B), %(INDEX), 4
        .endm
        .macro  none unused, unused2
        lnop
        .endm
        .macro  hint branch, target
        hbrr    \branch, \target
        .endm
        .macro  turn_again label, unused2
\label:
        constant brnz, %(INDEX_B), .Lturn
        .endm

        /* The multiply-adds of a column beside two or four odd instructions, each a macro of two
         * arguments. */
        .macro  column2 step, column, odd1, x1, y1, odd4, x4, y4
        multiply_add step, column, 0
        \odd1   \x1, \y1
        multiply_add step, column, 1
        multiply_add step, column, 2
        multiply_add step, column, 3
        \odd4   \x4, \y4
        .endm
        .macro  column4 step, column, odd1, x1, y1, odd2, x2, y2, odd3, x3, y3, odd4, x4, y4
        multiply_add step, column, 0
        \odd1   \x1, \y1
        multiply_add step, column, 1
        \odd2   \x2, \y2
        multiply_add step, column, 2
        \odd3   \x3, \y3
        multiply_add step, column, 3
        \odd4   \x4, \y4
        .endm

        .macro  store column, vector
        memory  stqd, %(SUM + 4 * (column) + (vector)), %(16 * (vector)), %(TO)
        .endm
        .macro  clear column, vector
        constant il, %(SUM + 4 * (column) + (vector)), 0
        .endm

        /* Before a tile: both counters to their start, and where its code will branch to. */
        .macro  begin_tile
        immediate ori, %(INDEX), %(START), 0
        immediate rotqbyi, %(INDEX_B), %(START), 4
        nop
        hbrr    .Ltile_end, .Lturn
        .endm

        /* Stores a column of the finished tile and clears its sums, the last sum with the next column.  The
         * next instruction may be an odd one. */
        .macro  store_column column
        .if     column == 0
        nop
        .else
        clear   %(column - 1), 3
        .endif
        store   column, 0
        clear   column, 0
        store   column, 1
        clear   column, 1
        store   column, 2
        clear   column, 2
        store   column, 3
        op3     a, %(TO), %(TO), %(TO_STRIDE)
        .endm

        /* Adds the addend to `count` sums by the instruction `name`.  It is fetched, 8 vectors ahead, into
         * the `room` registers from A on, whose operands are no longer needed. */
        .macro  add_addend name, count, room
        .set    n, 0
        .rept   (count) + 8
        .if     n >= 8
        op3     name, %(SUM + n - 8), %(SUM + n - 8), %(A + (n - 8) % (room))
        .elseif n < (count)
        nop
        .endif
        .if     n < (count)
        memory  lqd, %(A + n % (room)), %(16 * (n % 4)), %(ADDEND)
        .if     n % 4 == 3
        op3     a, %(ADDEND), %(ADDEND), %(ADDEND_STRIDE)
        lnop
        .endif
        .endif
        .set    n, n + 1
        .endr
        .endm

        /* Makes STEP of (2^steps * a_stride, 16) and START of (a, -length), where the length of a column of b
         * is 2^element * inner bytes and stays in register 14.  Uses 13 and 15. */
        .macro  set_counters steps, element
        fsmbi   $13, 0x0f00
        shli    $14, $7, steps
        il      $15, 16
        op4     selb, %(STEP), 14, 15, 13
        shli    $14, $9, element
        sfi     $15, $14, 0
        rotqbyi $15, $15, 12
        op4     selb, %(START), 4, 15, 13
        .endm

        .section .text.multiply_tiles_double, "ax"

        .align  6
.Lturn:
        column4 0, 0, load_a, 1, 0, spread, 0, 3, load_a, 1, 1, spread, 1, 0
        column4 0, 1, load_a, 1, 2, load_a, 1, 3, none, 0, 0, spread, 1, 1
        a       $2, $2, $59
        hbrr    .Lturn_end, .Lturn
        column4 0, 2, none, 0, 0, index_b, 0, 0, none, 0, 0, spread, 1, 2
        column4 0, 3, none, 0, 0, load_b, 0, 0, load_b, 1, 0, spread, 1, 3

        column4 1, 0, load_a, 0, 0, load_b, 2, 0, load_b, 3, 0, spread, 0, 0
        column2 1, 1, load_a, 0, 1, spread, 0, 1
        column2 1, 2, load_a, 0, 2, spread, 0, 2
        column2 1, 3, load_a, 0, 3, turn_again, .Lturn_end, 0

        /* Adds the addend, fetched into the registers of the operands. */
        add_addend dfa, 16, 16

        /* Stores the tile, clears the sums, and fetches what the first turn of the next tile begins with. */
.Lnext_tile:
        begin_tile
        .set    j, 0
        .rept   4
        op3     a, %(B_END + j), %(B_END + j), %(B_STEP)
        load_a  0, %(j)
        .set    j, j + 1
        .endr
        .set    j, 0
        .rept   4
        store_column %(j)
        load_b  %(j), 0
        .set    j, j + 1
        .endr
        clear   3, 3
        spread  0, 0
        ori     $62, $3, 0
        spread  0, 1
        ori     $63, $6, 0
        spread  0, 2
        a       $3, $3, $64
        brz     $12, .Lfinish
        ai      $12, $12, -1
.Ltile_end:
        br      .Lturn

.Lfinish:
        ai      $1, $1, FRAME_BYTES
        bi      $0

        .global multiply_tiles_double
        .type   multiply_tiles_double, @function
        .align  3
multiply_tiles_double:
        ai      $1, $1, -FRAME_BYTES

        /* Patterns of shuffles: words 00010203 04050607, then 08090a0b 0c0d0e0f, twice. */
        ilhu    $49, 0x0001
        iohl    $49, 0x0203
        ilhu    $50, 0x0404
        iohl    $50, 0x0404
        a       $13, $49, $50
        a       $50, $50, $50
        fsmbi   $14, 0x0f0f
        selb    $49, $49, $13, $14
        a       $50, $49, $50

        /* OFFSET_A: vector i of column u lies u * a_stride + 16 * i behind the first. */
        il      $51, 0
        ori     $55, $7, 0
        .set    i, 1
        .rept   3
        immediate ai, %(OFFSET_A + i), %(OFFSET_A), %(16 * i)
        immediate ai, %(OFFSET_A + 4 + i), %(OFFSET_A + 4), %(16 * i)
        .set    i, i + 1
        .endr

        /* STEP is (2 * a_stride, 16), START is (a, -8 * inner). */
        set_counters 1, 3

        /* B_END: 4 columns too early, since every tile begins with a step of 4. */
        shli    $61, $8, 2
        a       $15, $5, $14
        sf      $45, $61, $15
        a       $46, $45, $8
        a       $47, $46, $8
        a       $48, $47, $8

        /* Before the first tile there is none to store: what stands for it goes into the frame. */
        shli    $64, $6, 2
        ai      $62, $1, 32
        il      $63, 0
        br      .Lnext_tile
        .size   multiply_tiles_double, . - multiply_tiles_double
