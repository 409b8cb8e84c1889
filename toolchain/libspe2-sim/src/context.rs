//! SPE contexts and gangs: what exists, and how a pointer of the caller leads to it.
//!
//! A pointer is looked up in a table of live contexts (gangs), so a pointer to a destroyed context gives
//! ESRCH. A context that is destroyed while another thread uses it lives until that thread is done.

use std::collections::HashMap;
use std::ffi::c_uint;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use ppu_sys::{
    SPE_AFFINITY_MEMORY, SPE_CFG_SIGNOTIFY1_OR, SPE_CFG_SIGNOTIFY2_OR, SPE_EVENTS_ENABLE, SPE_ISOLATE,
    SPE_ISOLATE_EMULATE, SPE_MAP_PS, SPE_NOSCHED, spe_context, spe_context_ptr_t, spe_gang_context,
    spe_gang_context_ptr_t, spe_program_handle,
};
use spu_sim::calls::Services;
use spu_sim::mfc::Order;
use spu_sim::port::Port;
use spu_sim::spe::{Spe, SpeConfig};
use spu_sim::timing::pipeline::Pipeline;

use crate::affinity::Affinity;
use crate::errno::Errno;
use crate::event;
use crate::memory::process_memory;
use crate::problem_state::{Area, Registers};
use crate::run::{stdio, stops::Stops};
use crate::settings::{settings, tell};

/// The SPE of a context, with its clock if cycles are counted.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) spe: Spe,
    pub(crate) pipeline: Option<Box<Pipeline>>,
}

/// A program in the local store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    /// Address of its first instruction; `None` when no program has been loaded.
    pub(crate) entry: Option<u32>,
    /// What messages call it.
    pub(crate) name: String,
}

/// A logical SPE.
#[derive(Debug)]
pub(crate) struct Context {
    /// Number for messages, from 1 on.
    pub(crate) id: u64,
    pub(crate) flags: c_uint,
    /// The structure that the caller's pointer points to.
    pub(crate) pointer: Handle<spe_context>,
    pub(crate) port: Arc<Port>,
    pub(crate) registers: Arc<Registers>,
    pub(crate) area: Option<Area>,
    /// Locked by the thread that runs the context.
    pub(crate) engine: Mutex<Engine>,
    pub(crate) program: Mutex<Program>,
    /// Serves the calls of the C runtime of its programs.
    pub(crate) services: Mutex<Services>,
    /// Results of runs, for `spe_stop_info_read` (with `SPE_EVENTS_ENABLE`).
    pub(crate) stops: Stops,
    /// Tag groups of proxy commands since the context was made, and tag groups that have not been reported as
    /// complete.
    pub(crate) tags_used: AtomicU32,
    pub(crate) tags_unread: AtomicU32,
    destroyed: AtomicBool,
    gang: Option<Arc<Gang>>,
}

/// A structure of the binary interface whose address the caller holds.
#[derive(Debug)]
pub(crate) struct Handle<T>(*mut T);

// SAFETY: it is an address; what it points to is accessed under the mutex of `program` or by nobody.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: it is an address; what it points to is accessed under the mutex of `program` or by nobody.
unsafe impl<T> Sync for Handle<T> {}

impl<T> Handle<T> {
    pub(crate) fn new(value: T) -> Handle<T> {
        Handle(Box::into_raw(Box::new(value)))
    }

    pub(crate) fn as_ptr(&self) -> *mut T {
        self.0
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and this is its only owner.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Contexts that belong together. A simulated SPE runs whenever its thread does, so a gang has no effect on
/// scheduling.
#[derive(Debug)]
pub(crate) struct Gang {
    pointer: Handle<spe_gang_context>,
    members: Mutex<Members>,
}

/// The contexts of a gang, by address.
#[derive(Debug, Default)]
struct Members {
    contexts: Vec<usize>,
    affinity: Affinity,
}

type Table<T> = LazyLock<Mutex<HashMap<usize, Arc<T>>>>;
static CONTEXTS: Table<Context> = LazyLock::new(Mutex::default);
static GANGS: Table<Gang> = LazyLock::new(Mutex::default);

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No state of this library is left half changed by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find<T>(table: &Table<T>, address: usize) -> Result<Arc<T>, Errno> {
    lock(table).get(&address).cloned().ok_or(Errno(libc::ESRCH))
}

/// The context behind a pointer.
pub(crate) fn context(pointer: spe_context_ptr_t) -> Result<Arc<Context>, Errno> {
    find(&CONTEXTS, pointer.addr())
}

/// The context whose local store lies at an address, which callback handlers get.
pub(crate) fn context_of_local_store(address: usize) -> Result<Arc<Context>, Errno> {
    let contexts = lock(&CONTEXTS);
    let found = contexts.values().find(|context| context.port.ls().as_ptr().addr() == address);
    found.cloned().ok_or(Errno(libc::ESRCH))
}

const FLAGS: c_uint = SPE_CFG_SIGNOTIFY1_OR
    | SPE_CFG_SIGNOTIFY2_OR
    | SPE_MAP_PS
    | SPE_EVENTS_ENABLE
    | SPE_AFFINITY_MEMORY
    | SPE_NOSCHED;

/// Makes a context.
pub(crate) fn create(
    flags: c_uint,
    neighbour: spe_context_ptr_t,
    gang: spe_gang_context_ptr_t,
) -> Result<spe_context_ptr_t, Errno> {
    // Isolation needs keys of the real hardware; the result is that of a machine without isolation.
    if flags & (SPE_ISOLATE | SPE_ISOLATE_EMULATE) != 0 {
        return Err(Errno(libc::ENODEV));
    }
    if flags & !FLAGS != 0 {
        return Err(Errno(libc::EINVAL));
    }
    let gang = if gang.is_null() { None } else { Some(find(&GANGS, gang.addr())?) };
    let memory = flags & SPE_AFFINITY_MEMORY != 0;
    let neighbour = (!neighbour.is_null()).then(|| neighbour.addr());
    let mut members = gang.as_ref().map(|gang| lock(&gang.members));
    if neighbour.is_some() || memory {
        let members = members.as_ref().ok_or(Errno(libc::EINVAL))?;
        if neighbour.is_some_and(|neighbour| !members.contexts.contains(&neighbour)) {
            return Err(Errno(libc::EINVAL));
        }
        members.affinity.check(memory, neighbour, settings().spes_of(Some(0)) as usize)?;
    }
    let context = Arc::new(Context::new(flags, gang.clone())?);
    let pointer = context.pointer.as_ptr();
    if let Some(members) = &mut members {
        members.contexts.push(pointer.addr());
        members.affinity.add(pointer.addr(), memory, neighbour);
    }
    drop(members);
    lock(&CONTEXTS).insert(pointer.addr(), context);
    Ok(pointer)
}

/// Ends a context. A running context is stopped, and its run ends with an error.
pub(crate) fn destroy(pointer: spe_context_ptr_t) -> Result<(), Errno> {
    let context = lock(&CONTEXTS).remove(&pointer.addr()).ok_or(Errno(libc::ESRCH))?;
    context.destroyed.store(true, Relaxed);
    context.port.request_stop();
    context.stops.close();
    if let Some(gang) = &context.gang {
        let mut members = lock(&gang.members);
        members.contexts.retain(|&member| member != pointer.addr());
        members.affinity.remove(pointer.addr());
    }
    context.report_cycles();
    Ok(())
}

/// Makes a gang.
pub(crate) fn create_gang() -> spe_gang_context_ptr_t {
    let pointer =
        Handle::new(spe_gang_context { base_private: ptr::null_mut(), event_private: ptr::null_mut() });
    let gang = Gang { pointer, members: Mutex::default() };
    let address = gang.pointer.as_ptr();
    lock(&GANGS).insert(address.addr(), Arc::new(gang));
    address
}

/// Ends a gang that has no contexts.
pub(crate) fn destroy_gang(pointer: spe_gang_context_ptr_t) -> Result<(), Errno> {
    let gang = find(&GANGS, pointer.addr())?;
    if !lock(&gang.members).contexts.is_empty() {
        return Err(Errno(libc::EBUSY));
    }
    lock(&GANGS).remove(&pointer.addr());
    Ok(())
}

impl Context {
    fn new(flags: c_uint, gang: Option<Arc<Gang>>) -> Result<Context, Errno> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Relaxed);
        let settings = settings();
        let or_mode = [SPE_CFG_SIGNOTIFY1_OR, SPE_CFG_SIGNOTIFY2_OR].map(|flag| flags & flag != 0);
        let config = SpeConfig {
            // Each context has a seed of its own, which is the same in every run of the process.
            order: settings.reorder.map_or(Order::Immediate, |seed| Order::Reordered(seed.wrapping_add(id))),
            signal_or_mode: or_mode,
            ..SpeConfig::of(settings.cpu)
        };
        let port = Arc::new(Port::new(or_mode));
        if flags & SPE_EVENTS_ENABLE != 0 {
            port.watch(event::announce);
        }
        let registers = Arc::new(Registers::new(&port, process_memory()));
        let area = if flags & SPE_MAP_PS != 0 { Some(Area::map(&registers)?) } else { None };
        let spe = Spe::with_port(&config, process_memory(), Arc::clone(&port));
        let pipeline = settings.timing.then(|| Box::new(Pipeline::new(settings.cpu)));
        let nothing =
            spe_program_handle { handle_size: 0, elf_image: ptr::null_mut(), toe_shadow: ptr::null_mut() };
        Ok(Context {
            id,
            flags,
            pointer: Handle::new(spe_context {
                handle: nothing,
                base_private: ptr::null_mut(),
                event_private: ptr::null_mut(),
            }),
            port,
            registers,
            area,
            engine: Mutex::new(Engine { spe, pipeline }),
            program: Mutex::default(),
            services: Mutex::new(
                Services::new(stdio::input(), stdio::output(), stdio::error()).with_memory(process_memory()),
            ),
            stops: Stops::default(),
            tags_used: AtomicU32::new(0),
            tags_unread: AtomicU32::new(0),
            destroyed: AtomicBool::new(false),
            gang,
        })
    }

    /// Tells the context's gang that the context runs.
    pub(crate) fn note_run(&self) {
        if let Some(gang) = &self.gang {
            lock(&gang.members).affinity.runs(self.pointer.as_ptr().addr());
        }
    }

    /// Whether the context was destroyed while a thread still uses it.
    pub(crate) fn is_destroyed(&self) -> bool {
        self.destroyed.load(Relaxed)
    }

    /// Whether the context was made with a flag.
    pub(crate) fn has(&self, flag: c_uint) -> bool {
        self.flags & flag != 0
    }

    /// Prints the cycles of all runs of the context, if they were counted and it is not running.
    fn report_cycles(&self) {
        let Ok(engine) = self.engine.try_lock() else { return };
        let Some(pipeline) = &engine.pipeline else { return };
        let counts = pipeline.counts();
        tell(format_args!(
            "context {} ({}): {} instructions in {} cycles, {} issued in pairs",
            self.id,
            lock(&self.program).name,
            counts.instructions,
            pipeline.cycle(),
            counts.paired,
        ));
    }
}
