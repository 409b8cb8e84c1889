//! SPU ELF executables: what libspe2 accepts and loads (cell-facts D5), and the symbols that listings want.

use crate::local_store::{LS_SIZE, LocalStore};

/// Why a file is no loadable SPU program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ElfError {
    /// The file ends before something that it refers to.
    #[error("the file is truncated: {what} at offset {offset:#x} with {size:#x} bytes is beyond its end")]
    Truncated {
        /// What is missing.
        what: &'static str,
        /// File offset.
        offset: u64,
        /// Bytes needed.
        size: u64,
    },
    /// Not an ELF file at all.
    #[error("not an ELF file")]
    NotElf,
    /// An ELF file, but not for the SPU.
    #[error("not an SPU executable: {0}")]
    NotSpu(&'static str),
    /// A segment that is not inside the local store.
    #[error("segment {index} ({size:#x} bytes at {address:#x}) is not inside the 256 KB local store")]
    OutsideLocalStore {
        /// Number of the program header.
        index: usize,
        /// Address of the segment.
        address: u32,
        /// Its size in memory.
        size: u32,
    },
    /// A segment with more bytes in the file than in memory.
    #[error("segment {0} has more bytes in the file than in memory")]
    SegmentSizes(usize),
    /// No segment to load.
    #[error("no segment to load")]
    NothingToLoad,
    /// An entry point outside of the local store or off a word boundary.
    #[error("entry point {0:#x} is not a word address in local store")]
    Entry(u32),
}

/// A segment to load.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    address: u32,
    memory_bytes: u32,
    contents: Vec<u8>,
}

/// A named address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol {
    /// Its address.
    pub address: u32,
    /// Its size, 0 if unknown.
    pub size: u32,
    /// Its name.
    pub name: String,
    /// Whether it is a function.
    pub function: bool,
}

/// A section with contents in local store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u32,
    /// Its bytes.
    pub contents: Vec<u8>,
    /// Whether it holds instructions.
    pub executable: bool,
}

/// A program ready to be loaded any number of times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    entry: u32,
    segments: Vec<Segment>,
    symbols: Vec<Symbol>,
    sections: Vec<Section>,
}

const EM_SPU: u16 = 23;
const ET_EXEC: u16 = 2;
const PT_LOAD: u32 = 1;
const SHT_PROGBITS: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHF_ALLOC: u32 = 2;
const SHF_EXECINSTR: u32 = 4;

/// Bounds-checked big-endian access.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn slice(self, what: &'static str, offset: u32, size: u32) -> Result<&'a [u8], ElfError> {
        let start = offset as usize;
        let end = start.checked_add(size as usize);
        end.and_then(|end| self.0.get(start..end)).ok_or(ElfError::Truncated {
            what,
            offset: offset.into(),
            size: size.into(),
        })
    }

    fn half(self, what: &'static str, offset: u32) -> Result<u16, ElfError> {
        let bytes = self.slice(what, offset, 2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn word(self, what: &'static str, offset: u32) -> Result<u32, ElfError> {
        let bytes = self.slice(what, offset, 4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// A NUL-terminated string; empty if it is not terminated.
    fn string(self, offset: u32) -> String {
        let tail = self.0.get(offset as usize..).unwrap_or(&[]);
        let length = tail.iter().position(|&byte| byte == 0).unwrap_or(0);
        String::from_utf8_lossy(&tail[..length]).into_owned()
    }
}

/// Fields of a section header.
struct SectionHeader {
    name: u32,
    kind: u32,
    flags: u32,
    address: u32,
    offset: u32,
    size: u32,
    link: u32,
    info: u32,
}

impl Image {
    /// Checks and reads an ELF file.
    ///
    /// # Errors
    /// If it is damaged or no SPU executable.
    pub fn parse(file: &[u8]) -> Result<Image, ElfError> {
        let bytes = Bytes(file);
        let header = "the ELF header";
        let ident = bytes.slice(header, 0, 16).map_err(|_| ElfError::NotElf)?;
        if ident[..4] != *b"\x7fELF" {
            return Err(ElfError::NotElf);
        }
        for (wrong, reason) in [
            (ident[4] != 1, "not 32-bit"),
            (ident[5] != 2, "not big-endian"),
            (ident[7] != 0 || ident[8] != 0, "not the System V ABI, version 0"),
            (bytes.half(header, 18)? != EM_SPU, "another machine"),
            (bytes.half(header, 16)? != ET_EXEC, "not an executable (relocatable or shared object)"),
        ] {
            if wrong {
                return Err(ElfError::NotSpu(reason));
            }
        }
        let entry = bytes.word(header, 24)?;
        if !entry.is_multiple_of(4) || entry as usize >= LS_SIZE {
            return Err(ElfError::Entry(entry));
        }
        let segments = Self::read_segments(bytes)?;
        if segments.is_empty() {
            return Err(ElfError::NothingToLoad);
        }
        // Listings can do without sections; a program can, too.
        let headers = Self::section_headers(bytes).unwrap_or_default();
        let symbols = Self::read_symbols(bytes, &headers).unwrap_or_default();
        let sections = Self::read_sections(bytes, &headers);
        Ok(Image { entry, segments, symbols, sections })
    }

    fn read_segments(bytes: Bytes<'_>) -> Result<Vec<Segment>, ElfError> {
        let what = "a program header";
        let table = bytes.word("the ELF header", 28)?;
        let entry_bytes = u32::from(bytes.half("the ELF header", 42)?);
        let count = bytes.half("the ELF header", 44)?;
        let mut segments = Vec::new();
        for index in 0..u32::from(count) {
            let at = table.saturating_add(index * entry_bytes);
            bytes.slice(what, at, 32)?;
            if bytes.word(what, at)? != PT_LOAD {
                continue;
            }
            let index = index as usize;
            let (offset, address) = (bytes.word(what, at + 4)?, bytes.word(what, at + 8)?);
            let (file_bytes, memory_bytes) = (bytes.word(what, at + 16)?, bytes.word(what, at + 20)?);
            if file_bytes > memory_bytes {
                return Err(ElfError::SegmentSizes(index));
            }
            if u64::from(address) + u64::from(memory_bytes) > LS_SIZE as u64 {
                return Err(ElfError::OutsideLocalStore { index, address, size: memory_bytes });
            }
            let contents = bytes.slice("a segment", offset, file_bytes)?.to_vec();
            segments.push(Segment { address, memory_bytes, contents });
        }
        Ok(segments)
    }

    fn section_headers(bytes: Bytes<'_>) -> Result<Vec<SectionHeader>, ElfError> {
        let what = "a section header";
        let table = bytes.word(what, 32)?;
        let (entry_bytes, count) = (u32::from(bytes.half(what, 46)?), u32::from(bytes.half(what, 48)?));
        (0..count)
            .map(|index| {
                let at = table.saturating_add(index * entry_bytes);
                bytes.slice(what, at, 40)?;
                Ok(SectionHeader {
                    name: bytes.word(what, at)?,
                    kind: bytes.word(what, at + 4)?,
                    flags: bytes.word(what, at + 8)?,
                    address: bytes.word(what, at + 12)?,
                    offset: bytes.word(what, at + 16)?,
                    size: bytes.word(what, at + 20)?,
                    link: bytes.word(what, at + 24)?,
                    info: bytes.word(what, at + 28)?,
                })
            })
            .collect()
    }

    fn read_symbols(bytes: Bytes<'_>, headers: &[SectionHeader]) -> Result<Vec<Symbol>, ElfError> {
        const NOTYPE_OBJECT_FUNCTION: std::ops::RangeInclusive<u8> = 0..=2;
        const FUNCTION: u8 = 2;
        let Some(table) = headers.iter().find(|header| header.kind == SHT_SYMTAB) else {
            return Ok(Vec::new());
        };
        let strings = headers.get(table.link as usize).map_or(0, |header| header.offset);
        let what = "a symbol";
        bytes.slice("the symbol table", table.offset, table.size)?;
        let mut symbols = Vec::new();
        for at in (table.offset..table.offset + table.size / 16 * 16).step_by(16) {
            let kind = bytes.slice(what, at + 12, 1)?[0] & 15;
            let section = bytes.half(what, at + 14)?;
            let name = bytes.string(strings.saturating_add(bytes.word(what, at)?));
            // Section 0 means undefined; numbers from 0xff00 on are reserved (absolute and common symbols).
            if name.is_empty() || !NOTYPE_OBJECT_FUNCTION.contains(&kind) || section == 0 || section >= 0xff00
            {
                continue;
            }
            let function = kind == FUNCTION;
            symbols.push(Symbol {
                address: bytes.word(what, at + 4)?,
                size: bytes.word(what, at + 8)?,
                name,
                function,
            });
        }
        symbols.sort();
        Ok(symbols)
    }

    fn read_sections(bytes: Bytes<'_>, headers: &[SectionHeader]) -> Vec<Section> {
        let names = bytes.half("the ELF header", 50).ok().and_then(|index| headers.get(usize::from(index)));
        let names = names.map_or(0, |header| header.offset);
        headers
            .iter()
            .filter(|header| header.kind == SHT_PROGBITS && header.flags & SHF_ALLOC != 0)
            .filter_map(|header| {
                Some(Section {
                    name: bytes.string(names.saturating_add(header.name)),
                    address: header.address,
                    contents: bytes.slice("a section", header.offset, header.size).ok()?.to_vec(),
                    executable: header.flags & SHF_EXECINSTR != 0,
                })
            })
            .collect()
    }

    /// Address of the first instruction.
    pub fn entry(&self) -> u32 {
        self.entry
    }

    /// Named addresses, in ascending order.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Sections that the program occupies, in file order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The symbol that `address` belongs to, functions first. A symbol without a size reaches to the end of
    /// its section at most.
    pub fn symbol_at(&self, address: u32) -> Option<&Symbol> {
        let end = self.symbols.partition_point(|symbol| symbol.address <= address);
        let before = &self.symbols[..end];
        let section = |address: u32| {
            self.sections.iter().position(|section| {
                address
                    .checked_sub(section.address)
                    .is_some_and(|offset| (offset as usize) < section.contents.len())
            })
        };
        let covers = |symbol: &&Symbol| match symbol.size {
            0 => section(symbol.address) == section(address),
            size => address - symbol.address < size,
        };
        before
            .iter()
            .rev()
            .find(|symbol| symbol.function)
            .filter(covers)
            .or_else(|| before.last().filter(covers))
    }

    /// Copies the segments into a local store and zeroes what the file does not fill.
    pub fn load(&self, ls: &LocalStore) {
        for segment in &self.segments {
            ls.write(segment.address, &segment.contents);
            let rest = segment.memory_bytes as usize - segment.contents.len();
            ls.write(segment.address + segment.contents.len() as u32, &vec![0; rest]);
        }
    }
}

mod place;
#[cfg(test)]
mod tests;
