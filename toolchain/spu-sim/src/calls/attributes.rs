//! The POSIX.1 calls that change attributes of files and of the process: modes, owners, times, locks, the
//! umask.

use std::{
    fs::{self, File, FileTimes, Permissions},
    os::{
        fd::AsRawFd,
        unix::{ffi::OsStringExt, fs::PermissionsExt},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{CallResult, Errno, OnError, Reply, arguments::Arguments, stream::Streams};

/// Serves one call; `None` if there is no such call here.
pub(super) fn call(s: &mut Streams, op: u8, a: &mut Arguments<'_>) -> Option<(CallResult, OnError)> {
    let result = match op {
        34 => change_directory(s, a),
        36 => make_node(a),
        38 => change_mode(a),
        39 => change_mode_of_file(s, a),
        40 => change_owner(a, true),
        41 => change_owner_of_file(s, a),
        42 => change_owner(a, false),
        51 => lock(s, a),
        62 => Ok(Reply::Word(mask(a.word()))),
        63 => set_times(a, false),
        64 => set_times(a, true),
        _ => return None,
    };
    Some((result, OnError::Minus))
}

const DONE: CallResult = Ok(Reply::Word(0));

/// The result of a C function that gives 0 for success.
fn check(result: i32) -> CallResult {
    if result == 0 { DONE } else { Err(Errno::last()) }
}

fn change_directory(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let directory = s.file(a.word())?;
    // SAFETY: the descriptor is open for the time of the call.
    check(unsafe { libc::fchdir(directory.as_raw_fd()) })
}

/// Device numbers are eight bits of major and eight of minor, in a word.
fn make_node(a: &mut Arguments<'_>) -> CallResult {
    let (path, mode, device) = (a.path(), a.word(), a.word());
    let path = std::ffi::CString::new(path.into_os_string().into_vec()).map_err(|_| Errno::EINVAL)?;
    // SAFETY: the path is a C string that lives until the call is over.
    check(unsafe { libc::mknod(path.as_ptr(), mode, device.into()) })
}

fn change_mode(a: &mut Arguments<'_>) -> CallResult {
    let (path, mode) = (a.path(), a.word());
    fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))?;
    DONE
}

fn change_mode_of_file(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, mode) = (a.word(), a.word());
    s.file(descriptor)?.set_permissions(Permissions::from_mode(mode & 0o7777))?;
    DONE
}

/// Owner and group; `None` for a word of ones, which leaves the owner (the group) as it is.
fn owners(a: &mut Arguments<'_>) -> [Option<u32>; 2] {
    [a.word(), a.word()].map(|id| Some(id).filter(|&id| id != u32::MAX))
}

fn change_owner(a: &mut Arguments<'_>, follow: bool) -> CallResult {
    let (path, [owner, group]) = (a.path(), owners(a));
    let change = if follow { std::os::unix::fs::chown } else { std::os::unix::fs::lchown };
    change(path, owner, group)?;
    DONE
}

fn change_owner_of_file(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, [owner, group]) = (a.word(), owners(a));
    std::os::unix::fs::fchown(s.file(descriptor)?, owner, group)?;
    DONE
}

/// The commands (0 unlock, 1 lock, 2 try, 3 test) are Linux's.
fn lock(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (descriptor, command, bytes) = (a.word(), a.int(), a.int());
    let file = s.file(descriptor)?;
    // SAFETY: the descriptor is open for the time of the call.
    check(unsafe { libc::lockf(file.as_raw_fd(), command, bytes.into()) })
}

fn mask(mask: u32) -> u32 {
    // SAFETY: the call changes nothing but the mask of the process.
    unsafe { libc::umask(mask as libc::mode_t & 0o777) }
}

/// Access and modification time at the second argument: words of seconds, or seconds with microseconds; the
/// current time if it is null.
fn set_times(a: &mut Arguments<'_>, with_microseconds: bool) -> CallResult {
    let (path, address) = (a.path(), a.word());
    let word = |index: u32| a.ls().load_word(address.wrapping_add(4 * index));
    let time = |index: u32| {
        let (seconds, microseconds) =
            if with_microseconds { (word(2 * index), word(2 * index + 1)) } else { (word(index), 0) };
        if microseconds >= 1_000_000 {
            return Err(Errno::EINVAL);
        }
        Ok(UNIX_EPOCH + Duration::new(seconds.into(), microseconds * 1000))
    };
    let now = SystemTime::now();
    let [access, modification] = if address == 0 { [now; 2] } else { [time(0)?, time(1)?] };
    File::open(path)?.set_times(FileTimes::new().set_accessed(access).set_modified(modification))?;
    DONE
}
