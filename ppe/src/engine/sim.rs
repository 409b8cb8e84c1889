//! The simulated Cell: the MEU's own SPE program on simulated SPEs inside this process, on any machine.
//!
//! Effective addresses are addresses of this process.  DMA converts data between the byte order of this
//! machine and of a Cell ([`memory`]).  Without timing each SPE runs on a thread ([`threads`]).  With timing all SPEs
//! share one virtual time ([`virtual_time`]).  The PPE's own work takes virtual time as well (`with_ppe.rs`).
//!
//! # Protocol
//! The protocol is the protocol of the hardware (`spe-kernels/include/meu.h`).  The PPE first writes the
//! record, then grants the memory that the operation may access, and then writes the mailbox word under the
//! mutex of the SPE's port.  The SPE reads the word under this mutex.  A completion record is stored with
//! release order after the result, and loaded with acquire order.

mod memory;
mod threads;
mod virtual_time;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use spe_kernels::{MissingImage, Processor, sys};
use spu_sim::elf::Image;
use spu_sim::mailbox::IN_MAILBOX_ENTRIES;
use spu_sim::mfc::Order;
use spu_sim::port::{Port, Wait};
use spu_sim::spe::{Arguments, PS3_CYCLES_PER_TICK, QS22_CYCLES_PER_TICK, SpeConfig, StopReason};
use spu_sim::spu::Cpu;
use spu_sim::timing::constants::CLOCK_HZ;
use static_assertions::const_assert_eq;

use super::homes::Homes;
use super::link::Link;
use super::make::{Choice, Entry};
use super::record::SharedLines;
use super::sabotage::Sabotage;
use super::spans::Spans;
use super::stand_in::StandIn;
use super::with_ppe::{WaitsBeside, WithPpe};
use super::{Command, Engine, Fault, MeuReport, local_store};
use crate::error::{Error, Result};
use crate::lower::{LoweredGraph, Placement, Target};
use crate::sync::{Parker, Unparker};
use crate::time::{StageTimes, TimeModel};
use crate::timeline::Span;
use memory::HostMemory;
use threads::Threads;
use virtual_time::{VirtualTime, tell_time};

/// Bytes that a simulated SPE takes: for its local store, and for its program in a form that is fast to
/// execute.
const SPE_BYTES: usize = (256 << 10) + (1 << 20);

const_assert_eq!(IN_MAILBOX_ENTRIES, sys::MEU_MAILBOX_DEPTH as usize);

pub(super) const ENTRY: Entry = Entry {
    name: "sim",
    meus: || None,
    model: |choice| TimeModel::of_cell(choice.processor),
    most_cells: local_store::CELLS_OF_A_BLADE,
    is_for_ranks: true,
    target: |choice| local_store::blade(choice.cells, choice.meus, choice.kinds),
    make: |choice, target| {
        let &Choice { processor, timing, chaos, ppe_factor, sabotage, .. } = choice;
        let options = SimOptions { processor, timing, chaos, sabotage, ..SimOptions::default() };
        let sim = Sim::new(target, options)?;
        Ok(match timing {
            true => Box::new(WithPpe::in_virtual_time(sim, ppe_factor)?),
            false => Box::new(WithPpe::new(sim)?),
        })
    },
};

/// How SPEs are simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SimOptions {
    /// The processor of the SPEs.
    pub processor: Processor,
    /// Whether SPEs run in virtual time, with the timing of pipeline and memory.
    pub timing: bool,
    /// With timing: the threads that simulate SPEs beside the thread of execution control. No cycle depends on them.
    pub threads: usize,
    /// Without timing: execute DMA commands late and in any order that the rules allow, after this seed.
    pub chaos: Option<u64>,
    /// An MEU hangs when it has executed this many instructions, with timing this many cycles, without
    /// completing an operation.
    pub limit: u64,
    /// For tests: MEUs that are lost on purpose.
    pub sabotage: Option<Sabotage>,
}

impl Default for SimOptions {
    fn default() -> SimOptions {
        // The longest chain of products takes some ten million instructions.
        let limit = 2_000_000_000;
        let threads = std::thread::available_parallelism().map_or(1, usize::from) - 1;
        let processor = Processor::PowerXCell8i;
        SimOptions { processor, timing: false, threads, chaos: None, limit, sabotage: None }
    }
}

/// One MEU, as the PPE sees it.
#[derive(Debug)]
struct Meu {
    link: Link,
    memory: Arc<HostMemory>,
    port: Arc<Port>,
    /// Whether it has been taken out.
    is_out: bool,
}

impl Meu {
    fn free_entries(&self) -> u32 {
        self.port.inspect(|state| state.in_mailbox.free())
    }

    fn arguments(&self, number: usize) -> Arguments {
        Arguments { spe: number as u64, argp: self.memory.parameters_ea(), ..Arguments::default() }
    }

    fn has_news(&self) -> bool {
        !self.is_out && (self.link.has_news() || self.link.has_failed())
    }

    fn is_busy(&self) -> bool {
        !self.is_out && self.link.offered() > self.link.acknowledged()
    }
}

/// What lets the SPEs run.
#[derive(Debug)]
enum Runner {
    Threads(Threads),
    VirtualTime(Box<VirtualTime>),
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Sim {
    target: Target,
    options: SimOptions,
    image: Arc<Image>,
    overlays: &'static [u8],
    parker: Parker,
    meus: Vec<Meu>,
    runner: Runner,
    homes: Homes,
    stand_in: StandIn<Sim>,
    /// As [`Engine::is_incomplete`] says.
    is_incomplete: bool,
    profile: bool,
    /// Virtual time that had passed when the SPEs were last started, in cycles.
    started: u64,
}

impl Sim {
    /// Makes the engine for this target.
    ///
    /// # Errors
    /// [`Error::Argument`] when blocks of the target's size do not fit the local store.  [`Error::Engine`]
    /// when this build has no image of the MEU for the processor, or when a thread cannot be started.
    pub(super) fn new(target: Target, options: SimOptions) -> Result<Sim> {
        let missing = |missing: MissingImage| failed(missing.to_string());
        let file = spe_kernels::image(options.processor).map_err(missing)?;
        let overlays = spe_kernels::overlays(options.processor).map_err(missing)?;
        Sim::with_image(target, options, file, overlays)
    }

    /// An engine whose MEUs execute this program, an SPU ELF file with its overlays.
    fn with_image(target: Target, options: SimOptions, file: &[u8], overlays: &'static [u8]) -> Result<Sim> {
        let image = Image::parse(file).map_err(|error| failed(format!("the MEU's image: {error}")))?;
        Sim::with_program(target, options, Arc::new(image), overlays)
    }

    fn with_program(
        target: Target,
        options: SimOptions,
        image: Arc<Image>,
        overlays: &'static [u8],
    ) -> Result<Sim> {
        local_store::check(&target)?;
        crate::memory::ensure(target.meus.saturating_mul(SPE_BYTES))?;
        let parker = Parker::new();
        let meus: Vec<_> = (0..target.meus)
            .map(|number| meu(number, &target, &options, overlays, (&parker, 0), false))
            .collect();
        let runner = runner(&meus, &target, &options, &image, &parker)?;
        let (homes, stand_in) = (Homes::default(), StandIn::default());
        Ok(Sim {
            target,
            options,
            image,
            overlays,
            parker,
            meus,
            runner,
            homes,
            stand_in,
            is_incomplete: false,
            profile: false,
            started: 0,
        })
    }

    fn cycles(&self) -> u64 {
        match &self.runner {
            Runner::VirtualTime(time) => self.started + time.now(),
            Runner::Threads(_) => 0,
        }
    }

    fn crash(&self, meu: usize) -> Option<String> {
        match &self.runner {
            Runner::Threads(threads) => threads.crash(meu),
            Runner::VirtualTime(time) => time.crash(meu),
        }
    }
}

/// The first cycle that begins at this time or after it.
fn cycles(nanoseconds: u64) -> u64 {
    (u128::from(nanoseconds) * u128::from(CLOCK_HZ)).div_ceil(1_000_000_000) as u64
}

/// The nanosecond in which this cycle begins.
fn nanoseconds(cycles: u64) -> u64 {
    (u128::from(cycles) * 1_000_000_000 / u128::from(CLOCK_HZ)) as u64
}

fn failed(what: String) -> Error {
    Error::Engine { engine: "sim", what }
}

fn cycles_per_tick(processor: Processor) -> u64 {
    match processor {
        Processor::CellBe => PS3_CYCLES_PER_TICK,
        Processor::PowerXCell8i => QS22_CYCLES_PER_TICK,
    }
}

fn configuration(options: &SimOptions, meu: usize) -> SpeConfig {
    SpeConfig {
        cpu: match options.processor {
            Processor::CellBe => Cpu::CellBe,
            Processor::PowerXCell8i => Cpu::PowerXCell8i,
        },
        order: match options.chaos {
            Some(seed) => Order::Reordered(seed.wrapping_add(meu as u64)),
            None => Order::Immediate,
        },
        cycles_per_tick: cycles_per_tick(options.processor),
        ..SpeConfig::default()
    }
}

/// An MEU that starts at this cycle of virtual time.
fn meu(
    number: usize,
    target: &Target,
    options: &SimOptions,
    overlays: &'static [u8],
    (parker, started): (&Parker, u64),
    is_out: bool,
) -> Meu {
    let tick_ns_q16 = ((cycles_per_tick(options.processor) * 1_000_000_000) << 16) / CLOCK_HZ;
    let (lines, port) = (Arc::new(SharedLines::big_endian()), Arc::new(Port::new([false; 2])));
    let spans = if options.timing { Spans::in_virtual_time(nanoseconds(started)) } else { Spans::default() };
    let cell = (target.cells > 1).then(|| Placement::of(target).cell_of(number, target.meus) as u8);
    let memory = HostMemory::new(
        Arc::clone(&lines),
        overlays,
        (number, cell, tick_ns_q16 as u32),
        spans,
        parker.unparker().clone(),
        (Sabotage::of(options.sabotage, number), Arc::clone(&port)),
    );
    Meu { memory: Arc::new(memory), link: Link::new(lines), port, is_out }
}

fn runner(
    meus: &[Meu],
    target: &Target,
    options: &SimOptions,
    image: &Arc<Image>,
    parker: &Parker,
) -> Result<Runner> {
    Ok(if options.timing {
        Runner::VirtualTime(Box::new(VirtualTime::new(meus, target.cells, options, image)))
    } else {
        Runner::Threads(Threads::start(meus, options, image, parker)?)
    })
}

/// Why an SPE has stopped, and where.
fn stop_text(reason: StopReason, pc: u32, image: &Image) -> String {
    let function = image.symbol_at(pc).map(|symbol| format!(" in {}", symbol.name)).unwrap_or_default();
    match reason {
        StopReason::Stop(code) => format!("the SPE has stopped with code {code:#06x} at {pc:#07x}{function}"),
        reason => format!("the SPE program has failed at {pc:#07x}{function}: {reason}"),
    }
}

impl Engine for Sim {
    fn name(&self) -> &'static str {
        "sim"
    }

    fn target(&self) -> &Target {
        &self.target
    }

    /// The decrementer gives the times. With timing it counts virtual time.
    fn profile(&mut self) -> bool {
        self.profile = self.options.timing;
        self.profile
    }

    fn last_times(&mut self, meu: usize) -> Option<StageTimes> {
        self.completed(meu).ok()?;
        self.meus[meu].link.last_times()
    }

    fn room(&mut self, meu: usize) -> usize {
        let meu = &self.meus[meu];
        meu.link.room(meu.free_entries())
    }

    fn offer(&mut self, number: usize, command: &Command<'_>) {
        if let Runner::VirtualTime(time) = &self.runner {
            tell_time(&self.meus, time.now());
        }
        self.homes.offered(command, number, &self.target);
        let meu = &mut self.meus[number];
        let [operands, results] = meu.memory.grant(command, &self.homes);
        meu.memory.spans.given();
        let command = Command { operands: &operands, results: &results, ..*command };
        let word = meu.link.write(&command, self.profile || meu.memory.spans.is_on());
        let written = meu.port.write_in_mailbox(&[word], Wait::No);
        assert_eq!(written, 1, "an operation was offered to an MEU without room");
    }

    fn completed(&mut self, number: usize) -> Result<u64, Fault> {
        let crash = self.crash(number);
        let meu = &mut self.meus[number];
        let completed = meu.link.poll(crash.as_deref())?;
        meu.memory.revoke((meu.link.offered() - completed) as usize);
        Ok(completed)
    }

    fn wait(&mut self, timeout: Duration) {
        match &mut self.runner {
            Runner::VirtualTime(time) => time.advance(&self.meus, timeout, None, &self.image),
            Runner::Threads(_) => self.parker.park_timeout(timeout),
        }
    }

    fn begin(&mut self, graph: &LoweredGraph) {
        self.homes.begin(graph);
    }

    fn now(&self) -> u64 {
        nanoseconds(self.cycles())
    }

    fn pass(&mut self, until: u64) {
        if let Runner::VirtualTime(time) = &mut self.runner {
            time.pass(&self.meus, cycles(until).saturating_sub(self.started), &self.image);
        }
    }

    /// In virtual time an SPE does nothing while nobody lets time pass.
    fn stop(&mut self) -> bool {
        self.is_incomplete = true;
        if let Runner::Threads(threads) = &mut self.runner {
            threads.stop(&self.meus);
        }
        true
    }

    fn start(&mut self) -> Result<()> {
        self.started = self.cycles();
        for (number, to) in self.meus.iter_mut().enumerate() {
            *to = meu(
                number,
                &self.target,
                &self.options,
                self.overlays,
                (&self.parker, self.started),
                to.is_out,
            );
        }
        self.runner = runner(&self.meus, &self.target, &self.options, &self.image, &self.parker)?;
        self.is_incomplete = false;
        Ok(())
    }

    fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    fn take_out(&mut self, number: usize, _patience: Duration) -> bool {
        let meu = &mut self.meus[number];
        meu.is_out = true;
        match &mut self.runner {
            Runner::Threads(threads) => threads.stop_one(number, meu),
            Runner::VirtualTime(time) => time.stop(number),
        }
        true
    }

    fn is_out(&self, number: usize) -> bool {
        self.meus.get(number).is_some_and(|meu| meu.is_out)
    }

    /// A further simulated SPE, whose work takes no virtual time.
    fn stand_in(&mut self, command: &Command<'_>) -> Result<Result<(), Fault>> {
        let target = Target { meus: 1, cells: 1, ..self.target };
        let options = SimOptions { processor: self.options.processor, ..SimOptions::default() };
        let image = &self.image;
        self.stand_in
            .execute(command, || Sim::with_program(target, options, Arc::clone(image), self.overlays))
    }

    fn note_spans(&mut self, on: bool) -> bool {
        for meu in &self.meus {
            meu.memory.spans.switch(on, meu.link.acknowledged());
        }
        true
    }

    fn take_spans(&mut self, meu: usize) -> Vec<Span> {
        self.meus[meu].memory.spans.take()
    }

    fn reports(&self) -> Vec<MeuReport> {
        let report = |(number, meu): (usize, &Meu)| MeuReport {
            meu: Some(number),
            operations: meu.link.acknowledged(),
            fetched_bytes: meu.memory.traffic.fetched.load(Ordering::Relaxed),
            written_bytes: meu.memory.traffic.written.load(Ordering::Relaxed),
            far_bytes: meu.memory.traffic.far.load(Ordering::Relaxed),
            instructions: match &self.runner {
                Runner::Threads(threads) => threads.instructions(number),
                Runner::VirtualTime(time) => time.instructions(number),
            },
            pipeline: match &self.runner {
                Runner::Threads(_) => None,
                Runner::VirtualTime(time) => Some(time.pipeline(number)),
            },
            ppe: None,
            waits: None,
        };
        self.meus.iter().enumerate().map(report).collect()
    }
}

impl WaitsBeside for Sim {
    fn unparker(&self) -> Unparker {
        self.parker.unparker().clone()
    }

    fn wait_beside(&mut self, timeout: Duration, _has_news: &dyn Fn() -> bool) {
        self.parker.park_timeout(timeout);
    }

    fn wait_until(&mut self, timeout: Duration, until: u64) {
        if let Runner::VirtualTime(time) = &mut self.runner {
            let until = cycles(until).saturating_sub(self.started);
            time.advance(&self.meus, timeout, Some(until), &self.image);
        }
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        if let Runner::Threads(threads) = &mut self.runner {
            threads.stop(&self.meus);
        }
    }
}

#[cfg(test)]
mod tests;
