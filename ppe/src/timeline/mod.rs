//! The timeline: what a session does, and when, for those who look for lost time.
//!
//! Recording, the stages, forces, and each block operation are noted as events, with the line of the program
//! that they belong to. A [`Timeline`] is one session's access to a [`Log`]. Sessions that name the same file
//! share a log. A log is saved as Chrome trace events (`chrome.rs`), which Perfetto and chrome://tracing open, or as a
//! picture (`picture.rs`).
//!
//! # Cost
//! While a log is off, noting costs one relaxed load. While it is on, an event goes to a list of the thread
//! that notes it, under a lock that only a thread which saves the log takes as well. A log holds at most
//! [`MOST_EVENTS`] events, at most some 50 MB. It counts later events without keeping them. The totals of each line
//! and operation ([`Log::totals`]) go on.

mod chrome;
mod event;
mod files;
mod picture;
mod totals;

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use static_assertions::const_assert;

pub use event::{Counter, Noted, Span, Stage};
pub use totals::{Mode, Total};

use crate::error::Site;
use crate::operation::{OpKind, Shape};
use crate::output;
use event::{Event, Kinds, What};
use totals::Totals;

/// The most events that a log keeps.
pub const MOST_EVENTS: u64 = 1 << 18;

// A list takes up to twice the memory of its events while it grows.
const_assert!(2 * MOST_EVENTS * size_of::<Event>() as u64 <= 56 << 20);

/// Nanoseconds since this process first asked.
#[must_use]
pub fn now_ns() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing under these locks can be left half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The events of one or several sessions.
#[derive(Debug)]
pub struct Log {
    on: AtomicBool,
    /// Tells logs apart.
    id: u64,
    /// Where it is saved when a session or the process ends.
    file: Option<PathBuf>,
    threads: Mutex<Vec<Arc<Thread>>>,
    /// Sessions that have noted something, with their titles.
    sessions: Mutex<Vec<(u32, String)>>,
    events: AtomicU64,
    /// Events when the log was last saved to its file.
    saved: AtomicU64,
}

/// What one thread has noted.
#[derive(Debug)]
struct Thread {
    name: String,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    events: Vec<Event>,
    totals: Totals,
    /// The place that was named last, since a place is often named again.
    site: Arc<Site>,
}

impl Notes {
    fn site(&mut self, file: &str, line: u32) -> Arc<Site> {
        if self.site.file != file || self.site.line != line {
            self.site = Arc::new(Site { file: file.to_owned(), line });
        }
        Arc::clone(&self.site)
    }
}

impl Log {
    fn new(file: Option<PathBuf>, on: bool) -> Log {
        static LOGS: AtomicU64 = AtomicU64::new(0);
        Log {
            on: AtomicBool::new(on),
            id: LOGS.fetch_add(1, Ordering::Relaxed),
            file,
            threads: Mutex::default(),
            sessions: Mutex::default(),
            events: AtomicU64::new(0),
            saved: AtomicU64::new(0),
        }
    }

    /// The list of the calling thread.
    fn thread(&self) -> Option<Arc<Thread>> {
        thread_local! {
            static LISTS: RefCell<Vec<(u64, Arc<Thread>)>> = const { RefCell::new(Vec::new()) };
        }
        // A thread that is ending has no list any more.
        let find = |lists: &RefCell<Vec<(u64, Arc<Thread>)>>| {
            let mut lists = lists.borrow_mut();
            if let Some((_, thread)) = lists.iter().find(|(id, _)| *id == self.id) {
                return Arc::clone(thread);
            }
            let current = std::thread::current();
            let name = match current.name() {
                Some("main") | None => "program".into(),
                Some("pmatrix-sched") => "schedule".into(),
                Some("pmatrix-exec") => "execute".into(),
                Some(name) => name.replace("pmatrix-team-", "helper ").replace("pmatrix-", ""),
            };
            let thread = Arc::new(Thread { name, notes: Mutex::default() });
            lists.push((self.id, Arc::clone(&thread)));
            lock(&self.threads).push(Arc::clone(&thread));
            thread
        };
        LISTS.try_with(find).ok()
    }

    /// Notes an event in the list of the calling thread, unless the log is full.
    fn note(&self, event: impl FnOnce(&mut Notes) -> Event) {
        let Some(thread) = self.thread() else { return };
        let mut notes = lock(&thread.notes);
        let event = event(&mut notes);
        if self.events.fetch_add(1, Ordering::Relaxed) < MOST_EVENTS {
            notes.events.push(event);
        }
    }

    /// Events that were not kept because the log was full.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.events.load(Ordering::Relaxed).saturating_sub(MOST_EVENTS)
    }

    /// What each operation of each line of the program has taken, the longest first.
    #[must_use]
    pub fn totals(&self) -> Vec<Total> {
        let mut all = Totals::default();
        for thread in lock(&self.threads).iter() {
            all.add(&lock(&thread.notes).totals);
        }
        all.sorted()
    }

    /// Forgets all events.
    pub fn clear(&self) {
        for thread in lock(&self.threads).iter() {
            let mut notes = lock(&thread.notes);
            (notes.events, notes.totals) = Default::default();
        }
        self.events.store(0, Ordering::Relaxed);
        self.saved.store(u64::MAX, Ordering::Relaxed);
    }

    /// Writes all events to a file: as a picture if its name ends with `.svg`, else as Chrome trace events.
    ///
    /// # Errors
    /// Errors of the system, with the file's name.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let is_picture = path.extension().is_some_and(|extension| extension == "svg");
        let write = if is_picture { picture::write } else { chrome::write };
        output::replace_by(path, |file| write(self, file))
    }

    /// Saves the log in its own file, if it has one and is not saved yet.
    fn save_own(&self) -> io::Result<()> {
        let Some(path) = &self.file else { return Ok(()) };
        let events = self.events.load(Ordering::Relaxed);
        if self.saved.swap(events, Ordering::Relaxed) == events {
            return Ok(());
        }
        self.save(path).inspect_err(|_| self.saved.store(u64::MAX, Ordering::Relaxed))
    }
}

/// One session's access to a log.
#[derive(Debug)]
pub struct Timeline {
    log: Arc<Log>,
    session: u32,
    title: String,
    /// Whether the log knows the title.
    is_known: AtomicBool,
}

impl Timeline {
    /// The timeline of a new session. With a file it is on, and the file is replaced by an empty timeline, so
    /// that a name which cannot be written to is noticed at once. Without a file it is off, and shares a log
    /// with all sessions of the process that name no file.
    ///
    /// # Errors
    /// Errors of the system, with the file's name.
    pub fn new(file: Option<&Path>, title: String) -> io::Result<Timeline> {
        static SESSIONS: AtomicU32 = AtomicU32::new(0);
        let session = SESSIONS.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Timeline { log: files::log(file)?, session, title, is_known: AtomicBool::new(false) })
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Begins or ends to note events.
    pub fn switch(&self, on: bool) {
        self.log.on.store(on, Ordering::Relaxed);
    }

    /// Whether events are noted.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.log.on.load(Ordering::Relaxed)
    }

    /// The time, if events are noted.
    #[must_use]
    pub fn begin(&self) -> Option<u64> {
        self.is_on().then(now_ns)
    }

    /// Saves the log, if it has a file.
    ///
    /// # Errors
    /// Errors of the system, with the file's name.
    pub fn save(&self) -> io::Result<()> {
        self.log.save_own()
    }

    fn note(&self, start_ns: u64, end_ns: u64, what: impl FnOnce(&mut Notes) -> What) {
        if !self.is_known.swap(true, Ordering::Relaxed) {
            lock(&self.log.sessions).push((self.session, self.title.clone()));
        }
        let session = self.session;
        self.log.note(|notes| Event { start_ns, end_ns, session, what: what(notes) });
    }

    /// Notes a portion of a stage that has just ended, if its beginning was noted. `trace` and `size` say
    /// which trace it belongs to and how many operations it had.
    pub fn stage(&self, begun: Option<u64>, stage: Stage, trace: u64, size: usize) {
        if let Some(start_ns) = begun {
            self.note(start_ns, now_ns(), |_| What::Stage { stage, trace, size: size as u32 });
        }
    }

    /// Notes that an operation has just been recorded, or computed instead.
    pub fn stated(&self, begun: u64, kind: OpKind, shape: Shape, computed: bool, (file, line): (&str, u32)) {
        let end_ns = now_ns();
        self.note(begun, end_ns, |notes| {
            let site = notes.site(file, line);
            let (mode, ns) = if computed { (Mode::Stated, end_ns - begun) } else { (Mode::Recorded, 0) };
            notes.totals.count(&site, kind, mode, ns);
            What::Stated { kind, shape, computed, site }
        });
    }

    /// Notes a block operation that has been executed, with the recorded operations that it executes.
    pub fn executed<'o>(
        &self,
        span: Span,
        noted: Noted,
        operations: impl Iterator<Item = (OpKind, &'o Arc<Site>)> + Clone,
    ) {
        let count = operations.clone().count().max(1) as u64;
        let mode = if noted.processor.is_some() { Mode::Scheduled } else { Mode::Immediate };
        self.note(span.start_ns, span.end_ns, |notes| {
            let mut kinds = Kinds::new();
            for (kind, site) in operations {
                // Operations that are executed together share the time.
                notes.totals.count(site, kind, mode, (span.end_ns - span.start_ns) / count);
                kinds.push(kind);
            }
            What::Operation { noted, kinds, stages_ns: span.stages_ns, is_virtual: span.is_virtual }
        });
    }

    /// Notes the value of a counter, if events are noted.
    pub fn counter(&self, counter: Counter, value: impl FnOnce() -> u64) {
        if let Some(now) = self.begin() {
            let value = value();
            self.note(now, now, |_| What::Count { counter, value });
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
