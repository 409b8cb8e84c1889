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
