use proptest::prelude::*;

use super::*;

/// A program with one segment: `code` at address 0x80, `memory_bytes` in memory.
fn file(code: &[u8], memory_bytes: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(b"\x7fELF\x01\x02\x01\0\0\0\0\0\0\0\0\0");
    for half in [ET_EXEC, EM_SPU] {
        bytes.extend(half.to_be_bytes());
    }
    for word in [1u32, 0x80, 52, 0, 0] {
        bytes.extend(word.to_be_bytes());
    }
    for half in [52u16, 32, 1, 40, 0, 0] {
        bytes.extend(half.to_be_bytes());
    }
    for word in [PT_LOAD, 84, 0x80, 0x80, code.len() as u32, memory_bytes, 5, 16] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(code);
    bytes
}

/// The file with a word replaced.
fn with(mut file: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

#[test]
fn loads_and_zeroes() {
    let image = Image::parse(&file(&[1, 2, 3, 4], 12)).unwrap();
    let ls = LocalStore::new();
    ls.write(0x80, &[9; 16]);
    image.load(&ls);
    let words: Vec<u32> = (0x80..0x90).step_by(4).map(|at| ls.load_word(at)).collect();
    assert_eq!(words, [0x0102_0304, 0, 0, 0x0909_0909]);
    assert_eq!(image.entry(), 0x80);
}

#[test]
fn each_damage_has_its_error() {
    let good = file(&[0; 8], 8);
    let error = |file: Vec<u8>| Image::parse(&file).unwrap_err().to_string();
    let cases: [(Vec<u8>, &str); 11] = [
        (vec![], "not an ELF file"),
        (b"#!/bin/sh and more".to_vec(), "not an ELF file"),
        (with(good.clone(), 4, &[2]), "not 32-bit"),
        (with(good.clone(), 5, &[1]), "not big-endian"),
        (with(good.clone(), 18, &[0, 62]), "another machine"),
        (with(good.clone(), 16, &[0, 1]), "not an executable"),
        (with(good.clone(), 24, &[0, 0, 0, 2]), "entry point 0x2"),
        (with(good.clone(), 24, &[0, 4, 0, 0]), "entry point 0x40000"),
        (with(good.clone(), 60, &[0, 3, 0xff, 0xfc]), "segment 0 (0x8 bytes at 0x3fffc) is not inside"),
        (with(good.clone(), 52, &[0, 0, 0, 4]), "no segment to load"),
        (with(good.clone(), 72, &[0, 0, 0, 4]), "more bytes in the file than in memory"),
    ];
    for (file, expected) in cases {
        let text = error(file);
        assert!(text.contains(expected), "{text} / {expected}");
    }
    for length in 1..good.len() {
        assert!(Image::parse(&good[..length]).is_err(), "cut to {length}");
    }
}

proptest! {
    /// No file makes the loader panic, and what it accepts can be loaded.
    #[test]
    fn mutated_files_are_handled(changes in prop::collection::vec((0usize..100, any::<u8>()), 0..8), cut in 0usize..200) {
        let mut bytes = file(&[0; 16], 64);
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        bytes.truncate(cut.max(1));
        if let Ok(image) = Image::parse(&bytes) {
            image.load(&LocalStore::new());
        }
    }
}

/// Segment, `._ea`-like section, its relocations, names: relocations of both sizes, one with a symbol, one
/// that points out of the file.
#[test]
fn effective_addresses_are_relocated() {
    let mut bytes = file(&[0; 32], 32);
    let relocations = bytes.len() as u32;
    for [place, info, addend] in
        [[0x80u32, 15, 84], [0x88, 16, 85], [0x90, 15 | 1 << 8, 86], [0x98, 7, 87], [0xffff_0000, 16, 88]]
    {
        bytes.extend([place, info, addend].map(u32::to_be_bytes).as_flattened());
    }
    let headers = bytes.len() as u32;
    let section = |kind: u32, address: u32, offset: u32, size: u32, info: u32| {
        [0, kind, SHF_ALLOC, address, offset, size, 0, info, 4, 12].map(u32::to_be_bytes)
    };
    bytes.extend(section(0, 0, 0, 0, 0).as_flattened());
    bytes.extend(section(SHT_PROGBITS, 0x80, 84, 32, 0).as_flattened());
    bytes.extend(section(4, 0, relocations, 60, 1).as_flattened());
    bytes = with(bytes, 32, &headers.to_be_bytes());
    bytes = with(bytes, 48, &3u16.to_be_bytes());
    let (image, placed) = Image::parse_at(&bytes, 0x1_2345_0000).unwrap();
    let ls = LocalStore::new();
    image.load(&ls);
    let words: Vec<u32> = (0x80..0xa0).step_by(4).map(|at| ls.load_word(at)).collect();
    assert_eq!(words, [0x2345_0054, 0, 1, 0x2345_0055, 0, 0, 0, 0]);
    assert_eq!(placed[84..88], [0x23, 0x45, 0, 0x54], "the file in main memory, too");
    assert_eq!((Image::pointer_bytes(&bytes), Image::pointer_bytes(&file(&[0; 8], 8))), (8, 4));
}

/// The linker makes a `.toe` without contents where overlays have a section of their own in the file.
#[test]
fn the_address_of_the_image_is_filled_in_beyond_the_file_contents() {
    let mut bytes = file(&[0; 8], 32);
    let symbols = bytes.len() as u32;
    bytes.extend([0u32; 4].map(u32::to_be_bytes).as_flattened());
    bytes.extend([1u32, 0x90, 8, 0x0100_0001].map(u32::to_be_bytes).as_flattened());
    let names = bytes.len() as u32;
    bytes.extend(b"\0_EAR_\0");
    let headers = bytes.len() as u32;
    for header in
        [[0; 10], [0, SHT_SYMTAB, 0, 0, symbols, 32, 2, 1, 4, 16], [0, 3, 0, 0, names, 8, 0, 0, 1, 0]]
    {
        bytes.extend(header.map(u32::to_be_bytes).as_flattened());
    }
    bytes = with(bytes, 32, &headers.to_be_bytes());
    bytes = with(bytes, 48, &3u16.to_be_bytes());
    let (image, _) = Image::parse_at(&bytes, 0x1_2345_0000).unwrap();
    let ls = LocalStore::new();
    image.load(&ls);
    assert_eq!([0x88, 0x90, 0x94, 0x98].map(|at| ls.load_word(at)), [0, 1, 0x2345_0000, 0]);
}
