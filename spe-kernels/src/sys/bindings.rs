// Generated from host/run.h by toolchain/bindings (UPDATE_BINDINGS=1 cargo test -p bindings replaces it).

use super::kernel_table;

pub const MEU_PROTOCOL_VERSION: u32 = 11;
pub const MEU_LINE_BYTES: u32 = 128;
pub const MEU_RING_LINES: u32 = 128;
pub const MEU_RECORD_LINES: u32 = 6;
pub const MEU_RECORD_BLOCKS: u32 = 3;
pub const MEU_LINE_BLOCKS: u32 = 4;
pub const MEU_LINE_STEPS: u32 = 8;
pub const MEU_MAILBOX_DEPTH: u32 = 4;
pub const MEU_LOCAL_STORE_BYTES: u32 = 262144;
pub const MEU_CODE_BYTES: u32 = 29952;
pub const MEU_OVERLAY_BYTES: u32 = 4608;
pub const MEU_BUFFER_COUNT: u32 = 3;
pub const MEU_BUFFER_BYTES: u32 = 76288;
pub const MEU_BLOCK_BYTES: u32 = 38144;
pub const MEU_WORD_TERMINATE: u32 = 4294967295;
pub const MOVE_MOST_APART: u32 = 16;
pub const PROGRAM_STEPS: u32 = 16;
pub const PROGRAM_INPUTS: u32 = 8;
pub const PROGRAM_STRIPS: u32 = 16;
pub const PROGRAM_RESULTS: u32 = 4;
pub const PROGRAM_STRIP_BYTES: u32 = 4096;
pub const MEU_TRANSPOSED_A: u32 = 1;
pub const MEU_TRANSPOSED_B: u32 = 2;
pub const MEU_PROGRAM: u32 = 255;
pub const MEU_FLAG_PROFILE: u32 = 1;
pub const MEU_FLAG_MEMORY: u32 = 2;
pub const KERNEL_WIDEST_BYTES: u32 = 64;
pub const KERNEL_DOT_COLUMNS: u32 = 4;
pub const KERNEL_PRECISION_COUNT: u32 = 3;
pub const MEMORY_WORK_BYTES: u32 = 1048576;
pub const MEMORY_STEP_LENGTH: u32 = 128;
pub const MEMORY_TRANSPOSED_LENGTH: u32 = 4096;
pub const MEU_RESIDENCE_HOST: meu_residence = 0;
pub const MEU_RESIDENCE_SPE: meu_residence = 1;
pub const MEU_RESIDENCE_SIMPLE: meu_residence = 2;
pub const MEU_RESIDENCE_EXPONENTIAL: meu_residence = 3;
pub const MEU_RESIDENCE_LOGARITHM: meu_residence = 4;
pub const MEU_RESIDENCE_CIRCULAR: meu_residence = 5;
pub const MEU_RESIDENCE_LOGIC: meu_residence = 6;
pub const MEU_RESIDENCE_ARC: meu_residence = 7;
pub const MEU_RESIDENCE_ERROR: meu_residence = 8;
pub const MEU_RESIDENCE_REDUCTION: meu_residence = 9;
pub const MEU_RESIDENCE_MOVE: meu_residence = 10;
pub const MEU_RESIDENCE_GATHER: meu_residence = 11;
pub const MEU_RESIDENCE_CUMULATIVE: meu_residence = 12;
pub const MEU_RESIDENCE_NORM: meu_residence = 13;
pub const MEU_RESIDENCE_END: meu_residence = 14;
pub type meu_residence = ::core::ffi::c_uint;
pub const MEU_FORM_BLOCKS: meu_form = 0;
pub const MEU_FORM_SCALAR_RIGHT: meu_form = 1;
pub const MEU_FORM_SCALAR_LEFT: meu_form = 2;
pub type meu_form = ::core::ffi::c_uint;
pub const MEU_MOVE_BELOW: meu_move = 0;
pub const MEU_MOVE_BESIDE: meu_move = 1;
pub const MEU_MOVE_TRANSPOSED: meu_move = 2;
pub const MEU_MOVE_BAND: meu_move = 3;
pub const MEU_MOVE_PICKED: meu_move = 4;
pub type meu_move = ::core::ffi::c_uint;
pub const MEU_SINGLE: meu_precision = 0;
pub const MEU_DOUBLE: meu_precision = 1;
pub const MEU_BYTE: meu_precision = 2;
pub type meu_precision = ::core::ffi::c_uint;
pub const MEU_STATUS_OK: meu_status = 0;
pub const MEU_STATUS_VERSION: meu_status = 1;
pub const MEU_STATUS_OPCODE: meu_status = 2;
pub const MEU_STATUS_SHAPE: meu_status = 3;
pub const MEU_STATUS_DMA: meu_status = 4;
pub const MEU_STATUS_DOMAIN: meu_status = 5;
pub type meu_status = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct meu_block {
    pub ea: u64,
    pub stride_bytes: u32,
    pub rows: u32,
    pub columns: u32,
    pub precision: u8,
    pub reserved: [u8; 11usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_block"][::core::mem::size_of::<meu_block>() - 32usize];
    ["Alignment of meu_block"][::core::mem::align_of::<meu_block>() - 8usize];
    ["Offset of field: meu_block::ea"][::core::mem::offset_of!(meu_block, ea) - 0usize];
    [
        "Offset of field: meu_block::stride_bytes",
    ][::core::mem::offset_of!(meu_block, stride_bytes) - 8usize];
    [
        "Offset of field: meu_block::rows",
    ][::core::mem::offset_of!(meu_block, rows) - 12usize];
    [
        "Offset of field: meu_block::columns",
    ][::core::mem::offset_of!(meu_block, columns) - 16usize];
    [
        "Offset of field: meu_block::precision",
    ][::core::mem::offset_of!(meu_block, precision) - 20usize];
    [
        "Offset of field: meu_block::reserved",
    ][::core::mem::offset_of!(meu_block, reserved) - 21usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct program_step {
    pub opcode: u8,
    pub form: u8,
    pub operands: [u8; 2usize],
    pub result: u8,
    pub reserved: [u8; 3usize],
    pub scalar: f64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of program_step"][::core::mem::size_of::<program_step>() - 16usize];
    ["Alignment of program_step"][::core::mem::align_of::<program_step>() - 8usize];
    [
        "Offset of field: program_step::opcode",
    ][::core::mem::offset_of!(program_step, opcode) - 0usize];
    [
        "Offset of field: program_step::form",
    ][::core::mem::offset_of!(program_step, form) - 1usize];
    [
        "Offset of field: program_step::operands",
    ][::core::mem::offset_of!(program_step, operands) - 2usize];
    [
        "Offset of field: program_step::result",
    ][::core::mem::offset_of!(program_step, result) - 4usize];
    [
        "Offset of field: program_step::reserved",
    ][::core::mem::offset_of!(program_step, reserved) - 5usize];
    [
        "Offset of field: program_step::scalar",
    ][::core::mem::offset_of!(program_step, scalar) - 8usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct meu_product {
    pub opcode: u8,
    pub transposed: u8,
    pub reserved: [u8; 6usize],
    pub parts: u16,
    pub longer: u16,
    pub divisor: u16,
    pub base: u16,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_product"][::core::mem::size_of::<meu_product>() - 16usize];
    ["Alignment of meu_product"][::core::mem::align_of::<meu_product>() - 2usize];
    [
        "Offset of field: meu_product::opcode",
    ][::core::mem::offset_of!(meu_product, opcode) - 0usize];
    [
        "Offset of field: meu_product::transposed",
    ][::core::mem::offset_of!(meu_product, transposed) - 1usize];
    [
        "Offset of field: meu_product::reserved",
    ][::core::mem::offset_of!(meu_product, reserved) - 2usize];
    [
        "Offset of field: meu_product::parts",
    ][::core::mem::offset_of!(meu_product, parts) - 8usize];
    [
        "Offset of field: meu_product::longer",
    ][::core::mem::offset_of!(meu_product, longer) - 10usize];
    [
        "Offset of field: meu_product::divisor",
    ][::core::mem::offset_of!(meu_product, divisor) - 12usize];
    [
        "Offset of field: meu_product::base",
    ][::core::mem::offset_of!(meu_product, base) - 14usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub union meu_work {
    pub step: program_step,
    pub product: meu_product,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_work"][::core::mem::size_of::<meu_work>() - 16usize];
    ["Alignment of meu_work"][::core::mem::align_of::<meu_work>() - 8usize];
    [
        "Offset of field: meu_work::step",
    ][::core::mem::offset_of!(meu_work, step) - 0usize];
    [
        "Offset of field: meu_work::product",
    ][::core::mem::offset_of!(meu_work, product) - 0usize];
};
impl Default for meu_work {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[repr(align(128))]
#[derive(Copy, Clone)]
pub struct meu_record {
    pub version: u8,
    pub flags: u8,
    pub input_count: u8,
    pub result_count: u8,
    pub step_count: u8,
    pub strip_count: u8,
    pub of_bytes: u8,
    pub reserved: u8,
    pub sequence: u32,
    pub inner: u32,
    pub work: meu_work,
    pub blocks: [meu_block; 3usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_record"][::core::mem::size_of::<meu_record>() - 128usize];
    ["Alignment of meu_record"][::core::mem::align_of::<meu_record>() - 128usize];
    [
        "Offset of field: meu_record::version",
    ][::core::mem::offset_of!(meu_record, version) - 0usize];
    [
        "Offset of field: meu_record::flags",
    ][::core::mem::offset_of!(meu_record, flags) - 1usize];
    [
        "Offset of field: meu_record::input_count",
    ][::core::mem::offset_of!(meu_record, input_count) - 2usize];
    [
        "Offset of field: meu_record::result_count",
    ][::core::mem::offset_of!(meu_record, result_count) - 3usize];
    [
        "Offset of field: meu_record::step_count",
    ][::core::mem::offset_of!(meu_record, step_count) - 4usize];
    [
        "Offset of field: meu_record::strip_count",
    ][::core::mem::offset_of!(meu_record, strip_count) - 5usize];
    [
        "Offset of field: meu_record::of_bytes",
    ][::core::mem::offset_of!(meu_record, of_bytes) - 6usize];
    [
        "Offset of field: meu_record::reserved",
    ][::core::mem::offset_of!(meu_record, reserved) - 7usize];
    [
        "Offset of field: meu_record::sequence",
    ][::core::mem::offset_of!(meu_record, sequence) - 8usize];
    [
        "Offset of field: meu_record::inner",
    ][::core::mem::offset_of!(meu_record, inner) - 12usize];
    [
        "Offset of field: meu_record::work",
    ][::core::mem::offset_of!(meu_record, work) - 16usize];
    [
        "Offset of field: meu_record::blocks",
    ][::core::mem::offset_of!(meu_record, blocks) - 32usize];
};
impl Default for meu_record {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[repr(align(128))]
#[derive(Debug, Copy, Clone)]
pub struct meu_gather {
    pub ea: u64,
    pub down_bytes: i64,
    pub right_bytes: i64,
    pub wrap_bytes: i64,
    pub turn_bytes: i64,
    pub row: u32,
    pub height: u32,
    pub down: u32,
    pub right: u32,
    pub column: u32,
    pub width: u32,
    pub rows: u32,
    pub columns: u32,
    pub diagonal: u32,
    pub to_row: u32,
    pub to_column: u32,
    pub reserved: [u8; 44usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_gather"][::core::mem::size_of::<meu_gather>() - 128usize];
    ["Alignment of meu_gather"][::core::mem::align_of::<meu_gather>() - 128usize];
    [
        "Offset of field: meu_gather::ea",
    ][::core::mem::offset_of!(meu_gather, ea) - 0usize];
    [
        "Offset of field: meu_gather::down_bytes",
    ][::core::mem::offset_of!(meu_gather, down_bytes) - 8usize];
    [
        "Offset of field: meu_gather::right_bytes",
    ][::core::mem::offset_of!(meu_gather, right_bytes) - 16usize];
    [
        "Offset of field: meu_gather::wrap_bytes",
    ][::core::mem::offset_of!(meu_gather, wrap_bytes) - 24usize];
    [
        "Offset of field: meu_gather::turn_bytes",
    ][::core::mem::offset_of!(meu_gather, turn_bytes) - 32usize];
    [
        "Offset of field: meu_gather::row",
    ][::core::mem::offset_of!(meu_gather, row) - 40usize];
    [
        "Offset of field: meu_gather::height",
    ][::core::mem::offset_of!(meu_gather, height) - 44usize];
    [
        "Offset of field: meu_gather::down",
    ][::core::mem::offset_of!(meu_gather, down) - 48usize];
    [
        "Offset of field: meu_gather::right",
    ][::core::mem::offset_of!(meu_gather, right) - 52usize];
    [
        "Offset of field: meu_gather::column",
    ][::core::mem::offset_of!(meu_gather, column) - 56usize];
    [
        "Offset of field: meu_gather::width",
    ][::core::mem::offset_of!(meu_gather, width) - 60usize];
    [
        "Offset of field: meu_gather::rows",
    ][::core::mem::offset_of!(meu_gather, rows) - 64usize];
    [
        "Offset of field: meu_gather::columns",
    ][::core::mem::offset_of!(meu_gather, columns) - 68usize];
    [
        "Offset of field: meu_gather::diagonal",
    ][::core::mem::offset_of!(meu_gather, diagonal) - 72usize];
    [
        "Offset of field: meu_gather::to_row",
    ][::core::mem::offset_of!(meu_gather, to_row) - 76usize];
    [
        "Offset of field: meu_gather::to_column",
    ][::core::mem::offset_of!(meu_gather, to_column) - 80usize];
    [
        "Offset of field: meu_gather::reserved",
    ][::core::mem::offset_of!(meu_gather, reserved) - 84usize];
};
impl Default for meu_gather {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[repr(align(8))]
#[derive(Debug, Default, Copy, Clone)]
pub struct meu_report {
    pub sequence: u32,
    pub status: u16,
    pub detail: u16,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_report"][::core::mem::size_of::<meu_report>() - 8usize];
    ["Alignment of meu_report"][::core::mem::align_of::<meu_report>() - 8usize];
    [
        "Offset of field: meu_report::sequence",
    ][::core::mem::offset_of!(meu_report, sequence) - 0usize];
    [
        "Offset of field: meu_report::status",
    ][::core::mem::offset_of!(meu_report, status) - 4usize];
    [
        "Offset of field: meu_report::detail",
    ][::core::mem::offset_of!(meu_report, detail) - 6usize];
};
#[repr(C)]
#[repr(align(128))]
#[derive(Debug, Copy, Clone)]
pub struct meu_completion {
    pub report: meu_report,
    pub fetch_ns: u64,
    pub execute_ns: u64,
    pub write_back_ns: u64,
    pub reserved: [u8; 96usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_completion"][::core::mem::size_of::<meu_completion>() - 128usize];
    [
        "Alignment of meu_completion",
    ][::core::mem::align_of::<meu_completion>() - 128usize];
    [
        "Offset of field: meu_completion::report",
    ][::core::mem::offset_of!(meu_completion, report) - 0usize];
    [
        "Offset of field: meu_completion::fetch_ns",
    ][::core::mem::offset_of!(meu_completion, fetch_ns) - 8usize];
    [
        "Offset of field: meu_completion::execute_ns",
    ][::core::mem::offset_of!(meu_completion, execute_ns) - 16usize];
    [
        "Offset of field: meu_completion::write_back_ns",
    ][::core::mem::offset_of!(meu_completion, write_back_ns) - 24usize];
    [
        "Offset of field: meu_completion::reserved",
    ][::core::mem::offset_of!(meu_completion, reserved) - 32usize];
};
impl Default for meu_completion {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[repr(align(128))]
#[derive(Debug, Copy, Clone)]
pub struct meu_parameters {
    pub ring_ea: u64,
    pub completion_ea: u64,
    pub overlays_ea: u64,
    pub version: u32,
    pub meu: u32,
    pub tick_ns_q16: u32,
    pub reserved: [u8; 92usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_parameters"][::core::mem::size_of::<meu_parameters>() - 128usize];
    [
        "Alignment of meu_parameters",
    ][::core::mem::align_of::<meu_parameters>() - 128usize];
    [
        "Offset of field: meu_parameters::ring_ea",
    ][::core::mem::offset_of!(meu_parameters, ring_ea) - 0usize];
    [
        "Offset of field: meu_parameters::completion_ea",
    ][::core::mem::offset_of!(meu_parameters, completion_ea) - 8usize];
    [
        "Offset of field: meu_parameters::overlays_ea",
    ][::core::mem::offset_of!(meu_parameters, overlays_ea) - 16usize];
    [
        "Offset of field: meu_parameters::version",
    ][::core::mem::offset_of!(meu_parameters, version) - 24usize];
    [
        "Offset of field: meu_parameters::meu",
    ][::core::mem::offset_of!(meu_parameters, meu) - 28usize];
    [
        "Offset of field: meu_parameters::tick_ns_q16",
    ][::core::mem::offset_of!(meu_parameters, tick_ns_q16) - 32usize];
    [
        "Offset of field: meu_parameters::reserved",
    ][::core::mem::offset_of!(meu_parameters, reserved) - 36usize];
};
impl Default for meu_parameters {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type kernel_elementwise = ::core::option::Option<
    unsafe extern "C" fn(
        result: *mut ::core::ffi::c_char,
        a: *const ::core::ffi::c_char,
        b: *const ::core::ffi::c_char,
        a_step: u32,
        b_step: u32,
        bytes: u32,
    ) -> u32,
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct kernel_product {
    pub result: *mut ::core::ffi::c_void,
    pub a: *const ::core::ffi::c_void,
    pub b: *const ::core::ffi::c_void,
    pub result_stride: u32,
    pub a_stride: u32,
    pub b_stride: u32,
    pub m: u32,
    pub n: u32,
    pub k: u32,
    pub accumulate: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of kernel_product"][::core::mem::size_of::<kernel_product>() - 56usize];
    ["Alignment of kernel_product"][::core::mem::align_of::<kernel_product>() - 8usize];
    [
        "Offset of field: kernel_product::result",
    ][::core::mem::offset_of!(kernel_product, result) - 0usize];
    [
        "Offset of field: kernel_product::a",
    ][::core::mem::offset_of!(kernel_product, a) - 8usize];
    [
        "Offset of field: kernel_product::b",
    ][::core::mem::offset_of!(kernel_product, b) - 16usize];
    [
        "Offset of field: kernel_product::result_stride",
    ][::core::mem::offset_of!(kernel_product, result_stride) - 24usize];
    [
        "Offset of field: kernel_product::a_stride",
    ][::core::mem::offset_of!(kernel_product, a_stride) - 28usize];
    [
        "Offset of field: kernel_product::b_stride",
    ][::core::mem::offset_of!(kernel_product, b_stride) - 32usize];
    [
        "Offset of field: kernel_product::m",
    ][::core::mem::offset_of!(kernel_product, m) - 36usize];
    [
        "Offset of field: kernel_product::n",
    ][::core::mem::offset_of!(kernel_product, n) - 40usize];
    [
        "Offset of field: kernel_product::k",
    ][::core::mem::offset_of!(kernel_product, k) - 44usize];
    [
        "Offset of field: kernel_product::accumulate",
    ][::core::mem::offset_of!(kernel_product, accumulate) - 48usize];
};
impl Default for kernel_product {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type kernel_multiply = ::core::option::Option<
    unsafe extern "C" fn(product: *const kernel_product),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct kernel_sums {
    pub product: kernel_product,
    pub lengths: *const u32,
    pub parts: u32,
    pub b_step: u32,
    pub result_step: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of kernel_sums"][::core::mem::size_of::<kernel_sums>() - 80usize];
    ["Alignment of kernel_sums"][::core::mem::align_of::<kernel_sums>() - 8usize];
    [
        "Offset of field: kernel_sums::product",
    ][::core::mem::offset_of!(kernel_sums, product) - 0usize];
    [
        "Offset of field: kernel_sums::lengths",
    ][::core::mem::offset_of!(kernel_sums, lengths) - 56usize];
    [
        "Offset of field: kernel_sums::parts",
    ][::core::mem::offset_of!(kernel_sums, parts) - 64usize];
    [
        "Offset of field: kernel_sums::b_step",
    ][::core::mem::offset_of!(kernel_sums, b_step) - 68usize];
    [
        "Offset of field: kernel_sums::result_step",
    ][::core::mem::offset_of!(kernel_sums, result_step) - 72usize];
};
impl Default for kernel_sums {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type kernel_multiply_sums = ::core::option::Option<
    unsafe extern "C" fn(sums: *const kernel_sums),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct kernel_transpose {
    pub to: *mut ::core::ffi::c_void,
    pub from: *const ::core::ffi::c_void,
    pub to_stride: u32,
    pub from_stride: u32,
    pub rows: u32,
    pub columns: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of kernel_transpose"][::core::mem::size_of::<kernel_transpose>() - 32usize];
    [
        "Alignment of kernel_transpose",
    ][::core::mem::align_of::<kernel_transpose>() - 8usize];
    [
        "Offset of field: kernel_transpose::to",
    ][::core::mem::offset_of!(kernel_transpose, to) - 0usize];
    [
        "Offset of field: kernel_transpose::from",
    ][::core::mem::offset_of!(kernel_transpose, from) - 8usize];
    [
        "Offset of field: kernel_transpose::to_stride",
    ][::core::mem::offset_of!(kernel_transpose, to_stride) - 16usize];
    [
        "Offset of field: kernel_transpose::from_stride",
    ][::core::mem::offset_of!(kernel_transpose, from_stride) - 20usize];
    [
        "Offset of field: kernel_transpose::rows",
    ][::core::mem::offset_of!(kernel_transpose, rows) - 24usize];
    [
        "Offset of field: kernel_transpose::columns",
    ][::core::mem::offset_of!(kernel_transpose, columns) - 28usize];
};
impl Default for kernel_transpose {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type kernel_transpose_block = ::core::option::Option<
    unsafe extern "C" fn(transpose: *const kernel_transpose),
>;
pub type kernel_truth = ::core::option::Option<
    unsafe extern "C" fn(
        to: *mut ::core::ffi::c_char,
        from: *const ::core::ffi::c_char,
        count: u32,
    ),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct kernel_block {
    pub data: *mut ::core::ffi::c_void,
    pub stride_bytes: u32,
    pub rows: u32,
    pub columns: u32,
    pub precision: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of kernel_block"][::core::mem::size_of::<kernel_block>() - 24usize];
    ["Alignment of kernel_block"][::core::mem::align_of::<kernel_block>() - 8usize];
    [
        "Offset of field: kernel_block::data",
    ][::core::mem::offset_of!(kernel_block, data) - 0usize];
    [
        "Offset of field: kernel_block::stride_bytes",
    ][::core::mem::offset_of!(kernel_block, stride_bytes) - 8usize];
    [
        "Offset of field: kernel_block::rows",
    ][::core::mem::offset_of!(kernel_block, rows) - 12usize];
    [
        "Offset of field: kernel_block::columns",
    ][::core::mem::offset_of!(kernel_block, columns) - 16usize];
    [
        "Offset of field: kernel_block::precision",
    ][::core::mem::offset_of!(kernel_block, precision) - 20usize];
};
impl Default for kernel_block {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct kernel_reduced {
    pub quadrant: u32,
    pub high: f64,
    pub low: f64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of kernel_reduced"][::core::mem::size_of::<kernel_reduced>() - 24usize];
    ["Alignment of kernel_reduced"][::core::mem::align_of::<kernel_reduced>() - 8usize];
    [
        "Offset of field: kernel_reduced::quadrant",
    ][::core::mem::offset_of!(kernel_reduced, quadrant) - 0usize];
    [
        "Offset of field: kernel_reduced::high",
    ][::core::mem::offset_of!(kernel_reduced, high) - 8usize];
    [
        "Offset of field: kernel_reduced::low",
    ][::core::mem::offset_of!(kernel_reduced, low) - 16usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct direct_matrix {
    pub ea: u64,
    pub stride_bytes: u64,
    pub rows: u32,
    pub columns: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of direct_matrix"][::core::mem::size_of::<direct_matrix>() - 24usize];
    ["Alignment of direct_matrix"][::core::mem::align_of::<direct_matrix>() - 8usize];
    [
        "Offset of field: direct_matrix::ea",
    ][::core::mem::offset_of!(direct_matrix, ea) - 0usize];
    [
        "Offset of field: direct_matrix::stride_bytes",
    ][::core::mem::offset_of!(direct_matrix, stride_bytes) - 8usize];
    [
        "Offset of field: direct_matrix::rows",
    ][::core::mem::offset_of!(direct_matrix, rows) - 16usize];
    [
        "Offset of field: direct_matrix::columns",
    ][::core::mem::offset_of!(direct_matrix, columns) - 20usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct direct_operation {
    pub opcode: u32,
    pub precision: u32,
    pub operand_count: u32,
    pub origin_row: u32,
    pub origin_column: u32,
    pub counts_bytes: u32,
    pub parameters: [i64; 3usize],
    pub result: direct_matrix,
    pub operands: [direct_matrix; 2usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of direct_operation"][::core::mem::size_of::<direct_operation>() - 120usize];
    [
        "Alignment of direct_operation",
    ][::core::mem::align_of::<direct_operation>() - 8usize];
    [
        "Offset of field: direct_operation::opcode",
    ][::core::mem::offset_of!(direct_operation, opcode) - 0usize];
    [
        "Offset of field: direct_operation::precision",
    ][::core::mem::offset_of!(direct_operation, precision) - 4usize];
    [
        "Offset of field: direct_operation::operand_count",
    ][::core::mem::offset_of!(direct_operation, operand_count) - 8usize];
    [
        "Offset of field: direct_operation::origin_row",
    ][::core::mem::offset_of!(direct_operation, origin_row) - 12usize];
    [
        "Offset of field: direct_operation::origin_column",
    ][::core::mem::offset_of!(direct_operation, origin_column) - 16usize];
    [
        "Offset of field: direct_operation::counts_bytes",
    ][::core::mem::offset_of!(direct_operation, counts_bytes) - 20usize];
    [
        "Offset of field: direct_operation::parameters",
    ][::core::mem::offset_of!(direct_operation, parameters) - 24usize];
    [
        "Offset of field: direct_operation::result",
    ][::core::mem::offset_of!(direct_operation, result) - 48usize];
    [
        "Offset of field: direct_operation::operands",
    ][::core::mem::offset_of!(direct_operation, operands) - 72usize];
};
pub const MFC_FAULT_SIZE: mfc_fault = 16;
pub const MFC_FAULT_ALIGNMENT: mfc_fault = 17;
pub const MFC_FAULT_LOCAL_STORE: mfc_fault = 18;
pub const MFC_FAULT_LIST: mfc_fault = 19;
pub const MFC_FAULT_WINDOW: mfc_fault = 20;
pub const MFC_FAULT_TAG: mfc_fault = 21;
pub const MFC_FAULT_ADDRESS: mfc_fault = 22;
pub type mfc_fault = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct mfc_mailbox {
    pub context: *mut ::core::ffi::c_void,
    pub read: ::core::option::Option<
        unsafe extern "C" fn(context: *mut ::core::ffi::c_void) -> u32,
    >,
    pub count: ::core::option::Option<
        unsafe extern "C" fn(context: *mut ::core::ffi::c_void) -> u32,
    >,
    pub completed: ::core::option::Option<
        unsafe extern "C" fn(context: *mut ::core::ffi::c_void, words_left: u32),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of mfc_mailbox"][::core::mem::size_of::<mfc_mailbox>() - 32usize];
    ["Alignment of mfc_mailbox"][::core::mem::align_of::<mfc_mailbox>() - 8usize];
    [
        "Offset of field: mfc_mailbox::context",
    ][::core::mem::offset_of!(mfc_mailbox, context) - 0usize];
    [
        "Offset of field: mfc_mailbox::read",
    ][::core::mem::offset_of!(mfc_mailbox, read) - 8usize];
    [
        "Offset of field: mfc_mailbox::count",
    ][::core::mem::offset_of!(mfc_mailbox, count) - 16usize];
    [
        "Offset of field: mfc_mailbox::completed",
    ][::core::mem::offset_of!(mfc_mailbox, completed) - 24usize];
};
impl Default for mfc_mailbox {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct program {
    pub steps: *const program_step,
    pub step_count: u32,
    pub input_count: u32,
    pub result_count: u32,
    pub strip_count: u32,
    pub of_bytes: u32,
    pub strips: *mut ::core::ffi::c_char,
    pub blocks: [kernel_block; 12usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of program"][::core::mem::size_of::<program>() - 328usize];
    ["Alignment of program"][::core::mem::align_of::<program>() - 8usize];
    [
        "Offset of field: program::steps",
    ][::core::mem::offset_of!(program, steps) - 0usize];
    [
        "Offset of field: program::step_count",
    ][::core::mem::offset_of!(program, step_count) - 8usize];
    [
        "Offset of field: program::input_count",
    ][::core::mem::offset_of!(program, input_count) - 12usize];
    [
        "Offset of field: program::result_count",
    ][::core::mem::offset_of!(program, result_count) - 16usize];
    [
        "Offset of field: program::strip_count",
    ][::core::mem::offset_of!(program, strip_count) - 20usize];
    [
        "Offset of field: program::of_bytes",
    ][::core::mem::offset_of!(program, of_bytes) - 24usize];
    [
        "Offset of field: program::strips",
    ][::core::mem::offset_of!(program, strips) - 32usize];
    [
        "Offset of field: program::blocks",
    ][::core::mem::offset_of!(program, blocks) - 40usize];
};
impl Default for program {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const MEU_HOST_OMIT_NOTHING: meu_host_omit = 0;
pub const MEU_HOST_OMIT_FETCH_WAIT: meu_host_omit = 1;
pub const MEU_HOST_OMIT_REUSE_BARRIER: meu_host_omit = 2;
pub const MEU_HOST_OMIT_COMPLETION_FENCE: meu_host_omit = 3;
pub type meu_host_omit = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct meu_host_options {
    pub chaos_seed: u64,
    pub chaos: u32,
    pub vector_bytes: u32,
    pub omit: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of meu_host_options"][::core::mem::size_of::<meu_host_options>() - 24usize];
    [
        "Alignment of meu_host_options",
    ][::core::mem::align_of::<meu_host_options>() - 8usize];
    [
        "Offset of field: meu_host_options::chaos_seed",
    ][::core::mem::offset_of!(meu_host_options, chaos_seed) - 0usize];
    [
        "Offset of field: meu_host_options::chaos",
    ][::core::mem::offset_of!(meu_host_options, chaos) - 8usize];
    [
        "Offset of field: meu_host_options::vector_bytes",
    ][::core::mem::offset_of!(meu_host_options, vector_bytes) - 12usize];
    [
        "Offset of field: meu_host_options::omit",
    ][::core::mem::offset_of!(meu_host_options, omit) - 16usize];
};
unsafe extern "C" {
    pub static kernel_table_v16: kernel_table;
    pub static kernel_table_v32: kernel_table;
    pub static kernel_table_v64: kernel_table;
    pub static kernel_table_cell: kernel_table;
    pub static kernel_table_celledp: kernel_table;
    pub fn product_check(
        result: *const kernel_block,
        operands: *const kernel_block,
    ) -> u32;
    pub fn product_execute(
        table: *const kernel_table,
        result: *const kernel_block,
        operands: *const kernel_block,
        accumulate: u32,
    );
    pub fn kernel_reduce_huge(x: f64) -> kernel_reduced;
    pub fn direct_execute(
        kernels: *const kernel_table,
        operation: *const direct_operation,
    ) -> u32;
    pub fn direct_blocks(
        kernels: *const kernel_table,
        result: *const kernel_block,
        operands: *const kernel_block,
        count: u32,
        step: *const program_step,
    ) -> u32;
    pub fn memory_product(
        kernels: *const kernel_table,
        record: *const meu_record,
        work: *mut u8,
    );
    pub fn memory_product_of_blocks(
        kernels: *const kernel_table,
        result: *const kernel_block,
        operands: *const kernel_block,
        chain: *const meu_product,
        work: *mut u8,
    );
    pub fn program_check(program: *const program) -> u32;
    pub fn program_has_masks(program: *const program) -> u32;
    pub fn program_execute(
        kernels: *const kernel_table,
        program: *mut program,
        failed_step: *mut u32,
    ) -> u32;
    pub fn spu_single_multiply_add(a: u32, b: u32, c: u32) -> u32;
    pub fn spu_single_divide(a: u32, b: u32) -> u32;
    pub fn spu_single_less(a: u32, b: u32) -> u32;
    pub fn spu_single_equal(a: u32, b: u32) -> u32;
    pub fn spu_single_extend(a: u32, flush: u32) -> f64;
    pub fn spu_single_round(a: f64) -> u32;
    pub fn meu_host_kernels(vector_bytes: u32) -> *const kernel_table;
    pub fn meu_host_cache_bytes(level: u32) -> u64;
    pub fn meu_host_run(
        parameters: *const meu_parameters,
        mailbox: *const mfc_mailbox,
        options: *const meu_host_options,
        local_store: *mut u8,
    ) -> u32;
}
