/* multiply_single.S - the inner loops of the single-precision product on an SPE.
 *
 *   void multiply_tiles_single (char *result, const char *a, const char *b, uint32_t result_stride, uint32_t a_stride,
 *                               uint32_t b_stride, uint32_t inner, const char *addend, uint32_t addend_stride,
 *                               uint32_t count)
 *
 * `count` tiles of 16 rows and 8 columns, side by side: result = a b + addend, where the addend may be the result, or
 * null for none.  Strides in bytes.  `inner`, the length of the sums, is a multiple of 4, at least 4.  What lies behind the
 * last columns of a and b may be read and does not matter.
 *
 * One turn of the loop takes four steps along the sums, with 128 multiply-adds and one other even instruction.
 */
#include "tiles.h"

        /* Registers.  Those from 80 on belong to the caller. */
        .set INDEX, 2
        .set RESULT, 3          /* of the next tile */
        .set RESULT_STRIDE, 6
        .set COUNT, 9
        .set ADDEND, 10         /* of the next tile, or 0 */
        .set ADDEND_STRIDE, 11
        .set A, 12              /* two sets of 4 vectors */
        .set B, 20              /* four elements of each of 8 columns */
        .set FACTOR, 28         /* one element of each of 8 columns, spread */
        .set SUM, 36            /* 8 columns of 4 vectors */
        .set B_END, 68          /* ends of 8 columns of b */
        .set PATTERN, 76        /* of the shuffles that spread elements 0 to 3 */
        .set OFFSET_A, 80       /* 4 columns of 4 vectors: distances in a */
        .set STEP, 96           /* of INDEX, in a turn */
        .set START, 97          /* of INDEX, in a tile */
        .set INDEX_B, 98
        .set B_STEP, 99         /* 8 columns of b */
        .set TO, 100            /* the tile that is computed, then its columns as they are stored */
        .set TO_STRIDE, 101
        .set RESULT_STEP, 102   /* 8 columns of the result */
        .set SAVED, 80
        .set SAVED_COUNT, 23
        .set SPARE_BYTES, 64    /* of the frame */
        .set FRAME_BYTES, 32 + SPARE_BYTES + 16 * SAVED_COUNT

        .macro  multiply_add step, column, vector
        op4     fma, %(SUM + 4 * (column) + (vector)), %(A + 4 * ((step) % 2) + (vector)), %(FACTOR + (column)), %(SUM + 4 * (column) + (vector))
        .endm
        .section .text.multiply_tiles_single, "ax"

        /* Instructions are fetched by lines of 128 bytes: the target of a branch had better lie in the first half of one. */
        .align  6
.Lturn:
        column4 0, 0, load_a, 1, 0, spread, 0, 7, none, 0, 0, spread, 1, 0
        column2 0, 1, load_a, 1, 1, spread, 1, 1
        column2 0, 2, load_a, 1, 2, spread, 1, 2
        column2 0, 3, load_a, 1, 3, spread, 1, 3
        column2 0, 4, hint, .Lturn_end, .Lturn, spread, 1, 4
        column2 0, 5, none, 0, 0, spread, 1, 5
        column2 0, 6, none, 0, 0, spread, 1, 6
        column2 0, 7, none, 0, 0, spread, 1, 7

        column2 1, 0, load_a, 2, 0, spread, 2, 0
        column2 1, 1, load_a, 2, 1, spread, 2, 1
        column2 1, 2, load_a, 2, 2, spread, 2, 2
        column2 1, 3, load_a, 2, 3, spread, 2, 3
        column2 1, 4, none, 0, 0, spread, 2, 4
        column2 1, 5, none, 0, 0, spread, 2, 5
        column2 1, 6, none, 0, 0, spread, 2, 6
        column2 1, 7, none, 0, 0, spread, 2, 7

        column2 2, 0, load_a, 3, 0, spread, 3, 0
        column2 2, 1, load_a, 3, 1, spread, 3, 1
        column2 2, 2, load_a, 3, 2, spread, 3, 2
        column2 2, 3, load_a, 3, 3, spread, 3, 3
        a       $2, $2, $96
        lnop
        column4 2, 4, none, 0, 0, index_b, 0, 0, none, 0, 0, spread, 3, 4
        column4 2, 5, none, 0, 0, load_b, 0, 0, load_b, 1, 0, spread, 3, 5
        column4 2, 6, none, 0, 0, load_b, 2, 0, load_b, 3, 0, spread, 3, 6
        column4 2, 7, none, 0, 0, load_b, 4, 0, load_b, 5, 0, spread, 3, 7

        column4 3, 0, load_a, 0, 0, load_b, 6, 0, load_b, 7, 0, spread, 0, 0
        column2 3, 1, load_a, 0, 1, spread, 0, 1
        column2 3, 2, load_a, 0, 2, spread, 0, 2
        column2 3, 3, load_a, 0, 3, spread, 0, 3
        column2 3, 4, none, 0, 0, spread, 0, 4
        column2 3, 5, none, 0, 0, spread, 0, 5
        column2 3, 6, none, 0, 0, spread, 0, 6
        column2 3, 7, none, 0, 0, turn_again, .Lturn_end, 0

        brnz    $10, .Ladd

        /* Stores the tile, clears the sums, and fetches what the first turn of the next tile begins with. */
        .align  3
.Lnext_tile:
        begin_tile
        .set    j, 0
        .rept   8
        op3     a, %(B_END + j), %(B_END + j), %(B_STEP)
        .if     j < 4
        load_a  0, %(j)
        .else
        load_b  %(j - 4), 0
        .endif
        .set    j, j + 1
        .endr
        .set    j, 0
        .rept   8
        store_column %(j)
        .if     j < 4
        load_b  %(j + 4), 0
        .else
        spread  0, %(j - 4)
        .endif
        .set    j, j + 1
        .endr
        clear   7, 3
        spread  0, 4
        ori     $100, $3, 0
        spread  0, 5
        ori     $101, $6, 0
        spread  0, 6
        a       $3, $3, $102
        brz     $9, .Lfinish
        ai      $9, $9, -1
.Ltile_end:
        br      .Lturn

        /* Adds the addend, fetched into the registers of the operands. */
        .align  3
.Ladd:
        add_addend fa, 32, 24
        br      .Lnext_tile

        .global multiply_tiles_single
        .type   multiply_tiles_single, @function
        .align  3
multiply_tiles_single:
        ai      $1, $1, -FRAME_BYTES
        .set    i, 0
        .rept   SAVED_COUNT
        memory  stqd, %(SAVED + i), %(32 + SPARE_BYTES + 16 * i), 1
        .set    i, i + 1
        .endr

        ilhu    $76, 0x0001
        iohl    $76, 0x0203
        ilhu    $77, 0x0405
        iohl    $77, 0x0607
        ilhu    $78, 0x0809
        iohl    $78, 0x0a0b
        ilhu    $79, 0x0c0d
        iohl    $79, 0x0e0f

        /* OFFSET_A: vector i of column u lies u * a_stride + 16 * i behind the first. */
        il      $80, 0
        ori     $84, $7, 0
        shli    $88, $7, 1
        a       $92, $88, $7
        .set    u, 0
        .rept   4
        .set    i, 1
        .rept   3
        immediate ai, %(OFFSET_A + 4 * u + i), %(OFFSET_A + 4 * u), %(16 * i)
        .set    i, i + 1
        .endr
        .set    u, u + 1
        .endr

        /* STEP is (4 * a_stride, 16), START is (a, -4 * inner). */
        set_counters 2, 2
        ori     $9, $12, 0

        /* B_END: 8 columns too early, since every tile begins with a step of 8. */
        shli    $99, $8, 3
        a       $15, $5, $14
        sf      $68, $99, $15
        .set    j, 1
        .rept   7
        op3     a, %(B_END + j), %(B_END + j - 1), 8
        .set    j, j + 1
        .endr

        /* Before the first tile there is none to store: what stands for it goes into the frame. */
        shli    $102, $6, 3
        ai      $100, $1, 32
        il      $101, 0
        br      .Lnext_tile

.Lfinish:
        .set    i, 0
        .rept   SAVED_COUNT
        memory  lqd, %(SAVED + i), %(32 + SPARE_BYTES + 16 * i), 1
        .set    i, i + 1
        .endr
        ai      $1, $1, FRAME_BYTES
        bi      $0
        .size   multiply_tiles_single, . - multiply_tiles_single
