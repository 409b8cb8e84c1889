//! The POSIX.1 calls that map files into main memory, and shared-memory objects.

use std::{
    fs::File,
    os::{
        fd::{FromRawFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
};

use super::{CallResult, Errno, OnError, Reply, arguments::Arguments, stream::Streams};
use crate::memory::address_space::{AddressSpace, Mapping};

/// Flags of `mmap` and `mremap` (the interface's values, which are Linux's).
mod flag {
    pub(super) const SHARED: u32 = 1;
    pub(super) const PRIVATE: u32 = 2;
    pub(super) const FIXED: u32 = 0x10;
    pub(super) const ANONYMOUS: u32 = 0x20;
    pub(super) const MAY_MOVE: u32 = 1;
}

/// Serves one call; `None` if there is no such call here, or if it needs the memory that is missing.
pub(super) fn call(
    s: &mut Streams,
    memory: Option<&dyn AddressSpace>,
    op: u8,
    a: &mut Arguments<'_>,
) -> Option<(CallResult, OnError)> {
    match op {
        21 => return Some((open_shared(s, a), OnError::Minus)),
        22 => return Some((remove_shared(a), OnError::Minus)),
        _ => {}
    }
    let memory = memory?;
    let result = match op {
        11 => map(s, memory, a),
        12 => remap(memory, a),
        13 => synchronize(memory, a),
        14 => memory.unmap(a.double(), a.word().into()).map(|()| Reply::Double(0)).map_err(Errno::from),
        _ => return None,
    };
    Some((result, OnError::MinusDouble))
}

fn map(s: &mut Streams, memory: &dyn AddressSpace, a: &mut Arguments<'_>) -> CallResult {
    let (ea, bytes, protection, flags, descriptor, offset) =
        (a.double(), a.word(), a.word(), a.word(), a.word(), a.word());
    if (flags & flag::SHARED != 0) == (flags & flag::PRIVATE != 0) {
        return Err(Errno::EINVAL);
    }
    let file =
        if flags & flag::ANONYMOUS == 0 { Some((s.file(descriptor)?, u64::from(offset))) } else { None };
    let mapping = Mapping {
        ea,
        bytes: bytes.into(),
        protection,
        shared: flags & flag::SHARED != 0,
        fixed: flags & flag::FIXED != 0,
        file: file.map(|(file, offset)| (&*file, offset)),
    };
    Ok(Reply::Double(memory.map(mapping)?))
}

fn remap(memory: &dyn AddressSpace, a: &mut Arguments<'_>) -> CallResult {
    let (ea, old, new, flags) = (a.double(), a.word(), a.word(), a.word());
    Ok(Reply::Double(memory.remap(ea, old.into(), new.into(), flags & flag::MAY_MOVE != 0)?))
}

fn synchronize(memory: &dyn AddressSpace, a: &mut Arguments<'_>) -> CallResult {
    let (ea, bytes, flags) = (a.double(), a.word(), a.word());
    memory.synchronize(ea, bytes.into(), flags)?;
    Ok(Reply::Double(0))
}

fn name(a: &mut Arguments<'_>) -> Result<std::ffi::CString, Errno> {
    std::ffi::CString::new(a.path().into_os_string().into_vec()).map_err(|_| Errno::EINVAL)
}

/// The flags are the host's: neither newlib nor this function translates them.
fn open_shared(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (name, flags, mode) = (name(a)?, a.int(), a.word());
    // SAFETY: the name is a C string that lives until the call is over.
    let descriptor = unsafe { libc::shm_open(name.as_ptr(), flags, mode as libc::mode_t) };
    if descriptor < 0 {
        return Err(Errno::last());
    }
    // SAFETY: the call has just opened this descriptor, which nobody else knows.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    Ok(Reply::Word(s.open(file)?))
}

fn remove_shared(a: &mut Arguments<'_>) -> CallResult {
    let name = name(a)?;
    // SAFETY: the name is a C string that lives until the call is over.
    if unsafe { libc::shm_unlink(name.as_ptr()) } == 0 { Ok(Reply::Word(0)) } else { Err(Errno::last()) }
}
