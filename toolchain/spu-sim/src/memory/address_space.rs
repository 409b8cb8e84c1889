//! Main memory that a program can allocate and map, as the library calls on main memory need it.
//!
//! [`crate::calls::Services`] reaches main memory through [`AddressSpace`] alone. Two kinds of memory
//! implement the trait:
//!
//! * [`crate::memory::heap::Heap`]: the memory of the simulated machine, with effective addresses of its own;
//! * the memory of the process that the simulator is part of, where an effective address is a pointer, as for
//!   a program on a PPE. Then [`MainMemory`] is implemented by copies that survive a fault, `allocate` and
//!   `free` by `posix_memalign` and `free`, `size_of` by `malloc_usable_size`, and the mapping calls by the
//!   system's calls (the flags of [`Mapping`] need no translation). `system_call` translates the number and
//!   makes the system call of the host; buffers need no copy. The SPEs and their services have to get one
//!   value: `Services::stdio().with_memory(memory)`.

use std::{fs::File, io};

use crate::memory::MainMemory;

/// What is to be mapped.
#[derive(Debug, Clone, Copy)]
pub struct Mapping<'a> {
    /// Wanted address; 0 for any.
    pub ea: u64,
    /// Bytes; not zero.
    pub bytes: u64,
    /// Sum of 1 (read), 2 (write) and 4 (execute).
    pub protection: u32,
    /// Whether writes go to the file, where other mappings of the file see them.
    pub shared: bool,
    /// Whether the mapping has to be at `ea`, in place of an earlier mapping there.
    pub fixed: bool,
    /// The file and the offset of the first byte, or `None` for zeroed memory.
    pub file: Option<(&'a File, u64)>,
}

/// Main memory that can be allocated and mapped.
pub trait AddressSpace: MainMemory {
    /// Allocates memory. `alignment` is a power of two; without special wishes, 16. `None` if there is no
    /// room.
    fn allocate(&self, bytes: u64, alignment: u64) -> Option<u64>;

    /// Bytes of allocated memory from `ea` on, or `None` if `allocate` did not give the address `ea`.
    fn size_of(&self, ea: u64) -> Option<u64>;

    /// Gives allocated memory back; an address that `allocate` did not give is ignored.
    fn free(&self, ea: u64);

    /// Maps pages (`mmap`).
    ///
    /// # Errors
    /// As the system call has them.
    fn map(&self, mapping: Mapping<'_>) -> io::Result<u64>;

    /// Removes a mapping (`munmap`).
    ///
    /// # Errors
    /// As the system call has them.
    fn unmap(&self, ea: u64, bytes: u64) -> io::Result<()>;

    /// Changes the size of a mapping, and its address if `may_move` (`mremap`).
    ///
    /// # Errors
    /// As the system call has them.
    fn remap(&self, ea: u64, old_bytes: u64, new_bytes: u64, may_move: bool) -> io::Result<u64>;

    /// Writes a shared mapping back to its file (`msync`; 1 asynchronously, 2 invalidate, 4 synchronously).
    ///
    /// # Errors
    /// As the system call has them.
    fn synchronize(&self, ea: u64, bytes: u64, flags: u32) -> io::Result<()>;

    /// Bytes of a pointer of the PPE program: 4 or 8. Calls that store an effective address into local store
    /// store as many.
    fn pointer_bytes(&self) -> usize {
        8
    }

    /// Makes a Linux system call with the PowerPC's number `number`; gives the kernel's result (a negative
    /// errno if it failed). `None` leaves the call to [`crate::calls::Services`], which serves common calls
    /// from the open files that it knows, and copies buffers.
    fn system_call(&self, number: u64, arguments: [u64; 6]) -> Option<i64> {
        let _ = (number, arguments);
        None
    }
}
