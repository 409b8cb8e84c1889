//! Simulated SPEs without timing: one thread each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use spe_kernels::sys;
use spu_sim::channels::number::SPU_RD_IN_MBOX;
use spu_sim::elf::Image;
use spu_sim::memory::MainMemory;
use spu_sim::spe::{Spe, StopReason};

use super::{Meu, SimOptions, configuration, stop_text};
use crate::engine::record::SharedLines;
use crate::error::Result;
use crate::memory;
use crate::sync::thread::JoinHandle;
use crate::sync::{Parker, Unparker};

/// Instructions between two looks at the number of operations that an MEU has completed.
const SLICE: u64 = 10_000_000;

/// The stop code of an MEU that was told to terminate, by the convention of libspe2.
const EXIT: u16 = 0x2000;

/// What an SPE's thread tells the PPE.
#[derive(Debug, Default)]
struct State {
    /// Why the SPE has ended; None if it was told to terminate.
    crash: OnceLock<String>,
    instructions: AtomicU64,
}

/// The threads, one for each MEU.
#[derive(Debug)]
pub(super) struct Threads(Vec<(Arc<State>, Option<JoinHandle<()>>)>);

impl Threads {
    pub(super) fn start(
        meus: &[Meu],
        options: &SimOptions,
        image: &Arc<Image>,
        parker: &Parker,
    ) -> Result<Threads> {
        let mut threads = Threads(Vec::new());
        for (number, meu) in meus.iter().enumerate() {
            if meu.is_out {
                threads.0.push((Arc::default(), None));
                continue;
            }
            let memory: Arc<dyn MainMemory> = Arc::<super::HostMemory>::clone(&meu.memory);
            let state = Arc::new(State::default());
            let arguments = meu.arguments(number);
            // This thread makes the SPE: the thread of the SPE may begin late, when the system has no memory, and cannot
            // report that.
            let mut spe = Spe::with_port(&configuration(options, number), memory, Arc::clone(&meu.port));
            spe.start(image, arguments);
            let run = {
                let (image, state, lines) =
                    (Arc::clone(image), Arc::clone(&state), Arc::clone(&meu.link.lines));
                let limit = options.limit;
                let of_memory = Arc::clone(&meu.memory);
                let ppe = parker.unparker().clone();
                move || {
                    let is_stopped = || of_memory.has_stopped();
                    run(&mut spe, &image, &state, &lines, &ppe, (limit, &is_stopped));
                }
            };
            match memory::spawn("sim", format!("pmatrix-spe-{number}"), run) {
                Ok(thread) => threads.0.push((state, Some(thread))),
                Err(error) => {
                    threads.stop(meus);
                    return Err(error);
                }
            }
        }
        Ok(threads)
    }

    pub(super) fn crash(&self, meu: usize) -> Option<String> {
        self.0[meu].0.crash.get().cloned()
    }

    pub(super) fn instructions(&self, meu: usize) -> u64 {
        self.0[meu].0.instructions.load(Ordering::Relaxed)
    }

    /// Stops an SPE, whatever it is doing, and waits until it has stopped.
    pub(super) fn stop_one(&mut self, number: usize, meu: &Meu) {
        meu.port.request_stop();
        if self.0[number].1.take().is_some_and(|thread| thread.join().is_err()) {
            log::error!("the thread of SPE {number} has panicked");
        }
    }

    /// Stops all SPEs, whatever they are doing, and waits until they have stopped.
    pub(super) fn stop(&mut self, meus: &[Meu]) {
        for (meu, _) in meus.iter().zip(&self.0) {
            meu.port.request_stop();
        }
        for (number, meu) in meus.iter().enumerate().take(self.0.len()) {
            self.stop_one(number, meu);
        }
    }
}

/// Runs an SPE until it stops. It hangs after `limit` instructions. `is_stopped` says whether a test has stopped
/// it.
fn run(
    spe: &mut Spe,
    image: &Image,
    state: &State,
    lines: &SharedLines,
    ppe: &Unparker,
    (limit, is_stopped): (u64, &dyn Fn() -> bool),
) {
    let (mut last, mut since) = (lines.sequence(), 0);
    let crash = loop {
        let seen = spe.port().generation();
        let reason = spe.run(SLICE);
        let executed = spe.spu().instructions;
        state.instructions.store(executed, Ordering::Relaxed);
        if lines.sequence() != last {
            (last, since) = (lines.sequence(), executed);
        }
        match reason {
            StopReason::Blocked(SPU_RD_IN_MBOX) => {
                since = executed;
                spe.port().wait_for_change(seen, None);
            }
            StopReason::Limit if executed - since < limit => {}
            StopReason::Limit => {
                let executed = executed - since;
                break format!(
                    "the MEU hangs: it has executed {executed} instructions without completing an operation"
                );
            }
            StopReason::Requested if is_stopped() => break stop_text(reason, spe.pc(), image),
            StopReason::Requested | StopReason::Stop(EXIT) => return,
            reason => break stop_text(reason, spe.pc(), image),
        }
    };
    // Only this thread sets the outcome.
    _ = state.crash.set(crash);
    ppe.unpark();
}

const _: () = assert!(sys::MEU_STATUS_OK == 0, "the exit code of an MEU is its status");
