//! A team: the calling thread and helpers execute work together that can be shared.
//!
//! For work of some microseconds and more, two cores are better than one, if the second core begins soon. So a
//! helper that has finished looks for the next job for a while before it sleeps, and the calling thread never
//! waits for a helper to begin: it executes operations meanwhile, and all of them if no helper comes.
//!
//! # Entering and leaving
//! What is open for helpers is a [`Job`] on the stack of the calling thread. A helper counts itself
//! as inside *before* it reads the pointer to the job, and no longer counts itself *after* its last use of the
//! job. The calling thread takes the pointer away, and then waits until nobody is inside. Both change the number
//! of helpers inside (the calling thread adds 0), so one of them is first, and the second sees what the first
//! did before: either the helper sees that the pointer is gone, or the calling thread sees the helper inside and
//! waits. So no helper uses a job that has ended.
//!
//! # Sleeping
//! A helper notes that it sleeps, looks for a job once more, and parks. The calling thread opens the job, and
//! then looks who sleeps. Both change the number of opened jobs in between (the helper adds 0). So a helper that
//! misses the job is seen, and may be unparked.
//!
//! A wake-up costs the calling thread a call of the system, and the helper comes some ten microseconds later,
//! or much later where another process has the core. That may be too late for this job. Usually the program
//! asks for the next result soon, and the helper is awake then. So a helper that sleeps is woken for every job
//! that wants it, unless wake-ups have been in vain: if the helper has executed nothing since the last one, it
//! is left asleep for twice as many jobs as before. Jobs that are too short for a wake-up count together if they
//! come close together ([`Team::has_missed`]).
//!
//! `team/tests/model.rs` visits all interleavings of these steps, and of the end of the team. `engine/tests.rs` visits
//! interleavings of this code, with the values that each load may see.

mod processors;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use processors::Processors;

use super::Caller;
use crate::error::Result;
use crate::memory;
use crate::pool::Pool;
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use crate::sync::hint::spin_loop;
use crate::sync::thread::{JoinHandle, yield_now};
use crate::sync::{Parker, Unparker, looking, looks};

/// How long a helper looks for the next job before it sleeps: longer than Octave takes for the few
/// statements between two results that a loop asks for. It offers its core to other threads all the time. If
/// another process has work for the core, the helper loses a time slice, then sees that the time is over, and
/// sleeps: a thread that is woken usually takes the core from a process that has had it for longer.
const LOOK: Duration = looking(Duration::from_micros(200));

/// How often a thread looks before it reads the clock, or offers its core to other threads.
const LOOKS: u32 = looks(16);

/// A thread that waits for another one offers its core to other threads after so many times [`LOOKS`]: some
/// ten microseconds.
const PATIENCE: u32 = 64;

/// Most times in a row that a helper which sleeps is left asleep, because waking it has been in vain.
const MOST_LEFT_ASLEEP: u32 = 256;

/// Work that threads share.
pub trait Shared: Sync {
    /// Executes operations until nothing is left to begin, and returns how many. `name` is the thread's name
    /// in an error. If it panics in a helper, the other members execute what the helper has begun, or the work
    /// fails. The helper is gone then.
    fn take_part(&self, name: &str, caller: &mut Caller) -> u64;
}

/// Waits for something that another thread does soon.
pub fn wait_while(condition: impl Fn() -> bool) {
    let mut rounds = 0;
    while condition() {
        (0..LOOKS).for_each(|_| spin_loop());
        rounds += 1;
        if rounds > PATIENCE {
            yield_now();
        }
    }
}

/// What is open for helpers.
struct Job<'a> {
    work: &'a dyn Shared,
    /// Helpers that may still come.
    seats: AtomicUsize,
}

impl Job<'_> {
    /// Whether a further helper is wanted; it then counts as one that has come.
    fn takes(&self) -> bool {
        let one_less = |seats: usize| seats.checked_sub(1);
        self.seats.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }
}

/// A helper that may use a job. It leaves also when it panics, so that the calling thread does not wait for
/// ever.
struct Inside<'a>(&'a AtomicUsize);

impl Inside<'_> {
    fn new(count: &AtomicUsize) -> Inside<'_> {
        count.fetch_add(1, Ordering::AcqRel);
        Inside(count)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Where the calling thread and the helpers meet.
#[derive(Debug, Default)]
struct Gate {
    /// The job that is open, if any.
    job: CachePadded<AtomicPtr<Job<'static>>>,
    /// Counts the jobs that have been opened.
    opened: AtomicU64,
    /// Helpers that may use the job.
    inside: CachePadded<AtomicUsize>,
    /// The processor on which the job was opened.
    processor: AtomicUsize,
    stop: AtomicBool,
}

impl Gate {
    /// Takes part in the job that is open, if it wants a further helper. Returns the number of operations that
    /// were executed.
    fn enter(&self, caller: &mut Caller) -> u64 {
        let mut count = 0;
        let _inside = Inside::new(&self.inside);
        // SAFETY: a pointer that is not null names a job that lives until nobody is inside: see the module's
        // documentation.
        if let Some(job) = unsafe { self.job.load(Ordering::Acquire).as_ref() }
            && job.takes()
        {
            count = job.work.take_part("a helper of the calling thread", caller);
        }
        count
    }

    /// Takes the job away, and waits until nobody uses it.
    fn close(&self) {
        self.job.store(std::ptr::null_mut(), Ordering::Release);
        // A load alone might not see a helper that has seen the job.
        if self.inside.fetch_add(0, Ordering::AcqRel) > 0 {
            wait_while(|| self.inside.load(Ordering::Acquire) > 0);
        }
    }

    /// What a helper does: it takes part in one job after the other.
    fn help(&self, shared: &Presence, parker: &Parker, mut caller: Caller) {
        let mut seen = 0;
        let (thread, allowed) = (processors::thread_id(), Processors::of_thread());
        shared.thread.store(thread, Ordering::Relaxed);
        loop {
            let end = Instant::now() + LOOK;
            while self.opened.load(Ordering::Acquire) == seen && Instant::now() < end {
                (0..LOOKS).for_each(|_| spin_loop());
                yield_now();
            }
            shared.sleeps.store(true, Ordering::Relaxed);
            // A load alone might not see a job whose calling thread has not seen that this helper sleeps.
            let mut opened = self.opened.fetch_add(0, Ordering::AcqRel);
            while opened == seen {
                if self.stop.load(Ordering::Acquire) {
                    return;
                }
                parker.park();
                opened = self.opened.load(Ordering::Acquire);
            }
            shared.sleeps.store(false, Ordering::Relaxed);
            seen = opened;
            let opener = self.processor.load(Ordering::Relaxed);
            if let Some(allowed) = allowed.as_ref().filter(|_| processors::current() == Some(opener)) {
                // The helper may have been kept off another processor before.
                allowed.keep_off(thread, opener);
            }
            let count = self.enter(&mut caller);
            shared.executed.fetch_add(count, Ordering::Relaxed);
        }
    }
}

/// Closes a gate in the end.
struct Closed<'a>(&'a Gate);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// What a helper tells the calling thread.
#[derive(Debug, Default)]
struct Presence {
    sleeps: AtomicBool,
    /// Its thread; 0 until the thread has begun.
    thread: AtomicI32,
    /// Operations that the helper has executed.
    executed: AtomicU64,
}

/// A helper, as the calling thread sees it.
#[derive(Debug)]
struct Helper {
    presence: Arc<Presence>,
    unparker: Unparker,
    thread: Option<JoinHandle<()>>,
    /// Operations that it had executed when it was last woken.
    executed: Option<u64>,
    /// For how many jobs it is left asleep after a wake-up in vain, and how many of them are left.
    pause: u32,
    left_asleep: u32,
}

impl Helper {
    /// Wakes the helper if it sleeps, unless that has been in vain. It may use the processors `allowed`, and
    /// begins on another one than the caller's.
    fn call(&mut self, allowed: Option<&Processors>, processor: usize) {
        if !self.presence.sleeps.load(Ordering::Relaxed) {
            return;
        }
        if self.left_asleep > 0 {
            self.left_asleep -= 1;
            return;
        }
        let executed = Some(self.presence.executed.load(Ordering::Relaxed));
        self.pause = if executed == self.executed { (2 * self.pause).clamp(1, MOST_LEFT_ASLEEP) } else { 0 };
        (self.executed, self.left_asleep) = (executed, self.pause);
        // A thread that has not begun has no number yet.
        let thread = self.presence.thread.load(Ordering::Relaxed);
        if let Some(allowed) = allowed.filter(|_| thread != 0) {
            allowed.keep_off(thread, processor);
        }
        self.unparker.unpark();
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Team {
    gate: Arc<Gate>,
    helpers: Vec<Helper>,
    /// The processors that the threads may use.
    allowed: Option<Processors>,
    caller: Caller,
    missed: Missed,
}

/// Short work of late, while helpers slept.
#[derive(Debug)]
struct Missed {
    since: Instant,
    work_ns: u64,
}

impl Team {
    /// The calling thread and so many helpers. Memory to work in comes from `pool`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory), and [`Error::Engine`](crate::error::Error::Engine) when
    /// the system has no further thread.
    pub fn new(helpers: usize, pool: &Pool) -> Result<Team> {
        let (gate, allowed) = (Arc::default(), Processors::of_thread());
        let missed = Missed { since: Instant::now(), work_ns: 0 };
        let mut team = Team { gate, helpers: Vec::new(), allowed, caller: Caller::new(pool), missed };
        for number in 1..=helpers {
            let (parker, presence) = (Parker::new(), Arc::<Presence>::default());
            let unparker = parker.unparker().clone();
            let (gate, shared, caller) = (Arc::clone(&team.gate), Arc::clone(&presence), Caller::new(pool));
            let run = move || gate.help(&shared, &parker, caller);
            let thread = Some(memory::spawn("host", format!("pmatrix-team-{number}"), run)?);
            team.helpers.push(Helper {
                presence,
                unparker,
                thread,
                executed: None,
                pause: 0,
                left_asleep: 0,
            });
        }
        Ok(team)
    }

    /// The threads, with the calling thread.
    #[must_use]
    pub fn members(&self) -> usize {
        1 + self.helpers.len()
    }

    /// Notes work that is too short to wake a helper for it alone. True when a helper sleeps, and has missed so much work
    /// (`worth_ns` nanoseconds) in the time for which helpers look for work: awake, it takes part in what comes next.
    pub fn has_missed(&mut self, work_ns: u64, worth_ns: u64) -> bool {
        if !self.helpers.iter().any(|helper| helper.presence.sleeps.load(Ordering::Relaxed)) {
            return false;
        }
        let now = Instant::now();
        if now.duration_since(self.missed.since) > LOOK {
            self.missed = Missed { since: now, work_ns: 0 };
        }
        self.missed.work_ns += work_ns;
        let has_missed = self.missed.work_ns >= worth_ns;
        if has_missed {
            self.missed.work_ns = 0;
        }
        has_missed
    }

    /// Executes work with at most so many members, of which the calling thread is one. `wakes`: whether the work
    /// is worth a wake-up.
    pub fn share(&mut self, work: &dyn Shared, members: usize, wakes: bool) {
        let seats = members.saturating_sub(1).min(self.helpers.len());
        let job = Job { work, seats: AtomicUsize::new(seats) };
        let open: *const Job<'_> = &raw const job;
        let processor = processors::current().unwrap_or(usize::MAX);
        self.gate.processor.store(processor, Ordering::Relaxed);
        self.gate.job.store(open.cast_mut().cast(), Ordering::Release);
        // Whatever happens, the job does not end before the helpers have left it.
        let _closed = Closed(&self.gate);
        self.gate.opened.fetch_add(1, Ordering::AcqRel);
        if wakes {
            let called = self.helpers.iter_mut().take(seats);
            called.for_each(|helper| helper.call(self.allowed.as_ref(), processor));
        }
        work.take_part("the calling thread", &mut self.caller);
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.gate.stop.store(true, Ordering::Release);
        for helper in &mut self.helpers {
            helper.unparker.unpark();
            if helper.thread.take().is_some_and(|thread| thread.join().is_err()) {
                log::error!("a helper has panicked");
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
