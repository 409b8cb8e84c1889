/* multiply_single.S - the inner loops of the single-precision product on an SPE.
 *
 *   void multiply_tiles_single (const vector unsigned int *plan, const char *a, uint32_t a_stride,
 *                               const char *state, uint32_t b_stride, uint32_t count, uint32_t unused,
 *                               uint32_t mode)
 *
 * result = a b, or result + a b, in tiles of 16 rows and 8 columns: strips of `count` tiles side by side,
 * strip below strip.  `a` is where the last turn of a tile finds its columns.  Of `plan`, `state` and `mode`,
 * which multiply.c makes, see single.h.
 *
 * A tile is computed in turns of four steps along the sums: 128 multiply-adds, one in each cycle.  The even
 * pipe has hardly anything else to do, since the odd pipe, which has room, does the rest:
 *
 * - It counts.  INDEX holds, in halfwords and units of 16 bytes, where four turns find their columns of a and
 *   their elements of b; rotating it leads from one turn to the next, so that one addition serves four turns.
 * - It decides.  The code of the next turn is in a table of states, and a hint names it early.  Distances in
 *   a are negative until the last turn of a tile: the sign selects between two entries.
 * - It stores.  The first turn of a tile, whose first three quarters have code of their own, stores the tile
 *   before.  Sums begin with a product instead of a zero, the first two columns in other registers until the
 *   old sums are on their way.
 *
 * So a tile takes 128 cycles a turn, one for every fourth turn, and five more.  To accumulate takes another
 * 32, since the sum is added to the result when it is complete.
 *
 * Two columns at a time take all steps of a turn: 8 cycles lie between the multiply-adds of one sum, of which
 * each takes 6.  Columns and vectors are stored from the last to the first, so that columns and vectors
 * outside of the result may have the address of the first.  A hinted target has an hbrp among its first 6
 * instructions and another among its first 22, without which a Cell BE may hang.
 */
#include "computed.h"
#include "single.h"

        /* Registers. */
        .set INDEX, 2           /* of the next turn and three more: distance in a, address in b */
        .set PLAN, 3
        .set INDEX_A, 4         /* of the turn whose operands are being fetched, in bytes */
        .set INDEX_B, 5
        .set STATE, 6           /* address of the entries for the next turn; where the code of this turn is */
        .set ENTRY, 7           /* parts of INDEX; then which entry is next; then the code of the next turn */
        .set COUNT, 8           /* tiles until the strip ends */
        .set STRIPS, 9
        .set MODE, 10           /* which word of STATE */
        .set PATTERN_ENTRY, 11
        .set A, 12              /* 4 columns of 4 vectors */
        .set B, 28              /* four elements of each of 8 columns */
        .set FACTOR, 36         /* one element of each of 8 columns, spread */
        .set SPARE, 44          /* 8 addends, or 8 sums of a tile that begins */
        .set PATTERN, 52        /* of the shuffles that spread elements 0 to 3 */
        .set TO, 56             /* 4 vectors of the first column of the tile */
        .set NEXT_TO, 60        /* the next tile, in one register; the first of what the plan holds */
        .set TO_STEP, 61
        .set START, 62          /* INDEX as the tile began */
        .set STEP, 63           /* of INDEX, four turns */
        .set TILE, 64           /* of START, from tile to tile, less STEP */
        .set COLUMN, 64         /* with 1 to 7: distances of the result's columns */
        .set COLUMN_B, 71       /* with 1 to 7: of b's */
        .set SPARE_8, 79        /* one more addend */
        .set OFFSET_A, 80       /* 4 columns of 4 vectors: where they are in the last turn */
        .set SUM, 96            /* 8 columns of 4 vectors */
        .set SAVED, 80
        .set SAVED_COUNT, 48
        .set SPARE_BYTES, 16    /* of the frame, behind the caller's link */
        .set FRAME_BYTES, 32 + SPARE_BYTES + 16 * SAVED_COUNT

        /* The n-th vector of a tile in the order of stores is vector 3 - n % 4 of column 7 - n / 4. */
        .macro  addend n
        .if     (n) == 8
        access  lq, %(SPARE_8), 5, 3
        .else
        access  lq, %(SPARE + (n) % 8), %(7 - (n) / 4), %(3 - (n) % 4)
        .endif
        .endm
        .macro  access name, register, column, vector
        .if     column
        op3     \name\()x, register, %(COLUMN + (column)), %(TO + (vector))
        .else
        memory  \name\()d, register, 0, %(TO + (vector))
        .endif
        .endm
        .macro  store column, vector
        access  stq, %(SUM + 4 * (column) + (vector)), column, vector
        .endm
        .macro  load_a step, vector
        op3     lqx, %(A + 4 * (step) + (vector)), %(OFFSET_A + 4 * (step) + (vector)), %(INDEX_A)
        .endm
        .macro  load_b column
        .if     column
        op3     lqx, %(B + (column)), %(COLUMN_B + (column)), %(INDEX_B)
        .else
        memory  lqd, %(B), 0, %(INDEX_B)
        .endif
        .endm
        .macro  spread step, column
        op4     shufb, %(FACTOR + (column)), %(B + (column)), %(B + (column)), %(PATTERN + (step))
        .endm

        /* From INDEX to the operands and the code of the next turn.  The state's entries are 0xf0 bytes
         * apart, which the upper byte of a negative distance selects. */
        .macro  take_entry
        op4     shufb, %(ENTRY), %(INDEX), %(INDEX), %(PATTERN_ENTRY)
        .endm
        .macro  index_a
        immediate shlqbii, %(INDEX_A), %(ENTRY), 4
        .endm
        .macro  index_b
        immediate rotqbyi, %(INDEX_B), %(INDEX_A), 4
        .endm
        .macro  sign
        immediate rotqbyi, %(ENTRY), %(ENTRY), 8
        .endm
        .macro  next_state
        op3     lqx, %(STATE), %(STATE), %(ENTRY)
        .endm
        .macro  next_code
        op3     rotqby, %(ENTRY), %(STATE), %(MODE)
        .endm
        .macro  turn_index
        immediate rotqbyi, %(INDEX), %(INDEX), 4
        .endm
        .macro  start
        immediate rotqbyi, %(START), %(INDEX), 8
        .endm
        .macro  clear column, vector
        constant fsmbi, %(SUM + 4 * (column) + (vector)), 0
        .endm
        .macro  branch name, label, target
\label:
        \name   \target
        .endm
        .macro  to vector
        immediate rotqbyi, %(TO + (vector)), %(NEXT_TO), %(4 * (vector))
        .endm

        .macro  multiply_add step, column, vector
        .if     (is_first) && ((step) == 0) && ((column) >= 6)
        op3     fm, %(SPARE + 4 * (7 - (column)) + 3 - (vector)), %(A + (vector)), %(FACTOR + (column))
        .elseif (is_first) && ((step) == 0)
        op3     fm, %(SUM + 4 * (column) + (vector)), %(A + (vector)), %(FACTOR + (column))
        .elseif (is_first) && ((step) == 1) && ((column) >= 6)
        op4     fma, %(SUM + 4 * (column) + (vector)), %(A + 4 + (vector)), %(FACTOR + (column)), %(SPARE + 4 * (7 - (column)) + 3 - (vector))
        .else
        op4     fma, %(SUM + 4 * (column) + (vector)), %(A + 4 * (step) + (vector)), %(FACTOR + (column)), %(SUM + 4 * (column) + (vector))
        .endif
        .endm

        /* A step of a column beside four odd instructions. */
        .macro  column step, column, odd1, odd2, odd3, odd4
        multiply_add step, column, 3
        \odd1
        multiply_add step, column, 2
        \odd2
        multiply_add step, column, 1
        \odd3
        multiply_add step, column, 0
        \odd4
        .endm

        .section .text.multiply_tiles_single, "ax"

        /* Instructions are fetched by lines of 128 bytes: the target of a branch had better lie in the first
         * half of one.  The last turn of a tile fetches the first operands of the next. */
        .align  7
.Llast_turn:
        ah      $2, $62, $64
        lnop
.Lfourth_turn:
        ah      $2, $2, $63
        lnop
.Lturn:
        .set    is_first, 0
        column  0, 7, <hbrp>, <load_a 3, 3>, <load_a 3, 2>, <spread 1, 7>
        column  0, 6, <load_a 3, 1>, <load_a 3, 0>, <load_b 1>, <spread 1, 6>
        column  1, 7, <hbrp>, <load_b 0>, <take_entry>, <spread 2, 7>
        column  1, 6, <lnop>, <spread 0, 1>, <turn_index>, <spread 2, 6>
        column  2, 7, <spread 0, 0>, <index_a>, <lnop>, <spread 3, 7>
        column  2, 6, <sign>, <lnop>, <index_b>, <spread 3, 6>
        column  3, 7, <lnop>, <lnop>, <next_state>, <lnop>
        column  3, 6, <lnop>, <lnop>, <lnop>, <lnop>

        column  0, 5, <load_b 7>, <load_b 6>, <lnop>, <spread 1, 5>
        column  0, 4, <lnop>, <lnop>, <lnop>, <spread 1, 4>
        column  1, 5, <spread 0, 7>, <spread 0, 6>, <lnop>, <spread 2, 5>
        column  1, 4, <lnop>, <lnop>, <lnop>, <spread 2, 4>
        column  2, 5, <lnop>, <lnop>, <lnop>, <spread 3, 5>
        column  2, 4, <lnop>, <lnop>, <lnop>, <spread 3, 4>
        column  3, 5, <lnop>, <lnop>, <lnop>, <lnop>
        column  3, 4, <lnop>, <lnop>, <lnop>, <lnop>

        column  0, 3, <load_b 5>, <load_b 4>, <lnop>, <spread 1, 3>
        column  0, 2, <lnop>, <lnop>, <lnop>, <spread 1, 2>
        column  1, 3, <spread 0, 5>, <spread 0, 4>, <lnop>, <spread 2, 3>
        column  1, 2, <lnop>, <lnop>, <lnop>, <spread 2, 2>
        column  2, 3, <lnop>, <lnop>, <lnop>, <spread 3, 3>
        column  2, 2, <lnop>, <lnop>, <lnop>, <spread 3, 2>
        column  3, 3, <addend 0>, <addend 1>, <addend 2>, <addend 8>
        column  3, 2, <lnop>, <lnop>, <lnop>, <lnop>

.Llast_columns:
        column  0, 1, <hbrp>, <next_code>, <load_b 3>, <spread 1, 1>
        column  0, 0, <load_b 2>, <hbrp>, <hbr .Lturn_end, $7>, <spread 1, 0>
        column  1, 1, <load_a 0, 3>, <load_a 0, 2>, <load_a 0, 1>, <spread 2, 1>
        column  1, 0, <load_a 0, 0>, <spread 0, 3>, <spread 0, 2>, <spread 2, 0>
        column  2, 1, <load_a 1, 3>, <load_a 1, 2>, <load_a 1, 1>, <spread 3, 1>
        column  2, 0, <load_a 1, 0>, <addend 3>, <addend 4>, <spread 3, 0>
        column  3, 1, <load_a 2, 3>, <load_a 2, 2>, <load_a 2, 1>, <addend 5>
        column  3, 0, <load_a 2, 0>, <addend 6>, <addend 7>, <branch bi, .Lturn_end, $7>

        /* Adds what the result was, to accumulate; the first 9 addends have been fetched.  Where a tile has
         * one turn, INDEX goes on here. */
.Ladd_only_turn:
        ah      $2, $62, $64
        lnop
.Ladd:
        .set    n, 0
        .rept   32
        .if     n == 8
        op3     fa, %(SUM + 31 - n), %(SUM + 31 - n), %(SPARE_8)
        .else
        op3     fa, %(SUM + 31 - n), %(SUM + 31 - n), %(SPARE + n % 8)
        .endif
        .if     (n % 8 == 0) && (n < 16)
        hbrp
        .elseif n < 8
        addend  %(n + 8)
        .elseif (n > 8) && (n < 16)
        addend  %(n + 7)
        .elseif (n > 16) && (n < 26)
        addend  %(n + 6)
        .else
        lnop
        .endif
        .set    n, n + 1
        .endr

        /* The first turn of a tile, but for its last columns; their sums are set to zero. */
.Lfirst_turn:
        .set    is_first, 1
        column  0, 7, <hbrp>, <store 7, 3>, <store 7, 2>, <spread 1, 7>
        column  0, 6, <store 7, 1>, <store 7, 0>, <load_a 3, 3>, <spread 1, 6>
        column  1, 7, <store 6, 3>, <store 6, 2>, <hbrp>, <spread 2, 7>
        column  1, 6, <store 6, 1>, <store 6, 0>, <load_a 3, 2>, <spread 2, 6>
        column  2, 7, <load_a 3, 1>, <load_a 3, 0>, <take_entry>, <spread 3, 7>
        column  2, 6, <load_b 1>, <load_b 0>, <index_a>, <spread 3, 6>
        column  3, 7, <store 5, 3>, <store 5, 2>, <sign>, <turn_index>
        column  3, 6, <index_b>, <spread 0, 1>, <spread 0, 0>, <store 5, 1>

        column  0, 5, <store 5, 0>, <store 4, 3>, <store 4, 2>, <spread 1, 5>
        column  0, 4, <store 4, 1>, <store 4, 0>, <next_state>, <spread 1, 4>
        column  1, 5, <load_b 7>, <load_b 6>, <store 3, 3>, <spread 2, 5>
        column  1, 4, <store 3, 2>, <store 3, 1>, <store 3, 0>, <spread 2, 4>
        column  2, 5, <spread 0, 7>, <spread 0, 6>, <start>, <spread 3, 5>
        column  2, 4, <store 2, 3>, <store 2, 2>, <store 2, 1>, <spread 3, 4>
        column  3, 5, <store 2, 0>, <store 1, 3>, <store 1, 2>, <store 1, 1>
        column  3, 4, <store 1, 0>, <store 0, 3>, <store 0, 2>, <store 0, 1>

        column  0, 3, <store 0, 0>, <load_b 5>, <load_b 4>, <spread 1, 3>
        ai      $8, $8, -1
        brhz    $9, .Lborder
.Lno_border:
        column  0, 2, <to 3>, <to 2>, <to 1>, <spread 1, 2>
        column  1, 3, <spread 0, 5>, <spread 0, 4>, <to 0>, <spread 2, 3>
        a       $60, $60, $61
        brz     $8, .Lstrip
.Lno_strip:
        column  1, 2, <hbrr .Lfirst_turn_end, .Llast_columns>, <clear 1, 3>, <clear 1, 2>, <spread 2, 2>
        column  2, 3, <clear 1, 1>, <clear 1, 0>, <clear 0, 3>, <spread 3, 3>
        column  2, 2, <clear 0, 2>, <clear 0, 1>, <clear 0, 0>, <spread 3, 2>
        column  3, 3, <addend 0>, <addend 1>, <addend 2>, <addend 8>
        column  3, 2, <lnop>, <lnop>, <lnop>, <branch br, .Lfirst_turn_end, .Llast_columns>

.Lonly_turn:
        ah      $2, $62, $64
        br      .Lfirst_turn

        /* In the first turn of a strip's last tile: the tile behind it begins the next strip. */
.Lstrip:
        memory  lqd, %(SPARE), %(16 * SINGLE_STRIP), %(PLAN)
        memory  lqd, %(SPARE + 1), %(16 * SINGLE_STRIP_TO), %(PLAN)
        memory  lqd, 8, %(16 * SINGLE_COUNT), %(PLAN)
        ai      $9, $9, -1
        op3     ah, %(START), %(START), %(SPARE)
        op3     a, %(NEXT_TO), %(NEXT_TO), %(SPARE + 1)
        br      .Lno_strip

        /* Once the last tile has been stored, or what stood for one before the first: then the columns get
         * their places. */
.Lborder:
        brz     $9, .Lfinish
        memory  lqd, %(COLUMN + 1), %(16 * SINGLE_STRIDE), %(PLAN)
        memory  lqd, %(SPARE), %(16 * SINGLE_VALID), %(PLAN)
        memory  lqd, %(STRIPS), %(16 * SINGLE_STRIPS), %(PLAN)
        .set    j, 2
        .rept   6
        op3     a, %(COLUMN + j), %(COLUMN + j - 1), %(COLUMN + 1)
        immediate cgti, %(SPARE + j - 1), %(SPARE), %(j)
        .set    j, j + 1
        .endr
        immediate cgti, %(SPARE), %(SPARE), 1
        .set    j, 1
        .rept   7
        op3     and, %(COLUMN + j), %(COLUMN + j), %(SPARE + j - 1)
        .set    j, j + 1
        .endr
        br      .Lno_border

        .global multiply_tiles_single
        .type   multiply_tiles_single, @function
        .align  3
multiply_tiles_single:
        il      $2, -FRAME_BYTES
        a       $1, $1, $2
        .set    i, 0
        .rept   SAVED_COUNT
        memory  stqd, %(SAVED + i), %(32 + SPARE_BYTES + 16 * i), 1
        .set    i, i + 1
        .endr

        /* OFFSET_A: vector i of column u lies u * a_stride + 16 * i behind the first. */
        ori     $80, $4, 0
        .set    u, 0
        .rept   4
        .if     u > 0
        op3     a, %(OFFSET_A + 4 * u), %(OFFSET_A + 4 * u - 4), 5
        .endif
        .set    i, 1
        .rept   3
        immediate ai, %(OFFSET_A + 4 * u + i), %(OFFSET_A + 4 * u), %(16 * i)
        .set    i, i + 1
        .endr
        .set    u, u + 1
        .endr

        .set    i, 0
        .rept   5
        memory  lqd, %(NEXT_TO + i), %(16 * (SINGLE_TO + i)), %(PLAN)
        .set    i, i + 1
        .endr
        .set    i, 0
        .rept   4
        constant lqr, %(PATTERN + i), .Lpatterns + 16 * i
        immediate ai, %(TO + i), 1, 32
        .set    i, i + 1
        .endr
        constant lqr, %(PATTERN_ENTRY), .Lpatterns + 64

        /* Before the first tile comes the last turn of a tile that does not exist.  The tile is stored in the
         * frame, all columns in one place. */
        ori     $72, $7, 0
        .set    j, 2
        .rept   6
        op3     a, %(COLUMN_B + j), %(COLUMN_B + j - 1), %(COLUMN_B + 1)
        .set    j, j + 1
        .endr
        .set    j, 1
        .rept   7
        constant il, %(COLUMN + j), 0
        .set    j, j + 1
        .endr
        ilhu    $9, 1
        br      .Llast_turn

.Lfinish:
        .set    i, 0
        .rept   SAVED_COUNT
        memory  lqd, %(SAVED + i), %(32 + SPARE_BYTES + 16 * i), 1
        .set    i, i + 1
        .endr
        il      $2, FRAME_BYTES
        a       $1, $1, $2
        bi      $0
        .size   multiply_tiles_single, . - multiply_tiles_single

        /* A state says where the next turn's two entries are, and where the code of this turn is: to
         * multiply, and to accumulate.  The entry that follows from a distance which is not negative comes
         * first, the other 0xf0 bytes behind it. */
        .section .rodata.multiply_tiles_single, "a"
        .align  4
        .macro  state number, first, second
        .long   .Lstates + 16 * number, first, second, 0
        .endm
        .global multiply_single_states
        .type   multiply_single_states, @object
multiply_single_states:
.Lstates:
        /* The next turn's number, from 0 in each tile: one more than a multiple of 4, two more, three more,
         * none more. */
        .rept   4
        state   4, .Llast_turn, .Llast_turn
        .endr
        state   0, .Lfirst_turn, .Ladd
        state   5, .Lonly_turn, .Ladd_only_turn
.Lpatterns:
        .long   0x00010203, 0x00010203, 0x00010203, 0x00010203
        .long   0x04050607, 0x04050607, 0x04050607, 0x04050607
        .long   0x08090a0b, 0x08090a0b, 0x08090a0b, 0x08090a0b
        .long   0x0c0d0e0f, 0x0c0d0e0f, 0x0c0d0e0f, 0x0c0d0e0f
        /* Of the first entry: distance in a, address in b, upper byte of the distance. */
        .long   0x80800001, 0x80800203, 0x80808000, 0x80808080
        .skip   0xf0 - 16 * 11
        state   1, .Lturn, .Lturn
        state   2, .Lturn, .Lturn
        state   3, .Lfourth_turn, .Lfourth_turn
        state   0, .Lturn, .Lturn
        state   0, .Lfirst_turn, .Ladd
        state   5, .Lonly_turn, .Ladd_only_turn
        .size   multiply_single_states, . - multiply_single_states
