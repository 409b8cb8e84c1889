//! The C library's standard streams. SPE programs use the streams of the PPE program, so that the output and
//! the input of both come in the order of their calls.

use std::ffi::c_int;
use std::io::{self, Read, Write};

use libc::FILE;
use spu_sim::calls::{Input, Output};

unsafe extern "C" {
    static stdin: *mut FILE;
    static stdout: *mut FILE;
    static stderr: *mut FILE;
}

/// Which stream. The variable is read at each use, because a program may replace it.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Input,
    Output,
    Error,
}

impl Stream {
    fn file(self) -> *mut FILE {
        // SAFETY: the C library defines these variables, and programs set them before they make threads.
        unsafe {
            match self {
                Stream::Input => stdin,
                Stream::Output => stdout,
                Stream::Error => stderr,
            }
        }
    }
}

impl Read for Stream {
    /// Reads to the end of a line at most, so that a terminal is not asked for more than the program wants.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const LINE_END: c_int = b'\n' as c_int;
        let mut count = 0;
        while count < buffer.len() {
            // SAFETY: the stream is open; the C library locks it.
            let byte = unsafe { libc::fgetc(self.file()) };
            if byte == libc::EOF {
                break;
            }
            buffer[count] = byte as u8;
            count += 1;
            if byte == LINE_END {
                break;
            }
        }
        Ok(count)
    }
}

impl Write for Stream {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        // SAFETY: the stream is open and the data readable; the C library locks the stream.
        let written = unsafe { libc::fwrite(data.as_ptr().cast(), 1, data.len(), self.file()) };
        if written == 0 && !data.is_empty() { Err(io::Error::last_os_error()) } else { Ok(written) }
    }

    /// The C library decides when its buffer is written.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Standard input.
pub(crate) fn input() -> Input {
    Box::new(Stream::Input)
}

/// Standard output.
pub(crate) fn output() -> Output {
    Box::new(Stream::Output)
}

/// Standard error.
pub(crate) fn error() -> Output {
    Box::new(Stream::Error)
}
