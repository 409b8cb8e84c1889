//! The Cell: the MEU's program on real SPEs, through libspe2, which is loaded when the engine is made.
//!
//! Each MEU is an SPE context with a thread that runs it ([`context`]).  The PPE sends operations by the
//! SPE's mailbox.  The MEU's own DMA writes results, and after each result a completion record.
//!
//! # Memory ordering
//! The PPE reorders accesses to memory.  Accesses to an SPE's registers are a class of their own.
//! 1. *Record before mailbox word.* The PPE writes the record, and all data that this thread knows to be in
//!    memory, with ordinary stores.  The word goes to a register of the SPE, or into the kernel.  `lwsync`
//!    does not order a store to memory before a store to a register.  `eieio` does not either: it orders each
//!    class by itself.  So a sequentially consistent fence stands before the word.  On the PPE this fence is
//!    `sync`, after which all processors and MFCs see the stores.  The MFC fetches the record after the SPU
//!    has read the word, so it sees the record.
//! 2. *Result before completion record.* The MEU puts the completion record with a fence under the tag of
//!    the result, so the MFC performs it after the result.  Both transfers are coherent: they invalidate
//!    these lines in the PPE's caches.
//! 3. *Completion record before result.* The PPE loads the report with acquire order (`lwsync`, or a branch
//!    and `isync`), so it reads results after the sequence number.  The report is one doubleword, loaded at
//!    once, so its status and detail belong to its sequence number.  Stage times follow the report in the
//!    line.  The MFC writes the line at once, so they are there when the report is.
//! 4. *Operands of another MEU.* The PPE acknowledges an operand by rule 3 before it offers a reader of the
//!    operand by rule 1.

mod context;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ppu_sys::Library;
use spe_kernels::{Processor, sys};

use super::link::Link;
use super::make::Entry;
use super::record::SharedLines;
use super::sabotage::{Manner, Plot, Sabotage};
use super::sim::{Sim, SimOptions};
use super::stand_in::StandIn;
use super::stopping::stop_all;
use super::with_ppe::{WaitsBeside, WithPpe};
use super::{Command, Engine, Fault, MeuReport, local_store};
use crate::error::{Error, Result};
use crate::lower::Target;
use crate::operation::KindSet;
use crate::sync::{Parker, Unparker};
use crate::time::TimeModel;
use context::Context;

/// How long the PPE polls completion records without a pause.
const POLL: Duration = Duration::from_micros(50);

/// The pause between two looks at the completion records after that time.
const PAUSE: Duration = Duration::from_micros(50);

pub(super) const ENTRY: Entry = Entry {
    name: "cell",
    meus: || Cell::usable_spes().ok().filter(|&spes| spes > 0),
    model: |choice| TimeModel::of_cell(choice.processor),
    most_cells: 1,
    is_for_ranks: true,
    target: |choice| Cell::target(choice.meus, choice.kinds),
    make: |choice, target| Ok(Box::new(WithPpe::new(Cell::new(target, choice.sabotage)?)?)),
};

/// One MEU, as the PPE sees it.
#[derive(Debug)]
struct Meu {
    link: Link,
    context: Context,
    /// A step is an operation that is offered.
    plot: Plot,
    /// Whether it has been taken out.
    is_out: bool,
}

impl Meu {
    fn has_news(&self) -> bool {
        !self.is_out && (self.link.has_news() || self.link.has_failed() || self.context.has_ended())
    }

    /// Tells the MEU to stop, and waits until it has stopped, at most until `deadline`. False if it has not.
    fn stop(&self, deadline: Instant) -> bool {
        let mut is_told = false;
        while !self.context.has_ended() {
            is_told = is_told || self.context.write_mailbox(sys::MEU_WORD_TERMINATE);
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
        true
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Cell {
    target: Target,
    library: Library,
    processor: Processor,
    image: &'static [u8],
    overlays: &'static [u8],
    parker: Parker,
    meus: Vec<Meu>,
    stand_in: StandIn<Sim>,
    /// As [`Engine::is_incomplete`] says.
    is_incomplete: bool,
    sabotage: Option<Sabotage>,
}

fn failed(what: impl ToString) -> Error {
    Error::Engine { engine: "cell", what: what.to_string() }
}

impl Cell {
    /// The number of usable SPEs of all Cells of this machine.
    ///
    /// # Errors
    /// [`Error::Engine`] says what is missing.
    fn usable_spes() -> Result<usize> {
        Ok(information(&Library::load().map_err(failed)?, ppu_sys::SPE_COUNT_USABLE_SPES).unsigned_abs()
            as usize)
    }

    /// MEUs that execute these kinds, as far as the MEU's program has them.
    #[must_use]
    fn target(meus: usize, kinds: KindSet) -> Target {
        Target { huge_pages: true, ..local_store::cell(meus, kinds) }
    }

    /// Makes the engine for this target.
    ///
    /// # Errors
    /// [`Error::Argument`] when blocks of the target's size do not fit the local store, [`Error::Engine`]
    /// when this machine has no usable SPEs.
    fn new(target: Target, sabotage: Option<Sabotage>) -> Result<Cell> {
        local_store::check(&target)?;
        if cfg!(target_endian = "little") {
            return Err(failed(
                "SPEs read data in big-endian order, and this program works in little-endian order; the engine 'sim' simulates a Cell on \
                 any machine",
            ));
        }
        let library = Library::load().map_err(failed)?;
        library.check(u32::try_from(target.meus).unwrap_or(u32::MAX)).map_err(failed)?;
        let edp = information(&library, ppu_sys::SPE_CPU_TYPE) == ppu_sys::SPE_CPU_TYPE_CELLEDP as i32;
        let processor = if edp { Processor::PowerXCell8i } else { Processor::CellBe };
        let image = spe_kernels::image(processor).map_err(failed)?;
        let overlays = spe_kernels::overlays(processor).map_err(failed)?;
        let parker = Parker::new();
        let (meus, stand_in) = (Vec::new(), StandIn::default());
        let is_incomplete = false;
        let mut cell = Cell {
            target,
            library,
            processor,
            image,
            overlays,
            parker,
            meus,
            stand_in,
            is_incomplete,
            sabotage,
        };
        for number in 0..target.meus {
            cell.meus.push(cell.start_meu(number)?);
        }
        Ok(cell)
    }

    fn start_meu(&self, number: usize) -> Result<Meu> {
        let lines = Arc::new(SharedLines::new());
        let overlays_ea = self.overlays.as_ptr().expose_provenance() as u64;
        let tick_ns_q16 = tick_ns_q16();
        let parameters = sys::meu_parameters { tick_ns_q16, overlays_ea, ..lines.parameters(number) };
        // The context owns the parameters, and is dropped before the lines.
        let unparker = self.parker.unparker().clone();
        let context =
            Context::start(&self.library, self.image, number, parameters, Arc::clone(&lines), unparker)
                .map_err(|what| failed(format!("MEU {number}: {what}")))?;
        let plot = Sabotage::of(self.sabotage, number);
        Ok(Meu { link: Link::new(lines), context, plot, is_out: false })
    }
}

/// Asks libspe2 for a number that describes all Cells of this machine.
fn information(library: &Library, what: u32) -> i32 {
    // SAFETY: -1 means all nodes; the function takes nothing else.
    unsafe { (library.spe_cpu_info_get)(what as i32, -1) }
}

/// The tick of the decrementer, which is the tick of the PPE's time base.  0 when the kernel does not tell
/// its frequency.
fn tick_ns_q16() -> u32 {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("timebase"));
    let hertz = line.and_then(|line| line.split(':').nth(1)?.trim().parse::<u64>().ok()).unwrap_or(0);
    (1_000_000_000u64 << 16).checked_div(hertz).map_or(0, |tick| u32::try_from(tick).unwrap_or(u32::MAX))
}

impl Engine for Cell {
    fn name(&self) -> &'static str {
        "cell"
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn room(&mut self, meu: usize) -> usize {
        let meu = &self.meus[meu];
        meu.link.room(meu.context.free_entries())
    }

    fn offer(&mut self, number: usize, command: &Command<'_>) {
        let meu = &mut self.meus[number];
        let word = meu.link.write(command, false);
        match meu.plot.step(&[Manner::Stop, Manner::Hang]) {
            None => {}
            // Whatever the MEU is executing now is not completed.
            Some(Manner::Stop) => return meu.context.halt(),
            // An MEU that gets no word reports nothing more.
            Some(_) => return,
        }
        let written = meu.context.write_mailbox(word);
        assert!(written || meu.context.has_ended(), "an operation was offered to an MEU without room");
    }

    fn completed(&mut self, number: usize) -> Result<u64, Fault> {
        let meu = &mut self.meus[number];
        meu.link.poll(meu.context.crash())
    }

    fn wait(&mut self, timeout: Duration) {
        self.wait_beside(timeout, &|| false);
    }

    fn stop(&mut self) -> bool {
        self.is_incomplete = true;
        stop_all(&mut self.meus, |meu| &mut meu.is_out, |meu, deadline| meu.stop(deadline))
    }

    fn start(&mut self) -> Result<()> {
        for number in 0..self.meus.len() {
            if !self.meus[number].is_out {
                self.meus[number] = self.start_meu(number)?;
            }
        }
        self.is_incomplete = false;
        Ok(())
    }

    fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    fn take_out(&mut self, number: usize, patience: Duration) -> bool {
        let meu = &mut self.meus[number];
        meu.is_out = true;
        meu.context.halt();
        meu.stop(Instant::now() + patience)
    }

    fn is_out(&self, number: usize) -> bool {
        self.meus.get(number).is_some_and(|meu| meu.is_out)
    }

    /// The PPE simulates an SPE, which is slow, but has an SPE's bits.
    fn stand_in(&mut self, command: &Command<'_>) -> Result<Result<(), Fault>> {
        let target = Target { meus: 1, ..self.target };
        let options = SimOptions { processor: self.processor, ..SimOptions::default() };
        self.stand_in.execute(command, || Sim::new(target, options))
    }

    fn reports(&self) -> Vec<MeuReport> {
        let report =
            |(number, meu): (usize, &Meu)| MeuReport::of_operations(Some(number), meu.link.acknowledged());
        self.meus.iter().enumerate().map(report).collect()
    }
}

impl WaitsBeside for Cell {
    fn unparker(&self) -> Unparker {
        self.parker.unparker().clone()
    }

    fn wait_beside(&mut self, timeout: Duration, has_news: &dyn Fn() -> bool) {
        let begin = Instant::now();
        while !(self.meus.iter().any(Meu::has_news) || has_news()) {
            let waited = begin.elapsed();
            if waited >= timeout {
                return;
            }
            if waited < POLL {
                std::thread::yield_now();
            } else {
                self.parker.park_timeout(PAUSE);
            }
        }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.stop();
        // Contexts that still run use memory of this process.
        self.meus.drain(..).filter(|meu| !meu.context.has_ended()).for_each(std::mem::forget);
    }
}

/// The last error of the C library, which libspe2 sets.
fn last_error() -> io::Error {
    io::Error::last_os_error()
}
