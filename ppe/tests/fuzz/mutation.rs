//! Good inputs, damaged in a few places.

use fastrand::Rng;

/// Pieces that parsers look for, or trip over.
const PIECES: [&str; 24] = [
    "",
    " ",
    "\n",
    "0",
    "1e999",
    "-0",
    "NaN",
    "Inf",
    "18446744073709551616",
    "4294967295",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "'",
    "\"",
    "%",
    "\u{e4}",
    "\0",
    "=",
    ":",
    ".",
];

/// One of the inputs, with up to six changes: bytes, pieces, repeated parts, missing parts, parts of another input.
pub(super) fn mutated(good: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut bytes = good[random.usize(..good.len())].clone();
    for _ in 0..random.u32(..7) {
        let at = random.usize(..=bytes.len());
        let to = (at + random.usize(..20)).min(bytes.len());
        match random.u32(..6) {
            0 if at < bytes.len() => bytes[at] = random.u8(..),
            1 if at < bytes.len() => bytes[at] ^= 1 << random.u32(..8),
            2 => _ = bytes.drain(at..to),
            3 => {
                let part = bytes[at..to].repeat(1 + random.usize(..3));
                bytes.splice(at..at, part);
            }
            4 => {
                let other = &good[random.usize(..good.len())];
                let from = random.usize(..=other.len());
                let part = other[from..(from + random.usize(..40)).min(other.len())].to_vec();
                bytes.splice(at..to, part);
            }
            _ => _ = bytes.splice(at..to, PIECES[random.usize(..PIECES.len())].bytes()),
        }
    }
    bytes
}
