//! A whole program on one SPE: runs it, serves its library calls, and reports how it ended.

use std::time::Duration;

use crate::{
    calls::{CALL_CODES, Services, UnknownCall},
    local_store::LS_MASK,
    machine::{Machine, MachineEvent},
    spe::{Spe, StopReason},
    spu::{Observer, Unobserved},
};

/// Stop codes that mean "exit" (cell-facts D4); the low eight bits are the status.
const EXIT_CODES: std::ops::RangeInclusive<u16> = 0x2000..=0x20ff;

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The program stopped in a way that only a PPE program would handle, or that is an error.
    #[error("the SPE {reason} at {pc:#07x}")]
    Stopped {
        /// Why.
        reason: StopReason,
        /// Address of the next instruction.
        pc: u32,
    },
    /// The program made a library call that is not served.
    #[error("{call}, called at {pc:#07x}")]
    Call {
        /// The call.
        call: UnknownCall,
        /// Address behind the stop.
        pc: u32,
    },
}

/// What to do at a stop code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterStop {
    /// The call was served; the program goes on.
    Continue,
    /// The program ended with this status.
    Exit(u8),
}

/// Deals with a stop as the PPE side of libspe2 does.
pub(crate) fn after_stop(spe: &mut Spe, services: &mut Services, code: u16) -> Result<AfterStop, Failure> {
    let pc = spe.pc();
    if EXIT_CODES.contains(&code) {
        services.flush();
        return Ok(AfterStop::Exit(code as u8));
    }
    if CALL_CODES.contains(&code) {
        services.call(code, spe.ls(), pc).map_err(|call| Failure::Call { call, pc })?;
        spe.set_pc((pc + 4) & LS_MASK);
        return Ok(AfterStop::Continue);
    }
    Err(Failure::Stopped { reason: StopReason::Stop(code), pc })
}

/// Runs a started program to its end, at most `limit` instructions; `patience` as in [`Spe::run_waiting`].
///
/// # Errors
/// If it ends in any way but an exit.
pub fn run_program(
    spe: &mut Spe,
    services: &mut Services,
    limit: u64,
    patience: Option<Duration>,
) -> Result<u8, Failure> {
    run_to_exit(spe, services, limit, |spe, limit| spe.run_waiting(limit, patience))
}

/// [`run_program`] with an observer, for a program that waits for no other thread.
///
/// # Errors
/// If it ends in any way but an exit.
pub fn run_observed<O: Observer>(
    spe: &mut Spe,
    services: &mut Services,
    limit: u64,
    observer: &mut O,
) -> Result<u8, Failure> {
    run_to_exit(spe, services, limit, |spe, limit| spe.run_observed(observer, limit))
}

/// [`run_program`] for a program that waits for no other thread.
///
/// # Errors
/// If it ends in any way but an exit.
pub fn run_alone(spe: &mut Spe, services: &mut Services, limit: u64) -> Result<u8, Failure> {
    run_observed(spe, services, limit, &mut Unobserved)
}

fn run_to_exit(
    spe: &mut Spe,
    services: &mut Services,
    limit: u64,
    mut run: impl FnMut(&mut Spe, u64) -> StopReason,
) -> Result<u8, Failure> {
    let end = spe.spu().instructions.saturating_add(limit);
    loop {
        let left = end.saturating_sub(spe.spu().instructions);
        match run(spe, left) {
            StopReason::Stop(code) => match after_stop(spe, services, code)? {
                AfterStop::Continue => {}
                AfterStop::Exit(status) => return Ok(status),
            },
            reason => {
                services.flush();
                return Err(Failure::Stopped { reason, pc: spe.pc() });
            }
        }
    }
}

/// Runs the programs that were started on a machine, in virtual time, until all have ended; one result an
/// SPE. The time limit, in cycles, is a generous multiple of the instruction limit.
pub fn run_machine(machine: &mut Machine, services: &mut Services, limit: u64) -> Vec<Result<u8, Failure>> {
    let until = limit.saturating_mul(100);
    let mut results: Vec<Option<Result<u8, Failure>>> = vec![None; machine.spes()];
    loop {
        let (spe, reason) = match machine.run(until) {
            MachineEvent::Stopped { spe, reason } => (spe, reason),
            MachineEvent::Deadlock { spe, channel } => (spe, StopReason::Blocked(channel)),
            // No PPE program reads the mailbox.
            MachineEvent::Mailbox { .. } => continue,
            MachineEvent::Time | MachineEvent::Idle => break,
        };
        let outcome = match reason {
            StopReason::Stop(code) => after_stop(machine.spe_mut(spe), services, code),
            reason => Err(Failure::Stopped { reason, pc: machine.spe(spe).pc() }),
        };
        match outcome {
            Ok(AfterStop::Continue) => machine.resume(spe),
            Ok(AfterStop::Exit(status)) => results[spe] = Some(Ok(status)),
            Err(failure) => {
                results[spe] = Some(Err(failure));
                machine.stop(spe);
            }
        }
    }
    services.flush();
    let unfinished = |spe: usize| Failure::Stopped { reason: StopReason::Limit, pc: machine.spe(spe).pc() };
    results
        .into_iter()
        .enumerate()
        .map(|(spe, result)| result.unwrap_or_else(|| Err(unfinished(spe))))
        .collect()
}
