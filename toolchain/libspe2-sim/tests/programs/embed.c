/* An SPE program as part of a PPE program, as the embedding tools of an SPU toolchain make it: the ELF file,
 * aligned to 128 bytes, and its handle.  IMAGE is the path of the file.
 */
#include <libspe2-types.h>

__asm__(".data\n"
        ".balign 128\n"
        "spe_program_image:\n"
        ".incbin \"" IMAGE "\"\n"
        ".balign 16\n"
        ".previous\n");

extern char spe_program_image[];

spe_program_handle_t spe_program = {sizeof(spe_program_handle_t), spe_program_image, 0};
