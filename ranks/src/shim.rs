//! StarPU and MPI, by the shim in C (`shim/ranks.h`).

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::own::OwnEngine;
use super::record::Record;
use super::room::Room;

/// A rank among its ranks.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The rank: 0 is the first.
    pub(super) rank: c_int,
    /// How many there are.
    pub(super) ranks: c_int,
    /// Threads that execute block operations.
    pub(super) workers: c_int,
}

/// Memory of a shard, or of a copy of it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) data: *mut u8,
    pub(super) stride_bytes: usize,
}

unsafe extern "C" {
    fn ranks_limit(bytes: u64, folder: *const c_char);
    fn ranks_start(
        place: *mut Place,
        execute: unsafe extern "C" fn(*mut c_void, *const Block, usize),
    ) -> c_int;
    fn ranks_stop();
    fn ranks_shard(column_bytes: usize, columns: usize) -> *mut c_void;
    fn ranks_release(shard: *mut c_void);
    fn ranks_insert(record: *mut c_void, shards: *const Handle, reads: usize, writes: usize) -> c_int;
    fn ranks_give(shard: *mut c_void, number: u64, to: c_int) -> c_int;
    fn ranks_take(shard: *mut c_void, number: u64, from: c_int) -> c_int;
    fn ranks_begin();
    fn ranks_wait_for_operations() -> c_int;
    fn ranks_wait() -> c_int;
    fn ranks_open(shard: *mut c_void, write: c_int, block: *mut Block) -> c_int;
    fn ranks_close(shard: *mut c_void);
}

/// What StarPU knows of one shard.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Handle(NonNull<c_void>);

// SAFETY: a handle is a name for StarPU, which may be used by any thread; nothing here reads what it points to.
unsafe impl Send for Handle {}
// SAFETY: a handle is a name for StarPU, and shared access does nothing but copy it.
unsafe impl Sync for Handle {}

fn check(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(-code)) }
}

/// The ranks of one job, as one of them sees them. What a method of it says of all ranks they do in the same order.
#[derive(Debug)]
pub(super) struct Ranks {
    pub(super) place: Place,
    /// Threads that compute a product. StarPU has as many workers as its build allows. Each of them has helpers, so
    /// that all cores that the rank may use have something to do.
    pub(super) members: usize,
    /// The engine of this rank, which executes all block operations. Without it workers of StarPU do.
    pub(super) own: Option<Arc<OwnEngine>>,
    /// Where memory is limited.
    pub(super) room: Option<Arc<Room>>,
    next_number: AtomicU64,
    /// Operations that this rank executes.
    operations: AtomicU64,
    sent_bytes: AtomicU64,
}

impl Ranks {
    /// Starts StarPU and MPI, on all ranks. `limit` has the bytes that each rank may hold, and a folder for what it
    /// owns beyond them.
    pub(super) fn start(limit: Option<(u64, &Path)>) -> io::Result<Ranks> {
        if let Some((bytes, folder)) = limit {
            let folder = CString::new(folder.as_os_str().as_bytes())?;
            // SAFETY: no other thread reads the environment yet, and the text ends with zero.
            unsafe { ranks_limit(bytes, folder.as_ptr()) };
        }
        let mut place = Place::default();
        // SAFETY: `place` is written before the call returns; `execute` has the contract of ranks_execute.
        check(unsafe { ranks_start(&raw mut place, execute) })?;
        let room = limit.map(|(bytes, _)| Room::new(bytes, place.rank as u32, place.ranks as u32));
        let (next_number, operations, sent_bytes) = (AtomicU64::new(1), AtomicU64::new(0), AtomicU64::new(0));
        let cores = std::env::var("STARPU_NCPU").ok().and_then(|cores| cores.parse::<usize>().ok());
        let members = cores.map_or(1, |cores| cores / place.workers as usize).max(1);
        Ok(Ranks { place, members, own: None, room: room.map(Arc::new), next_number, operations, sent_bytes })
    }

    /// The number of this rank.
    pub(super) fn here(&self) -> u32 {
        self.place.rank as u32
    }

    /// Whether this is the rank of that number.
    pub(super) fn is_here(&self, rank: u32) -> bool {
        self.here() == rank
    }

    /// How often a rank has given up its copies.
    pub(super) fn era(&self, rank: u32) -> u32 {
        self.room.as_ref().map_or(0, |room| room.era(rank))
    }

    /// Numbers for so many shards, the same on all ranks, which ask alike. Returns the first.
    pub(super) fn numbers(&self, count: usize) -> u64 {
        self.next_number.fetch_add(count as u64, Ordering::Relaxed)
    }

    /// A number for an operation that this rank executes, from 1.
    pub(super) fn next_operation(&self) -> u64 {
        self.operations.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A shard that this rank has, or gets.
    pub(super) fn shard(&self, column_bytes: usize, columns: usize) -> Handle {
        // SAFETY: the function takes any numbers.
        let shard = unsafe { ranks_shard(column_bytes, columns) };
        NonNull::new(shard).map(Handle).unwrap_or_else(|| {
            // The session notices that the job has ended.
            eprintln!("pmatrix-rank: no memory for a shard of {column_bytes} x {columns} bytes");
            std::process::exit(1)
        })
    }

    /// Inserts an operation that this rank executes. It reads so many of the shards, and writes those that follow.
    pub(super) fn insert(&self, record: Box<Record>, shards: &[Handle], reads: usize) -> io::Result<()> {
        let (record, writes) = (Box::into_raw(record).cast(), shards.len() - reads);
        // SAFETY: the slice has as many handles as the call says; the record belongs to `execute` from now on.
        check(unsafe { ranks_insert(record, shards.as_ptr(), reads, writes) })
    }

    /// Sends a shard of this number, and of so many bytes, to another rank, which takes it.
    pub(super) fn give(&self, shard: Handle, number: u64, bytes: u64, to: u32) -> io::Result<()> {
        self.sent_bytes.fetch_add(bytes, Ordering::Relaxed);
        // SAFETY: the shard has not been released.
        check(unsafe { ranks_give(shard.0.as_ptr(), number, to as c_int) })
    }

    /// Receives a shard of this number from another rank, which gives it.
    pub(super) fn take(&self, shard: Handle, number: u64, from: u32) -> io::Result<()> {
        // SAFETY: the shard has not been released.
        check(unsafe { ranks_take(shard.0.as_ptr(), number, from as c_int) })
    }

    /// Lets workers look for operations.
    pub(super) fn begin(&self) {
        // SAFETY: StarPU has been started.
        unsafe { ranks_begin() };
    }

    /// Waits until all operations of this rank have ended that have been inserted, in the middle of a trace.
    pub(super) fn wait_for_operations(&self) -> io::Result<()> {
        // SAFETY: StarPU has been started.
        check(unsafe { ranks_wait_for_operations() })
    }

    /// Waits until all operations of this rank have ended. Workers sleep from then on.
    pub(super) fn wait(&self) -> io::Result<()> {
        // SAFETY: StarPU has been started.
        check(unsafe { ranks_wait() })
    }

    /// Lets `access` read a shard that this rank has, or write all of it, column by column.
    pub(super) fn open(
        &self,
        shard: Handle,
        write: bool,
        (column_bytes, columns): (usize, usize),
        mut access: impl FnMut(usize, &mut [u8]),
    ) -> io::Result<()> {
        let mut block = Block { data: std::ptr::null_mut(), stride_bytes: 0 };
        // SAFETY: the shard has not been released: its matrix is there. `block` is written before the call returns.
        check(unsafe { ranks_open(shard.0.as_ptr(), write.into(), &raw mut block) })?;
        for column in 0..columns {
            // SAFETY: between open and close the shard's memory is this rank's alone, and has these columns.
            let bytes = unsafe {
                std::slice::from_raw_parts_mut(block.data.add(column * block.stride_bytes), column_bytes)
            };
            access(column, bytes);
        }
        // SAFETY: it has been opened.
        unsafe { ranks_close(shard.0.as_ptr()) };
        Ok(())
    }

    /// Bytes of shards that this rank has given to others.
    pub(super) fn sent_bytes(&self) -> u64 {
        self.sent_bytes.load(Ordering::Relaxed)
    }

    /// Ends StarPU and MPI, on all ranks.
    pub(super) fn stop(self) {
        // SAFETY: StarPU has been started, and this is the last call.
        unsafe { ranks_stop() };
    }
}

/// CPU time of the calling thread so far, in nanoseconds.
#[cfg(not(feature = "simulation"))]
pub(super) fn cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is written before the call returns.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Gives a shard up, once the operations have ended that use it.
pub(super) fn release(shard: Handle) {
    // SAFETY: the handle is given up once: by the drop of its shard.
    unsafe { ranks_release(shard.0.as_ptr()) };
}

/// The contract is that of `ranks_execute`.
unsafe extern "C" fn execute(record: *mut c_void, blocks: *const Block, count: usize) {
    // SAFETY: `insert` made the pointer from a box, and the shim hands it to one call.
    let record = unsafe { Box::from_raw(record.cast::<Record>()) };
    // SAFETY: the shim gives as many blocks as it says.
    let blocks = unsafe { std::slice::from_raw_parts(blocks, count) };
    record.execute(blocks);
}
