//! The host engine: one thread for each MEU, which runs the MEU's own C program in a local store of its own.
//!
//! The protocol is the protocol of an SPE.  An operation comes as a mailbox word that names a record.
//! Operands and results move by checked DMA commands.  The local store has 256 KiB.  The MEU reports
//! completion by a record in main memory, which the PPE reads.  A thread gains nothing by copying operands
//! into a local store, so by default MEUs execute operations in memory ([`MemoryLimits`]).
//!
//! # Waking up
//! Both sides sleep: an MEU whose mailbox is empty, and the PPE (the thread of execution control) when it can
//! neither acknowledge nor offer an operation.  Each sleeps on a parker, which keeps one token: `unpark`
//! leaves a token, and `park` takes it, or sleeps until there is one.  What the waking thread did before
//! `unpark` is visible after the `park` that takes its token.
//!
//! *An MEU sleeps only while its mailbox is empty.* `mailbox.rs` says why: the PPE unparks the MEU after
//! every word.
//!
//! The PPE need not see every completion at once, and waking it costs more than a small operation.  So an MEU
//! calls the PPE (`completed`) only in three cases: it has failed, its mailbox holds at most [`LOW_WATER`]
//! words, or an MEU is idle and may be waiting for this result.  In all other cases the PPE acknowledges
//! several completions at a later time.
//!
//! *The PPE does not sleep for ever while operations are outstanding.* Suppose that it sleeps and nobody
//! wakes it.  It offers nothing, so every MEU runs until its mailbox is empty or until it fails.  Take the
//! last completion record that an MEU writes.  All words have been read by then, so the MEU counts 0 words,
//! or has failed; in both cases it unparks the PPE, after the record has become visible.  The PPE takes this
//! token, or the token of a later `unpark`, at a `park` that follows the record.  So the round of execution
//! control that comes after this `park` sees the record.  This holds for every MEU: the PPE has seen all
//! completion records when it goes to sleep for the last time.  Then nothing is outstanding, which
//! contradicts the assumption.  With chaos, an MEU executes all DMA commands that are left before it waits
//! for a word, so that its last completion record becomes visible as well.  Execution control limits every
//! sleep to 100 ms, but this argument does not rely on that.
//!
//! *An idle MEU may have to wait for a further operation of another MEU.* MEU A completes its last operation
//! and calls the PPE.  The PPE looks just before MEU B writes a completion record, and B reads the number of
//! idle MEUs just before A adds itself.  Then B does not call, and the PPE sleeps although it could offer A
//! an operation that reads B's result.  B has more than [`LOW_WATER`] words left, so it completes a further
//! operation.  It then sees that A is idle, or that few words are left, and calls.  Such a delay costs time
//! and changes no result.  It needs two events within the microsecond between A's call and A's counting as
//! idle.
//!
//! The thread of the PPE ([`WithPpe`]) unparks this parker as well, after each of its operations.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use spe_kernels::{ProductSides, sys};

use super::link::Link;
use super::mailbox::{DEPTH, Mailbox};
use super::make::Entry;
use super::record::SharedLines;
use super::sabotage::{Manner, Plot, Sabotage};
use super::spans::Spans;
use super::stand_in::StandIn;
use super::stopping::stop_all;
use super::with_ppe::{WaitsBeside, WithPpe};
use super::{Command, Engine, Fault, local_store};
use crate::error::{Error, Result};
use crate::lower::{MemoryLimits, ProductLimits, Target};
use crate::memory;
use crate::operation::KindSet;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{Mutex, Parker, Unparker, looking};
use crate::time::{StageTimes, TimeModel};
use crate::timeline::Span;

/// An MEU calls the PPE when its mailbox holds no more words than this.
const LOW_WATER: u32 = 1;

/// How long the PPE polls completion records before it sleeps, while an MEU is idle.
const POLL: Duration = looking(Duration::from_micros(50));

pub(super) const ENTRY: Entry = Entry {
    name: "host",
    meus: || None,
    model: |_| TimeModel::of_host(),
    most_cells: 1,
    is_for_ranks: true,
    target: |choice| match choice.memory {
        // Chaos reorders DMA, which work in memory does not use.  MEUs with few kinds stand for MEUs of a
        // Cell.
        Some(memory) if choice.chaos.is_none() && choice.kinds == KindSet::ALL => {
            Host::in_memory(choice.meus, memory)
        }
        _ => Host::in_local_stores(choice.meus, choice.kinds),
    },
    make: |choice, target| {
        let host = Host::make(target, choice.chaos, choice.sabotage)?;
        Ok(if target.has_ppe() { Box::new(WithPpe::new(host)?) } else { Box::new(host) })
    },
};

/// What an MEU's thread and the PPE share.
#[derive(Debug)]
struct Shared {
    lines: Arc<SharedLines>,
    mailbox: Mailbox,
    /// The thread of execution control.
    ppe: Unparker,
    /// Number of MEUs that wait for a mailbox word.
    idle: Arc<CachePadded<AtomicUsize>>,
    spans: Spans,
    /// Set when the thread ends, also by a panic.
    ended: AtomicBool,
}

/// Tells the PPE that an MEU's thread ends.
struct End(Arc<Shared>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Release);
        self.0.ppe.unpark();
    }
}

/// The MEU's view of its surroundings.
struct Surroundings {
    shared: Arc<Shared>,
    parker: Mutex<Parker>,
    plot: Plot,
}

impl spe_kernels::Mailbox for Surroundings {
    fn read(&self) -> u32 {
        if let Some(manner) = self.plot.step(&[Manner::Stop, Manner::Fault, Manner::Hang]) {
            // What hangs ends with the engine.
            while manner == Manner::Hang && Arc::strong_count(&self.shared) > 2 {
                thread::sleep(Duration::from_millis(1));
            }
            return sys::MEU_WORD_TERMINATE;
        }
        // Only this MEU's thread ever locks the parker.
        let parker = self.parker.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = &self.shared.idle;
        let word = self.shared.mailbox.read(&parker, |begins| {
            _ = if begins {
                idle.fetch_add(1, Ordering::SeqCst)
            } else {
                idle.fetch_sub(1, Ordering::SeqCst)
            };
        });
        self.shared.spans.given();
        word
    }

    fn count(&self) -> u32 {
        self.shared.mailbox.count()
    }

    fn completed(&self, words_left: u32) {
        self.shared.spans.completed(|| {
            // SAFETY: this is the MEU's thread, which does not write to the completion record now.
            let completion = unsafe { self.shared.lines.completion() };
            StageTimes { df: completion.fetch_ns, ex: completion.execute_ns, wb: completion.write_back_ns }
        });
        if self.plot.step(&[Manner::Damage]).is_some() {
            let report = sys::meu_report { sequence: 0xdead_beef, ..self.shared.lines.report() };
            // SAFETY: this is the MEU's thread, and nobody reads the other fields meanwhile.
            unsafe { self.shared.lines.complete(&sys::meu_completion { report, ..Default::default() }) };
        }
        if u32::from(self.shared.lines.report().status) != sys::MEU_STATUS_OK
            || words_left <= LOW_WATER
            || self.shared.idle.load(Ordering::SeqCst) > 0
        {
            self.shared.ppe.unpark();
        }
    }
}

/// One MEU, as the PPE sees it.
#[derive(Debug)]
struct Meu {
    shared: Arc<Shared>,
    link: Link,
    thread: Option<JoinHandle<()>>,
    /// Whether it has been taken out.
    is_out: bool,
}

impl Meu {
    /// Whether something has completed or failed since the PPE last looked.
    fn has_news(&self) -> bool {
        !self.is_out && (self.link.has_news() || self.link.has_failed())
    }

    /// Tells the MEU to stop, and waits until it has stopped, at most until `deadline`. False if it has not:
    /// then its thread is left to itself.
    fn stop(&mut self, deadline: Instant) -> bool {
        let Some(thread) = self.thread.take() else { return true };
        let mut is_told = false;
        while !thread.is_finished() {
            is_told = is_told || self.shared.mailbox.write(sys::MEU_WORD_TERMINATE);
            if Instant::now() > deadline {
                return false;
            }
            thread::sleep(Duration::from_micros(50));
        }
        if thread.join().is_err() {
            log::error!("the thread of an MEU has panicked");
        }
        true
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Host {
    target: Target,
    chaos: Option<u64>,
    sabotage: Option<Sabotage>,
    parker: Parker,
    idle: Arc<CachePadded<AtomicUsize>>,
    meus: Vec<Meu>,
    stand_in: StandIn<Host>,
    /// As [`Engine::is_incomplete`] says.
    is_incomplete: bool,
    profile: bool,
}

impl Host {
    /// MEUs that execute everything in memory.  The limits of a product suit the caches of this machine.
    #[must_use]
    pub fn in_memory(meus: usize, memory: MemoryLimits) -> Target {
        let ProductSides { rows, columns, inner, tile_columns } = spe_kernels::product_sides();
        let product = ProductLimits { rows, columns, inner, tile_columns };
        let memory = MemoryLimits { product: Some(product), ..memory };
        Target { memory: Some(memory), ..Host::in_local_stores(meus, KindSet::ALL) }
    }

    /// MEUs that execute these kinds in their local stores, as MEUs of a Cell do.
    #[must_use]
    pub fn in_local_stores(meus: usize, kinds: KindSet) -> Target {
        local_store::target(meus, kinds)
    }

    /// Makes the engine.  With `chaos`, DMA commands are executed late and in any order that the rules allow.
    ///
    /// # Errors
    /// [`Error::Argument`] when blocks of the target's size do not fit the local store, or begin at addresses
    /// that DMA cannot reach.
    pub fn new(target: Target, chaos: Option<u64>) -> Result<Host> {
        Host::make(target, chaos, None)
    }

    fn make(target: Target, chaos: Option<u64>, sabotage: Option<Sabotage>) -> Result<Host> {
        local_store::check(&target)?;
        let mut host = Host {
            target,
            chaos,
            sabotage,
            parker: Parker::new(),
            idle: Arc::default(),
            meus: Vec::new(),
            stand_in: StandIn::default(),
            is_incomplete: false,
            profile: false,
        };
        for number in 0..target.meus {
            host.meus.push(host.start_meu(number)?);
        }
        Ok(host)
    }

    fn start_meu(&self, number: usize) -> Result<Meu> {
        let (mailbox, parker) = Mailbox::new();
        let shared = Arc::new(Shared {
            lines: Arc::new(SharedLines::new()),
            mailbox,
            ppe: self.parker.unparker().clone(),
            idle: Arc::clone(&self.idle),
            spans: Spans::default(),
            ended: AtomicBool::new(false),
        });
        let surroundings = Surroundings {
            shared: Arc::clone(&shared),
            parker: Mutex::new(parker),
            plot: Sabotage::of(self.sabotage, number),
        };
        let mut local_store =
            memory::fallibly(spe_kernels::LocalStore::new).ok_or_else(|| Error::Memory {
                bytes: spe_kernels::LocalStore::BYTES,
                purpose: format!("the local store of MEU {number}"),
            })?;
        let chaos_seed = self.chaos.map(|seed| seed.wrapping_add(number as u64));
        let run = move || {
            let end = End(Arc::clone(&surroundings.shared));
            let parameters = surroundings.shared.lines.parameters(number);
            let options = spe_kernels::MeuOptions { chaos_seed, ..Default::default() };
            // SAFETY: ring and completion record live in `surroundings`, past the call.  Records name memory
            // that stays until the operation is acknowledged or the MEU has ended, and each block has one
            // writer: matrix.rs argues this for results and constants, execute/README.md for temporaries.
            let outcome =
                unsafe { spe_kernels::run_meu(&mut local_store, &parameters, &surroundings, &options) };
            if let Err(status) = outcome {
                log::error!("MEU {number} did not start: {status:?}");
            }
            if surroundings.plot.has_struck(Manner::Fault) {
                std::panic::resume_unwind(Box::new("sabotage"));
            }
            drop(end);
        };
        let thread = memory::spawn("host", format!("pmatrix-meu-{number}"), run)?;
        let link = Link::new(Arc::clone(&shared.lines));
        Ok(Meu { shared, link, thread: Some(thread), is_out: false })
    }
}

impl Engine for Host {
    fn name(&self) -> &'static str {
        "host"
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn profile(&mut self) -> bool {
        self.profile = true;
        true
    }

    fn last_times(&mut self, meu: usize) -> Option<StageTimes> {
        self.completed(meu).ok()?;
        self.meus[meu].link.last_times()
    }

    fn room(&mut self, meu: usize) -> usize {
        let meu = &self.meus[meu];
        meu.link.room(DEPTH - meu.shared.mailbox.count())
    }

    fn offer(&mut self, number: usize, command: &Command<'_>) {
        let meu = &mut self.meus[number];
        let word = meu.link.write(command, self.profile || meu.shared.spans.is_on());
        let written = meu.shared.mailbox.write(word);
        assert!(written, "an operation was offered to an MEU without room");
    }

    fn completed(&mut self, number: usize) -> Result<u64, Fault> {
        let meu = &mut self.meus[number];
        // Before the report, which is then the thread's last.
        let ended = meu.shared.ended.load(Ordering::Acquire);
        meu.link.poll(ended.then_some("its thread has ended"))
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
        meu.stop(Instant::now() + patience)
    }

    fn is_out(&self, number: usize) -> bool {
        self.meus.get(number).is_some_and(|meu| meu.is_out)
    }

    /// A further thread takes the place of the MEUs.
    fn stand_in(&mut self, command: &Command<'_>) -> Result<Result<(), Fault>> {
        let target = Target { meus: 1, ..self.target };
        self.stand_in.execute(command, || Host::new(target, None))
    }

    fn note_spans(&mut self, on: bool) -> bool {
        for meu in &self.meus {
            meu.shared.spans.switch(on, meu.link.acknowledged());
        }
        true
    }

    fn take_spans(&mut self, meu: usize) -> Vec<Span> {
        self.meus[meu].shared.spans.take()
    }

    fn may_fall_behind(&self) -> bool {
        true
    }
}

impl WaitsBeside for Host {
    fn unparker(&self) -> Unparker {
        self.parker.unparker().clone()
    }

    fn wait_beside(&mut self, timeout: Duration, has_news: &dyn Fn() -> bool) {
        // While an MEU is idle, latency counts: to sleep and to be woken takes longer than a small operation.
        let end = Instant::now() + POLL;
        while self.idle.load(Ordering::SeqCst) > 0 && Instant::now() < end {
            if self.meus.iter().any(Meu::has_news) || has_news() {
                return;
            }
            thread::yield_now();
        }
        self.parker.park_timeout(timeout);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop();
    }
}
