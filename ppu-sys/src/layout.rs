//! The layout of the binary interface, checked for the target at hand (32 or 64 bit).

use memoffset::{offset_of, offset_of_union};
use static_assertions::const_assert_eq;

use crate::{
    spe_context, spe_event_data, spe_event_unit, spe_mfc_command_area, spe_program_handle,
    spe_sig_notify_1_area, spe_sig_notify_2_area, spe_spu_control_area, spe_stop_info,
};

/// Size of a pointer in bytes.
const POINTER: usize = size_of::<usize>();

const_assert_eq!(size_of::<spe_program_handle>(), 3 * POINTER);
const_assert_eq!(offset_of!(spe_program_handle, elf_image), POINTER);
const_assert_eq!(offset_of!(spe_program_handle, toe_shadow), 2 * POINTER);
const_assert_eq!(offset_of!(spe_context, base_private), 3 * POINTER);
const_assert_eq!(offset_of!(spe_context, event_private), 4 * POINTER);

// The result is as wide and aligned as a long long: to 8 bytes everywhere but on i386.
const_assert_eq!(offset_of!(spe_stop_info, result), align_of::<u64>());
const_assert_eq!(offset_of!(spe_stop_info, spu_status), align_of::<u64>() + 8);
const_assert_eq!(size_of::<spe_stop_info>(), 2 * align_of::<u64>() + 8);

const_assert_eq!(size_of::<spe_event_data>(), 8);
const_assert_eq!(offset_of_union!(spe_event_data, u64_), 0);
const_assert_eq!(offset_of!(spe_event_unit, spe), POINTER);
const_assert_eq!(offset_of!(spe_event_unit, data), 2 * POINTER);

// Cell Broadband Engine Architecture, problem-state map.
const_assert_eq!(offset_of!(spe_mfc_command_area, MFC_LSA), 0x4);
const_assert_eq!(offset_of!(spe_mfc_command_area, MFC_QStatus), 0x104);
const_assert_eq!(offset_of!(spe_mfc_command_area, Prxy_QueryType), 0x204);
const_assert_eq!(offset_of!(spe_mfc_command_area, Prxy_QueryMask), 0x21c);
const_assert_eq!(offset_of!(spe_mfc_command_area, Prxy_TagStatus), 0x22c);
const_assert_eq!(offset_of!(spe_spu_control_area, SPU_Out_Mbox), 0x4);
const_assert_eq!(offset_of!(spe_spu_control_area, SPU_In_Mbox), 0xc);
const_assert_eq!(offset_of!(spe_spu_control_area, SPU_Mbox_Stat), 0x14);
const_assert_eq!(offset_of!(spe_spu_control_area, SPU_RunCntl), 0x1c);
const_assert_eq!(offset_of!(spe_spu_control_area, SPU_Status), 0x24);
const_assert_eq!(offset_of!(spe_spu_control_area, SPU_NPC), 0x34);
const_assert_eq!(offset_of!(spe_sig_notify_1_area, SPU_Sig_Notify_1), 0xc);
const_assert_eq!(offset_of!(spe_sig_notify_2_area, SPU_Sig_Notify_2), 0xc);
