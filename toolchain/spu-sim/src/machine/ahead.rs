//! SPEs that run ahead of virtual time, on threads of their own.
//!
//! While the MFC of an SPE has nothing to do, nothing reaches the SPE. Until its next channel instruction the SPE
//! reaches nothing. What it executes in between depends on nothing else, so a thread may execute it at any time. The
//! channel instruction waits until virtual time has come to it. So cycles and data are those of a machine that does
//! everything in order.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::Machine;
use super::node::{Activity, Node, Slot};
use crate::exec::Flow;
use crate::timing::pipeline::Counts;

/// Instructions after which a thread says how far an SPE has come.
const SLICE: u64 = 1 << 13;

/// An SPE is given to a thread after so many cycles without a channel instruction: giving it away takes longer than
/// executing a few instructions.
const QUIET_CYCLES: u64 = 2000;

/// Cycles by which an SPE runs ahead at most, so that an endless loop can be ended.
const MOST_CYCLES: u64 = 1 << 20;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What the mutexes here hold is whole after each statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where an SPE is that runs ahead.
enum Journey {
    /// No thread has taken it yet.
    Waiting(Box<Node>),
    Running,
    Done(Box<Node>),
    /// The simulator has panicked.
    Failed(Box<dyn Any + Send>),
}

/// An SPE that runs ahead.
pub(super) struct Traveller {
    /// It has executed everything before this cycle.
    horizon: AtomicU64,
    journey: Mutex<Journey>,
    changed: Condvar,
}

impl std::fmt::Debug for Traveller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Traveller").field("horizon", &self.horizon).finish_non_exhaustive()
    }
}

impl Traveller {
    fn new(node: Box<Node>) -> Traveller {
        let horizon = AtomicU64::new(node.next_cycle());
        Traveller { horizon, journey: Mutex::new(Journey::Waiting(node)), changed: Condvar::new() }
    }

    /// A cycle before which it does nothing more.
    pub(super) fn horizon(&self) -> u64 {
        self.horizon.load(Ordering::Acquire)
    }

    /// Runs it ahead, unless another thread does.
    fn travel(&self) {
        let mut journey = lock(&self.journey);
        match std::mem::replace(&mut *journey, Journey::Running) {
            Journey::Waiting(mut node) => {
                drop(journey);
                let run = catch_unwind(AssertUnwindSafe(|| self.run(&mut node)));
                *lock(&self.journey) = match run {
                    Ok(()) => Journey::Done(node),
                    Err(panic) => Journey::Failed(panic),
                };
                self.changed.notify_all();
            }
            other => *journey = other,
        }
    }

    fn run(&self, node: &mut Node) {
        let end = node.next_cycle() + MOST_CYCLES;
        loop {
            let goes_on = node.run_to_channel() && node.next_cycle() < end;
            self.horizon.store(node.next_cycle(), Ordering::Release);
            if !goes_on {
                return;
            }
            // Who waits has looked at the horizon under the lock.
            drop(lock(&self.journey));
            self.changed.notify_all();
        }
    }

    /// Waits until it is beyond cycle `until`, or back: then it is returned.
    pub(super) fn wait(&self, until: u64) -> Option<Box<Node>> {
        self.travel();
        let mut journey = lock(&self.journey);
        loop {
            match std::mem::replace(&mut *journey, Journey::Running) {
                Journey::Done(node) => return Some(node),
                Journey::Failed(panic) => {
                    drop(journey);
                    resume_unwind(panic)
                }
                Journey::Waiting(_) | Journey::Running if self.horizon() >= until => return None,
                Journey::Waiting(_) | Journey::Running => {
                    journey = self.changed.wait(journey).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl Traveller {
    /// The counts of its pipeline, once it has stopped to run ahead.
    pub(super) fn counts(&self) -> Counts {
        self.travel();
        let mut journey = lock(&self.journey);
        loop {
            match &*journey {
                Journey::Done(node) => return *node.pipeline.counts(),
                Journey::Failed(_) => return Counts::default(),
                Journey::Waiting(_) | Journey::Running => {
                    journey = self.changed.wait(journey).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl Node {
    /// Whether it is worth while to let a thread run it ahead.
    pub(super) fn may_travel(&self) -> bool {
        self.activity == Activity::Running
            && self.mfc_idle
            && self.outstanding == 0
            && !self.at_channel
            && self.held.is_none()
            && self.next_cycle() >= self.quiet_since + QUIET_CYCLES
            && !self.spe.spu().interrupts_enabled()
            && !self.spe.port().inspect(|state| state.stop_requested)
    }

    /// Executes a slice of instructions. Returns whether more can follow before a channel instruction.
    fn run_to_channel(&mut self) -> bool {
        let before = self.spe.spu().instructions;
        match self.spe.spu_mut().run_to_channel(&mut self.pipeline, SLICE) {
            Flow::Next | Flow::Jump(_) => {
                self.at_channel = self.spe.spu().instructions - before < SLICE;
                !self.at_channel
            }
            flow => {
                self.held = Some(flow);
                false
            }
        }
    }
}

impl Machine {
    pub(super) fn node(&self, index: usize) -> &Node {
        match &self.slots[index] {
            Slot::Here(node) => node,
            _ => panic!("SPE {index} runs ahead"),
        }
    }

    /// An SPE, once it is back.
    pub(super) fn home(&mut self, index: usize) -> &mut Node {
        while let Slot::Ahead(traveller) = &self.slots[index] {
            let back = traveller.wait(u64::MAX);
            self.arrive(index, back);
        }
        match &mut self.slots[index] {
            Slot::Here(node) => node,
            _ => unreachable!("an SPE is moved within one function"),
        }
    }

    fn arrive(&mut self, index: usize, back: Option<Box<Node>>) {
        if let Some(node) = back {
            self.slots[index] = Slot::Here(node);
        }
    }

    /// The SPEs that do not run ahead.
    pub(super) fn here(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| match slot {
            Slot::Here(node) => Some((index, &**node)),
            _ => None,
        })
    }

    /// Lets SPEs run ahead whose MFCs have nothing to do.
    pub(super) fn send_ahead(&mut self) {
        let Some(threads) = &self.threads else { return };
        for slot in &mut self.slots {
            if !matches!(slot, Slot::Here(node) if node.may_travel()) {
                continue;
            }
            if let Slot::Here(node) = std::mem::replace(slot, Slot::Empty) {
                *slot = threads.send(node).map_or_else(Slot::Here, Slot::Ahead);
            }
        }
    }

    /// The SPE that runs ahead and has come least far, and the cycle to which it has come.
    pub(super) fn last_ahead(&self) -> Option<(u64, usize)> {
        let ahead = self.slots.iter().enumerate().filter_map(|(index, slot)| match slot {
            Slot::Ahead(traveller) => Some((traveller.horizon(), index)),
            _ => None,
        });
        ahead.min()
    }

    /// Waits until an SPE that runs ahead has come beyond a cycle, or is back.
    pub(super) fn await_ahead(&mut self, index: usize, cycle: u64) {
        if let Slot::Ahead(traveller) = &self.slots[index] {
            let back = traveller.wait(cycle.saturating_add(1));
            self.arrive(index, back);
        }
    }
}

/// The threads.
#[derive(Debug)]
pub(super) struct Threads {
    jobs: Option<Sender<Arc<Traveller>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Threads {
    /// As many threads, or fewer where no more can be had.
    pub(super) fn new(count: usize) -> Threads {
        let (jobs, taken) = channel();
        let taken: Arc<Mutex<Receiver<Arc<Traveller>>>> = Arc::new(Mutex::new(taken));
        let work = |taken: Arc<Mutex<Receiver<Arc<Traveller>>>>| {
            move || {
                loop {
                    let job = lock(&taken).recv();
                    match job {
                        Ok(traveller) => traveller.travel(),
                        Err(_) => return,
                    }
                }
            }
        };
        let spawn =
            |number| Builder::new().name(format!("spe-ahead-{number}")).spawn(work(Arc::clone(&taken)));
        let threads = (0..count).map_while(|number| spawn(number).ok()).collect();
        Threads { jobs: Some(jobs), threads }
    }

    /// Sends an SPE ahead; the node itself when there is no thread.
    pub(super) fn send(&self, node: Box<Node>) -> Result<Arc<Traveller>, Box<Node>> {
        match &self.jobs {
            Some(jobs) if !self.threads.is_empty() => {
                let traveller = Arc::new(Traveller::new(node));
                // Without a thread that takes it, whoever waits for it runs it.
                _ = jobs.send(Arc::clone(&traveller));
                Ok(traveller)
            }
            _ => Err(node),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A panic of the thread has been passed on with the SPE.
            _ = thread.join();
        }
    }
}
