//! The open files of an SPE program: descriptors for POSIX calls, and stdio streams on top of them.

use std::{
    collections::{HashMap, hash_map::Entry},
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    mem::ManuallyDrop,
    os::fd::{AsRawFd, FromRawFd, RawFd},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Errno, Input, Output};

/// What a descriptor is open on. Standard streams may have several descriptors.
enum Target {
    Input(Arc<Mutex<Input>>),
    Output(Arc<Mutex<Output>>),
    File(File),
    /// A file that another part of the process opened, and will close if the program does not.
    Foreign(ManuallyDrop<File>),
}

/// A stream stays usable after a panic of another user.
fn lock<T>(stream: &Mutex<T>) -> MutexGuard<'_, T> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stdio stream. Reading is buffered only by what `ungetc` pushes back: the calls are rare and each moves
/// whole blocks.
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
    targets: HashMap<u32, Target>,
    /// Open files that occupy the numbers of duplicated standard streams, so that no other file gets them.
    placeholders: HashMap<u32, File>,
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
            targets: HashMap::from([
                (0, Target::Input(Arc::new(Mutex::new(input)))),
                (1, Target::Output(Arc::new(Mutex::new(output)))),
                (2, Target::Output(Arc::new(Mutex::new(error)))),
            ]),
            placeholders: HashMap::new(),
            streams: vec![stream(0), stream(1), stream(2)],
        }
    }

    /// The file that is open under a number; a file of this process if the number is not known here.
    fn target(&mut self, descriptor: u32) -> Result<&mut Target, Errno> {
        match self.targets.entry(descriptor) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let number = RawFd::try_from(descriptor).map_err(|_| Errno::EBADF)?;
                // The number of a closed standard stream does not lead to the stream of the process.
                // SAFETY: the call only asks whether the number is that of an open file.
                if number <= 2 || unsafe { libc::fcntl(number, libc::F_GETFD) } == -1 {
                    return Err(Errno::EBADF);
                }
                // SAFETY: the descriptor is open, as far as the program keeps to its own. A descriptor
                // that it made up is used at its peril, as in any process.
                let file = ManuallyDrop::new(unsafe { File::from_raw_fd(number) });
                Ok(place.insert(Target::Foreign(file)))
            }
        }
    }

    pub(super) fn file(&mut self, descriptor: u32) -> Result<&mut File, Errno> {
        match self.target(descriptor)? {
            Target::File(file) => Ok(file),
            Target::Foreign(file) => Ok(file),
            _ => Err(Errno::ESPIPE),
        }
    }

    pub(super) fn is_standard(&mut self, descriptor: u32) -> bool {
        matches!(self.target(descriptor), Ok(Target::Input(_) | Target::Output(_)))
    }

    /// Takes an open file; its number is the process's.
    pub(super) fn open(&mut self, file: File) -> Result<u32, Errno> {
        if self.targets.len() >= MAX_OPEN {
            return Err(Errno::EMFILE);
        }
        let number = file.as_raw_fd() as u32;
        self.targets.insert(number, Target::File(file));
        Ok(number)
    }

    pub(super) fn close(&mut self, descriptor: u32) -> Result<(), Errno> {
        self.target(descriptor)?;
        self.placeholders.remove(&descriptor);
        match self.targets.remove(&descriptor) {
            Some(Target::Output(output)) => lock(&output).flush()?,
            Some(Target::Foreign(file)) => drop(ManuallyDrop::into_inner(file)),
            _ => {}
        }
        Ok(())
    }

    /// A second descriptor for one open file.
    fn copy(&mut self, descriptor: u32) -> Result<Target, Errno> {
        Ok(match self.target(descriptor)? {
            Target::Input(input) => Target::Input(Arc::clone(input)),
            Target::Output(output) => Target::Output(Arc::clone(output)),
            Target::File(file) => Target::File(file.try_clone()?),
            Target::Foreign(file) => Target::File(file.try_clone()?),
        })
    }

    /// `dup`.
    pub(super) fn duplicate(&mut self, descriptor: u32) -> Result<u32, Errno> {
        match self.copy(descriptor)? {
            Target::File(file) => self.open(file),
            stream => {
                let placeholder = File::open("/dev/null")?;
                let number = placeholder.as_raw_fd() as u32;
                self.placeholders.insert(number, placeholder);
                self.targets.insert(number, stream);
                Ok(number)
            }
        }
    }

    /// `dup2`: `to` stands for the open file of `from`. A standard stream is replaced for the program only.
    pub(super) fn duplicate_to(&mut self, from: u32, to: u32) -> Result<u32, Errno> {
        let mut copy = self.copy(from)?;
        if from == to {
            return Ok(to);
        }
        if self.target(to).is_ok() {
            self.close(to)?;
        }
        if to > 2 {
            let number = RawFd::try_from(to).map_err(|_| Errno::EBADF)?;
            // The number of this process, too, where it is free.
            let source = match &copy {
                Target::File(file) => file.try_clone()?,
                _ => File::open("/dev/null")?,
            };
            // SAFETY: both are numbers; the descriptor that is replaced was closed above or is not open.
            if unsafe { libc::dup2(source.as_raw_fd(), number) } == -1 {
                return Err(Errno::last());
            }
            // SAFETY: the call has just opened this descriptor.
            let file = unsafe { File::from_raw_fd(number) };
            if matches!(copy, Target::File(_)) {
                copy = Target::File(file);
            } else {
                self.placeholders.insert(to, file);
            }
        }
        self.targets.insert(to, copy);
        Ok(to)
    }

    /// Reads until the buffer is full or the file ends.
    pub(super) fn read(&mut self, descriptor: u32, buffer: &mut [u8]) -> Result<usize, Errno> {
        let mut standard;
        let reader: &mut dyn Read = match self.target(descriptor)? {
            Target::Input(input) => {
                standard = lock(input);
                &mut *standard
            }
            Target::File(file) => file,
            Target::Foreign(file) => &mut **file,
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
            Target::Output(output) => lock(output).write_all(data)?,
            Target::File(file) => file.write_all(data)?,
            Target::Foreign(file) => file.write_all(data)?,
            Target::Input(_) => return Err(Errno::EBADF),
        }
        Ok(())
    }

    /// Moves the position; returns the new position.
    pub(super) fn seek(&mut self, descriptor: u32, offset: i64, whence: u32) -> Result<u64, Errno> {
        let to = match whence {
            0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::EINVAL)?),
            1 => SeekFrom::Current(offset),
            2 => SeekFrom::End(offset),
            _ => return Err(Errno::EINVAL),
        };
        Ok(self.file(descriptor)?.seek(to)?)
    }

    /// Opens a stream on a descriptor. Streams are numbered from 1; 1 to 3 are the standard streams.
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
        // Files are not buffered here.
        if let Target::Output(output) = self.target(descriptor)? {
            lock(output).flush()?;
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
