/* Sizes and offsets of the binary interface.  The compiler of any target with 32-bit or 64-bit pointers
 * checks them. */
#include <stddef.h>

#include "libspe2-types.h"

#define WIDE (sizeof(void *) == 8)
#define SIZE(type, narrow, wide) _Static_assert(sizeof(type) == (WIDE ? (wide) : (narrow)), "size of " #type)
#define AT(type, field, narrow, wide)                                                                                 \
    _Static_assert(offsetof(type, field) == (WIDE ? (wide) : (narrow)), "offset of " #field " in " #type)

SIZE(spe_program_handle_t, 12, 24);
AT(spe_program_handle_t, elf_image, 4, 8);
AT(spe_program_handle_t, toe_shadow, 8, 16);
AT(struct spe_context, base_private, 12, 24);
AT(struct spe_context, event_private, 16, 32);

#if defined(__i386__)
/* The only ABI of these that aligns long long to 4 within structures. */
SIZE(spe_stop_info_t, 16, 0);
AT(spe_stop_info_t, result, 4, 0);
AT(spe_stop_info_t, spu_status, 12, 0);
#else
SIZE(spe_stop_info_t, 24, 24);
AT(spe_stop_info_t, result, 8, 8);
AT(spe_stop_info_t, spu_status, 16, 16);
#endif
SIZE(spe_event_data_t, 8, 8);
SIZE(spe_event_unit_t, 16, 24);
AT(spe_event_unit_t, spe, 4, 8);
AT(spe_event_unit_t, data, 8, 16);
SIZE(enum ps_area, 4, 4);

AT(spe_mfc_command_area_t, MFC_LSA, 0x4, 0x4);
AT(spe_mfc_command_area_t, MFC_ClassID_CMD, 0x14, 0x14);
AT(spe_mfc_command_area_t, MFC_CMDStatus, 0x14, 0x14);
AT(spe_mfc_command_area_t, MFC_QStatus, 0x104, 0x104);
AT(spe_mfc_command_area_t, Prxy_QueryType, 0x204, 0x204);
AT(spe_mfc_command_area_t, Prxy_QueryMask, 0x21c, 0x21c);
AT(spe_mfc_command_area_t, Prxy_TagStatus, 0x22c, 0x22c);
AT(spe_spu_control_area_t, SPU_Out_Mbox, 0x4, 0x4);
AT(spe_spu_control_area_t, SPU_In_Mbox, 0xc, 0xc);
AT(spe_spu_control_area_t, SPU_Mbox_Stat, 0x14, 0x14);
AT(spe_spu_control_area_t, SPU_RunCntl, 0x1c, 0x1c);
AT(spe_spu_control_area_t, SPU_Status, 0x24, 0x24);
AT(spe_spu_control_area_t, SPU_NPC, 0x34, 0x34);
AT(spe_sig_notify_1_area_t, SPU_Sig_Notify_1, 0xc, 0xc);
AT(spe_sig_notify_2_area_t, SPU_Sig_Notify_2, 0xc, 0xc);
