//! The PPE as a processor: one thread that executes operations in main memory.
//!
//! The PPE executes the kinds of operations that an SPE's program does not have.  It has no local store,
//! no DMA and no pipeline: the host's kernels execute an operation when its turn comes.
//!
//! # Protocol
//! Operations come through a bounded channel.  What the thread of execution control has written before
//! sending is visible after receiving.  `completed` counts the operations whose results are in memory.  The
//! PPE's thread stores `completed` with release order after the result; execution control loads it with
//! acquire order before it reads the result.  A failure is stored once, and no operation is executed after
//! it.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use spe_kernels::Status;

use crate::engine::{BlockAddress, Cause, Command, Fault, Task, direct};
use crate::error::Result;
use crate::lower::{Program, Venue};
use crate::memory;
use crate::sync::Unparker;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::mpsc::{Receiver, SyncSender, sync_channel};
use crate::sync::thread::{self, JoinHandle};

/// Operations that the channel can hold.
pub(super) const DEPTH: u64 = 4;

/// What an operation that has been executed says: the status of a kernel and the step, if it failed.
type Executed = Result<(), (Status, u32)>;

/// A command that the PPE's thread owns.
#[derive(Debug)]
struct Order {
    task: Task<Arc<Program>>,
    venue: Venue,
    results: Vec<BlockAddress>,
    operands: Vec<BlockAddress>,
}

impl From<&Command<'_>> for Order {
    fn from(command: &Command<'_>) -> Order {
        Order {
            task: command.task.map(|program| Arc::clone(program)),
            venue: command.venue,
            results: command.results.to_vec(),
            operands: command.operands.to_vec(),
        }
    }
}

impl Order {
    fn command(&self) -> Command<'_> {
        Command {
            task: self.task.map(|program| program),
            venue: self.venue,
            results: &self.results,
            operands: &self.operands,
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    completed: AtomicU64,
    fault: OnceLock<Fault>,
    /// Set when the operations in the channel shall not be executed.
    stop: AtomicBool,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Ppe {
    shared: Arc<Shared>,
    /// None once the thread has been told to stop.
    commands: Option<SyncSender<Order>>,
    thread: Option<JoinHandle<()>>,
    offered: u64,
    /// Operations that execution control has seen completed.
    seen: u64,
    is_out: bool,
}

impl Ppe {
    /// Starts the PPE's thread, which wakes `control` whenever an operation has been completed or has failed.
    ///
    /// # Errors
    /// [`Error::Memory`] or [`Error::Engine`] when there is no thread to be had.
    pub(super) fn start(engine: &'static str, control: Unparker) -> Result<Ppe> {
        Ppe::executing(engine, control, |_, command| {
            // SAFETY: commands name memory that stays until the operation is acknowledged or this thread has
            // ended, and each block has one writer: matrix.rs argues this for results and constants,
            // execute/README.md for temporaries.
            unsafe { direct::execute(command) }
        })
    }

    /// As [`start`](Ppe::start). `execute` executes an operation, whose number comes first.
    fn executing(
        engine: &'static str,
        control: Unparker,
        execute: impl Fn(u64, &Command<'_>) -> Executed + Send + 'static,
    ) -> Result<Ppe> {
        let (commands, received) = sync_channel(DEPTH as usize);
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let run = move || run(&of_thread, &received, &control, execute);
        let thread = memory::spawn(engine, "pmatrix-ppe".into(), run)?;
        Ok(Ppe { shared, commands: Some(commands), thread: Some(thread), offered: 0, seen: 0, is_out: false })
    }

    /// Gives up the operations that have been offered.  After the return no thread touches memory of earlier
    /// operations.
    pub(super) fn stop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.commands = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("the PPE's thread has panicked");
        }
    }

    /// As [`Engine::room`](crate::engine::Engine::room).
    pub(super) fn room(&self) -> usize {
        (DEPTH - (self.offered - self.seen).min(DEPTH)) as usize
    }

    /// As [`Engine::offer`](crate::engine::Engine::offer).
    pub(super) fn offer(&mut self, command: &Command<'_>) {
        assert!(self.room() > 0, "an operation was offered to a PPE without room");
        self.offered += 1;
        // After a failure the thread has ended and receives nothing: no operation may be executed then.
        if let Some(commands) = &self.commands {
            _ = commands.send(command.into());
        }
    }

    /// As [`Engine::completed`](crate::engine::Engine::completed).
    ///
    /// # Errors
    /// The [`Fault`] of the operation that failed.
    pub(super) fn completed(&mut self) -> Result<u64, Fault> {
        if let Some(fault) = self.shared.fault.get() {
            return Err(fault.clone());
        }
        self.seen = self.shared.completed.load(Ordering::Acquire);
        Ok(self.seen)
    }

    /// Operations that have been executed.
    pub(super) fn executed(&self) -> u64 {
        self.shared.completed.load(Ordering::Acquire)
    }

    /// As [`Engine::take_out`](crate::engine::Engine::take_out).
    pub(super) fn take_out(&mut self, patience: Duration) -> bool {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.commands = None;
        self.is_out = true;
        let end = Instant::now() + patience;
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            if Instant::now() > end {
                // The thread is left to itself: nobody waits for it any more.
                self.thread = None;
                return false;
            }
            thread::sleep(Duration::from_micros(50));
        }
        true
    }

    /// Whether it has been taken out.
    pub(super) fn is_out(&self) -> bool {
        self.is_out
    }

    /// Executes an operation in the calling thread.
    ///
    /// # Errors
    /// The [`Fault`] of the operation.
    pub(super) fn stand_in(command: &Command<'_>) -> Result<(), Fault> {
        // SAFETY: commands name memory that stays until the operation has been executed, and each block has one
        // writer: matrix.rs argues this for results and constants, execute/README.md for temporaries.
        unsafe { direct::execute(command) }.map_err(|failed| Fault::in_memory(None, failed))
    }

    /// Whether an operation has been offered that `completed` has not reported.
    pub(super) fn is_busy(&self) -> bool {
        self.offered != self.seen && !self.is_out
    }

    /// Whether an operation has completed or failed since `completed` was called.
    pub(super) fn has_news(&self) -> bool {
        self.shared.completed.load(Ordering::Acquire) != self.seen || self.shared.fault.get().is_some()
    }
}

impl Drop for Ppe {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Tells execution control when the PPE's thread panics.
struct Alarm<'a>(&'a Shared, &'a Unparker);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let operation = Some(self.0.completed.load(Ordering::Relaxed));
            let what = "its thread has panicked".into();
            _ = self.0.fault.set(Fault { operation, step: 0, cause: Cause::Lost, what });
            self.1.unpark();
        }
    }
}

fn run(
    shared: &Shared,
    commands: &Receiver<Order>,
    control: &Unparker,
    execute: impl Fn(u64, &Command<'_>) -> Executed,
) {
    let _alarm = Alarm(shared, control);
    for (number, order) in (0..).zip(commands.iter()) {
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let outcome = execute(number, &order.command());
        match outcome {
            Ok(()) => shared.completed.store(number + 1, Ordering::Release),
            Err(failed) => _ = shared.fault.set(Fault::in_memory(Some(number), failed)),
        }
        control.unpark();
        if outcome.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::BlockAddress;
    use crate::matrix::{Layout, Matrix};
    use crate::operation::{OpKind, Precision, Shape};
    use crate::pool::Pool;
    use crate::sync::Parker;

    fn block(matrix: &Matrix, rows: u32) -> BlockAddress {
        let (ea, stride_bytes) = (matrix.ea(0, 0), matrix.stride_bytes() as u32);
        BlockAddress { ea, stride_bytes, rows, columns: 2, precision: Precision::Double, transposed: false }
    }

    #[test]
    fn operations_are_executed_in_place_until_one_fails() {
        let pool = Pool::new(0, true);
        let shape = Shape { rows: 3, columns: 2 };
        let a = Matrix::from_fn(shape, &pool, |r, c| -((10 * r + c) as f64)).unwrap();
        let result = Matrix::result(shape, Precision::Double, Layout::Apart, &pool).unwrap();
        let parker = Parker::new();
        let mut ppe = Ppe::start("test", parker.unparker().clone()).unwrap();
        let program = Arc::new(Program::alone(OpKind::Abs, Precision::Double));
        let (results, operands) = ([block(&result, 3)], [block(&a, 3)]);
        let task = Task::Program(&program);
        let good = Command { task, venue: Venue::Ppe, results: &results, operands: &operands };
        let deadline = Instant::now() + Duration::from_secs(20);
        let wait = |ppe: &mut Ppe, done: &dyn Fn(&Result<u64, Fault>) -> bool| loop {
            let completed = ppe.completed();
            if done(&completed) {
                return completed;
            }
            assert!(Instant::now() < deadline);
            parker.park_timeout(Duration::from_millis(10));
        };
        for _ in 0..3 {
            ppe.offer(&good);
        }
        wait(&mut ppe, &|completed| *completed == Ok(3)).unwrap();
        result.publish();
        assert!(result.values().eq(a.values().map(f64::abs)));
        assert_eq!(ppe.room(), DEPTH as usize);
        // Shapes that do not fit: the operation fails, and the PPE executes nothing more.
        ppe.offer(&Command { operands: &[block(&a, 2)], ..good });
        ppe.offer(&good);
        let fault = wait(&mut ppe, &|completed| completed.is_err()).unwrap_err();
        assert_eq!((fault.operation, fault.cause), (Some(3), Cause::Refused));
        assert!(fault.what.contains("do not fit"), "{}", fault.what);
        ppe.offer(&good);
        drop(ppe);
    }

    /// Every interleaving of the PPE's thread and execution control, which sleeps until it is called. Loom does not see
    /// the elements of matrices, so an operation writes to a cell of loom's.
    #[cfg(feature = "models")]
    fn model(offered: usize, awaited: u64) {
        use loom::cell::UnsafeCell;

        struct Results([UnsafeCell<u64>; 3]);
        // SAFETY: loom checks that no access races with another one; this is what the model is for.
        unsafe impl Sync for Results {}
        impl Results {
            fn check(&self, number: u64) {
                // SAFETY: the pointer is valid, and loom checks that nobody writes.
                self.0[number as usize].with(|result| assert_eq!(unsafe { *result }, number + 7));
            }
        }

        let results = Arc::new(Results([0; 3].map(UnsafeCell::new)));
        let parker = Parker::new();
        let written = Arc::clone(&results);
        let execute = move |number: u64, _: &Command<'_>| {
            // SAFETY: the pointer is valid, and loom checks that nobody else accesses the cell.
            written.0[number as usize].with_mut(|result| unsafe { *result = number + 7 });
            Ok(())
        };
        let mut ppe = Ppe::executing("model", parker.unparker().clone(), execute).unwrap();
        let program = Arc::new(Program::alone(OpKind::Abs, Precision::Double));
        for _ in 0..offered {
            ppe.offer(&Command {
                task: Task::Program(&program),
                venue: Venue::Ppe,
                results: &[],
                operands: &[],
            });
        }
        loop {
            let completed = ppe.completed().unwrap();
            (0..completed).for_each(|number| results.check(number));
            if completed >= awaited {
                break;
            }
            parker.park();
        }
        drop(ppe);
        // What has not been awaited has been executed or is given up: no thread writes any more.
        for (number, result) in (0..).zip(&results.0) {
            // SAFETY: the pointer is valid, and loom checks that nobody writes.
            let found = result.with(|result| unsafe { *result });
            assert!(found == number + 7 || found == 0 && number >= awaited);
        }
    }

    #[cfg(feature = "models")]
    #[test]
    fn model_of_operations_that_are_waited_for_and_given_up() {
        crate::sync::check("PPE, 2 operations of 3", 3, || model(3, 2));
        crate::sync::check("PPE, 3 operations", 3, || model(3, 3));
    }
}
