//! SPE programs: opening files, loading images, and their references to main memory.
//!
//! The caller gives only the address of an image, so its length has to be found from its headers. Two
//! sections of a program depend on where the image lies (cell-facts D5). The relocations R_SPU_PPU32 and
//! R_SPU_PPU64 without a symbol put addresses within the image into its section `._ea`, which SPE programs
//! access as main memory. The section `.toe` in local store is filled from the handle's shadow, whose entries
//! are addresses in the byte order of the PPE.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{LazyLock, Mutex};
use std::{ptr, slice};

use ppu_sys::spe_program_handle;
use spu_sim::elf::Image;
use spu_sim::local_store::{LS_SIZE, LocalStore};
use spu_sim::memory::MemoryFault;

use crate::context::{Context, Handle, lock};
use crate::errno::Errno;
use crate::guard;
use crate::settings::tell;

/// Largest image; an image whose headers claim more is damaged.
const MAX_IMAGE_BYTES: u64 = 64 << 20;
/// Section type: no bytes in the file.
const NOBITS: u32 = 8;

/// An opened file, mapped as long as it is open.
#[derive(Debug)]
struct OpenImage {
    handle: Handle<spe_program_handle>,
    address: usize,
    bytes: usize,
    name: String,
    /// The shadow of the file's `.toe`: the address of the image, and a doubleword of zeros.
    _toe: Box<[u64; 2]>,
}

impl Drop for OpenImage {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map`, and its only owner ends here.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.address), self.bytes) };
    }
}

static OPEN: LazyLock<Mutex<HashMap<usize, OpenImage>>> = LazyLock::new(Mutex::default);

/// Opens a file with an SPE program.
///
/// # Safety
/// `path` is NULL or a C string.
pub(crate) unsafe fn open(path: *const c_char) -> Result<*mut spe_program_handle, Errno> {
    if path.is_null() {
        return Err(Errno(libc::EINVAL));
    }
    // SAFETY: the caller passes a C string.
    let text = unsafe { CStr::from_ptr(path) };
    let path = Path::new(std::ffi::OsStr::from_bytes(text.to_bytes()));
    // SAFETY: as the system defines access; the string is terminated.
    if unsafe { libc::access(text.as_ptr(), libc::X_OK) } != 0 {
        return Err(Errno::last());
    }
    let (address, bytes) = map(path).map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::EIO)))?;
    let toe = Box::new([address as u64, 0]);
    let image = OpenImage {
        handle: Handle::new(spe_program_handle {
            handle_size: size_of::<spe_program_handle>() as u32,
            elf_image: ptr::with_exposed_provenance_mut(address),
            toe_shadow: ptr::from_ref(&*toe).cast_mut().cast(),
        }),
        address,
        bytes,
        name: path.display().to_string(),
        _toe: toe,
    };
    // SAFETY: the mapping is readable, this long, and nobody else knows it yet.
    let contents = unsafe { slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(address), bytes) };
    Image::parse(contents).map_err(|error| {
        tell(format_args!("{} cannot be used: {error}", path.display()));
        Errno(libc::EINVAL)
    })?;
    let pointer = image.handle.as_ptr();
    lock(&OPEN).insert(pointer.addr(), image);
    Ok(pointer)
}

/// Maps a file, privately and writable, because relocations are applied in place.
fn map(path: &Path) -> io::Result<(usize, usize)> {
    let file = File::open(path)?;
    let bytes = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    if bytes == 0 {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, wherever the system likes.
    let address =
        unsafe { libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
    if address == libc::MAP_FAILED {
        Err(io::Error::last_os_error())
    } else {
        Ok((address.expose_provenance(), bytes))
    }
}

/// Closes a file that [`open`] opened.
pub(crate) fn close(handle: *mut spe_program_handle) -> Result<(), Errno> {
    lock(&OPEN).remove(&handle.addr()).map(drop).ok_or(Errno(libc::EINVAL))
}

/// Copies a program into the local store of a context.
///
/// # Safety
/// `handle` is NULL or points to a program handle.
pub(crate) unsafe fn load(context: &Context, handle: *mut spe_program_handle) -> Result<(), Errno> {
    if handle.is_null() {
        return Err(Errno(libc::EINVAL));
    }
    // SAFETY: the caller passes a program handle.
    let handle_value = unsafe { *handle };
    let name = lock(&OPEN).get(&handle.addr()).map(|image| image.name.clone());
    let name = name.unwrap_or_else(|| format!("embedded program at {:p}", handle_value.elf_image));
    let start = handle_value.elf_image.expose_provenance() as u64;
    let refuse = |reason: &dyn std::fmt::Display| {
        tell(format_args!("context {}: {name} cannot be loaded: {reason}", context.id));
        Errno(libc::EINVAL)
    };
    let file = Embedded::read(start).ok_or_else(|| refuse(&"there is no whole ELF file"))?;
    let (image, placed) = Image::parse_at(&file.contents, start).map_err(|error| refuse(&error))?;
    file.place(&placed).map_err(|_| refuse(&"it has relocations, but cannot be written"))?;
    image.load(context.port.ls());
    file.fill_toe(context.port.ls(), handle_value.toe_shadow);
    let mut program = lock(&context.program);
    program.entry = Some(image.entry());
    program.name = name;
    // SAFETY: the structure lives as long as the context, and is written under the lock of its program only.
    unsafe { (*context.pointer.as_ptr()).handle = handle_value };
    Ok(())
}

/// A section header, as far as it is needed.
#[derive(Debug, Clone, Copy)]
struct Section {
    name: u32,
    kind: u32,
    address: u32,
    offset: u32,
    size: u32,
}

/// A copy of an image in the memory of the PPE program, whose length was found from its headers.
#[derive(Debug)]
struct Embedded {
    start: u64,
    contents: Vec<u8>,
    sections: Vec<Section>,
    /// File offset of the sections' names.
    names: u32,
}

/// Bytes of a header of each kind in a 32-bit ELF file.
const FILE_HEADER_BYTES: u64 = 52;
const PROGRAM_HEADER_BYTES: u64 = 32;
const SECTION_HEADER_BYTES: u64 = 40;

/// Reads memory that may not be there.
fn peek(address: u64, bytes: u64) -> Option<Vec<u8>> {
    /// The guarded access wants ranges within one line.
    const LINE: u64 = 128;
    let mut buffer = vec![0; usize::try_from(bytes).ok()?];
    let mut at = address;
    let mut rest = buffer.as_mut_slice();
    while !rest.is_empty() {
        let (now, later) = rest.split_at_mut(rest.len().min((LINE - at % LINE) as usize));
        guard::load(at, now).ok()?;
        at += now.len() as u64;
        rest = later;
    }
    Some(buffer)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_be_bytes)
}

fn half(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..at + 2)
        .and_then(|half| half.try_into().ok())
        .map_or(0, |half| u64::from(u16::from_be_bytes(half)))
}

impl Embedded {
    /// Finds the length of the image at an address, and copies it; `None` if part of it cannot be read.
    fn read(start: u64) -> Option<Embedded> {
        let header = peek(start, FILE_HEADER_BYTES)?;
        if header[..4] != *b"\x7fELF" {
            return None;
        }
        let (programs, sections) = (u64::from(word(&header, 28)), u64::from(word(&header, 32)));
        let (program_count, section_count, names) = (half(&header, 44), half(&header, 48), half(&header, 50));
        let program_headers = peek(start + programs, program_count * PROGRAM_HEADER_BYTES)?;
        let section_headers = peek(start + sections, section_count * SECTION_HEADER_BYTES)?;
        let sections_read: Vec<Section> = section_headers
            .chunks_exact(SECTION_HEADER_BYTES as usize)
            .map(|header| Section {
                name: word(header, 0),
                kind: word(header, 4),
                address: word(header, 12),
                offset: word(header, 16),
                size: word(header, 20),
            })
            .collect();
        let ends = [
            FILE_HEADER_BYTES,
            programs + program_count * PROGRAM_HEADER_BYTES,
            sections + section_count * SECTION_HEADER_BYTES,
        ];
        let program_ends = program_headers
            .chunks_exact(PROGRAM_HEADER_BYTES as usize)
            .map(|header| u64::from(word(header, 4)) + u64::from(word(header, 16)));
        let section_ends = sections_read
            .iter()
            .filter(|section| section.kind != NOBITS)
            .map(|section| u64::from(section.offset) + u64::from(section.size));
        let bytes = ends.into_iter().chain(program_ends).chain(section_ends).max()?;
        if bytes > MAX_IMAGE_BYTES {
            return None;
        }
        let names = sections_read.get(names as usize).map_or(0, |section| section.offset);
        Some(Embedded { start, contents: peek(start, bytes)?, sections: sections_read, names })
    }

    fn is_named(&self, section: &Section, name: &str) -> bool {
        let at = self.names as usize + section.name as usize;
        self.contents
            .get(at..at + name.len() + 1)
            .is_some_and(|bytes| bytes[..name.len()] == *name.as_bytes() && bytes[name.len()] == 0)
    }

    /// Writes to the image the bytes that differ in `placed`, the image with its relocations applied. Pages
    /// without such bytes are not written, and stay shared. The section `.toe` is filled in local store.
    fn place(&self, placed: &[u8]) -> Result<(), MemoryFault> {
        let toes = || self.sections.iter().filter(|section| self.is_named(section, ".toe"));
        for (at, (old, new)) in self.contents.iter().zip(placed).enumerate() {
            let in_toe =
                || toes().any(|toe| (at as u64).wrapping_sub(u64::from(toe.offset)) < u64::from(toe.size));
            if old != new && !in_toe() {
                guard::store(self.start + at as u64, &[*new])?;
            }
        }
        Ok(())
    }

    /// Fills `.toe` from the shadow: doublewords in the byte order of the PPE.
    fn fill_toe(&self, ls: &LocalStore, shadow: *mut c_void) {
        let toes =
            || self.sections.iter().filter(|section| section.size > 0 && self.is_named(section, ".toe"));
        let bytes: u64 = toes().map(|section| u64::from(section.size)).sum();
        let Some(address) = toes().map(|section| section.address).min() else { return };
        if shadow.is_null() || u64::from(address) + bytes > LS_SIZE as u64 {
            return;
        }
        let Some(entries) = peek(shadow.expose_provenance() as u64, bytes) else { return };
        for (at, entry) in (address..).step_by(8).zip(entries.chunks_exact(8)) {
            let mut value = [0; 8];
            value.copy_from_slice(entry);
            ls.write(at, &u64::from_ne_bytes(value).to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
