//! What the process holds between two programs, when no session is left: memory, handles, threads.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use crate::run::Counts;

/// Programs before the process is said to hold what it holds from then on.
const WARM_UP: u64 = 50;

/// How many programs there are between two looks.
const EVERY: u64 = 50;

/// What memory in use may grow by, and by how much more for each MEU that hung: its graph's memory is never given back.
const HEAP_BYTES: u64 = 2 << 20;
const HUNG_BYTES: u64 = 4 << 20;

/// What resident memory may grow by: code and stacks that are used for the first time, and pages of which a part is in use.
const RESIDENT_BYTES: u64 = 32 << 20;

/// Freed memory that the C library keeps at the end of a heap.
const KEPT_BYTES: libc::c_int = 1 << 20;

/// The threads of the test itself: the harness, the test, and the watchdog.
const THREADS: u64 = 3;

#[derive(Debug, Default, Clone, Copy)]
struct Held {
    heap_bytes: u64,
    resident_bytes: u64,
    handles: u64,
    threads: u64,
}

fn entries(folder: &str) -> u64 {
    fs::read_dir(folder).map_or(0, |entries| entries.count() as u64)
}

fn held() -> Held {
    // SAFETY: it reads counters of the allocator.
    let heap = unsafe { libc::mallinfo2() };
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = pages.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    Held {
        heap_bytes: (heap.uordblks + heap.hblkhd) as u64,
        resident_bytes: pages * 4096,
        handles: entries("/proc/self/fd"),
        threads: entries("/proc/self/task"),
    }
}

/// Threads end shortly after their session: those that hung look every millisecond whether it is there.
fn held_at_rest(most_threads: u64) -> Held {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let now = held();
        if now.threads <= most_threads || Instant::now() > until {
            return now;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Lets the C library keep little of what is freed, so that resident memory shows what the process holds. glibc gives each thread
/// a heap of its own, and keeps as much at its end as the largest freed buffers had: each heap slowly grows to what the thread with the
/// largest appetite has ever held.
pub(crate) fn keep_little() {
    // SAFETY: these are settings of the allocator.
    let taken = unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1) == 1 && libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_BYTES) == 1
    };
    assert!(taken, "the C library takes these settings");
}

/// What the process held at first, and holds now.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    first: Option<Held>,
    now: Held,
}

impl Growth {
    /// Looks now and then, and says what has grown.
    pub(crate) fn look(&mut self, counts: &Counts) -> Result<(), String> {
        if !counts.programs.is_multiple_of(EVERY) || counts.programs < WARM_UP {
            return Ok(());
        }
        self.now = held_at_rest(self.first.map_or(THREADS, |first| first.threads));
        let first = *self.first.get_or_insert(self.now);
        let grown = |now: u64, first: u64, by: u64| now > first + by;
        let (now, hung) = (self.now, counts.hung * HUNG_BYTES);
        if grown(now.heap_bytes, first.heap_bytes, HEAP_BYTES + hung)
            || grown(now.resident_bytes, first.resident_bytes, RESIDENT_BYTES + hung)
            || grown(now.handles, first.handles, 0)
            || grown(now.threads, first.threads, 0)
        {
            return Err(format!("the process grows: {first:?} at first, {now:?} now; {counts}"));
        }
        Ok(())
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Held { heap_bytes, resident_bytes, handles, threads } = self.now;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let (heap, resident) = (mib(heap_bytes), mib(resident_bytes));
        write!(f, "{heap:.2} MiB in use, {resident:.0} MiB resident, {handles} handles, {threads} threads")
    }
}
