//! The open files of an SPE program: descriptors for POSIX calls, and stdio streams on top of them.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
};

use super::{Errno, Input, Output};

/// What a descriptor is open on.
enum Target {
    Input(Input),
    Output(Output),
    File(File),
}

/// A stdio stream. Reading is buffered only by what `ungetc` pushes back: the calls are rare and each moves whole
/// blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    descriptor: u32,
    /// Bytes to read first, last one first.
    pushed_back: Vec<u8>,
    pub(super) end: bool,
    pub(super) error: bool,
}

/// Descriptors and streams.
pub(super) struct Streams {
    targets: Vec<Option<Target>>,
    streams: Vec<Option<Stream>>,
}

impl std::fmt::Debug for Streams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Streams").field("streams", &self.streams).finish_non_exhaustive()
    }
}

/// Most files open at a time, as a limit against leaks.
const MAX_OPEN: usize = 1024;

/// Puts a value into the first free place from `from` on.
fn insert<T>(places: &mut Vec<Option<T>>, value: T) -> Result<u32, Errno> {
    if let Some(free) = places.iter().position(Option::is_none) {
        places[free] = Some(value);
        return Ok(free as u32);
    }
    if places.len() >= MAX_OPEN {
        return Err(Errno::EMFILE);
    }
    places.push(Some(value));
    Ok(places.len() as u32 - 1)
}

impl Streams {
    pub(super) fn new(input: Input, output: Output, error: Output) -> Streams {
        let stream = |descriptor| Some(Stream { descriptor, ..Stream::default() });
        Streams {
            targets: vec![
                Some(Target::Input(input)),
                Some(Target::Output(output)),
                Some(Target::Output(error)),
            ],
            streams: vec![stream(0), stream(1), stream(2)],
        }
    }

    fn target(&mut self, descriptor: u32) -> Result<&mut Target, Errno> {
        self.targets.get_mut(descriptor as usize).and_then(Option::as_mut).ok_or(Errno::EBADF)
    }

    pub(super) fn file(&mut self, descriptor: u32) -> Result<&mut File, Errno> {
        match self.target(descriptor)? {
            Target::File(file) => Ok(file),
            _ => Err(Errno::ESPIPE),
        }
    }

    pub(super) fn is_standard(&mut self, descriptor: u32) -> bool {
        matches!(self.target(descriptor), Ok(Target::Input(_) | Target::Output(_)))
    }

    pub(super) fn open(&mut self, file: File) -> Result<u32, Errno> {
        insert(&mut self.targets, Target::File(file))
    }

    pub(super) fn close(&mut self, descriptor: u32) -> Result<(), Errno> {
        self.target(descriptor)?;
        if let Some(mut target) = self.targets[descriptor as usize].take()
            && let Target::Output(output) = &mut target
        {
            output.flush()?;
        }
        Ok(())
    }

    /// Reads until the buffer is full or the file ends.
    pub(super) fn read(&mut self, descriptor: u32, buffer: &mut [u8]) -> Result<usize, Errno> {
        let reader: &mut dyn Read = match self.target(descriptor)? {
            Target::Input(input) => input,
            Target::File(file) => file,
            Target::Output(_) => return Err(Errno::EBADF),
        };
        let mut done = 0;
        while done < buffer.len() {
            match reader.read(&mut buffer[done..]) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(done)
    }

    pub(super) fn write(&mut self, descriptor: u32, data: &[u8]) -> Result<(), Errno> {
        match self.target(descriptor)? {
            Target::Output(output) => output.write_all(data)?,
            Target::File(file) => file.write_all(data)?,
            Target::Input(_) => return Err(Errno::EBADF),
        }
        Ok(())
    }

    /// Moves the position; returns the new one.
    pub(super) fn seek(&mut self, descriptor: u32, offset: i64, whence: u32) -> Result<u64, Errno> {
        let to = match whence {
            0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::EINVAL)?),
            1 => SeekFrom::Current(offset),
            2 => SeekFrom::End(offset),
            _ => return Err(Errno::EINVAL),
        };
        Ok(self.file(descriptor)?.seek(to)?)
    }

    /// Opens a stream on a descriptor; streams are numbered from 1 (1 to 3 are the standard ones).
    pub(super) fn open_stream(&mut self, descriptor: u32) -> Result<u32, Errno> {
        Ok(insert(&mut self.streams, Stream { descriptor, ..Stream::default() })? + 1)
    }

    pub(super) fn stream(&mut self, number: u32) -> Result<&mut Stream, Errno> {
        let index = (number as usize).checked_sub(1).ok_or(Errno::EBADF)?;
        self.streams.get_mut(index).and_then(Option::as_mut).ok_or(Errno::EBADF)
    }

    pub(super) fn descriptor(&mut self, number: u32) -> Result<u32, Errno> {
        Ok(self.stream(number)?.descriptor)
    }

    pub(super) fn close_stream(&mut self, number: u32) -> Result<(), Errno> {
        let descriptor = self.descriptor(number)?;
        self.streams[number as usize - 1] = None;
        self.close(descriptor)
    }

    /// Makes an existing stream refer to another file.
    pub(super) fn reopen_stream(&mut self, number: u32, file: File) -> Result<(), Errno> {
        let old = self.descriptor(number)?;
        self.close(old)?;
        let descriptor = self.open(file)?;
        *self.stream(number)? = Stream { descriptor, ..Stream::default() };
        Ok(())
    }

    pub(super) fn write_stream(&mut self, number: u32, data: &[u8]) -> Result<(), Errno> {
        let descriptor = self.descriptor(number)?;
        let written = self.write(descriptor, data);
        if written.is_err() {
            self.stream(number)?.error = true;
        }
        written
    }

    pub(super) fn read_stream(&mut self, number: u32, buffer: &mut [u8]) -> Result<usize, Errno> {
        let stream = self.stream(number)?;
        let descriptor = stream.descriptor;
        let mut done = 0;
        while done < buffer.len()
            && let Some(byte) = stream.pushed_back.pop()
        {
            buffer[done] = byte;
            done += 1;
        }
        let result = self.read(descriptor, &mut buffer[done..]);
        let stream = self.stream(number)?;
        match result {
            Ok(count) => {
                stream.end |= done + count < buffer.len();
                Ok(done + count)
            }
            Err(errno) => {
                stream.error = true;
                Err(errno)
            }
        }
    }

    /// One byte, or `None` at the end.
    pub(super) fn read_byte(&mut self, number: u32) -> Result<Option<u8>, Errno> {
        let mut byte = [0];
        Ok((self.read_stream(number, &mut byte)? == 1).then_some(byte[0]))
    }

    pub(super) fn push_back(&mut self, number: u32, byte: u8) -> Result<(), Errno> {
        let stream = self.stream(number)?;
        stream.pushed_back.push(byte);
        stream.end = false;
        Ok(())
    }

    pub(super) fn seek_stream(&mut self, number: u32, offset: i64, whence: u32) -> Result<u64, Errno> {
        let stream = self.stream(number)?;
        // What was pushed back counts as not yet read.
        let back = if whence == 1 { stream.pushed_back.len() as i64 } else { 0 };
        stream.pushed_back.clear();
        stream.end = false;
        let descriptor = stream.descriptor;
        self.seek(descriptor, offset - back, whence)
    }

    pub(super) fn tell_stream(&mut self, number: u32) -> Result<u64, Errno> {
        let stream = self.stream(number)?;
        let (descriptor, back) = (stream.descriptor, stream.pushed_back.len() as u64);
        Ok(self.seek(descriptor, 0, 1)?.saturating_sub(back))
    }

    pub(super) fn flush_stream(&mut self, number: u32) -> Result<(), Errno> {
        let descriptor = self.descriptor(number)?;
        match self.target(descriptor)? {
            Target::Output(output) => output.flush()?,
            Target::File(file) => file.flush()?,
            Target::Input(_) => {}
        }
        Ok(())
    }

    pub(super) fn flush_all(&mut self) {
        for number in 1..=self.streams.len() as u32 {
            // A stream that was closed has nothing to flush, and a failure here has no one to report to.
            let _ = self.flush_stream(number);
        }
    }
}
