//! The POSIX.1 calls (class 0x2101; numbers from newlib's interface, cell-facts D4) that concern open files,
//! names and time. Attributes, directories and mappings have files of their own.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    CallResult, Errno, OnError, Reply,
    arguments::{Arguments, string_at},
    stream::Streams,
};
use crate::local_store::LS_SIZE;

/// Serves one call; `None` if there is no such call.
pub(super) fn call(s: &mut Streams, op: u8, a: &mut Arguments<'_>) -> Option<(CallResult, OnError)> {
    let result = match op {
        2 => s.close(a.word()).map(|()| Reply::Word(0)),
        4 => file_status(s, a),
        6 => Ok(Reply::Word(PAGE_BYTES)),
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
        43 => current_directory(a),
        44 => link(a),
        45 => symbolic_link(a),
        46 => read_link(a),
        47 => {
            // SAFETY: the call has no arguments.
            unsafe { libc::sync() };
            Ok(Reply::Word(0))
        }
        48 | 49 => synchronize(s, a),
        52 => path_truncate(a),
        61 => {
            std::thread::yield_now();
            Ok(Reply::Word(0))
        }
        50 => duplicate_to(s, a),
        53 => make_temporary(s, a),
        54 => temporary_name(a),
        65 => read_at(s, a),
        66 => write_at(s, a),
        67 => read_vector(s, a),
        68 => write_vector(s, a),
        _ => return None,
    };
    Some((result, OnError::Minus))
}

const PAGE_BYTES: u32 = 4096;

fn done((): ()) -> Reply {
    Reply::Word(0)
}

/// A byte count that can concern local store.
fn length(count: u32) -> Result<usize, Errno> {
    if count as usize > LS_SIZE { Err(Errno::EINVAL) } else { Ok(count as usize) }
}

/// Open flags of the interface (the generic Linux values).
pub(super) mod flag {
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
    Ok(Reply::Word(s.open(file)?))
}

fn read(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, address, count) = (a.word(), a.word(), a.word());
    let mut buffer = vec![0; length(count)?];
    let bytes = s.read(descriptor, &mut buffer)?;
    a.ls().write(address, &buffer[..bytes]);
    Ok(Reply::Word(bytes as u32))
}

fn write(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, address, count) = (a.word(), a.word(), a.word());
    let mut buffer = vec![0; length(count)?];
    a.ls().read(address, &mut buffer);
    s.write(descriptor, &buffer)?;
    Ok(Reply::Word(count))
}

fn read_at(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, address, count, offset) = (a.word(), a.word(), a.word(), a.word());
    let mut buffer = vec![0; length(count)?];
    let bytes = s.file(descriptor)?.read_at(&mut buffer, u64::from(offset))?;
    a.ls().write(address, &buffer[..bytes]);
    Ok(Reply::Word(bytes as u32))
}

fn write_at(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, address, count, offset) = (a.word(), a.word(), a.word(), a.word());
    let mut buffer = vec![0; length(count)?];
    a.ls().read(address, &mut buffer);
    s.file(descriptor)?.write_all_at(&buffer, u64::from(offset))?;
    Ok(Reply::Word(count))
}

fn seek(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, offset, whence) = (a.word(), a.int(), a.word());
    Ok(Reply::Word(s.seek(descriptor, i64::from(offset), whence)? as u32))
}

fn duplicate(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    Ok(Reply::Word(s.duplicate(a.word())?))
}

fn duplicate_to(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (from, to) = (a.word(), a.word());
    Ok(Reply::Word(s.duplicate_to(from, to)?))
}

/// Replaces the six X at the end of the name that the argument points to, so that no file has the name, and
/// gives the name to `open`.
fn with_temporary_name<R>(
    a: &mut Arguments<'_>,
    mut open: impl FnMut(&std::path::Path) -> std::io::Result<R>,
) -> Result<(u32, R), Errno> {
    use std::os::unix::ffi::OsStringExt;
    const ATTEMPTS: u32 = 100;
    let address = a.word();
    let mut name = string_at(a.ls(), address);
    let Some(place) = name.len().checked_sub(6).filter(|&place| name[place..] == *b"XXXXXX") else {
        return Err(Errno::EINVAL);
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let mut seed = now.as_nanos() as u64 ^ u64::from(std::process::id()) << 40;
    for _ in 0..ATTEMPTS {
        for byte in &mut name[place..] {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            *byte = b"abcdefghijklmnopqrstuvwxyz012345"[(seed >> 59) as usize];
        }
        match open(std::ffi::OsString::from_vec(name.clone()).as_ref()) {
            Ok(result) => {
                a.ls().write(address, &name);
                return Ok((address, result));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::EEXIST)
}

fn make_temporary(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (_, file) = with_temporary_name(a, |path| {
        OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
    })?;
    Ok(Reply::Word(s.open(file)?))
}

fn temporary_name(a: &mut Arguments<'_>) -> CallResult {
    let (address, ()) = with_temporary_name(a, |path| match fs::symlink_metadata(path) {
        Ok(_) => Err(std::io::ErrorKind::AlreadyExists.into()),
        Err(_) => Ok(()),
    })?;
    Ok(Reply::Word(address))
}

/// The buffers (address and size in local store) that the second and third argument describe.
fn buffers(a: &mut Arguments<'_>) -> Result<Vec<(u32, usize)>, Errno> {
    /// Limit of Linux.
    const MAX_BUFFERS: u32 = 1024;
    let (array, count) = (a.word(), a.word());
    if count > MAX_BUFFERS {
        return Err(Errno::EINVAL);
    }
    let one = |index: u32| {
        let at = array.wrapping_add(8 * index);
        Ok((a.ls().load_word(at), length(a.ls().load_word(at.wrapping_add(4)))?))
    };
    (0..count).map(one).collect()
}

fn read_vector(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let descriptor = a.word();
    let mut total = 0;
    for (address, bytes) in buffers(a)? {
        let mut buffer = vec![0; bytes];
        let read = s.read(descriptor, &mut buffer)?;
        a.ls().write(address, &buffer[..read]);
        total += read;
        if read < bytes {
            break;
        }
    }
    Ok(Reply::Word(total as u32))
}

fn write_vector(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let descriptor = a.word();
    let mut data = Vec::new();
    for (address, bytes) in buffers(a)? {
        let begin = data.len();
        data.resize(begin + bytes, 0);
        a.ls().read(address, &mut data[begin..]);
    }
    s.write(descriptor, &data)?;
    Ok(Reply::Word(data.len() as u32))
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
    Ok(Reply::Word(0))
}

fn path_status(a: &mut Arguments<'_>, follow: bool) -> CallResult {
    let (path, address) = (a.path(), a.word());
    let status = if follow { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
    store_status(a, address, status_fields(&status));
    Ok(Reply::Word(0))
}

fn time_of_day(a: &mut Arguments<'_>) -> CallResult {
    let address = a.word();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    if address != 0 {
        a.ls().write(address, &(now.as_secs() as u32).to_be_bytes());
        a.ls().write(address.wrapping_add(4), &now.subsec_micros().to_be_bytes());
    }
    Ok(Reply::Word(0))
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
    Ok(Reply::Word(0))
}

/// Whether the path may be used in the modes that are asked for (4 read, 2 write, 1 execute, 0 exists). The
/// owner's permission bits decide.
fn access(a: &mut Arguments<'_>) -> CallResult {
    let (path, mode) = (a.path(), a.word());
    let permissions = fs::metadata(path)?.permissions().mode();
    if permissions >> 6 & mode & 7 == mode & 7 { Ok(Reply::Word(0)) } else { Err(Errno::EACCES) }
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
    Ok(Reply::Word(address))
}

fn link(a: &mut Arguments<'_>) -> CallResult {
    let (from, to) = (a.path(), a.path());
    fs::hard_link(from, to)?;
    Ok(Reply::Word(0))
}

fn symbolic_link(a: &mut Arguments<'_>) -> CallResult {
    let (from, to) = (a.path(), a.path());
    std::os::unix::fs::symlink(from, to)?;
    Ok(Reply::Word(0))
}

fn read_link(a: &mut Arguments<'_>) -> CallResult {
    use std::os::unix::ffi::OsStrExt;
    let (path, address, size) = (a.path(), a.word(), a.word() as usize);
    let target = fs::read_link(path)?;
    let bytes = target.as_os_str().as_bytes();
    let bytes = &bytes[..bytes.len().min(size)];
    a.ls().write(address, bytes);
    Ok(Reply::Word(bytes.len() as u32))
}

fn synchronize(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    s.file(a.word())?.sync_all()?;
    Ok(Reply::Word(0))
}

fn file_truncate(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, size) = (a.word(), a.word());
    s.file(descriptor)?.set_len(u64::from(size))?;
    Ok(Reply::Word(0))
}

fn path_truncate(a: &mut Arguments<'_>) -> CallResult {
    let (path, size) = (a.path(), a.word());
    OpenOptions::new().write(true).open(path)?.set_len(u64::from(size))?;
    Ok(Reply::Word(0))
}
