//! Models of who wakes whom: the interleavings of the mailbox, the MEUs of the host, and the team (`sync.rs` says
//! how). The model of the PPE's thread is in `with_ppe/ppe.rs`.

use std::sync::Arc;
use std::time::Duration;

use loom::cell::UnsafeCell;

use super::mailbox::{DEPTH, Mailbox};
use super::*;
use crate::lower::MemoryLimits;
use crate::matrix::{Layout, Matrix};
use crate::operation::Shape;
use crate::pool::Pool;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Mutex, Parker, Unparker, check, thread};

/// As in a host without a clock: nobody comes back from it without a call.
const LIMIT: Duration = Duration::from_secs(3600);

/// What an operation record holds, and who may read it.
struct Record(UnsafeCell<u32>);

// SAFETY: loom checks that no access races with another one; this is what the model is for.
unsafe impl Sync for Record {}

#[test]
fn every_word_is_read_with_what_was_written_before_it() {
    check("mailbox", 3, || {
        const WORDS: u32 = DEPTH + 2;
        let (mailbox, parker) = Mailbox::new();
        let records: Vec<Record> = (0..WORDS).map(|_| Record(UnsafeCell::new(0))).collect();
        let shared = Arc::new((mailbox, records));
        let reader = Arc::clone(&shared);
        let reader = thread::Builder::new().spawn(move || {
            let (mailbox, records) = &*reader;
            let mut idle = 0;
            for expected in 0..WORDS {
                let word = mailbox.read(&parker, |begins| idle += if begins { 1 } else { -1 });
                assert_eq!((word, idle), (expected, 0));
                // SAFETY: the pointer is valid, and loom checks that nobody writes.
                records[word as usize].0.with(|record| assert_eq!(unsafe { *record }, word + 7));
            }
        });
        let (mailbox, records) = &*shared;
        for word in 0..WORDS {
            // SAFETY: the pointer is valid, and loom checks that nobody else accesses the record.
            records[word as usize].0.with_mut(|record| unsafe { *record = word + 7 });
            while !mailbox.write(word) {
                thread::yield_now();
            }
        }
        reader.unwrap().join().unwrap();
    });
}

/// Commands that compute absolute values of a matrix of one element.
struct Work {
    operand: Matrix,
    result: Matrix,
    program: Program,
}

impl Work {
    fn new(pool: &Pool) -> Work {
        let shape = Shape { rows: 1, columns: 1 };
        let operand = Matrix::from_fn(shape, pool, |_, _| -3.0).unwrap();
        let result = Matrix::result(shape, Precision::Double, Layout::Apart, pool).unwrap();
        Work { operand, result, program: Program::alone(OpKind::Abs, Precision::Double) }
    }

    fn with<R>(&self, venue: Venue, f: impl FnOnce(&Command<'_>) -> R) -> R {
        let block = |matrix: &Matrix| BlockAddress {
            ea: matrix.ea(0, 0),
            stride_bytes: matrix.stride_bytes() as u32,
            rows: 1,
            columns: 1,
            precision: Precision::Double,
            transposed: false,
        };
        let program = Arc::new(self.program.clone());
        let (results, operands) = ([block(&self.result)], [block(&self.operand)]);
        f(&Command { task: Task::Program(&program), venue, results: &results, operands: &operands })
    }
}

/// Execution control: it offers, acknowledges, and sleeps whenever it can do neither.
fn execute(meus: usize, operations: u64) {
    let pool = Pool::new(0, true);
    let work: Vec<Work> = (0..meus).map(|_| Work::new(&pool)).collect();
    let mut host = Host::new(Host::in_memory(meus, MemoryLimits::default()), None).unwrap();
    let (mut offered, mut completed) = (vec![0; meus], vec![0; meus]);
    while completed.iter().any(|&count| count < operations) {
        let mut is_idle = true;
        for meu in 0..meus {
            let count = host.completed(meu).unwrap();
            is_idle &= count == completed[meu];
            completed[meu] = count;
            while offered[meu] < operations && host.room(meu) > 0 {
                work[meu].with(Venue::Memory, |command| host.offer(meu, command));
                offered[meu] += 1;
                is_idle = false;
            }
        }
        if is_idle {
            host.wait(LIMIT);
        }
    }
    drop(host);
    for Work { result, .. } in work {
        result.publish();
        assert_eq!(result.value(0, 0), 3.0);
    }
}

#[test]
fn an_meu_of_the_host_and_the_ppe_wake_each_other() {
    check("host, 1 MEU, 1 operation", 3, || execute(1, 1));
    check("host, 1 MEU, 3 operations", 2, || execute(1, 3));
    check("host, 1 MEU, 5 operations", 1, || execute(1, 5));
}

#[test]
fn two_meus_of_the_host_and_the_ppe_wake_each_other() {
    check("host, 2 MEUs, 1 operation each", 2, || execute(2, 1));
    check("host, 2 MEUs, 2 operations each", 1, || execute(2, 2));
}

#[test]
fn an_engine_of_the_host_ends_while_its_meus_work() {
    check("end of the host", 2, || {
        let pool = Pool::new(0, true);
        let work = Work::new(&pool);
        let mut host = Host::new(Host::in_memory(1, MemoryLimits::default()), None).unwrap();
        for _ in 0..2 {
            work.with(Venue::Memory, |command| host.offer(0, command));
        }
        drop(host);
        // No thread writes any more.
        work.result.publish();
        assert!(work.result.value(0, 0) == 3.0 || work.result.value(0, 0).is_nan());
    });
}

/// Work of a team, which knows whether it is open. Loom checks that no helper reads that while the calling thread writes
/// it, nor without an order between the two.
struct Pieces {
    left: AtomicUsize,
    done: AtomicUsize,
    is_open: UnsafeCell<bool>,
}

// SAFETY: loom checks that no access races with another one; this is what the model is for.
unsafe impl Sync for Pieces {}

impl Pieces {
    fn is_open(&self) -> bool {
        // SAFETY: the pointer is valid, and loom checks that nobody writes.
        self.is_open.with(|is_open| unsafe { *is_open })
    }
}

impl Shared for Pieces {
    fn take_part(&self, _name: &str, _caller: &mut Caller) -> u64 {
        let mut count = 0;
        while self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            assert!(self.is_open());
            self.done.fetch_add(1, Ordering::SeqCst);
            count += 1;
        }
        assert!(self.is_open(), "a helper uses a job that has ended");
        count
    }
}

fn share(helpers: usize, jobs: usize) {
    let mut team = Team::new(helpers, &Pool::new(0, true)).unwrap();
    for _ in 0..jobs {
        let pieces = Arc::new(Pieces {
            left: AtomicUsize::new(2),
            done: AtomicUsize::new(0),
            is_open: UnsafeCell::new(true),
        });
        team.share(&*pieces, 1 + helpers, true);
        // SAFETY: the pointer is valid, and loom checks that nobody else accesses the cell.
        pieces.is_open.with_mut(|is_open| unsafe { *is_open = false });
        // What a helper has begun has been executed when the call returns.
        assert_eq!(pieces.done.load(Ordering::SeqCst), 2);
    }
}

/// Work that the calling thread leaves to a helper.
struct Left {
    is_done: AtomicBool,
    caller: Mutex<Parker>,
    alarm: Unparker,
}

impl Shared for Left {
    fn take_part(&self, name: &str, _caller: &mut Caller) -> u64 {
        if name.contains("helper") {
            self.is_done.store(true, Ordering::Release);
            self.alarm.unpark();
            return 1;
        }
        let parker = self.caller.lock().unwrap();
        while !self.is_done.load(Ordering::Acquire) {
            parker.park();
        }
        0
    }
}

#[test]
fn a_helper_that_goes_to_sleep_misses_no_job() {
    check("team, work for a helper", 3, || {
        let mut team = Team::new(1, &Pool::new(0, true)).unwrap();
        let caller = Parker::new();
        let alarm = caller.unparker().clone();
        team.share(&Left { is_done: AtomicBool::new(false), caller: Mutex::new(caller), alarm }, 2, true);
    });
}

#[test]
fn no_helper_uses_a_job_that_has_ended_and_none_waits_for_ever() {
    check("team, 1 helper, 1 job", 3, || share(1, 1));
    check("team, 1 helper, 2 jobs", 2, || share(1, 2));
    check("team, 2 helpers, 1 job", 2, || share(2, 1));
}
