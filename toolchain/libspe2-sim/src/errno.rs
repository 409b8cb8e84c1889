//! How failures reach the caller: -1 or NULL, and errno.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{io, ptr};

/// An error number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) c_int);

impl Errno {
    /// The error number of the last call of the C library.
    pub(crate) fn last() -> Errno {
        Errno(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
    }
}

/// What a function returns when it failed.
pub(crate) trait Failed {
    const FAILED: Self;
}

impl Failed for c_int {
    const FAILED: c_int = -1;
}

impl<T> Failed for *mut T {
    const FAILED: *mut T = ptr::null_mut();
}

/// Sets errno of this thread.
pub(crate) fn set_errno(Errno(number): Errno) {
    // SAFETY: the address is that of this thread's errno.
    unsafe { *libc::__errno_location() = number };
}

/// Runs the body of an exported function. Gives its result, or sets errno and gives the value of a failure. A
/// panic, which would be a mistake of this library, is a failure with EFAULT.
pub(crate) fn answer<T: Failed>(body: impl FnOnce() -> Result<T, Errno>) -> T {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Errno(libc::EFAULT)));
    result.unwrap_or_else(|errno| {
        set_errno(errno);
        T::FAILED
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_set_errno() {
        assert_eq!(answer(|| Ok::<c_int, Errno>(7)), 7);
        assert_eq!(answer(|| Err::<c_int, _>(Errno(libc::ESRCH))), -1);
        assert_eq!(Errno::last(), Errno(libc::ESRCH));
        assert!(answer(|| Err::<*mut u8, _>(Errno(libc::EINVAL))).is_null());
    }
}
