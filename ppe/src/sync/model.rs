//! What loom lacks, made of what loom has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use parker::{Parker, Unparker};

pub(crate) mod channel;
mod parker;
pub(crate) mod thread;

/// Bytes of the stack of the thread that a model begins with.
const STACK_BYTES: usize = 1 << 20;

/// Visits the interleavings of `model` in which at most `preemptions` times a thread has to stop that could go
/// on; `LOOM_MAX_PREEMPTIONS` is another number. Says how many interleavings there are.
pub(crate) fn check(name: &str, preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 1_000_000;
    let preemptions = builder.preemption_bound.unwrap_or(preemptions);
    builder.preemption_bound = Some(preemptions);
    let visited = Arc::new(AtomicU64::new(0));
    let (model, counter) = (Arc::new(model), Arc::clone(&visited));
    builder.check(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        // The first thread of loom has a stack of 32 KiB.
        let model = Arc::clone(&model);
        let thread = loom::thread::Builder::new().stack_size(STACK_BYTES / size_of::<usize>());
        let outcome = thread.spawn(move || model()).map(loom::thread::JoinHandle::join);
        assert!(matches!(outcome, Ok(Ok(()))));
    });
    println!("{name}: {} executions, {preemptions} preemptions", visited.load(Ordering::Relaxed));
}
