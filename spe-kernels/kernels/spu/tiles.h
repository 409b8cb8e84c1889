/* tiles.h - assembler macros for the inner loops of the matrix product: instructions on computed register numbers, and the
 * parts of a schedule, for multiply_single.S and multiply_double.S, which define the registers and multiply_add.
 *
 * An SPE issues an instruction of the even pipe (arithmetic) and one of the odd pipe (loads, shuffles, branches) in one
 * cycle if they stand in this order in an aligned pair.  Beside the multiply-adds of one step along the sums, on the odd
 * pipe,
 *
 *   load_a   fetches the vectors of the next column of a into one set of registers while the other is in use,
 *   spread   spreads the next element of a column of b over a vector once the present one has been used,
 *   load_b   fetches the next vector of a column of b once all its present elements have been spread.
 *
 * INDEX counts for both operands: its first word is an address in a, its second the distance to the end of the columns of
 * b, which is zero once the last turn has begun.
 */
        .altmacro

        /* Instructions on computed register numbers. */
        .macro  op3 name, t, x, y
        \name   $\t, $\x, $\y
        .endm
        .macro  op4 name, t, x, y, z
        \name   $\t, $\x, $\y, $\z
        .endm
        .macro  immediate name, t, x, value
        \name   $\t, $\x, \value
        .endm
        .macro  constant name, t, value
        \name   $\t, \value
        .endm
        .macro  memory name, t, offset, x
        \name   $\t, \offset($\x)
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

        /* The multiply-adds of a column beside two or four odd instructions, each a macro of two arguments. */
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

        /* Stores a column of the finished tile and clears its sums, the last one with the next column.  The next
         * instruction may be an odd one. */
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

        /* Adds the addend to `count` sums by the instruction `name`.  It is fetched, 8 vectors ahead, into the `room`
         * registers from A on, whose operands are no longer needed. */
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

        /* Makes STEP of (2^steps * a_stride, 16) and START of (a, -length), where the length of a column of b is
         * 2^element * inner bytes and stays in register 14.  Uses 13 and 15. */
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
