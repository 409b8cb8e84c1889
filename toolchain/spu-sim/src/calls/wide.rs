//! Wide characters (`wchar_t`, words) of `printf` and `scanf`. The locale is "C", so only the characters of
//! ASCII exist; the functions refuse any other character with EILSEQ, as the PPE's library does.

use super::Errno;
use crate::local_store::{LS_SIZE, LocalStore};

/// Bytes of a wide character.
pub(super) const BYTES: u32 = 4;

/// The character that a word is.
pub(super) fn narrow(word: u32) -> Result<u8, Errno> {
    u8::try_from(word).ok().filter(u8::is_ascii).ok_or(Errno::EILSEQ)
}

/// At most `limit` characters of the string of wide characters at an address.
pub(super) fn string_at(ls: &LocalStore, address: u32, limit: usize) -> Result<Vec<u8>, Errno> {
    let words = (0..LS_SIZE as u32 / BYTES).map(|index| {
        let mut bytes = [0; BYTES as usize];
        ls.read(address.wrapping_add(BYTES * index), &mut bytes);
        u32::from_be_bytes(bytes)
    });
    words.take_while(|&word| word != 0).take(limit).map(narrow).collect()
}

/// Converts characters to wide characters.
pub(super) fn widen(text: &[u8]) -> Result<Vec<u8>, Errno> {
    if !text.is_ascii() {
        return Err(Errno::EILSEQ);
    }
    Ok(text.iter().flat_map(|&byte| u32::from(byte).to_be_bytes()).collect())
}
