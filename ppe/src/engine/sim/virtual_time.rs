//! Simulated SPEs in one virtual time. Time passes while execution control has nothing to do.
//!
//! Everything that SPEs have in common happens on the thread of execution control, in the order of virtual time. What
//! an SPE computes between two transfers is executed on other threads as well. Nothing depends on this machine's clock
//! or threads, so a sequence of operations takes equal cycles in every run. The PPE looks at the completion records every [`POLL_CYCLES`]. When the PPE works, [`VirtualTime::pass`]
//! lets the SPEs go on meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use spu_sim::elf::Image;
use spu_sim::machine::{Machine, MachineEvent};
use spu_sim::memory::MainMemory;
use spu_sim::timing::pipeline::Stall;

use super::{Meu, SimOptions, configuration, nanoseconds, stop_text};
use crate::engine::PipelineReport;

/// Cycles between two looks of the PPE at the completion records: 100 ns.
const POLL_CYCLES: u64 = 320;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct VirtualTime {
    machine: Machine,
    crashes: Vec<Option<String>>,
    /// Completed operations of each MEU, and the time when this number was last seen to change.
    progress: Vec<(u32, u64)>,
    limit: u64,
}

/// Tells those who note spans which cycle it is.
pub(super) fn tell_time(meus: &[Meu], cycle: u64) {
    meus.iter().for_each(|meu| meu.memory.spans.set_virtual_ns(nanoseconds(cycle)));
}

impl VirtualTime {
    /// The MEUs are divided among so many Cells.
    pub(super) fn new(meus: &[Meu], cells: usize, options: &SimOptions, image: &Image) -> VirtualTime {
        let spe = |meu: &Meu| {
            let memory: Arc<dyn MainMemory> = Arc::<super::HostMemory>::clone(&meu.memory);
            (Arc::clone(&meu.port), memory)
        };
        let mut machine =
            Machine::with_memories(&configuration(options, 0), meus.iter().map(spe).collect(), false)
                .with_cells(cells)
                .with_threads(options.threads.min(meus.len().saturating_sub(1)));
        for (number, meu) in meus.iter().enumerate().filter(|(_, meu)| !meu.is_out) {
            machine.start(number, image, meu.arguments(number));
        }
        VirtualTime {
            machine,
            crashes: vec![None; meus.len()],
            progress: vec![(0, 0); meus.len()],
            limit: options.limit,
        }
    }

    pub(super) fn crash(&self, meu: usize) -> Option<String> {
        self.crashes[meu].clone()
    }

    /// Cycles since the SPEs were started.
    pub(super) fn now(&self) -> u64 {
        self.machine.now()
    }

    /// Lets the SPEs go on until cycle `until`.
    pub(super) fn pass(&mut self, meus: &[Meu], until: u64, image: &Image) {
        let noted = meus.iter().any(|meu| meu.memory.spans.is_on());
        loop {
            let now = self.machine.now();
            tell_time(meus, now);
            // Spans are to have ends that are not much too early.
            let next = if noted { until.min(now + POLL_CYCLES) } else { until };
            while let Some(MachineEvent::Stopped { spe, reason }) = self.machine.pass(next) {
                self.crashes[spe] = Some(stop_text(reason, self.machine.spe(spe).pc(), image));
            }
            if next >= until {
                return;
            }
        }
    }

    /// Stops an SPE, whatever it is doing.
    pub(super) fn stop(&mut self, meu: usize) {
        self.machine.stop(meu);
    }

    /// Lets virtual time pass until the PPE has something to do, not beyond cycle `until` where that is
    /// given, but simulates no longer than `timeout`.
    pub(super) fn advance(&mut self, meus: &[Meu], timeout: Duration, until: Option<u64>, image: &Image) {
        let end = Instant::now() + timeout;
        let free: Vec<u32> = meus.iter().map(Meu::free_entries).collect();
        let news = || {
            meus.iter().any(Meu::has_news)
                || meus.iter().zip(&free).any(|(meu, &free)| meu.free_entries() != free)
        };
        loop {
            tell_time(meus, self.machine.now());
            let next = self.machine.now() + POLL_CYCLES;
            match self.machine.run(until.map_or(next, |until| until.min(next))) {
                // An MEU writes to no mailbox, so no thread reads one.
                MachineEvent::Time | MachineEvent::Mailbox { .. } => {}
                MachineEvent::Stopped { spe, reason } => {
                    self.crashes[spe] = Some(stop_text(reason, self.machine.spe(spe).pc(), image));
                    return;
                }
                MachineEvent::Idle | MachineEvent::Deadlock { .. } => {
                    if let Some(until) = until
                        && !news()
                    {
                        return self.pass(meus, until, image);
                    }
                    if !news() {
                        self.blame(meus, |_, _| true, "the MEU waits for something that nothing will serve");
                    }
                    return;
                }
            }
            self.look_for_hangs(meus);
            if news() || until.is_some_and(|until| self.machine.now() >= until) || Instant::now() >= end {
                return;
            }
        }
    }

    fn look_for_hangs(&mut self, meus: &[Meu]) {
        let (now, limit) = (self.machine.now(), self.limit);
        for (meu, progress) in meus.iter().zip(&mut self.progress) {
            let sequence = meu.link.lines.sequence();
            if sequence != progress.0 || !meu.is_busy() {
                *progress = (sequence, now);
            }
        }
        self.blame(
            meus,
            |time, number| now - time.progress[number].1 > limit,
            &format!("the MEU hangs: no operation has completed for {limit} cycles"),
        );
    }

    /// Declares crashed all MEUs that have an operation outstanding and for which `is_guilty` holds.
    fn blame(&mut self, meus: &[Meu], is_guilty: impl Fn(&VirtualTime, usize) -> bool, what: &str) {
        for (number, meu) in meus.iter().enumerate() {
            if meu.is_busy() && self.crashes[number].is_none() && is_guilty(self, number) {
                self.machine.stop(number);
                self.crashes[number] = Some(what.to_owned());
            }
        }
    }

    pub(super) fn instructions(&self, meu: usize) -> u64 {
        self.machine.counts(meu).instructions
    }

    pub(super) fn pipeline(&self, meu: usize) -> PipelineReport {
        let counts = self.machine.counts(meu);
        let stalls = Stall::ALL.iter().map(|&stall| (stall.name(), counts.stalls[stall as usize])).collect();
        PipelineReport { cycles: self.machine.now(), paired: counts.paired, stalls }
    }
}
