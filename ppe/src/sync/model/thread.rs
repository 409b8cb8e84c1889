//! Threads of a model: those of loom, which can be asked whether they have ended.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use loom::sync::atomic::{AtomicBool, Ordering};
pub(crate) use loom::thread::{panicking, yield_now};

/// A thread that sleeps lets the other threads go on.
pub(crate) fn sleep(_time: Duration) {
    yield_now();
}

#[derive(Debug)]
pub(crate) struct JoinHandle<T> {
    handle: loom::thread::JoinHandle<T>,
    has_ended: Arc<AtomicBool>,
}

impl<T> JoinHandle<T> {
    pub(crate) fn is_finished(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    pub(crate) fn join(self) -> std::thread::Result<T> {
        self.handle.join()
    }
}

/// Notes the end of a thread.
struct End(Arc<AtomicBool>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[derive(Debug)]
pub(crate) struct Builder(loom::thread::Builder);

impl Builder {
    pub(crate) fn new() -> Builder {
        Builder(loom::thread::Builder::new())
    }

    pub(crate) fn name(self, name: String) -> Builder {
        Builder(self.0.name(name))
    }

    pub(crate) fn stack_size(self, bytes: usize) -> Builder {
        // Loom counts words.
        Builder(self.0.stack_size(bytes / size_of::<usize>()))
    }

    pub(crate) fn spawn<T: Send + 'static>(
        self,
        run: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<JoinHandle<T>> {
        let has_ended = Arc::new(AtomicBool::new(false));
        let end = End(Arc::clone(&has_ended));
        let handle = self.0.spawn(move || {
            let _end = end;
            run()
        })?;
        Ok(JoinHandle { handle, has_ended })
    }
}
