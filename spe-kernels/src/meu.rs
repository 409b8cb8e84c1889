//! An MEU on a thread of the host.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;

use crate::execute::VectorWidth;
use crate::operation::Status;
use crate::sys;

/// The PPE's end of an MEU's inbound mailbox.
///
/// The MEU calls these on its own thread. They must not panic: a panic aborts the process, because C lies
/// between it and anyone who could catch it.
pub trait Mailbox: Sync {
    /// Takes the next word; waits until there is one. What the PPE wrote before it sent the word is visible
    /// after this (the operation's record, and the operands).
    fn read(&self) -> u32;

    /// The number of words that can be read without waiting.
    fn count(&self) -> u32;

    /// A completion record has just become visible; `words_left` is what [`count`](Self::count) said then.
    fn completed(&self, words_left: u32);
}

/// A wait that the MEU can be run without, to prove that [`MeuOptions::chaos_seed`] finds such mistakes.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum OmittedWait {
    Fetch = sys::MEU_HOST_OMIT_FETCH_WAIT,
    ReuseBarrier = sys::MEU_HOST_OMIT_REUSE_BARRIER,
    CompletionFence = sys::MEU_HOST_OMIT_COMPLETION_FENCE,
}

/// How an MEU runs on the host.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeuOptions {
    /// With a seed, transfers happen late and in any order that the rules of the MFC allow.
    pub chaos_seed: Option<u64>,
    /// The width of its vectors; the widest of this machine if `None`.
    pub vector: Option<VectorWidth>,
    #[doc(hidden)]
    pub omit: Option<OmittedWait>,
}

/// The 256 KiB in which an MEU works, and behind them room for copies of the operands of products in main
/// memory.
#[derive(Debug)]
pub struct LocalStore(NonNull<u8>);

// SAFETY: it owns plain memory.
unsafe impl Send for LocalStore {}

impl LocalStore {
    /// Its size.
    pub const BYTES: usize = sys::MEU_LOCAL_STORE_BYTES as usize + sys::MEMORY_WORK_BYTES as usize;

    const LAYOUT: Layout = match Layout::from_size_align(Self::BYTES, 4096) {
        Ok(layout) => layout,
        Err(_) => panic!("the local store has a valid layout"),
    };

    /// A local store; `None` when there is no memory for it.
    #[must_use]
    pub fn new() -> Option<Self> {
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { alloc(Self::LAYOUT) }).map(Self)
    }
}

impl Drop for LocalStore {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.0.as_ptr(), Self::LAYOUT) }
    }
}

/// Runs an MEU on the calling thread, in this local store, until it reads `MEU_WORD_TERMINATE`.
///
/// A failed operation is reported by the completion record; the MEU then executes nothing more, but goes on
/// to take words from the mailbox. A `tick_ns_q16` of 0 in the parameters stands for the host's own, one
/// nanosecond a tick.
///
/// # Errors
///
/// [`Status::Version`] or [`Status::Dma`] if the parameters have another version or addresses that are not
/// multiples of 128, and [`Status::Opcode`] if this machine lacks the width: no word has been read then.
///
/// # Safety
///
/// Until this returns:
///
/// - `ring_ea` is the address of `MEU_RING_LINES` readable lines, `completion_ea` that of one writable line;
///   all other threads access them atomically, or are ordered against the MEU by the mailbox and the
///   completion record.
/// - A block that a record describes is an address range that may be read as an operand, or written as a
///   result, with whole groups of 16 bytes a column, from the sending of the mailbox word until its
///   completion record is visible. No other thread writes to the operands, or touches the result, in that
///   time.
pub unsafe fn run_meu(
    local_store: &mut LocalStore,
    parameters: &sys::meu_parameters,
    mailbox: &dyn Mailbox,
    options: &MeuOptions,
) -> Result<(), Status> {
    if !parameters.ring_ea.is_multiple_of(128)
        || !parameters.completion_ea.is_multiple_of(128)
        || parameters.completion_ea == 0
    {
        return Err(Status::Dma);
    }
    let mut parameters = *parameters;
    if parameters.tick_ns_q16 == 0 {
        parameters.tick_ns_q16 = 1 << 16;
    }
    let context: *const &dyn Mailbox = &mailbox;
    let mailbox = sys::mfc_mailbox {
        context: context.cast_mut().cast(),
        read: Some(mailbox_read),
        count: Some(mailbox_count),
        completed: Some(mailbox_completed),
    };
    let options = sys::meu_host_options {
        chaos_seed: options.chaos_seed.unwrap_or(0),
        chaos: u32::from(options.chaos_seed.is_some()),
        vector_bytes: options.vector.map_or(0, |width| width as u32),
        omit: options.omit.map_or(sys::MEU_HOST_OMIT_NOTHING, |omit| omit as u32),
    };
    // SAFETY: the parameters, the mailbox with its context, the options and the local store outlive the call;
    // the local store has the size and alignment that the MEU wants. The caller answers for the addresses in
    // the records.
    let raw = unsafe { sys::meu_host_run(&parameters, &mailbox, &options, local_store.0.as_ptr()) };
    Status::from_raw(raw).expect("the MEU returns an enum meu_status")
}

/// # Safety
///
/// `context` is what [`run_meu`] passed to C, whose frame is still there.
unsafe fn mailbox_of<'a>(context: *mut c_void) -> &'a dyn Mailbox {
    // SAFETY: this function's contract: it points to the reference that `run_meu` holds.
    unsafe { *context.cast::<&dyn Mailbox>() }
}

extern "C" fn mailbox_read(context: *mut c_void) -> u32 {
    // SAFETY: C passes on the context of `run_meu`.
    unsafe { mailbox_of(context) }.read()
}

extern "C" fn mailbox_count(context: *mut c_void) -> u32 {
    // SAFETY: C passes on the context of `run_meu`.
    unsafe { mailbox_of(context) }.count()
}

extern "C" fn mailbox_completed(context: *mut c_void, words_left: u32) {
    // SAFETY: C passes on the context of `run_meu`.
    unsafe { mailbox_of(context) }.completed(words_left);
}
