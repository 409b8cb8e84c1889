//! An SPE context with the thread that runs it.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use ppu_sys::{Functions, Library, spe_context_ptr_t, spe_spu_control_area_t};
use spe_kernels::sys;

use super::last_error;
use crate::engine::record::SharedLines;
use crate::sync::Unparker;

/// A pointer to a context, for the thread that runs the context.
#[derive(Debug, Clone, Copy)]
struct Spe(spe_context_ptr_t);

// SAFETY: libspe2 allows calls for one context from any thread. Only the destruction must not overlap with
// another call; `Context` destroys the context after its thread has ended.
unsafe impl Send for Spe {}
// SAFETY: calls of libspe2 for one context may overlap, but for the destruction, which comes after the thread's end.
unsafe impl Sync for Spe {}

/// The control registers of an SPE, where the kernel maps them.
#[derive(Debug, Clone, Copy)]
struct Control(*mut spe_spu_control_area_t);

// SAFETY: registers of a device, accessed by volatile loads and stores; one thread, that of execution
// control, writes.
unsafe impl Send for Control {}
// SAFETY: each register is read or written by one volatile access, and only the thread of execution control writes.
unsafe impl Sync for Control {}

impl Control {
    fn free_entries(self) -> u32 {
        // SAFETY: the area is mapped as long as the context lives, which owns this.
        let status = unsafe { (&raw const (*self.0).SPU_Mbox_Stat).read_volatile() };
        status >> 8 & 0xff
    }

    fn write(self, word: u32) {
        // SAFETY: the area is mapped as long as the context lives, which owns this; the mailbox takes words at any time.
        unsafe { (&raw mut (*self.0).SPU_In_Mbox).write_volatile(word) };
    }

    /// Asks the SPU to stop, whatever it is doing.
    fn halt(self) {
        // SAFETY: the area is mapped as long as the context lives, which owns this; an SPU may be told to stop at any time.
        unsafe { (&raw mut (*self.0).SPU_RunCntl).write_volatile(0) };
    }
}

/// How a run has ended: None for a normal end.
type Ending = Arc<OnceLock<Option<String>>>;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Context {
    functions: Functions,
    spe: Spe,
    control: Option<Control>,
    ending: Ending,
    thread: Option<JoinHandle<()>>,
    /// The parameters that the MEU fetches when it starts.
    _parameters: Box<sys::meu_parameters>,
    /// What the MEU shares with the PPE.
    _lines: Arc<SharedLines>,
}

impl Context {
    /// Makes a context, loads the MEU's program into it, and runs the context on a thread of its own. The end
    /// of the run wakes `ppe`.
    ///
    /// # Errors
    /// A text that says which call failed.
    pub(super) fn start(
        library: &Library,
        image: &'static [u8],
        number: usize,
        parameters: sys::meu_parameters,
        lines: Arc<SharedLines>,
        ppe: Unparker,
    ) -> Result<Context, String> {
        let functions: Functions = **library;
        let (spe, mapped) = create(&functions)?;
        let control = mapped.then(|| control_area(&functions, spe)).flatten();
        let ending = Ending::default();
        let mut context = Context {
            functions,
            spe,
            control,
            ending: Arc::clone(&ending),
            thread: None,
            _parameters: Box::new(parameters),
            _lines: lines,
        };
        load(&functions, spe, image)?;
        let argument = (&raw const *context._parameters).expose_provenance();
        let run = move || {
            // Only this thread sets the ending.
            _ = ending.set(run(&functions, spe, argument));
            ppe.unpark();
        };
        let thread = std::thread::Builder::new().name(format!("pmatrix-spe-{number}")).spawn(run);
        context.thread =
            Some(thread.map_err(|error| format!("there is no thread for its context: {error}"))?);
        Ok(context)
    }

    /// Whether the program has ended, for whatever reason.
    pub(super) fn has_ended(&self) -> bool {
        self.ending.get().is_some()
    }

    /// Why the program has ended; None if it was told to terminate.
    pub(super) fn crash(&self) -> Option<&str> {
        self.ending.get()?.as_deref()
    }

    /// Asks the SPU to stop where its registers are mapped: an MEU that hangs reads no mailbox word.
    pub(super) fn halt(&self) {
        if let Some(control) = self.control.filter(|_| !self.has_ended()) {
            control.halt();
        }
    }

    /// Free entries of the inbound mailbox.
    pub(super) fn free_entries(&self) -> u32 {
        match self.control {
            Some(control) => control.free_entries(),
            // SAFETY: the context lives. A negative result is an error, which the end of the run will
            // explain.
            None => u32::try_from(unsafe { (self.functions.spe_in_mbox_status)(self.spe.0) }).unwrap_or(0),
        }
    }

    /// Sends a mailbox word behind everything that this thread has written; false when there is no room.
    pub(super) fn write_mailbox(&self, word: u32) -> bool {
        if let Some(control) = self.control {
            // A word that is written to a full mailbox replaces another word. Only this thread writes, so
            // there is still room.
            if control.free_entries() == 0 {
                return false;
            }
            // This is `sync`: see rule 1 of the module `cell`.
            fence(Ordering::SeqCst);
            control.write(word);
            return true;
        }
        let mut word = word;
        fence(Ordering::SeqCst);
        let behaviour = ppu_sys::SPE_MBOX_ANY_NONBLOCKING;
        // SAFETY: the context lives, and there is one word to read.
        unsafe { (self.functions.spe_in_mbox_write)(self.spe.0, &raw mut word, 1, behaviour) == 1 }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            log::error!("the thread of an SPE has panicked");
        }
        // SAFETY: the context was made by `create`, does not run any more, and is not used again.
        if unsafe { (self.functions.spe_context_destroy)(self.spe.0) } != 0 {
            log::error!("an SPE context cannot be destroyed: {}", last_error());
        }
    }
}

/// A context whose faults are results and not signals, and whether its registers are mapped.
fn create(functions: &Functions) -> Result<(Spe, bool), String> {
    for (flags, mapped) in [(ppu_sys::SPE_MAP_PS, true), (0, false)] {
        // SAFETY: the flags are the library's, and no gang is a valid argument.
        let spe =
            unsafe { (functions.spe_context_create)(flags | ppu_sys::SPE_EVENTS_ENABLE, ptr::null_mut()) };
        if !spe.is_null() {
            return Ok((Spe(spe), mapped));
        }
    }
    Err(format!("an SPE context cannot be created: {}", last_error()))
}

fn control_area(functions: &Functions, spe: Spe) -> Option<Control> {
    // SAFETY: the context was just made.
    let area = unsafe { (functions.spe_ps_area_get)(spe.0, ppu_sys::SPE_CONTROL_AREA) };
    (!area.is_null()).then_some(Control(area.cast()))
}

fn load(functions: &Functions, spe: Spe, image: &'static [u8]) -> Result<(), String> {
    let mut handle = ppu_sys::spe_program_handle_t {
        handle_size: size_of::<ppu_sys::spe_program_handle_t>() as u32,
        elf_image: image.as_ptr().cast_mut().cast(),
        toe_shadow: ptr::null_mut(),
    };
    // SAFETY: the image is a whole ELF file that is only read; the library copies what it needs of the
    // handle.
    match unsafe { (functions.spe_program_load)(spe.0, &raw mut handle) } {
        0 => Ok(()),
        _ => Err(format!("the MEU cannot be loaded: {}", last_error())),
    }
}

/// Runs the loaded program to its end. None when the MEU was told to terminate.
fn run(functions: &Functions, spe: Spe, argument: usize) -> Option<String> {
    let mut entry = ppu_sys::SPE_DEFAULT_ENTRY;
    let mut stop = MaybeUninit::<ppu_sys::spe_stop_info_t>::zeroed();
    // SAFETY: the context lives until this thread has ended, and so do the parameters that the argument
    // points to.
    let outcome = unsafe {
        (functions.spe_context_run)(
            spe.0,
            &raw mut entry,
            0,
            ptr::with_exposed_provenance_mut::<c_void>(argument),
            ptr::null_mut(),
            stop.as_mut_ptr(),
        )
    };
    let error = last_error();
    // SAFETY: all fields are numbers or pointers, for which zero is a value; the library has filled the
    // structure since.
    let stop = unsafe { stop.assume_init() };
    // SAFETY: every member of the union is a number of this size, so reading another member than the written
    // one is sound.
    let number = unsafe { stop.result.spe_exit_code };
    let what = match stop.stop_reason {
        ppu_sys::SPE_EXIT if number == 0 => return None,
        ppu_sys::SPE_EXIT => format!("the MEU did not start (status {number})"),
        ppu_sys::SPE_STOP_AND_SIGNAL => format!("the SPE has stopped with code {number:#06x}"),
        ppu_sys::SPE_RUNTIME_ERROR => match number as u32 {
            ppu_sys::SPE_SPU_HALT => "the SPE has halted".to_owned(),
            ppu_sys::SPE_SPU_INVALID_INSTR => "the SPE has met an invalid instruction".to_owned(),
            ppu_sys::SPE_SPU_INVALID_CHANNEL => "the SPE has accessed an invalid channel".to_owned(),
            _ => format!("the SPE has met error {number:#x}"),
        },
        ppu_sys::SPE_RUNTIME_EXCEPTION => match number as u32 {
            ppu_sys::SPE_DMA_ALIGNMENT => "a DMA command of the SPE was not aligned".to_owned(),
            ppu_sys::SPE_DMA_SEGMENTATION | ppu_sys::SPE_DMA_STORAGE => {
                "a DMA command of the SPE went to memory that cannot be accessed".to_owned()
            }
            ppu_sys::SPE_INVALID_DMA => "the SPE has issued an invalid DMA command".to_owned(),
            _ => format!("the SPE has raised exception {number:#x}"),
        },
        _ => format!("the SPE cannot be run (result {outcome}): {error}"),
    };
    Some(format!("{what} at {entry:#07x}"))
}
