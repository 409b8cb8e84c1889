//! How library calls of SPE programs allocate and map memory of this process. The heap is the PPE program's
//! own, so an SPE program may free memory that the PPE program allocated, and the reverse. To free an address
//! that is not of the heap is as fatal as in any program. Mappings are made by the system.

use std::ffi::c_void;
use std::os::fd::AsRawFd;
use std::{io, ptr};

use spu_sim::memory::address_space::{AddressSpace, Mapping};

use crate::memory::ProcessMemory;

/// An address of this process.
fn pointer(ea: u64) -> *mut c_void {
    ptr::with_exposed_provenance_mut(ea as usize)
}

/// The result of a mapping call.
fn mapped(address: *mut c_void) -> io::Result<u64> {
    if address == libc::MAP_FAILED {
        Err(io::Error::last_os_error())
    } else {
        Ok(address.expose_provenance() as u64)
    }
}

/// The result of a call that only says whether it worked.
fn worked(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A number of bytes as the C library takes it; an error when it exceeds the address space of this process.
fn size(bytes: u64) -> io::Result<usize> {
    usize::try_from(bytes).map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))
}

impl AddressSpace for ProcessMemory {
    fn allocate(&self, bytes: u64, alignment: u64) -> Option<u64> {
        let alignment = (alignment as usize).max(size_of::<usize>());
        let mut address = ptr::null_mut();
        // SAFETY: the result goes to a local variable.
        let error = unsafe { libc::posix_memalign(&raw mut address, alignment, size(bytes).ok()?) };
        (error == 0).then(|| address.expose_provenance() as u64)
    }

    fn size_of(&self, ea: u64) -> Option<u64> {
        // SAFETY: the program passes memory of the heap, as it has to.
        Some(unsafe { libc::malloc_usable_size(pointer(ea)) } as u64)
    }

    fn free(&self, ea: u64) {
        // SAFETY: the program passes memory of the heap that it has not freed, as it has to.
        unsafe { libc::free(pointer(ea)) };
    }

    fn map(&self, mapping: Mapping<'_>) -> io::Result<u64> {
        let sharing = if mapping.shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
        let fixed = if mapping.fixed { libc::MAP_FIXED } else { 0 };
        let (descriptor, offset, anonymous) = match mapping.file {
            Some((file, offset)) => (file.as_raw_fd(), offset as libc::off_t, 0),
            None => (-1, 0, libc::MAP_ANONYMOUS),
        };
        let protection = mapping.protection as libc::c_int;
        let flags = sharing | fixed | anonymous;
        // SAFETY: a fixed mapping may replace memory in use; the SPE program answers for that, as a PPE
        // program does.
        mapped(unsafe {
            libc::mmap(pointer(mapping.ea), size(mapping.bytes)?, protection, flags, descriptor, offset)
        })
    }

    fn unmap(&self, ea: u64, bytes: u64) -> io::Result<()> {
        // SAFETY: what is unmapped is up to the program.
        worked(unsafe { libc::munmap(pointer(ea), size(bytes)?) })
    }

    fn remap(&self, ea: u64, old_bytes: u64, new_bytes: u64, may_move: bool) -> io::Result<u64> {
        let flags = if may_move { libc::MREMAP_MAYMOVE } else { 0 };
        // SAFETY: what is remapped is up to the program.
        mapped(unsafe { libc::mremap(pointer(ea), size(old_bytes)?, size(new_bytes)?, flags) })
    }

    fn synchronize(&self, ea: u64, bytes: u64, flags: u32) -> io::Result<()> {
        // SAFETY: the call changes no memory.
        worked(unsafe { libc::msync(pointer(ea), size(bytes)?, flags as libc::c_int) })
    }

    fn pointer_bytes(&self) -> usize {
        size_of::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use spu_sim::memory::MainMemory;

    use crate::memory::process_memory;

    use super::*;

    #[test]
    fn the_heap_is_that_of_the_process() {
        let memory = process_memory();
        let ea = memory.allocate(1000, 128).unwrap();
        assert!(ea.is_multiple_of(128) && memory.size_of(ea).unwrap() >= 1000);
        memory.write(ea, &[5; 16]).unwrap();
        // SAFETY: the allocation is this large, and from the C library.
        unsafe {
            assert_eq!(pointer(ea).cast::<u8>().add(15).read(), 5);
            libc::free(pointer(ea));
        }
        assert_eq!(memory.allocate(u64::MAX, 16), None);
    }

    #[test]
    fn mappings_are_made_moved_and_removed() {
        let memory = process_memory();
        let wanted = Mapping { ea: 0, bytes: 4096, protection: 3, shared: false, fixed: false, file: None };
        let ea = memory.map(wanted).unwrap();
        memory.write(ea + 128, &[7; 16]).unwrap();
        let moved = memory.remap(ea, 4096, 1 << 20, true).unwrap();
        let mut bytes = [0; 16];
        memory.read(moved + 128, &mut bytes).unwrap();
        assert_eq!(bytes, [7; 16]);
        memory.synchronize(moved, 4096, 4).unwrap();
        memory.unmap(moved, 1 << 20).unwrap();
        assert!(memory.read(moved, &mut bytes).is_err());
        assert!(memory.map(Mapping { bytes: u64::MAX, ..wanted }).is_err());
    }
}
