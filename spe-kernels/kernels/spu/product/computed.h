/* computed.h - assembler macros for multiply_single.S and multiply_double.S: instructions on computed
 * register numbers.
 *
 * An SPE issues an instruction of the even pipe (arithmetic) and one of the odd pipe (loads, shuffles,
 * branches) in one cycle if they stand in this order in an aligned pair.
 */
        .altmacro

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
