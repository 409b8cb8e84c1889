//! PPE-assisted library calls. An SPE program stops with code 0x2100 (C99 stdio), 0x2101 (POSIX.1) or 0x2105
//! (memory of the PPE). The PPE reads the arguments from local store, does the work, writes the result back
//! and lets the SPE continue (cell-facts D4). System calls (0x2104) work in the same way, but on a real
//! machine the kernel serves them.
//!
//! [`Services`] serves the calls: with files of the host, with standard streams that the caller of the
//! simulator gives, and with main memory through [`AddressSpace`]. A descriptor has the number that it has in
//! this process, so that system calls and other parts of the process can use it.

mod arguments;
mod attributes;
mod c99;
mod directory;
mod format;
mod libea;
mod mapping;
mod posix;
mod real;
mod scan;
mod stream;
mod system;
mod wide;

use std::{
    io::{self, Read, Write},
    sync::Arc,
};

use arguments::Arguments;
use directory::Directories;
use stream::Streams;

use crate::{local_store::LocalStore, memory::address_space::AddressSpace};

/// Stop codes of library calls (cell-facts D4).
pub const CALL_CODES: std::ops::RangeInclusive<u16> = 0x2100..=0x21ff;
const C99: u16 = 0x2100;
const POSIX: u16 = 0x2101;
const SYSTEM: u16 = 0x2104;
const LIBEA: u16 = 0x2105;

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
    directories: Directories,
    memory: Option<Arc<dyn AddressSpace>>,
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
    const ENOMEM: Errno = Errno(12);
    const EACCES: Errno = Errno(13);
    const EFAULT: Errno = Errno(14);
    const EEXIST: Errno = Errno(17);
    const EINVAL: Errno = Errno(22);
    const EMFILE: Errno = Errno(24);
    const ESPIPE: Errno = Errno(29);
    const EILSEQ: Errno = Errno(84);

    /// The error number of the last call of the C library.
    fn last() -> Errno {
        io::Error::last_os_error().into()
    }
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

impl From<crate::memory::MemoryFault> for Errno {
    fn from(_: crate::memory::MemoryFault) -> Errno {
        Errno::EFAULT
    }
}

/// What a successful call gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    /// A word.
    Word(u32),
    /// A doubleword: an effective address, or a handle of the PPE's.
    Double(u64),
}

/// What a call gives back when it fails, beside errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnError {
    Minus,
    Zero,
    /// A doubleword whose bits are all one.
    MinusDouble,
}

impl Services {
    /// Serves calls with these three streams and the host's files.
    pub fn new(input: Input, output: Output, error: Output) -> Services {
        Services {
            streams: Streams::new(input, output, error),
            directories: Directories::default(),
            memory: None,
        }
    }

    /// Also serves the calls that concern main memory, with `memory`. Without a memory these calls are
    /// unknown.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn AddressSpace>) -> Services {
        Services { memory: Some(memory), ..self }
    }

    /// Serves calls with the standard streams of this process.
    pub fn stdio() -> Services {
        Services::new(Box::new(io::stdin()), Box::new(io::stdout()), Box::new(io::stderr()))
    }

    /// Serves one call: `class` is the stop code, `pc` the address after the stop, where the word `op << 24 |
    /// argument address` lies (for a system call, the address of its block). The program continues at `pc +
    /// 4`.
    ///
    /// # Errors
    /// If there is no such call; libspe2 reports that as a callback error.
    pub fn call(&mut self, class: u16, ls: &LocalStore, pc: u32) -> Result<(), UnknownCall> {
        let word = ls.load_word(pc);
        let op = (word >> 24) as u8;
        let unknown = UnknownCall { class, op };
        if class == SYSTEM {
            let memory = self.memory.as_ref().ok_or(unknown)?;
            system::call(&mut self.streams, memory.as_ref(), ls, word);
            return Ok(());
        }
        let mut arguments = Arguments::new(ls, word & 0xff_ffff);
        let a = &mut arguments;
        let (result, on_error) = match (class, &self.memory) {
            (C99, _) => c99::call(&mut self.streams, op, a),
            (POSIX, memory) => posix::call(&mut self.streams, op, a)
                .or_else(|| attributes::call(&mut self.streams, op, a))
                .or_else(|| directory::call(&mut self.directories, op, a))
                .or_else(|| mapping::call(&mut self.streams, memory.as_deref(), op, a)),
            (LIBEA, Some(memory)) => libea::call(memory.as_ref(), op, a),
            _ => None,
        }
        .ok_or(unknown)?;
        let (left, right, errno) = match (result, on_error) {
            (Ok(Reply::Word(value)), _) => (value, 0, 0),
            (Ok(Reply::Double(value)), _) => ((value >> 32) as u32, value as u32, 0),
            (Err(Errno(errno)), OnError::Minus) => (u32::MAX, 0, errno),
            (Err(Errno(errno)), OnError::Zero) => (0, 0, errno),
            (Err(Errno(errno)), OnError::MinusDouble) => (u32::MAX, u32::MAX, errno),
        };
        // The result overlays the first argument: value in word 0 (and 1), errno in word 3.
        let at = word & 0xff_fff0;
        for (at, word) in (at..).step_by(4).zip([left, right, 0, errno]) {
            ls.store_word(at, word);
        }
        Ok(())
    }

    /// Writes buffered output out. Errors are ignored, because the calls that wrote have returned.
    pub fn flush(&mut self) {
        self.streams.flush_all();
    }
}

#[cfg(test)]
mod tests;
