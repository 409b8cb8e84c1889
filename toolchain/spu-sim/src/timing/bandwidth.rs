//! The memory system that all MFCs share: when a line that is requested now will have moved.
//!
//! Each Cell has a main memory of its own. A line of another Cell also passes the link between the two Cells, which takes
//! one line at a time in each direction.

use super::constants::{
    LINK_LATENCY, LINK_LINE, LOCAL_STORE_LATENCY, LOCAL_STORE_LINE, MEMORY_LATENCY, MEMORY_LINE,
    MEMORY_LINE_OVERHEAD,
};
use crate::memory::Route;

/// Occupancy of the main memories, of the links between Cells, and of each local store's bus port.
#[derive(Debug)]
pub struct Bandwidth {
    /// Of each Cell.
    memory_free_at: Vec<u64>,
    /// From each Cell to each Cell.
    link_free_at: Vec<u64>,
    /// Of each SPE.
    port_free_at: Vec<u64>,
}

impl Bandwidth {
    /// An idle memory system for `spes` SPEs, which are divided among so many Cells.
    ///
    /// # Panics
    /// Without a Cell.
    pub fn new(spes: usize, cells: usize) -> Bandwidth {
        assert!(cells > 0, "a machine has a Cell");
        Bandwidth {
            memory_free_at: vec![0; cells],
            link_free_at: vec![0; cells * cells],
            port_free_at: vec![0; spes],
        }
    }

    /// The Cell of an SPE: the first SPEs are those of the first Cell.
    fn cell_of(&self, spe: usize) -> usize {
        let cells = self.memory_free_at.len();
        (spe * cells / self.port_free_at.len().max(1)).min(cells - 1)
    }

    /// Reserves what a line needs that SPE number `spe` requests at cycle `now`, to write it or to read it; returns the
    /// cycle at which it has moved. A part of a line occupies memory as long as a whole one.
    pub fn request(&mut self, spe: usize, route: Route, writes: bool, now: u64) -> u64 {
        let own = self.cell_of(spe);
        let (there, start, latency) = match route {
            Route::LocalStore(index) if index < self.port_free_at.len() => {
                let start = now.max(self.port_free_at[index]);
                self.port_free_at[index] = start + LOCAL_STORE_LINE;
                (self.cell_of(index), start, LOCAL_STORE_LATENCY)
            }
            route => {
                let there = match route {
                    Route::MemoryOf(cell) if cell < self.memory_free_at.len() => cell,
                    _ => own,
                };
                let start = now.max(self.memory_free_at[there]);
                self.memory_free_at[there] = start + MEMORY_LINE + MEMORY_LINE_OVERHEAD;
                (there, start, MEMORY_LATENCY)
            }
        };
        if there == own {
            return start + latency;
        }
        let (from, to) = if writes { (own, there) } else { (there, own) };
        let link = &mut self.link_free_at[from * self.memory_free_at.len() + to];
        let passes = start.max(*link);
        *link = passes + LINK_LINE;
        passes + latency + LINK_LATENCY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Route = Route::MemoryOf(0);
    const FAR: Route = Route::MemoryOf(1);
    const BUSY: u64 = MEMORY_LINE + MEMORY_LINE_OVERHEAD;

    #[test]
    fn lines_of_one_memory_wait_for_each_other() {
        let mut one = Bandwidth::new(2, 1);
        assert_eq!(one.request(0, Route::Memory, false, 7), 7 + MEMORY_LATENCY);
        assert_eq!(one.request(1, OWN, true, 7), 7 + BUSY + MEMORY_LATENCY);
        assert_eq!(one.request(1, Route::LocalStore(0), true, 7), 7 + LOCAL_STORE_LATENCY);
    }

    #[test]
    fn two_cells_have_a_memory_each_and_a_link_in_each_direction() {
        let mut two = Bandwidth::new(4, 2);
        assert_eq!(two.request(1, Route::Memory, false, 0), MEMORY_LATENCY);
        // The memory of the second Cell is idle. SPE 2 is its first.
        assert_eq!(two.request(2, FAR, false, 0), MEMORY_LATENCY);
        let far = MEMORY_LATENCY + LINK_LATENCY;
        assert_eq!(two.request(0, FAR, false, 100), 100 + far);
        assert_eq!(two.request(1, FAR, false, 100), 100 + LINK_LINE.max(BUSY) + far);
        assert_eq!(two.request(0, FAR, true, 200), 200 + far, "the other direction is free");
        assert_eq!(two.request(3, Route::LocalStore(0), true, 900), 900 + LOCAL_STORE_LATENCY + LINK_LATENCY);
    }
}
