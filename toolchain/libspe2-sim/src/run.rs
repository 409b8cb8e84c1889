//! Running a context, and the result of each way to stop (cell-facts D4 and B8).
//!
//! Without `SPE_EVENTS_ENABLE` the kernel reports a DMA exception to a real program by a signal; here
//! `SPE_RUNTIME_EXCEPTION` is returned in any case. An SPE that is stopped from outside (its context is
//! destroyed, or run control is cleared) has the result of a run that a signal interrupts:
//! `SPE_RUNTIME_FATAL` with EINTR. An SPE that reaches the limit of instructions has the result
//! `SPE_RUNTIME_FATAL` with ETIME.

pub(crate) mod callback;
pub(crate) mod stdio;
pub(crate) mod stops;

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::time::Duration;

use ppu_sys::{
    SPE_CALLBACK_ERROR, SPE_DEFAULT_ENTRY, SPE_DMA_ALIGNMENT, SPE_DMA_STORAGE, SPE_EVENTS_ENABLE, SPE_EXIT,
    SPE_INVALID_DMA, SPE_ISOLATION_ERROR, SPE_NO_CALLBACKS, SPE_RUN_USER_REGS, SPE_RUNTIME_ERROR,
    SPE_RUNTIME_EXCEPTION, SPE_RUNTIME_FATAL, SPE_SPU_HALT, SPE_SPU_INVALID_CHANNEL, SPE_SPU_INVALID_INSTR,
    SPE_SPU_STOPPED_BY_STOP, SPE_STOP_AND_SIGNAL, spe_stop_info, spe_stop_info__bindgen_ty_1,
};
use spu_sim::channels::number::SPU_RD_EVENT_STAT;
use spu_sim::local_store::LS_SIZE;
use spu_sim::mfc::MfcFault;
use spu_sim::quad::Quad;
use spu_sim::spe::{Arguments, StopReason};

use crate::context::{Context, Engine, lock};
use crate::errno::Errno;
use crate::settings::{settings, tell};
use crate::{event, guard};
use stops::Stop;

/// Classes of stop codes, by their upper bits.
const NORMAL_END: u16 = 0x2000;
const LIBRARY_CALL: u16 = 0x2100;
const ISOLATED_STOP: u16 = 0x2200;
const ISOLATED_LOAD_COMPLETE: u16 = 0x2206;
/// A stop that the kernel serves.
const KERNEL_CALL: u16 = 0x2104;
/// A stop that the kernel gives to a debugger.
const BREAKPOINT: u16 = 0x3fff;

/// How long a program that waits for any event sleeps before it checks its reservation: a lost reservation
/// wakes no waiter.
const POLL: Duration = Duration::from_millis(1);

/// What `spe_context_run` gives back.
#[derive(Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) result: c_int,
    pub(crate) stop: spe_stop_info,
    pub(crate) errno: Option<Errno>,
}

impl Outcome {
    fn new(result: c_int, reason: u32, value: c_int, status: c_int, errno: Option<Errno>) -> Outcome {
        // The whole union is zero, so that its wider members hold the value only.
        let mut union = spe_stop_info__bindgen_ty_1 { __reserved_u64: 0 };
        union.spe_exit_code = value;
        Outcome {
            result,
            stop: spe_stop_info { stop_reason: reason, result: union, spu_status: status },
            errno,
        }
    }

    fn error(kind: u32, status: u32) -> Outcome {
        Outcome::new(-1, SPE_RUNTIME_ERROR, kind as c_int, status as c_int, Some(Errno(libc::EFAULT)))
    }

    fn exception(kind: u32) -> Outcome {
        Outcome::new(-1, SPE_RUNTIME_EXCEPTION, kind as c_int, -1, Some(Errno(libc::EIO)))
    }

    fn fatal(errno: c_int) -> Outcome {
        Outcome::new(-1, SPE_RUNTIME_FATAL, errno, -1, Some(Errno(libc::EFAULT)))
    }
}

/// The three registers that a caller hands over with `SPE_RUN_USER_REGS`: words in the byte order of the PPE.
pub(crate) type UserRegisters = [[u32; 4]; 3];

/// What `main` of the SPE program gets.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ProgramArguments {
    /// Two addresses.
    Pointers(*mut c_void, *mut c_void),
    /// r3 to r5.
    Registers(UserRegisters),
}

impl ProgramArguments {
    /// # Safety
    /// With `SPE_RUN_USER_REGS`, `argp` points to three registers.
    pub(crate) unsafe fn new(flags: c_uint, argp: *mut c_void, envp: *mut c_void) -> ProgramArguments {
        if flags & SPE_RUN_USER_REGS != 0 && !argp.is_null() {
            // SAFETY: the caller passes registers; they need not be aligned.
            ProgramArguments::Registers(unsafe { argp.cast::<UserRegisters>().read_unaligned() })
        } else {
            ProgramArguments::Pointers(argp, envp)
        }
    }
}

/// Runs a context on the calling thread until it stops. `entry` becomes the address of the next instruction.
pub(crate) fn run(
    context: &Context,
    entry: &mut c_uint,
    flags: c_uint,
    arguments: ProgramArguments,
) -> Outcome {
    let outcome = {
        // Another thread that runs the context is waited for, as in the kernel.
        let mut engine = lock(&context.engine);
        context.note_run();
        enter(context, &mut engine, *entry, arguments);
        let outcome = guard::with_faults(|| run_to_outcome(context, &mut engine, flags, settings().limit));
        *entry = engine.spe.pc();
        // After an exception the result has no status, and the register says that nothing runs.
        context.registers.stopped(u32::try_from(outcome.stop.spu_status).unwrap_or(0), *entry);
        outcome
    };
    if context.has(SPE_EVENTS_ENABLE) {
        context.stops.add(Stop(outcome.stop));
        event::announce();
    }
    outcome
}

/// Sets the program counter, and the registers if the program starts.
fn enter(context: &Context, engine: &mut Engine, entry: c_uint, arguments: ProgramArguments) {
    let program = lock(&context.program).entry;
    let start = if entry == SPE_DEFAULT_ENTRY { program.unwrap_or(0) } else { entry };
    if program != Some(start) {
        engine.spe.set_pc(start);
        return;
    }
    let (argp, envp) = match arguments {
        ProgramArguments::Pointers(argp, envp) => (argp, envp),
        ProgramArguments::Registers(_) => (ptr::null_mut(), ptr::null_mut()),
    };
    // The program accesses the memory behind these pointers by DMA.
    let arguments_of_main = Arguments {
        spe: context.pointer.as_ptr().expose_provenance() as u64,
        argp: argp.expose_provenance() as u64,
        envp: envp.expose_provenance() as u64,
        ls_ea: context.port.ls().as_ptr().expose_provenance() as u64,
    };
    engine.spe.enter(start, arguments_of_main);
    if let ProgramArguments::Registers(registers) = arguments {
        for (number, words) in (3..).zip(registers) {
            engine.spe.spu_mut().set(number, Quad::from_words(words));
        }
    }
}

/// Runs, and serves calls, until there is something to return; at most `limit` instructions.
fn run_to_outcome(context: &Context, engine: &mut Engine, flags: c_uint, limit: u64) -> Outcome {
    let end = engine.spe.spu().instructions.saturating_add(limit);
    loop {
        if context.is_destroyed() {
            return Outcome::fatal(libc::EINTR);
        }
        context.registers.started();
        let reason = run_to_stop(context, engine, end);
        let fault = engine.spe.finish_dma().err().map(StopReason::Fault);
        match fault.unwrap_or(reason) {
            StopReason::Stop(code) => {
                if let Some(outcome) = after_stop(context, engine, flags, code) {
                    return outcome;
                }
            }
            reason => return failure(context, engine, reason),
        }
    }
}

/// Runs until the SPE stops. While the SPE waits for a channel, this thread sleeps.
fn run_to_stop(context: &Context, engine: &mut Engine, end: u64) -> StopReason {
    loop {
        let seen = context.port.generation();
        let left = end.saturating_sub(engine.spe.spu().instructions);
        let reason = match &mut engine.pipeline {
            Some(pipeline) => engine.spe.run_observed(&mut **pipeline, left),
            None => engine.spe.run(left),
        };
        let StopReason::Blocked(channel) = reason else { return reason };
        context.port.wait_for_change(seen, (channel == SPU_RD_EVENT_STAT).then_some(POLL));
    }
}

/// What follows a stop instruction; `None` if the program goes on.
fn after_stop(context: &Context, engine: &mut Engine, flags: c_uint, code: u16) -> Option<Outcome> {
    let status = c_int::from(code) << 16 | SPE_SPU_STOPPED_BY_STOP as c_int;
    let pc = engine.spe.pc();
    let stopped = |result, reason, value, errno| Some(Outcome::new(result, reason, value, status, errno));
    let fault = Some(Errno(libc::EFAULT));
    match (code, code & 0xff00) {
        // The block of a call is a number and six parameters.
        (KERNEL_CALL, _) if context.port.ls().load_word(pc) as usize > LS_SIZE - 7 * size_of::<u64>() => {
            Some(Outcome::fatal(libc::EFAULT))
        }
        (KERNEL_CALL, _) => {
            engine.spe.set_pc(pc + 4);
            // A system call without a service has a result too: the errno that there is no such call.
            match callback::serve_code(context, code, pc) {
                Ok(()) => None,
                Err(_) => Some(Outcome::fatal(libc::ENOSYS)),
            }
        }
        (_, LIBRARY_CALL) if flags & SPE_NO_CALLBACKS == 0 => match callback::call(context, code as u8, pc) {
            0 => {
                engine.spe.set_pc(pc + 4);
                None
            }
            error => stopped(-1, SPE_CALLBACK_ERROR, error, fault),
        },
        (_, NORMAL_END) => stopped(0, SPE_EXIT, c_int::from(code & 0xff), None),
        // A loader of isolated programs has done its work.
        (ISOLATED_LOAD_COMPLETE, _) => None,
        _ if code & 0xfff0 == ISOLATED_STOP => {
            stopped(-1, SPE_ISOLATION_ERROR, c_int::from(code & 0xf), fault)
        }
        _ => {
            if code == BREAKPOINT {
                // SAFETY: the signal is valid; a debugger or a handler of the program takes it.
                unsafe { libc::raise(libc::SIGTRAP) };
            }
            stopped(c_int::from(code), SPE_STOP_AND_SIGNAL, c_int::from(code), None)
        }
    }
}

/// The result of a run that ended without a stop instruction.
fn failure(context: &Context, engine: &Engine, reason: StopReason) -> Outcome {
    let name = lock(&context.program).name.clone();
    tell(format_args!("context {} ({name}): the SPE {reason} at {:#07x}", context.id, engine.spe.pc()));
    match reason {
        StopReason::Halt => Outcome::error(SPE_SPU_HALT, SPE_SPU_HALT),
        StopReason::InvalidInstruction(_) => Outcome::error(SPE_SPU_INVALID_INSTR, SPE_SPU_INVALID_INSTR),
        StopReason::InvalidChannel(_) => Outcome::error(SPE_SPU_INVALID_CHANNEL, SPE_SPU_INVALID_CHANNEL),
        StopReason::Fault(MfcFault::Alignment { .. }) => Outcome::exception(SPE_DMA_ALIGNMENT),
        StopReason::Fault(MfcFault::InvalidCommand { .. }) => Outcome::exception(SPE_INVALID_DMA),
        StopReason::Fault(MfcFault::Storage(_)) => Outcome::exception(SPE_DMA_STORAGE),
        StopReason::Limit => Outcome::fatal(libc::ETIME),
        StopReason::Requested | StopReason::Blocked(_) | StopReason::Stop(_) => Outcome::fatal(libc::EINTR),
    }
}

#[cfg(test)]
mod tests;
