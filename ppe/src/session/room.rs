//! Memory for results that have not been computed: it limits how far lowering may run ahead of the MEUs.
//!
//! A result gets its memory when it is lowered. An intermediate result gives its memory back when its readers
//! have been executed. So a program takes memory for the results of the chunks between these two moments,
//! beyond the values that it holds.

use std::sync::{Arc, PoisonError};

use crate::sync::{Condvar, Mutex};

/// The bytes that chunks in flight take.
#[derive(Debug)]
pub(super) struct Room {
    taken: Mutex<u64>,
    left: Condvar,
}

/// The share of the room that a chunk has until it is dropped.
#[derive(Debug)]
pub(super) struct Stay {
    room: Arc<Room>,
    bytes: u64,
}

impl Room {
    pub(super) fn new() -> Arc<Room> {
        Arc::new(Room { taken: Mutex::new(0), left: Condvar::new() })
    }

    /// Waits until `most` bytes have room for this many, or until no chunk has a share.
    pub(super) fn wait_for(&self, bytes: u64, most: u64) {
        let mut taken = super::lock(&self.taken);
        while *taken > 0 && taken.saturating_add(bytes) > most {
            taken = self.left.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn enter(room: &Arc<Room>, bytes: u64) -> Stay {
        *super::lock(&room.taken) += bytes;
        Stay { room: Arc::clone(room), bytes }
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        *super::lock(&self.room.taken) -= self.bytes;
        self.room.left.notify_all();
    }
}
