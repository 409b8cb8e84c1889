//! Messages between ranks beside what StarPU sends, by the shim in C (`shim/control.h`).

use std::ffi::c_int;

use super::shim::Ranks;

unsafe extern "C" {
    fn ranks_join();
    fn ranks_leave();
    fn ranks_broadcast(bytes: *mut u8, count: usize);
    fn ranks_gather(mine: *const u8, all: *mut u8, count: usize);
    fn ranks_send(bytes: *const u8, count: usize, to: c_int);
    fn ranks_receive(bytes: *mut u8, count: usize, from: c_int);
}

impl Ranks {
    /// Whether this is the first rank.
    pub(super) fn is_first(&self) -> bool {
        self.place.rank == 0
    }

    /// Comes before all other messages, on all ranks.
    pub(super) fn join(&self) {
        // SAFETY: MPI has been started.
        unsafe { ranks_join() };
    }

    /// Comes behind all other messages, on all ranks.
    pub(super) fn leave(&self) {
        // SAFETY: `join` has been called.
        unsafe { ranks_leave() };
    }

    /// Bytes from the first rank to all ranks.
    pub(super) fn broadcast(&self, bytes: &mut Vec<u8>) {
        let mut length = (bytes.len() as u64).to_le_bytes();
        // SAFETY: the array has as many bytes as the call says.
        unsafe { ranks_broadcast(length.as_mut_ptr(), length.len()) };
        bytes.resize(u64::from_le_bytes(length) as usize, 0);
        // SAFETY: the vector has as many bytes as the call says.
        unsafe { ranks_broadcast(bytes.as_mut_ptr(), bytes.len()) };
    }

    /// The bytes of each rank to the first rank, where the result has them in the order of ranks; elsewhere it is empty.
    pub(super) fn gather(&self, mine: &[u8]) -> Vec<u8> {
        let mut all = vec![0; if self.is_first() { mine.len() * self.place.ranks as usize } else { 0 }];
        // SAFETY: each rank gives as many bytes, and the first has room for all of them.
        unsafe { ranks_gather(mine.as_ptr(), all.as_mut_ptr(), mine.len()) };
        all
    }

    /// Bytes to another rank.
    pub(super) fn send(&self, bytes: &[u8], to: u32) {
        // SAFETY: the slice has as many bytes as the call says.
        unsafe { ranks_send(bytes.as_ptr(), bytes.len(), to as c_int) };
    }

    /// Bytes from another rank, which sends as many.
    pub(super) fn receive(&self, bytes: &mut [u8], from: u32) {
        // SAFETY: the slice has as many bytes as the call says.
        unsafe { ranks_receive(bytes.as_mut_ptr(), bytes.len(), from as c_int) };
    }
}
