//! The memory system that all MFCs share: when a line that is requested now will have moved.

use super::constants::{
    LOCAL_STORE_LATENCY, LOCAL_STORE_LINE, MEMORY_LATENCY, MEMORY_LINE, MEMORY_LINE_OVERHEAD,
};
use crate::memory::Route;

/// Occupancy of main memory and of each local store's bus port.
#[derive(Debug)]
pub struct Bandwidth {
    memory_free_at: u64,
    port_free_at: Vec<u64>,
}

impl Bandwidth {
    /// An idle memory system for `spes` SPEs.
    pub fn new(spes: usize) -> Bandwidth {
        Bandwidth { memory_free_at: 0, port_free_at: vec![0; spes] }
    }

    /// Reserves what a line needs that is requested at cycle `now`; returns the cycle at which it has moved.
    /// A part of a line occupies memory as long as a whole one.
    pub fn request(&mut self, route: Route, now: u64) -> u64 {
        match route {
            Route::LocalStore(index) if index < self.port_free_at.len() => {
                let start = now.max(self.port_free_at[index]);
                self.port_free_at[index] = start + LOCAL_STORE_LINE;
                start + LOCAL_STORE_LATENCY
            }
            _ => {
                let start = now.max(self.memory_free_at);
                self.memory_free_at = start + MEMORY_LINE + MEMORY_LINE_OVERHEAD;
                start + MEMORY_LATENCY
            }
        }
    }
}
