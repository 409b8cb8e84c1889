//! An image in main memory. The program's file lies there as a whole, because its section `._ea` holds the
//! variables that the program keeps in main memory, and the relocations R_SPU_PPU32 and R_SPU_PPU64 without a
//! symbol stand for addresses in the file (cell-facts D5). A PPE program that embeds
//! the image resolves the relocations with a symbol; here their places stay zero.

use super::{Bytes, ElfError, Image};

const SHT_RELA: u32 = 4;
/// Bytes of an entry of a relocation table.
const RELA_BYTES: u32 = 12;
/// Relocation types: an effective address of 32 or of 64 bits.
const R_SPU_PPU32: u32 = 15;
const R_SPU_PPU64: u32 = 16;

impl Image {
    /// Reads an ELF file that will lie at the effective address `ea` (a multiple of 128): the image, and the
    /// file as it has to be in main memory.
    ///
    /// # Errors
    /// As [`Image::parse`].
    pub fn parse_at(file: &[u8], ea: u64) -> Result<(Image, Vec<u8>), ElfError> {
        // Rejects what is no program before anything is patched.
        Image::parse(file)?;
        let mut placed = file.to_vec();
        for (offset, address) in addresses(Bytes(file)) {
            let value = ea.wrapping_add(address.value).to_be_bytes();
            let place = (offset as usize)
                .checked_add(address.bytes)
                .and_then(|end| placed.get_mut(offset as usize..end));
            if let Some(place) = place {
                place.copy_from_slice(&value[8 - address.bytes..]);
            }
        }
        let mut image = Image::parse(&placed)?;
        let own: Vec<u32> = image.own_addresses().collect();
        for address in own {
            image.fill(address, &ea.to_be_bytes());
        }
        Ok((image, placed))
    }

    /// Where in local store the effective address of the image itself belongs: the entry in `.toe` that has
    /// the empty name behind the prefix `_EAR_`.
    fn own_addresses(&self) -> impl Iterator<Item = u32> {
        self.symbols.iter().filter(|symbol| symbol.name == "_EAR_").map(|symbol| symbol.address)
    }

    /// Replaces bytes of a segment, also such as the file does not hold: a `.toe` may be of type NOBITS.
    fn fill(&mut self, address: u32, bytes: &[u8]) {
        for segment in &mut self.segments {
            let Some(start) = address.checked_sub(segment.address).map(|start| start as usize) else {
                continue;
            };
            let end = start + bytes.len();
            if end <= segment.memory_bytes as usize {
                segment.contents.resize(segment.contents.len().max(end), 0);
                segment.contents[start..end].copy_from_slice(bytes);
            }
        }
    }

    /// Bytes of an effective address of the PPE that the program of this file was compiled for: 8 if it has
    /// relocations of that size, otherwise 4, the compiler's default.
    pub fn pointer_bytes(file: &[u8]) -> usize {
        if relocations(Bytes(file)).iter().any(|relocation| relocation.kind == R_SPU_PPU64) { 8 } else { 4 }
    }
}

/// An address in the file that is to become an effective address.
struct Address {
    bytes: usize,
    /// Offset in the file that it stands for.
    value: u64,
}

struct Relocation {
    /// File offset of the place.
    offset: u32,
    kind: u32,
    symbol: u32,
    addend: u32,
}

fn relocations(bytes: Bytes<'_>) -> Vec<Relocation> {
    let headers = Image::section_headers(bytes).unwrap_or_default();
    let mut relocations = Vec::new();
    for table in headers.iter().filter(|header| header.kind == SHT_RELA) {
        let Some(target) = headers.get(table.info as usize) else { continue };
        if bytes.slice("a relocation table", table.offset, table.size).is_err() {
            continue;
        }
        for entry in (0..table.size / RELA_BYTES).map(|k| table.offset.saturating_add(k * RELA_BYTES)) {
            let field = |index: u32| bytes.word("a relocation", entry.saturating_add(4 * index));
            let (Ok(address), Ok(info), Ok(addend)) = (field(0), field(1), field(2)) else { continue };
            relocations.push(Relocation {
                offset: address.wrapping_sub(target.address).wrapping_add(target.offset),
                kind: info & 0xff,
                symbol: info >> 8,
                addend,
            });
        }
    }
    relocations
}

/// The places in the file that get an effective address by relocations.
fn addresses(bytes: Bytes<'_>) -> impl Iterator<Item = (u32, Address)> {
    relocations(bytes).into_iter().filter(|relocation| relocation.symbol == 0).filter_map(
        |Relocation { offset, kind, addend, .. }| {
            let bytes = match kind {
                R_SPU_PPU32 => 4,
                R_SPU_PPU64 => 8,
                _ => return None,
            };
            Some((offset, Address { bytes, value: addend.into() }))
        },
    )
}
