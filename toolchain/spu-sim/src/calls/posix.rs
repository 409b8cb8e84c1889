//! The POSIX.1 calls (class 0x2101; numbers from newlib's interface, cell-facts D4) that concern files and time.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{CallResult, Errno, OnError, Reply, arguments::Arguments, stream::Streams};
use crate::local_store::LS_SIZE;

/// Serves one call; `None` if there is no such call.
pub(super) fn call(s: &mut Streams, op: u8, a: &mut Arguments<'_>) -> Option<(CallResult, OnError)> {
    let result = match op {
        2 => s.close(a.word()).map(|()| Reply(0)),
        4 => file_status(s, a),
        6 => Ok(Reply(PAGE_BYTES)),
        7 => time_of_day(a),
        9 => seek(s, a),
        10 => path_status(a, false),
        15 => open(s, a),
        16 => read(s, a),
        23 => path_status(a, true),
        24 => fs::remove_file(a.path()).map(done).map_err(Errno::from),
        27 => write(s, a),
        28 => file_truncate(s, a),
        29 => access(a),
        30 => duplicate(s, a),
        32 => sleep(a),
        33 => std::env::set_current_dir(a.path()).map(done).map_err(Errno::from),
        35 => fs::create_dir(a.path()).map(done).map_err(Errno::from),
        37 => fs::remove_dir(a.path()).map(done).map_err(Errno::from),
        38 => change_mode(a),
        43 => current_directory(a),
        44 => link(a),
        45 => symbolic_link(a),
        46 => read_link(a),
        47 => Ok(Reply(0)),
        48 | 49 => synchronize(s, a),
        52 => path_truncate(a),
        61 => {
            std::thread::yield_now();
            Ok(Reply(0))
        }
        65 => read_at(s, a),
        66 => write_at(s, a),
        _ => return None,
    };
    Some((result, OnError::Minus))
}

const PAGE_BYTES: u32 = 4096;

fn done((): ()) -> Reply {
    Reply(0)
}

/// A byte count that can concern local store.
fn length(count: u32) -> Result<usize, Errno> {
    if count as usize > LS_SIZE { Err(Errno::EINVAL) } else { Ok(count as usize) }
}

/// Open flags of the interface (the generic Linux values).
mod flag {
    pub(super) const ACCESS: u32 = 3;
    pub(super) const CREATE: u32 = 64;
    pub(super) const EXCLUSIVE: u32 = 128;
    pub(super) const TRUNCATE: u32 = 512;
    pub(super) const APPEND: u32 = 1024;
}

fn open(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (path, flags, mode) = (a.path(), a.word(), a.word());
    let (read, write) = match flags & flag::ACCESS {
        0 => (true, false),
        1 => (false, true),
        2 => (true, true),
        _ => return Err(Errno::EINVAL),
    };
    let file = OpenOptions::new()
        .read(read)
        .write(write)
        .append(flags & flag::APPEND != 0)
        .truncate(flags & flag::TRUNCATE != 0)
        .create(flags & flag::CREATE != 0)
        .create_new(flags & flag::CREATE != 0 && flags & flag::EXCLUSIVE != 0)
        .mode(mode & 0o7777)
        .open(path)?;
    Ok(Reply(s.open(file)?))
}

fn read(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, address, count) = (a.word(), a.word(), a.word());
    let mut buffer = vec![0; length(count)?];
    let bytes = s.read(descriptor, &mut buffer)?;
    a.ls().write(address, &buffer[..bytes]);
    Ok(Reply(bytes as u32))
}

fn write(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, address, count) = (a.word(), a.word(), a.word());
    let mut buffer = vec![0; length(count)?];
    a.ls().read(address, &mut buffer);
    s.write(descriptor, &buffer)?;
    Ok(Reply(count))
}

fn read_at(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, address, count, offset) = (a.word(), a.word(), a.word(), a.word());
    let mut buffer = vec![0; length(count)?];
    let bytes = s.file(descriptor)?.read_at(&mut buffer, u64::from(offset))?;
    a.ls().write(address, &buffer[..bytes]);
    Ok(Reply(bytes as u32))
}

fn write_at(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, address, count, offset) = (a.word(), a.word(), a.word(), a.word());
    let mut buffer = vec![0; length(count)?];
    a.ls().read(address, &mut buffer);
    s.file(descriptor)?.write_all_at(&buffer, u64::from(offset))?;
    Ok(Reply(count))
}

fn seek(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, offset, whence) = (a.word(), a.int(), a.word());
    Ok(Reply(s.seek(descriptor, i64::from(offset), whence)? as u32))
}

fn duplicate(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let copy = s.file(a.word())?.try_clone()?;
    Ok(Reply(s.open(copy)?))
}

/// Writes the 13 words of the interface's status structure.
fn store_status(a: &Arguments<'_>, address: u32, fields: [u32; 13]) {
    for (at, field) in (address..).step_by(4).zip(fields) {
        a.ls().write(at, &field.to_be_bytes());
    }
}

fn status_fields(status: &fs::Metadata) -> [u32; 13] {
    [
        status.dev() as u32,
        status.ino() as u32,
        status.mode(),
        status.nlink() as u32,
        status.uid(),
        status.gid(),
        status.rdev() as u32,
        status.size() as u32,
        status.blksize() as u32,
        status.blocks() as u32,
        status.atime() as u32,
        status.mtime() as u32,
        status.ctime() as u32,
    ]
}

fn file_status(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    const CHARACTER_DEVICE: u32 = 0o020_620;
    let (descriptor, address) = (a.word(), a.word());
    let fields = if s.is_standard(descriptor) {
        let mut fields = [0; 13];
        fields[2] = CHARACTER_DEVICE;
        fields
    } else {
        status_fields(&s.file(descriptor)?.metadata()?)
    };
    store_status(a, address, fields);
    Ok(Reply(0))
}

fn path_status(a: &mut Arguments<'_>, follow: bool) -> CallResult {
    let (path, address) = (a.path(), a.word());
    let status = if follow { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
    store_status(a, address, status_fields(&status));
    Ok(Reply(0))
}

fn time_of_day(a: &mut Arguments<'_>) -> CallResult {
    let address = a.word();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    if address != 0 {
        a.ls().write(address, &(now.as_secs() as u32).to_be_bytes());
        a.ls().write(address.wrapping_add(4), &now.subsec_micros().to_be_bytes());
    }
    Ok(Reply(0))
}

fn sleep(a: &mut Arguments<'_>) -> CallResult {
    let request = a.word();
    let word = |offset: u32| {
        let mut bytes = [0; 4];
        a.ls().read(request.wrapping_add(offset), &mut bytes);
        u32::from_be_bytes(bytes)
    };
    let (seconds, nanoseconds) = (word(0), word(4));
    if nanoseconds >= 1_000_000_000 {
        return Err(Errno::EINVAL);
    }
    std::thread::sleep(Duration::new(u64::from(seconds), nanoseconds));
    Ok(Reply(0))
}

/// Whether the path may be used in the modes that are asked for (4 read, 2 write, 1 execute, 0 exists). The owner's
/// permission bits decide.
fn access(a: &mut Arguments<'_>) -> CallResult {
    let (path, mode) = (a.path(), a.word());
    let permissions = fs::metadata(path)?.permissions().mode();
    if permissions >> 6 & mode & 7 == mode & 7 { Ok(Reply(0)) } else { Err(Errno::EACCES) }
}

fn change_mode(a: &mut Arguments<'_>) -> CallResult {
    let (path, mode) = (a.path(), a.word());
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777))?;
    Ok(Reply(0))
}

fn current_directory(a: &mut Arguments<'_>) -> CallResult {
    use std::os::unix::ffi::OsStrExt;
    const ERANGE: Errno = Errno(34);
    let (address, size) = (a.word(), a.word() as usize);
    let mut path = std::env::current_dir()?.as_os_str().as_bytes().to_vec();
    path.push(0);
    if path.len() > size {
        return Err(ERANGE);
    }
    a.ls().write(address, &path);
    Ok(Reply(address))
}

fn link(a: &mut Arguments<'_>) -> CallResult {
    let (from, to) = (a.path(), a.path());
    fs::hard_link(from, to)?;
    Ok(Reply(0))
}

fn symbolic_link(a: &mut Arguments<'_>) -> CallResult {
    let (from, to) = (a.path(), a.path());
    std::os::unix::fs::symlink(from, to)?;
    Ok(Reply(0))
}

fn read_link(a: &mut Arguments<'_>) -> CallResult {
    use std::os::unix::ffi::OsStrExt;
    let (path, address, size) = (a.path(), a.word(), a.word() as usize);
    let target = fs::read_link(path)?;
    let bytes = target.as_os_str().as_bytes();
    let bytes = &bytes[..bytes.len().min(size)];
    a.ls().write(address, bytes);
    Ok(Reply(bytes.len() as u32))
}

fn synchronize(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    s.file(a.word())?.sync_all()?;
    Ok(Reply(0))
}

fn file_truncate(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, size) = (a.word(), a.word());
    s.file(descriptor)?.set_len(u64::from(size))?;
    Ok(Reply(0))
}

fn path_truncate(a: &mut Arguments<'_>) -> CallResult {
    let (path, size) = (a.path(), a.word());
    OpenOptions::new().write(true).open(path)?.set_len(u64::from(size))?;
    Ok(Reply(0))
}
