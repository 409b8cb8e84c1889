//! PPE-assisted library calls: an SPE program stops with code 0x2100 (C99 stdio) or 0x2101 (POSIX.1), the PPE reads
//! the arguments from local store, does the work, writes the result back and lets the SPE continue (cell-facts D4).
//! [`Services`] is the PPE's part, served from the host's files and the streams that the embedder hands in.

mod arguments;
mod c99;
mod format;
mod posix;
mod scan;
mod stream;

use std::io::{self, Read, Write};

use arguments::Arguments;
use stream::Streams;

use crate::local_store::LocalStore;

/// Stop codes of library calls (cell-facts D4).
pub const CALL_CODES: std::ops::RangeInclusive<u16> = 0x2100..=0x21ff;
const C99: u16 = 0x2100;
const POSIX: u16 = 0x2101;

/// A call that is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("library call {op} of class {class:#x} is not served")]
pub struct UnknownCall {
    /// Stop code.
    pub class: u16,
    /// Number of the call within its class.
    pub op: u8,
}

/// Standard input as the calls read it.
pub type Input = Box<dyn Read + Send>;
/// Standard output or error as the calls write it.
pub type Output = Box<dyn Write + Send>;

/// The open files and streams of one SPE program.
#[derive(Debug)]
pub struct Services {
    streams: Streams,
}

/// Result of a call: the words of the return value, or an errno.
type CallResult = Result<Reply, Errno>;

/// A Linux error number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Errno(u32);

impl Errno {
    const ENOENT: Errno = Errno(2);
    const EIO: Errno = Errno(5);
    const EBADF: Errno = Errno(9);
    const EACCES: Errno = Errno(13);
    const EEXIST: Errno = Errno(17);
    const EINVAL: Errno = Errno(22);
    const EMFILE: Errno = Errno(24);
    const ESPIPE: Errno = Errno(29);
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Errno {
        match (error.raw_os_error(), error.kind()) {
            (Some(code), _) => Errno(code as u32),
            (None, io::ErrorKind::NotFound) => Errno::ENOENT,
            (None, io::ErrorKind::PermissionDenied) => Errno::EACCES,
            (None, io::ErrorKind::AlreadyExists) => Errno::EEXIST,
            (None, io::ErrorKind::InvalidInput) => Errno::EINVAL,
            (None, _) => Errno::EIO,
        }
    }
}

/// What a successful call gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reply(u32);

/// What a call gives back when it fails, beside errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnError {
    Minus,
    Zero,
}

impl Services {
    /// Calls served from these three streams and the host's files.
    pub fn new(input: Input, output: Output, error: Output) -> Services {
        Services { streams: Streams::new(input, output, error) }
    }

    /// Calls served from the streams of this process.
    pub fn stdio() -> Services {
        Services::new(Box::new(io::stdin()), Box::new(io::stdout()), Box::new(io::stderr()))
    }

    /// Serves one call: `class` is the stop code, `pc` the address after the stop, where the word
    /// `op << 24 | argument address` lies. The program continues at `pc + 4`.
    ///
    /// # Errors
    /// If there is no such call; libspe2 reports that as a callback error.
    pub fn call(&mut self, class: u16, ls: &LocalStore, pc: u32) -> Result<(), UnknownCall> {
        let word = ls.load_word(pc);
        let op = (word >> 24) as u8;
        let mut arguments = Arguments::new(ls, word & 0xff_ffff);
        let unknown = UnknownCall { class, op };
        let (result, on_error) = match class {
            C99 => c99::call(&mut self.streams, op, &mut arguments),
            POSIX => posix::call(&mut self.streams, op, &mut arguments),
            _ => None,
        }
        .ok_or(unknown)?;
        let (value, errno) = match (result, on_error) {
            (Ok(Reply(value)), _) => (value, 0),
            (Err(Errno(errno)), OnError::Minus) => (u32::MAX, errno),
            (Err(Errno(errno)), OnError::Zero) => (0, errno),
        };
        // The result overlays the first argument: value in word 0, errno in word 3.
        let at = word & 0xff_fff0;
        ls.store_word(at, value);
        ls.store_word(at + 4, 0);
        ls.store_word(at + 8, 0);
        ls.store_word(at + 12, errno);
        Ok(())
    }

    /// Writes out what is buffered. Errors have nobody left to hear them.
    pub fn flush(&mut self) {
        self.streams.flush_all();
    }
}

#[cfg(test)]
mod tests;
