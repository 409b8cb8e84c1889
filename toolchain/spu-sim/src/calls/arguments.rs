//! Arguments of a library call: an array of quadwords in local store, and behind it a `va_list` where the
//! call has one. A scalar is at the left of its quadword.

use crate::local_store::{LS_SIZE, LocalStore};

/// The arguments of one call, read in their order.
pub(super) struct Arguments<'a> {
    ls: &'a LocalStore,
    next: u32,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(ls: &'a LocalStore, address: u32) -> Arguments<'a> {
        Arguments { ls, next: address & !15 }
    }

    pub(super) fn ls(&self) -> &'a LocalStore {
        self.ls
    }

    /// The next argument's word.
    pub(super) fn word(&mut self) -> u32 {
        let word = self.ls.load_word(self.next);
        self.next = self.next.wrapping_add(16);
        word
    }

    /// The next argument's doubleword: an effective address or a handle of the PPE's.
    pub(super) fn double(&mut self) -> u64 {
        let right = self.ls.load_word(self.next.wrapping_add(4));
        u64::from(self.word()) << 32 | u64::from(right)
    }

    /// The next argument as a signed number.
    pub(super) fn int(&mut self) -> i32 {
        self.word() as i32
    }

    /// The string that the next argument points to.
    pub(super) fn string(&mut self) -> Vec<u8> {
        let address = self.word();
        string_at(self.ls, address)
    }

    /// The string that the next argument points to, as a file name.
    pub(super) fn path(&mut self) -> std::path::PathBuf {
        use std::os::unix::ffi::OsStringExt;
        std::ffi::OsString::from_vec(self.string()).into()
    }

    /// The `va_list` that follows: two quadwords, the next argument and the end of the register save area.
    pub(super) fn variadic(&mut self) -> Variadic<'a> {
        Variadic { ls: self.ls, next: self.word(), skip: self.word() }
    }
}

/// A C string in local store; it ends at the latest after all of the local store.
pub(super) fn string_at(ls: &LocalStore, address: u32) -> Vec<u8> {
    let byte = |offset: u32| {
        let mut byte = [0];
        ls.read(address.wrapping_add(offset), &mut byte);
        byte[0]
    };
    (0..LS_SIZE as u32).map(byte).take_while(|&byte| byte != 0).collect()
}

/// A walk over variadic arguments (SPU ABI): a quadword each; at `skip` the register save area ends, and the
/// walk continues behind back chain and link register of the caller's frame.
pub(super) struct Variadic<'a> {
    ls: &'a LocalStore,
    next: u32,
    skip: u32,
}

impl Variadic<'_> {
    fn advance(&mut self) -> u32 {
        if self.next == self.skip {
            self.next = self.next.wrapping_add(32);
        }
        let at = self.next;
        self.next = at.wrapping_add(16);
        at
    }

    /// The next argument as a word: integers, pointers.
    pub(super) fn word(&mut self) -> u32 {
        let at = self.advance();
        self.ls.load_word(at)
    }

    /// The next argument as a doubleword: `long long`, and the bits of a `double`.
    pub(super) fn double_word(&mut self) -> u64 {
        let at = self.advance();
        u64::from(self.ls.load_word(at)) << 32 | u64::from(self.ls.load_word(at + 4))
    }

    pub(super) fn ls(&self) -> &LocalStore {
        self.ls
    }
}
