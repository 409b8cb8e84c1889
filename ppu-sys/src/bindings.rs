// Generated from include/libspe2.h by toolchain/bindings (UPDATE_BINDINGS=1 cargo test -p bindings replaces it).

pub const SPE_CFG_SIGNOTIFY1_OR: u32 = 16;
pub const SPE_CFG_SIGNOTIFY2_OR: u32 = 32;
pub const SPE_MAP_PS: u32 = 64;
pub const SPE_ISOLATE: u32 = 128;
pub const SPE_ISOLATE_EMULATE: u32 = 256;
pub const SPE_EVENTS_ENABLE: u32 = 4096;
pub const SPE_AFFINITY_MEMORY: u32 = 8192;
pub const SPE_NOSCHED: u32 = 16384;
pub const SPE_EXIT: u32 = 1;
pub const SPE_STOP_AND_SIGNAL: u32 = 2;
pub const SPE_RUNTIME_ERROR: u32 = 3;
pub const SPE_RUNTIME_EXCEPTION: u32 = 4;
pub const SPE_RUNTIME_FATAL: u32 = 5;
pub const SPE_CALLBACK_ERROR: u32 = 6;
pub const SPE_ISOLATION_ERROR: u32 = 7;
pub const SPE_SPU_STOPPED_BY_STOP: u32 = 2;
pub const SPE_SPU_HALT: u32 = 4;
pub const SPE_SPU_WAITING_ON_CHANNEL: u32 = 8;
pub const SPE_SPU_SINGLE_STEP: u32 = 16;
pub const SPE_SPU_INVALID_INSTR: u32 = 32;
pub const SPE_SPU_INVALID_CHANNEL: u32 = 64;
pub const SPE_DMA_ALIGNMENT: u32 = 8;
pub const SPE_DMA_SEGMENTATION: u32 = 32;
pub const SPE_DMA_STORAGE: u32 = 64;
pub const SPE_INVALID_DMA: u32 = 2048;
pub const SPE_EVENT_OUT_INTR_MBOX: u32 = 1;
pub const SPE_EVENT_IN_MBOX: u32 = 2;
pub const SPE_EVENT_TAG_GROUP: u32 = 4;
pub const SPE_EVENT_SPE_STOPPED: u32 = 8;
pub const SPE_EVENT_ALL_EVENTS: u32 = 15;
pub const SPE_MBOX_ALL_BLOCKING: u32 = 1;
pub const SPE_MBOX_ANY_BLOCKING: u32 = 2;
pub const SPE_MBOX_ANY_NONBLOCKING: u32 = 3;
pub const SPE_TAG_ALL: u32 = 1;
pub const SPE_TAG_ANY: u32 = 2;
pub const SPE_TAG_IMMEDIATE: u32 = 3;
pub const SPE_DEFAULT_ENTRY: u32 = 4294967295;
pub const SPE_RUN_USER_REGS: u32 = 1;
pub const SPE_NO_CALLBACKS: u32 = 2;
pub const SPE_CALLBACK_NEW: u32 = 1;
pub const SPE_CALLBACK_UPDATE: u32 = 2;
pub const SPE_COUNT_PHYSICAL_CPU_NODES: u32 = 1;
pub const SPE_COUNT_PHYSICAL_SPES: u32 = 2;
pub const SPE_COUNT_USABLE_SPES: u32 = 3;
pub const SPE_CPU_TYPE: u32 = 4;
pub const SPE_CPU_TYPE_CELLBE: u32 = 1;
pub const SPE_CPU_TYPE_CELLEDP: u32 = 2;
pub const SPE_SIG_NOTIFY_REG_1: u32 = 1;
pub const SPE_SIG_NOTIFY_REG_2: u32 = 2;
/// Multisource synchronisation: a write starts it; it reads 0 when all earlier accesses are done.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_mssync_area {
    pub MFC_MSSync: ::core::ffi::c_uint,
}
/// Multisource synchronisation: a write starts it; it reads 0 when all earlier accesses are done.
pub type spe_mssync_area_t = spe_mssync_area;
/// The proxy command queue of the MFC.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct spe_mfc_command_area {
    pub reserved_0_3: [::core::ffi::c_uchar; 4usize],
    pub MFC_LSA: ::core::ffi::c_uint,
    pub MFC_EAH: ::core::ffi::c_uint,
    pub MFC_EAL: ::core::ffi::c_uint,
    /// size << 16 | tag
    pub MFC_Size_Tag: ::core::ffi::c_uint,
    pub __bindgen_anon_1: spe_mfc_command_area__bindgen_ty_1,
    pub reserved_18_103: [::core::ffi::c_uchar; 236usize],
    /// bit 31: empty; low 16 bits: free entries
    pub MFC_QStatus: ::core::ffi::c_uint,
    pub reserved_108_203: [::core::ffi::c_uchar; 252usize],
    pub Prxy_QueryType: ::core::ffi::c_uint,
    pub reserved_208_21B: [::core::ffi::c_uchar; 20usize],
    pub Prxy_QueryMask: ::core::ffi::c_uint,
    pub reserved_220_22B: [::core::ffi::c_uchar; 12usize],
    pub Prxy_TagStatus: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union spe_mfc_command_area__bindgen_ty_1 {
    /// written: tid << 24 | rid << 16 | opcode; enqueues the command
    pub MFC_ClassID_CMD: ::core::ffi::c_uint,
    /// read: 0 enqueued, 1 sequence error, 2 queue full
    pub MFC_CMDStatus: ::core::ffi::c_uint,
}
/// The proxy command queue of the MFC.
pub type spe_mfc_command_area_t = spe_mfc_command_area;
/// Mailboxes and run control.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_spu_control_area {
    pub reserved_0_3: [::core::ffi::c_uchar; 4usize],
    /// read only: takes a word
    pub SPU_Out_Mbox: ::core::ffi::c_uint,
    pub reserved_8_B: [::core::ffi::c_uchar; 4usize],
    /// write only
    pub SPU_In_Mbox: ::core::ffi::c_uint,
    pub reserved_10_13: [::core::ffi::c_uchar; 4usize],
    /// words in Out_Mbox | free in In_Mbox << 8 | words in Out_Intr_Mbox << 16
    pub SPU_Mbox_Stat: ::core::ffi::c_uint,
    pub reserved_18_1B: [::core::ffi::c_uchar; 4usize],
    pub SPU_RunCntl: ::core::ffi::c_uint,
    pub reserved_20_23: [::core::ffi::c_uchar; 4usize],
    pub SPU_Status: ::core::ffi::c_uint,
    pub reserved_28_33: [::core::ffi::c_uchar; 12usize],
    pub SPU_NPC: ::core::ffi::c_uint,
}
/// Mailboxes and run control.
pub type spe_spu_control_area_t = spe_spu_control_area;
/// Signal notification register 1.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_sig_notify_1_area {
    pub reserved_0_B: [::core::ffi::c_uchar; 12usize],
    pub SPU_Sig_Notify_1: ::core::ffi::c_uint,
}
/// Signal notification register 1.
pub type spe_sig_notify_1_area_t = spe_sig_notify_1_area;
/// Signal notification register 2.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_sig_notify_2_area {
    pub reserved_0_B: [::core::ffi::c_uchar; 12usize],
    pub SPU_Sig_Notify_2: ::core::ffi::c_uint,
}
/// Signal notification register 2.
pub type spe_sig_notify_2_area_t = spe_sig_notify_2_area;
/// An SPE program in memory, as the embedding tools of the toolchain describe it.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_program_handle {
    /// sizeof(spe_program_handle_t) of whoever made it
    pub handle_size: ::core::ffi::c_uint,
    /// the whole ELF file
    pub elf_image: *mut ::core::ffi::c_void,
    /// addresses for the .toe section of the program, or NULL
    pub toe_shadow: *mut ::core::ffi::c_void,
}
/// An SPE program in memory, as the embedding tools of the toolchain describe it.
pub type spe_program_handle_t = spe_program_handle;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_context_base_priv {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_context_event_priv {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_gang_context_base_priv {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_gang_context_event_priv {
    _unused: [u8; 0],
}
/// A logical SPE.  Only the handle of the loaded program is public: debuggers read it.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_context {
    pub handle: spe_program_handle_t,
    pub base_private: *mut spe_context_base_priv,
    pub event_private: *mut spe_context_event_priv,
}
pub type spe_context_ptr_t = *mut spe_context;
/// A group of SPE contexts that are to run together.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spe_gang_context {
    pub base_private: *mut spe_gang_context_base_priv,
    pub event_private: *mut spe_gang_context_event_priv,
}
pub type spe_gang_context_ptr_t = *mut spe_gang_context;
/// Why spe_context_run returned.  stop_reason says which member of result holds.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct spe_stop_info {
    pub stop_reason: ::core::ffi::c_uint,
    pub result: spe_stop_info__bindgen_ty_1,
    /// the SPU status register, or -1
    pub spu_status: ::core::ffi::c_int,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union spe_stop_info__bindgen_ty_1 {
    /// SPE_EXIT: 0 to 255
    pub spe_exit_code: ::core::ffi::c_int,
    /// SPE_STOP_AND_SIGNAL: the 14-bit stop code
    pub spe_signal_code: ::core::ffi::c_int,
    /// SPE_RUNTIME_ERROR: SPE_SPU_*
    pub spe_runtime_error: ::core::ffi::c_int,
    /// SPE_RUNTIME_EXCEPTION: SPE_DMA_* or SPE_INVALID_DMA
    pub spe_runtime_exception: ::core::ffi::c_int,
    /// SPE_RUNTIME_FATAL: an errno
    pub spe_runtime_fatal: ::core::ffi::c_int,
    /// SPE_CALLBACK_ERROR: what the handler returned
    pub spe_callback_error: ::core::ffi::c_int,
    /// SPE_ISOLATION_ERROR
    pub spe_isolation_error: ::core::ffi::c_int,
    pub __reserved_ptr: *mut ::core::ffi::c_void,
    pub __reserved_u64: ::core::ffi::c_ulonglong,
}
/// Why spe_context_run returned.  stop_reason says which member of result holds.
pub type spe_stop_info_t = spe_stop_info;
/// What the user wants to get back with an event.
#[repr(C)]
#[derive(Copy, Clone)]
pub union spe_event_data {
    pub ptr: *mut ::core::ffi::c_void,
    pub u32_: ::core::ffi::c_uint,
    pub u64_: ::core::ffi::c_ulonglong,
}
/// What the user wants to get back with an event.
pub type spe_event_data_t = spe_event_data;
/// Events of one context: to register them, and as the result of waiting.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct spe_event_unit {
    /// SPE_EVENT_*
    pub events: ::core::ffi::c_uint,
    pub spe: spe_context_ptr_t,
    pub data: spe_event_data_t,
}
/// Events of one context: to register them, and as the result of waiting.
pub type spe_event_unit_t = spe_event_unit;
pub type spe_event_handler_ptr_t = *mut ::core::ffi::c_void;
pub type spe_event_handler_t = ::core::ffi::c_int;
pub const SPE_MSSYNC_AREA: ps_area = 0;
pub const SPE_MFC_COMMAND_AREA: ps_area = 1;
pub const SPE_CONTROL_AREA: ps_area = 2;
pub const SPE_SIG_NOTIFY_1_AREA: ps_area = 3;
pub const SPE_SIG_NOTIFY_2_AREA: ps_area = 4;
/// Which part of the problem-state area to map.
pub type ps_area = ::core::ffi::c_uint;
functions! {
    /// Makes a logical SPE, in a gang if gang is not NULL.
    pub fn spe_context_create(
        flags: ::core::ffi::c_uint,
        gang: spe_gang_context_ptr_t,
    ) -> spe_context_ptr_t;
    /// Creates a context close to a neighbour of its gang.  The neighbour may be NULL; the gang may not.
    pub fn spe_context_create_affinity(
        flags: ::core::ffi::c_uint,
        affinity_neighbor: spe_context_ptr_t,
        gang: spe_gang_context_ptr_t,
    ) -> spe_context_ptr_t;
    /// Ends a context that is not running.
    pub fn spe_context_destroy(spe: spe_context_ptr_t) -> ::core::ffi::c_int;
    /// Makes an empty gang.
    pub fn spe_gang_context_create(flags: ::core::ffi::c_uint) -> spe_gang_context_ptr_t;
    /// Ends a gang; EBUSY while it has contexts.
    pub fn spe_gang_context_destroy(gang: spe_gang_context_ptr_t) -> ::core::ffi::c_int;
    /// Opens an SPE ELF executable.  EACCES if it may not be executed, EINVAL if it is something else.
    pub fn spe_image_open(
        filename: *const ::core::ffi::c_char,
    ) -> *mut spe_program_handle_t;
    /// Closes what spe_image_open opened.
    pub fn spe_image_close(program: *mut spe_program_handle_t) -> ::core::ffi::c_int;
    /// Copies a program into the local store.
    pub fn spe_program_load(
        spe: spe_context_ptr_t,
        program: *mut spe_program_handle_t,
    ) -> ::core::ffi::c_int;
    /** Runs the program on the calling thread from *entry until it stops; *entry is then the next instruction.
 Returns 0 after an exit, the stop code after a stop that the program means for its user, -1 after a
 failure.*/
    pub fn spe_context_run(
        spe: spe_context_ptr_t,
        entry: *mut ::core::ffi::c_uint,
        runflags: ::core::ffi::c_uint,
        argp: *mut ::core::ffi::c_void,
        envp: *mut ::core::ffi::c_void,
        stopinfo: *mut spe_stop_info_t,
    ) -> ::core::ffi::c_int;
    /** The result of a run that was made elsewhere, once each; EAGAIN if there is none, ENOTSUP without
 SPE_EVENTS_ENABLE.*/
    pub fn spe_stop_info_read(
        spe: spe_context_ptr_t,
        stopinfo: *mut spe_stop_info_t,
    ) -> ::core::ffi::c_int;
    /// Makes an event handler, to which events of any number of contexts can be registered.
    pub fn spe_event_handler_create() -> spe_event_handler_ptr_t;
    /// Ends an event handler.
    pub fn spe_event_handler_destroy(
        evhandler: spe_event_handler_ptr_t,
    ) -> ::core::ffi::c_int;
    /// Registers event->events of event->spe, which needs SPE_EVENTS_ENABLE.
    pub fn spe_event_handler_register(
        evhandler: spe_event_handler_ptr_t,
        event: *mut spe_event_unit_t,
    ) -> ::core::ffi::c_int;
    /// Undoes a registration.
    pub fn spe_event_handler_deregister(
        evhandler: spe_event_handler_ptr_t,
        event: *mut spe_event_unit_t,
    ) -> ::core::ffi::c_int;
    /// Waits for registered events, at most timeout milliseconds (-1: for ever).  Returns their number.
    pub fn spe_event_wait(
        evhandler: spe_event_handler_ptr_t,
        events: *mut spe_event_unit_t,
        max_events: ::core::ffi::c_int,
        timeout: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
    /** Proxy DMA: from local store to memory (put) and back (get), in tag group 0 to 15.  b: with barrier; f: with
 fence.*/
    pub fn spe_mfcio_put(
        spe: spe_context_ptr_t,
        ls: ::core::ffi::c_uint,
        ea: *mut ::core::ffi::c_void,
        size: ::core::ffi::c_uint,
        tag: ::core::ffi::c_uint,
        tid: ::core::ffi::c_uint,
        rid: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    pub fn spe_mfcio_putb(
        spe: spe_context_ptr_t,
        ls: ::core::ffi::c_uint,
        ea: *mut ::core::ffi::c_void,
        size: ::core::ffi::c_uint,
        tag: ::core::ffi::c_uint,
        tid: ::core::ffi::c_uint,
        rid: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    pub fn spe_mfcio_putf(
        spe: spe_context_ptr_t,
        ls: ::core::ffi::c_uint,
        ea: *mut ::core::ffi::c_void,
        size: ::core::ffi::c_uint,
        tag: ::core::ffi::c_uint,
        tid: ::core::ffi::c_uint,
        rid: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    pub fn spe_mfcio_get(
        spe: spe_context_ptr_t,
        ls: ::core::ffi::c_uint,
        ea: *mut ::core::ffi::c_void,
        size: ::core::ffi::c_uint,
        tag: ::core::ffi::c_uint,
        tid: ::core::ffi::c_uint,
        rid: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    pub fn spe_mfcio_getb(
        spe: spe_context_ptr_t,
        ls: ::core::ffi::c_uint,
        ea: *mut ::core::ffi::c_void,
        size: ::core::ffi::c_uint,
        tag: ::core::ffi::c_uint,
        tid: ::core::ffi::c_uint,
        rid: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    pub fn spe_mfcio_getf(
        spe: spe_context_ptr_t,
        ls: ::core::ffi::c_uint,
        ea: *mut ::core::ffi::c_void,
        size: ::core::ffi::c_uint,
        tag: ::core::ffi::c_uint,
        tid: ::core::ffi::c_uint,
        rid: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    /// Which tag groups of mask (0: all that were used) are complete.
    pub fn spe_mfcio_tag_status_read(
        spe: spe_context_ptr_t,
        mask: ::core::ffi::c_uint,
        behavior: ::core::ffi::c_uint,
        tag_status: *mut ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    /// Takes up to count words that the SPE sent.  Returns how many; never waits.
    pub fn spe_out_mbox_read(
        spe: spe_context_ptr_t,
        mbox_data: *mut ::core::ffi::c_uint,
        count: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
    /// Number of words to be read.
    pub fn spe_out_mbox_status(spe: spe_context_ptr_t) -> ::core::ffi::c_int;
    /// Sends words to the SPE.  Returns how many.
    pub fn spe_in_mbox_write(
        spe: spe_context_ptr_t,
        mbox_data: *mut ::core::ffi::c_uint,
        count: ::core::ffi::c_int,
        behavior: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    /// Number of words for which there is room.
    pub fn spe_in_mbox_status(spe: spe_context_ptr_t) -> ::core::ffi::c_int;
    /// Takes words from the interrupting mailbox.  Returns how many.
    pub fn spe_out_intr_mbox_read(
        spe: spe_context_ptr_t,
        mbox_data: *mut ::core::ffi::c_uint,
        count: ::core::ffi::c_int,
        behavior: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    /// Number of words to be read.
    pub fn spe_out_intr_mbox_status(spe: spe_context_ptr_t) -> ::core::ffi::c_int;
    /// Starts a multisource synchronisation: all accesses to the SPE that were issued before.
    pub fn spe_mssync_start(spe: spe_context_ptr_t) -> ::core::ffi::c_int;
    /// 0 when it is done.
    pub fn spe_mssync_status(spe: spe_context_ptr_t) -> ::core::ffi::c_int;
    /// Writes signal notification register 1 or 2.
    pub fn spe_signal_write(
        spe: spe_context_ptr_t,
        signal_reg: ::core::ffi::c_uint,
        data: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    /// The local store as memory of this process.
    pub fn spe_ls_area_get(spe: spe_context_ptr_t) -> *mut ::core::ffi::c_void;
    /// Its size in bytes.
    pub fn spe_ls_size_get(spe: spe_context_ptr_t) -> ::core::ffi::c_int;
    /// Registers as memory of this process; EACCES without SPE_MAP_PS.
    pub fn spe_ps_area_get(
        spe: spe_context_ptr_t,
        area: ps_area,
    ) -> *mut ::core::ffi::c_void;
    /** Serves stop codes 0x2100 + callnum by handler, an int (*)(void *ls, unsigned int npc).  After 0 the program
 goes on behind the word at npc.*/
    pub fn spe_callback_handler_register(
        handler: *mut ::core::ffi::c_void,
        callnum: ::core::ffi::c_uint,
        mode: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    /// Undoes that.
    pub fn spe_callback_handler_deregister(
        callnum: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
    /// The handler of a call number.
    pub fn spe_callback_handler_query(
        callnum: ::core::ffi::c_uint,
    ) -> *mut ::core::ffi::c_void;
    /// Facts on the machine: SPE_COUNT_* or SPE_CPU_TYPE, of one node or of all (-1).
    pub fn spe_cpu_info_get(
        info_requested: ::core::ffi::c_int,
        cpu_node: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
}
