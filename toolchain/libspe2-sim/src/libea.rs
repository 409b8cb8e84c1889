//! Memory of the process for SPE programs: calls of class 0x2105 (cell-facts D4). Sizes and addresses are doublewords in
//! the first two words of a quadword; the result overlays the first argument, with errno in its fourth word.

use std::ffi::{c_int, c_void};
use std::ptr;

use spu_sim::local_store::LocalStore;

use crate::settings::tell;

const CALLOC: u32 = 1;
const FREE: u32 = 2;
const MALLOC: u32 = 3;
const REALLOC: u32 = 4;
const POSIX_MEMALIGN: u32 = 5;

/// Serves the call behind a stop; 0 if the program is to go on.
pub(crate) fn serve(ls: &LocalStore, pc: u32) -> c_int {
    let call = ls.load_word(pc);
    let block = call & 0xff_fff0;
    let doubleword = |argument: u32| {
        let at = block + 16 * argument;
        u64::from(ls.load_word(at)) << 32 | u64::from(ls.load_word(at + 4))
    };
    // What is too large for the process cannot be had, in the same way as what is too large for its memory.
    let size = |argument| usize::try_from(doubleword(argument)).unwrap_or(usize::MAX);
    let pointer = || ptr::with_exposed_provenance_mut::<c_void>(size(0));
    let allocated = |address: *mut c_void| {
        let error = if address.is_null() { libc::ENOMEM } else { 0 };
        reply(ls, block, address.expose_provenance() as u64, error);
    };
    match call >> 24 {
        // SAFETY: allocation takes any size.
        CALLOC => allocated(unsafe { libc::calloc(size(0), size(1)) }),
        // SAFETY: as of free in any program: the program passes what these calls gave it.
        FREE => unsafe { libc::free(pointer()) },
        // SAFETY: as above.
        MALLOC => allocated(unsafe { libc::malloc(size(0)) }),
        // SAFETY: as of realloc in any program.
        REALLOC => allocated(unsafe { libc::realloc(pointer(), size(1)) }),
        POSIX_MEMALIGN => {
            let mut address = ptr::null_mut();
            // SAFETY: the result goes to a local variable.
            let error = unsafe { libc::posix_memalign(&raw mut address, size(1), size(2)) };
            if error == 0 {
                // The first argument is where in local store the address goes, as wide as a pointer here.
                let target = ls.load_word(block);
                ls.write(target, &address.expose_provenance().to_be_bytes());
            }
            reply(ls, block, u64::from(error as u32) << 32, 0);
        }
        operation => {
            tell(format_args!("memory call {operation}, made at {pc:#07x}, does not exist"));
            return -1;
        }
    }
    0
}

fn reply(ls: &LocalStore, block: u32, value: u64, errno: c_int) {
    ls.write(block, &value.to_be_bytes());
    ls.store_word(block + 8, 0);
    ls.store_word(block + 12, errno as u32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard;

    const BLOCK: u32 = 0x1000;

    fn call(ls: &LocalStore, operation: u32, arguments: &[u64]) -> (u64, u32) {
        ls.store_word(0x80, operation << 24 | BLOCK);
        for (at, argument) in (BLOCK..).step_by(16).zip(arguments) {
            ls.write(at, &argument.to_be_bytes());
        }
        assert_eq!(serve(ls, 0x80), 0);
        let value = u64::from(ls.load_word(BLOCK)) << 32 | u64::from(ls.load_word(BLOCK + 4));
        (value, ls.load_word(BLOCK + 12))
    }

    #[test]
    fn memory_of_the_process_is_given_and_taken_back() {
        let ls = LocalStore::new();
        let (zeroed, error) = call(&ls, CALLOC, &[4, 8]);
        assert_eq!(error, 0);
        let mut bytes = [1; 32];
        guard::load(zeroed, &mut bytes[..16]).unwrap();
        assert_eq!(bytes[..16], [0; 16]);
        guard::store(zeroed, &[9; 16]).unwrap();
        let (larger, _) = call(&ls, REALLOC, &[zeroed, 1 << 20]);
        guard::load(larger, &mut bytes[..16]).unwrap();
        assert_eq!(bytes[..16], [9; 16]);
        call(&ls, FREE, &[larger]);
        assert_eq!(call(&ls, MALLOC, &[u64::MAX]), (0, libc::ENOMEM as u32));
    }

    #[test]
    fn aligned_memory_goes_through_local_store() {
        let ls = LocalStore::new();
        ls.write(0x2000, &[0xff; 8]);
        assert_eq!(call(&ls, POSIX_MEMALIGN, &[0x2000 << 32, 4096, 100]), (0, 0));
        let mut address = [0; size_of::<usize>()];
        ls.read(0x2000, &mut address);
        let address = usize::from_be_bytes(address) as u64;
        assert!(address != 0 && address.is_multiple_of(4096));
        call(&ls, FREE, &[address]);
        let (error, _) = call(&ls, POSIX_MEMALIGN, &[0x2000 << 32, 3, 100]);
        assert_eq!(error >> 32, libc::EINVAL as u64);
        ls.store_word(0x80, 99 << 24);
        assert_eq!(serve(&ls, 0x80), -1);
    }
}
