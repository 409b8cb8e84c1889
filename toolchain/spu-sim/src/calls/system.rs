//! Linux system calls (stop code 0x2104), which the kernel serves for an SPE. The word behind the stop points
//! to a block of doublewords in local store: the number of the call, which the result replaces, and six
//! parameters (cell-facts D4). Buffers are effective addresses. The numbers are the PowerPC's. Two kinds of
//! calls are served: calls that newlib's functions on effective addresses make, and calls that need nothing
//! but this process.

use std::{
    io::{Seek, SeekFrom},
    os::unix::fs::FileExt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{Errno, stream::Streams};
use crate::{local_store::LocalStore, memory::address_space::AddressSpace};

/// The kernel refuses longer transfers than this, more or less.
const MAX_BYTES: u64 = 0x7fff_f000;
const ENOSYS: i64 = 38;

/// Serves the call whose block lies at `block`.
pub(super) fn call(s: &mut Streams, memory: &dyn AddressSpace, ls: &LocalStore, block: u32) {
    let double = |index: u32| {
        let mut bytes = [0; 8];
        ls.read(block.wrapping_add(8 * index), &mut bytes);
        u64::from_be_bytes(bytes)
    };
    let number = double(0);
    let arguments: [u64; 6] = std::array::from_fn(|k| double(k as u32 + 1));
    let result = memory.system_call(number, arguments).unwrap_or_else(|| {
        serve(s, memory, number, arguments).unwrap_or_else(|Errno(errno)| -i64::from(errno))
    });
    ls.write(block, &result.to_be_bytes());
}

fn serve(s: &mut Streams, memory: &dyn AddressSpace, number: u64, a: [u64; 6]) -> Result<i64, Errno> {
    let descriptor = a[0] as u32;
    Ok(match number {
        3 => read(s, memory, descriptor, a[1], a[2], None)?,
        4 => write(s, memory, descriptor, a[1], a[2], None)?,
        6 => s.close(descriptor).map(|()| 0)?,
        13 => time(memory, a[0])?,
        19 => seek(s, descriptor, a[1] as i64, a[2])?,
        20 => std::process::id().into(),
        // SAFETY: these calls have no arguments and cannot fail.
        24 => unsafe { libc::getuid() }.into(),
        // SAFETY: a call without arguments, which cannot fail.
        47 => unsafe { libc::getgid() }.into(),
        // SAFETY: a call without arguments, which cannot fail.
        49 => unsafe { libc::geteuid() }.into(),
        // SAFETY: a call without arguments, which cannot fail.
        50 => unsafe { libc::getegid() }.into(),
        // SAFETY: a call without arguments, which cannot fail.
        64 => unsafe { libc::getppid() }.into(),
        // SAFETY: a call without arguments, which cannot fail.
        207 => unsafe { libc::gettid() }.into(),
        78 => time_of_day(memory, a[0])?,
        118 => s.file(descriptor)?.sync_all().map(|()| 0)?,
        145 => transfer_all(memory, a[1], a[2], |ea, bytes| read(s, memory, descriptor, ea, bytes, None))?,
        146 => transfer_all(memory, a[1], a[2], |ea, bytes| write(s, memory, descriptor, ea, bytes, None))?,
        158 => {
            std::thread::yield_now();
            0
        }
        179 => read(s, memory, descriptor, a[1], a[2], Some(a[3]))?,
        180 => write(s, memory, descriptor, a[1], a[2], Some(a[3]))?,
        _ => -ENOSYS,
    })
}

/// Moves up to `bytes` bytes in parts through a buffer; `step` moves one and says how much there was.
fn in_parts(
    ea: u64,
    bytes: u64,
    mut step: impl FnMut(u64, &mut [u8]) -> Result<usize, Errno>,
) -> Result<i64, Errno> {
    if bytes > MAX_BYTES {
        return Err(Errno::EINVAL);
    }
    let mut buffer = vec![0; bytes.min(1 << 16) as usize];
    let mut done = 0;
    while done < bytes {
        let wanted = (bytes - done).min(buffer.len() as u64) as usize;
        let moved = step(ea.wrapping_add(done), &mut buffer[..wanted])?;
        done += moved as u64;
        if moved < wanted {
            break;
        }
    }
    Ok(done as i64)
}

fn read(
    s: &mut Streams,
    memory: &dyn AddressSpace,
    descriptor: u32,
    ea: u64,
    bytes: u64,
    offset: Option<u64>,
) -> Result<i64, Errno> {
    in_parts(ea, bytes, |at, part| {
        let count = match offset {
            Some(offset) => s.file(descriptor)?.read_at(part, offset + (at - ea))?,
            None => s.read(descriptor, part)?,
        };
        memory.write_bytes(at, &part[..count])?;
        Ok(count)
    })
}

fn write(
    s: &mut Streams,
    memory: &dyn AddressSpace,
    descriptor: u32,
    ea: u64,
    bytes: u64,
    offset: Option<u64>,
) -> Result<i64, Errno> {
    in_parts(ea, bytes, |at, part| {
        memory.read_bytes(at, part)?;
        match offset {
            Some(offset) => s.file(descriptor)?.write_all_at(part, offset + (at - ea))?,
            None => s.write(descriptor, part)?,
        }
        Ok(part.len())
    })
}

/// Applies `transfer` to each buffer of an array of pairs of doublewords, address and size.
fn transfer_all(
    memory: &dyn AddressSpace,
    array: u64,
    count: u64,
    mut transfer: impl FnMut(u64, u64) -> Result<i64, Errno>,
) -> Result<i64, Errno> {
    /// Limit of Linux.
    const MAX_BUFFERS: u64 = 1024;
    if count > MAX_BUFFERS {
        return Err(Errno::EINVAL);
    }
    let mut total = 0;
    for index in 0..count {
        let mut pair = [[0; 8]; 2];
        memory.read_bytes(array + 16 * index, pair.as_flattened_mut())?;
        let [ea, bytes] = pair.map(u64::from_be_bytes);
        let moved = transfer(ea, bytes)?;
        total += moved;
        if (moved as u64) < bytes {
            break;
        }
    }
    Ok(total)
}

fn seek(s: &mut Streams, descriptor: u32, offset: i64, whence: u64) -> Result<i64, Errno> {
    let to = match whence {
        0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::EINVAL)?),
        1 => SeekFrom::Current(offset),
        2 => SeekFrom::End(offset),
        _ => return Err(Errno::EINVAL),
    };
    Ok(s.file(descriptor)?.seek(to)? as i64)
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)
}

fn time(memory: &dyn AddressSpace, ea: u64) -> Result<i64, Errno> {
    let seconds = now().as_secs();
    if ea != 0 {
        memory.write_bytes(ea, &seconds.to_be_bytes())?;
    }
    Ok(seconds as i64)
}

fn time_of_day(memory: &dyn AddressSpace, ea: u64) -> Result<i64, Errno> {
    let now = now();
    memory.write_bytes(ea, &now.as_secs().to_be_bytes())?;
    memory.write_bytes(ea + 8, &u64::from(now.subsec_micros()).to_be_bytes())?;
    Ok(0)
}
