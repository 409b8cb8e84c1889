//! What ranks hold, where their memory is limited: the shards that each rank owns, and copies of those that it reads.
//!
//! All ranks count what each of them holds. They see the same operations in the same order, so they count alike, and
//! owner and reader of a copy agree without a message on when the reader gives it up: a rank that would hold too much
//! gives up all its copies, and is sent again what it still reads. When what a rank has given up waits for operations
//! that have not ended, the rank inserts no more until they have. What it owns alone may be more than it may
//! hold; then StarPU moves shards to a disk.

use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::shards::Shard;
use super::shim::{Handle, Ranks, release};

/// This part of the room is for copies, however much a rank owns. Each time that it is used up, the rank is sent
/// again what it reads.
const COPIES_PART: u64 = 4;

/// A chunk computes results of such a part of what all ranks may hold.
const CHUNK_PART: u64 = 8;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Room {
    most_bytes: u64,
    /// The rank that this process is.
    here: u32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    ranks: Vec<Held>,
    /// The copies that this rank has.
    copies: HashSet<Handle>,
    /// What this rank has given up since it last waited for its operations.
    given_up_bytes: u64,
}

/// What one rank holds.
#[derive(Debug, Default, Clone)]
struct Held {
    own_bytes: u64,
    copies_bytes: u64,
    /// How often it has given up its copies.
    era: u32,
}

impl Room {
    /// Room for so many bytes on each of some ranks, as the rank `here` counts.
    pub(super) fn new(most_bytes: u64, here: u32, ranks: u32) -> Room {
        let ranks = vec![Held::default(); ranks as usize];
        let state = State { ranks, copies: HashSet::new(), given_up_bytes: 0 };
        Room { most_bytes, here, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The data are consistent between statements, also after a panic, which has been reported.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often a rank has given up its copies. A copy of an earlier era is gone.
    pub(super) fn era(&self, rank: u32) -> u32 {
        self.state().ranks[rank as usize].era
    }

    /// A rank owns a shard of so many bytes from now on.
    pub(super) fn own(&self, rank: u32, bytes: u64) {
        self.state().ranks[rank as usize].own_bytes += bytes;
    }

    /// A rank gets a copy of so many bytes.
    pub(super) fn copy(&self, rank: u32, bytes: u64) {
        self.state().ranks[rank as usize].copies_bytes += bytes;
    }

    /// What StarPU knows of a copy that this rank gets.
    pub(super) fn keep_copy(&self, handle: Handle) {
        self.state().copies.insert(handle);
    }

    /// A shard of so many bytes is given up, with its copies: each the rank that has it, and the era in which it got it.
    pub(super) fn give_up(&self, owner: u32, bytes: u64, copies: &[(u32, u32)], handle: Option<Handle>) {
        let mut state = self.state();
        state.ranks[owner as usize].own_bytes -= bytes;
        let mut is_here = owner == self.here;
        for &(rank, era) in copies {
            let held = &mut state.ranks[rank as usize];
            if held.era == era {
                held.copies_bytes -= bytes;
                is_here |= rank == self.here;
            }
        }
        // The handle of a copy that is gone has been released.
        if is_here && let Some(handle) = handle {
            state.copies.remove(&handle);
            state.given_up_bytes += bytes;
            release(handle);
        }
    }

    /// Bytes of results that a chunk of operations may compute. What it no longer needs is given up behind it.
    pub(super) fn chunk_bytes(&self) -> u64 {
        self.most_bytes.saturating_mul(self.state().ranks.len() as u64) / CHUNK_PART
    }

    /// Makes room on a rank for an operation that reads these shards and writes so many bytes. Where this is that rank,
    /// waits until there is room.
    ///
    /// # Errors
    /// Those of StarPU; within, in words, that the operation does not fit a rank.
    pub(super) fn make(
        &self,
        ranks: &Ranks,
        rank: u32,
        mut reads: Vec<&Shard>,
        written_bytes: u64,
    ) -> io::Result<Result<(), String>> {
        reads.sort_unstable_by_key(|shard| shard.number);
        reads.dedup_by_key(|shard| shard.number);
        let bytes = written_bytes + reads.iter().map(|shard| shard.bytes()).sum::<u64>();
        if bytes > self.most_bytes {
            let most = self.most_bytes;
            return Ok(Err(format!(
                "one block operation reads and writes {bytes} bytes, and a rank may hold {most}: smaller shards \
                 (shard, PMATRIX_SHARD) or more memory (ranks_memory, PMATRIX_RANKS_MEMORY) helps"
            )));
        }
        let missing = reads.iter().filter(|shard| !shard.is_on(ranks, rank));
        self.make_copies(rank, missing.map(|shard| shard.bytes()).sum());
        if rank == self.here && self.is_full() {
            ranks.wait_for_operations()?;
            self.state().given_up_bytes = 0;
        }
        Ok(Ok(()))
    }

    /// Lets a rank give up its copies when it would hold too much with so many bytes more.
    fn make_copies(&self, rank: u32, new_bytes: u64) {
        let mut state = self.state();
        let held = &mut state.ranks[rank as usize];
        let copies_bytes = held.copies_bytes + new_bytes;
        let is_too_much = held.own_bytes + copies_bytes > self.most_bytes;
        if is_too_much && copies_bytes > self.most_bytes / COPIES_PART && held.copies_bytes > 0 {
            let given_up_bytes = std::mem::take(&mut held.copies_bytes);
            held.era += 1;
            if rank == self.here {
                state.given_up_bytes += given_up_bytes;
                state.copies.drain().for_each(release);
            }
        }
    }

    /// Whether what this rank has given up may still take room that it needs.
    fn is_full(&self) -> bool {
        let state = self.state();
        let held = &state.ranks[self.here as usize];
        let bytes = held.own_bytes + held.copies_bytes + state.given_up_bytes;
        bytes > self.most_bytes && state.given_up_bytes > self.most_bytes / COPIES_PART
    }
}
