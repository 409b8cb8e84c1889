//! A bounded channel with the contract of `std::sync::mpsc::sync_channel`, whose own code loom cannot run.

use std::collections::VecDeque;
use std::sync::mpsc::SendError;
use std::sync::{Arc, PoisonError};

use loom::sync::{Condvar, Mutex, MutexGuard};

#[derive(Debug)]
struct State<T> {
    waiting: VecDeque<T>,
    has_sender: bool,
    has_receiver: bool,
}

#[derive(Debug)]
struct Shared<T> {
    depth: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
}

impl<T> Shared<T> {
    /// The state, once it is so.
    fn wait_for(&self, condition: impl Fn(&State<T>) -> bool) -> MutexGuard<'_, State<T>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !condition(&state) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

#[derive(Debug)]
pub(crate) struct SyncSender<T>(Arc<Shared<T>>);

#[derive(Debug)]
pub(crate) struct Receiver<T>(Arc<Shared<T>>);

pub(crate) fn sync_channel<T>(depth: usize) -> (SyncSender<T>, Receiver<T>) {
    let state = State { waiting: VecDeque::new(), has_sender: true, has_receiver: true };
    let shared = Arc::new(Shared { depth, state: Mutex::new(state), changed: Condvar::new() });
    (SyncSender(Arc::clone(&shared)), Receiver(shared))
}

impl<T> SyncSender<T> {
    pub(crate) fn send(&self, value: T) -> Result<(), SendError<T>> {
        let mut state = self.0.wait_for(|state| state.waiting.len() < self.0.depth || !state.has_receiver);
        if !state.has_receiver {
            return Err(SendError(value));
        }
        state.waiting.push_back(value);
        drop(state);
        self.0.changed.notify_all();
        Ok(())
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        self.0.wait_for(|_| true).has_sender = false;
        self.0.changed.notify_all();
    }
}

impl<T> Receiver<T> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| {
            let value =
                self.0.wait_for(|state| !state.waiting.is_empty() || !state.has_sender).waiting.pop_front();
            self.0.changed.notify_all();
            value
        })
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = Values<T>;

    fn into_iter(self) -> Values<T> {
        Values(self)
    }
}

/// What comes through a channel until its sender is dropped.
pub(crate) struct Values<T>(Receiver<T>);

impl<T> Iterator for Values<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.iter().next()
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let dropped = {
            let mut state = self.0.wait_for(|_| true);
            state.has_receiver = false;
            std::mem::take(&mut state.waiting)
        };
        self.0.changed.notify_all();
        drop(dropped);
    }
}
