//! The calls that allocate memory of the PPE (class 0x2105, cell-facts D4). Arguments and results are
//! doublewords.

use super::{CallResult, Errno, OnError, Reply, arguments::Arguments};
use crate::memory::address_space::AddressSpace;

/// Alignment where the call does not ask for one.
const ALIGNMENT: u64 = 16;

/// Serves one call; `None` if there is no such call.
pub(super) fn call(
    memory: &dyn AddressSpace,
    op: u8,
    a: &mut Arguments<'_>,
) -> Option<(CallResult, OnError)> {
    Some(match op {
        1 => (zeroed(memory, a), OnError::Zero),
        2 => {
            memory.free(a.double());
            (Ok(Reply::Word(0)), OnError::Zero)
        }
        3 => (allocate(memory, a.double(), ALIGNMENT).map(Reply::Double), OnError::Zero),
        4 => (reallocate(memory, a), OnError::Zero),
        // This call returns the error number instead of setting errno.
        5 => (Ok(Reply::Word(aligned(memory, a).map_or_else(|errno| errno.0, |()| 0))), OnError::Zero),
        _ => return None,
    })
}

fn allocate(memory: &dyn AddressSpace, bytes: u64, alignment: u64) -> Result<u64, Errno> {
    memory.allocate(bytes, alignment).ok_or(Errno::ENOMEM)
}

/// Copies between effective addresses, or writes zeros.
fn fill(memory: &dyn AddressSpace, from: Option<u64>, to: u64, bytes: u64) -> Result<(), Errno> {
    let mut buffer = [0; 4096];
    let mut done = 0;
    while done < bytes {
        let part = &mut buffer[..(bytes - done).min(4096) as usize];
        if let Some(from) = from {
            memory.read_bytes(from + done, part)?;
        }
        memory.write_bytes(to + done, part)?;
        done += part.len() as u64;
    }
    Ok(())
}

fn zeroed(memory: &dyn AddressSpace, a: &mut Arguments<'_>) -> CallResult {
    let bytes = a.double().checked_mul(a.double()).ok_or(Errno::ENOMEM)?;
    let ea = allocate(memory, bytes, ALIGNMENT)?;
    fill(memory, None, ea, bytes)?;
    Ok(Reply::Double(ea))
}

fn reallocate(memory: &dyn AddressSpace, a: &mut Arguments<'_>) -> CallResult {
    let (old, bytes) = (a.double(), a.double());
    if old == 0 {
        return allocate(memory, bytes, ALIGNMENT).map(Reply::Double);
    }
    let held = memory.size_of(old).ok_or(Errno::EINVAL)?;
    if bytes == 0 {
        memory.free(old);
        return Ok(Reply::Double(0));
    }
    if bytes <= held {
        return Ok(Reply::Double(old));
    }
    let new = allocate(memory, bytes, ALIGNMENT)?;
    fill(memory, Some(old), new, held)?;
    memory.free(old);
    Ok(Reply::Double(new))
}

/// Stores the address as a pointer of the PPE program has it.
fn aligned(memory: &dyn AddressSpace, a: &mut Arguments<'_>) -> Result<(), Errno> {
    let (address, alignment, bytes) = (a.word(), a.double(), a.double());
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(memory.pointer_bytes() as u64) {
        return Err(Errno::EINVAL);
    }
    let ea = allocate(memory, bytes, alignment)?.to_be_bytes();
    a.ls().write(address, &ea[8 - memory.pointer_bytes()..]);
    Ok(())
}
