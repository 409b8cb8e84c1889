//! A parker with the contract of `crossbeam_utils::sync::Parker`.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use loom::sync::{Condvar, Mutex};

#[derive(Debug)]
struct Token {
    is_there: Mutex<bool>,
    arrives: Condvar,
}

#[derive(Debug)]
pub(crate) struct Parker(Unparker);

#[derive(Debug, Clone)]
pub(crate) struct Unparker(Arc<Token>);

impl Parker {
    pub(crate) fn new() -> Parker {
        Parker(Unparker(Arc::new(Token { is_there: Mutex::new(false), arrives: Condvar::new() })))
    }

    pub(crate) fn unparker(&self) -> &Unparker {
        &self.0
    }

    pub(crate) fn park(&self) {
        let Token { is_there, arrives } = &*self.0.0;
        let mut token = is_there.lock().unwrap_or_else(PoisonError::into_inner);
        while !*token {
            token = arrives.wait(token).unwrap_or_else(PoisonError::into_inner);
        }
        *token = false;
    }

    /// There is no clock: a thread that sleeps for a limited time sleeps until it is called. So a model finds
    /// threads that go on because of the limit alone.
    pub(crate) fn park_timeout(&self, _limit: Duration) {
        self.park();
    }
}

impl Unparker {
    pub(crate) fn unpark(&self) {
        *self.0.is_there.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.arrives.notify_one();
    }
}
