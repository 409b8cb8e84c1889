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
