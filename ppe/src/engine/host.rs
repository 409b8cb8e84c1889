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

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use crossbeam_utils::sync::{Parker, Unparker};
use spe_kernels::{ProductSides, sys};

use super::link::Link;
use super::mailbox::{DEPTH, Mailbox};
use super::make::Entry;
use super::record::SharedLines;
use super::with_ppe::{WaitsBeside, WithPpe};
use super::{Command, Engine, Fault, local_store};
use crate::error::{Error, Result};
use crate::lower::{MemoryLimits, ProductLimits, Target};
use crate::memory;
use crate::operation::KindSet;
use crate::time::{StageTimes, TimeModel};

/// An MEU calls the PPE when its mailbox holds no more words than this.
const LOW_WATER: u32 = 1;

/// How long the PPE polls completion records before it sleeps, while an MEU is idle.
const POLL: Duration = Duration::from_micros(50);

/// How long stopping all MEUs may take.
const STOP_PATIENCE: Duration = Duration::from_secs(10);

pub(super) const ENTRY: Entry = Entry {
    name: "host",
    meus: || None,
    model: |_| TimeModel::of_host(),
    target: |choice| match choice.memory {
        // Chaos reorders DMA, which work in memory does not use.  MEUs with few kinds stand for MEUs of a
        // Cell.
        Some(memory) if choice.chaos.is_none() && choice.kinds == KindSet::ALL => {
            Host::in_memory(choice.meus, memory)
        }
        _ => Host::in_local_stores(choice.meus, choice.kinds),
    },
    make: |choice, target| {
        let host = Host::new(target, choice.chaos)?;
        Ok(if target.kinds == KindSet::ALL { Box::new(host) } else { Box::new(WithPpe::new(host)?) })
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
}

/// The MEU's view of its surroundings.
struct Surroundings {
    shared: Arc<Shared>,
    parker: std::sync::Mutex<Parker>,
}

impl spe_kernels::Mailbox for Surroundings {
    fn read(&self) -> u32 {
        // Only this MEU's thread ever locks the parker.
        let parker = self.parker.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let idle = &self.shared.idle;
        self.shared.mailbox.read(&parker, |begins| {
            _ = if begins {
                idle.fetch_add(1, Ordering::SeqCst)
            } else {
                idle.fetch_sub(1, Ordering::SeqCst)
            };
        })
    }

    fn count(&self) -> u32 {
        self.shared.mailbox.count()
    }

    fn completed(&self, words_left: u32) {
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
}

impl Meu {
    /// Whether something has completed or failed since the PPE last looked.
    fn has_news(&self) -> bool {
        self.link.has_news() || self.link.has_failed()
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Host {
    target: Target,
    chaos: Option<u64>,
    parker: Parker,
    idle: Arc<CachePadded<AtomicUsize>>,
    meus: Vec<Meu>,
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
        local_store::check(&target)?;
        let mut host = Host {
            target,
            chaos,
            parker: Parker::new(),
            idle: Arc::default(),
            meus: Vec::new(),
            profile: false,
        };
        host.start()?;
        Ok(host)
    }

    fn start(&mut self) -> Result<()> {
        self.idle.store(0, Ordering::SeqCst);
        for number in 0..self.target.meus {
            let (mailbox, parker) = Mailbox::new();
            let shared = Arc::new(Shared {
                lines: Arc::new(SharedLines::new()),
                mailbox,
                ppe: self.parker.unparker().clone(),
                idle: Arc::clone(&self.idle),
            });
            let surroundings =
                Surroundings { shared: Arc::clone(&shared), parker: std::sync::Mutex::new(parker) };
            let mut local_store =
                memory::fallibly(spe_kernels::LocalStore::new).ok_or_else(|| Error::Memory {
                    bytes: spe_kernels::LocalStore::BYTES,
                    purpose: format!("the local store of MEU {number}"),
                })?;
            let chaos_seed = self.chaos.map(|seed| seed.wrapping_add(number as u64));
            let run = move || {
                let parameters = surroundings.shared.lines.parameters(number);
                let options = spe_kernels::MeuOptions { chaos_seed, ..Default::default() };
                // SAFETY: ring and completion record live in `surroundings`, past the call.  Records name
                // memory that stays until the operation is acknowledged or the MEU has ended, and each block
                // has one writer: matrix.rs argues this for results and constants, execute/README.md for
                // temporaries.
                let outcome =
                    unsafe { spe_kernels::run_meu(&mut local_store, &parameters, &surroundings, &options) };
                if let Err(status) = outcome {
                    log::error!("MEU {number} did not start: {status:?}");
                }
            };
            let thread = memory::spawn("host", format!("pmatrix-meu-{number}"), run)?;
            let link = Link::new(Arc::clone(&shared.lines));
            self.meus.push(Meu { shared, link, thread: Some(thread) });
        }
        Ok(())
    }

    /// Tells all MEUs to stop, and waits until they have stopped.
    fn stop(&mut self) -> Result<()> {
        let deadline = Instant::now() + STOP_PATIENCE;
        for (number, meu) in self.meus.iter_mut().enumerate() {
            let stuck = || Error::Engine { engine: "host", what: format!("MEU {number} cannot be stopped") };
            while !meu.shared.mailbox.write(sys::MEU_WORD_TERMINATE) {
                if Instant::now() > deadline {
                    return Err(stuck());
                }
                std::thread::sleep(Duration::from_micros(100));
            }
            let Some(thread) = meu.thread.take() else { continue };
            while !thread.is_finished() {
                if Instant::now() > deadline {
                    meu.thread = Some(thread);
                    return Err(stuck());
                }
                std::thread::sleep(Duration::from_micros(50));
            }
            if thread.join().is_err() {
                log::error!("MEU {number} has panicked");
            }
        }
        self.meus.clear();
        Ok(())
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
        let word = meu.link.write(command, self.profile);
        let written = meu.shared.mailbox.write(word);
        assert!(written, "an operation was offered to an MEU without room");
    }

    fn completed(&mut self, number: usize) -> Result<u64, Fault> {
        self.meus[number].link.poll(None)
    }

    fn wait(&mut self, timeout: Duration) {
        self.wait_beside(timeout, &|| false);
    }

    fn reset(&mut self) -> Result<()> {
        self.stop()?;
        self.start()
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
            std::thread::yield_now();
        }
        self.parker.park_timeout(timeout);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            log::error!("{error}");
        }
    }
}
