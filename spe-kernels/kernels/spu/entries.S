/* entries.S - the overlay area, and the branches at its beginning: one for each kernel of an overlay.
 *
 * Without OVERLAY this is the area, for the image.  It has a symbol for each branch, overlay_NAME_single and
 * overlay_NAME_double.  With OVERLAY, the name of an overlay, these are the branches of this overlay.
 */

#ifdef OVERLAY
        .section .text.entries, "ax", @progbits
        .global overlay_entries
overlay_entries:
        .ifc    OVERLAY, REDUCTION
        br      reduction_execute
        .endif
        .ifc    OVERLAY, MOVE
        br      move_execute
        .endif
        .ifc    OVERLAY, GATHER
        br      gather_execute
        .endif
        .ifc    OVERLAY, CUMULATIVE
        br      cumulative_execute
        .endif
        .ifc    OVERLAY, NORM
        br      norm_execute
        .endif
        .macro  entry residence, name
        .ifc    \residence, OVERLAY
        br      \name\()_single_v16
        br      \name\()_double_v16
        .endif
        .endm
#else
        .section .bss.overlay, "aw", @nobits
        .balign 128
        .global overlay_area
        .type   overlay_area, @object
overlay_area:
        .skip   OVERLAY_BYTES
        .size   overlay_area, OVERLAY_BYTES

        .global overlay_direct
        .set    overlay_direct, overlay_area

        /* The next branch of an overlay is place_OVERLAY bytes behind the beginning of the area. */
        .macro  entry residence, name
        .ifnc   \residence, HOST
        .ifnc   \residence, SPE
        .ifndef place_\residence
        .set    place_\residence, 0
        .endif
        .global overlay_\name\()_single, overlay_\name\()_double
        .set    overlay_\name\()_single, overlay_area + place_\residence
        .set    overlay_\name\()_double, overlay_area + place_\residence + 4
        .set    place_\residence, place_\residence + 8
        .endif
        .endif
        .endm
#endif

#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, residence, meaning) \
        entry residence, name
#include "operations.def"
