//! System calls of SPE programs: stop code 0x2104, which the kernel serves itself (cell-facts D4). The word behind the
//! stop points to the number, overwritten by the result, and six parameters, all doublewords. Addresses are those of
//! the process. Numbers are Linux's for PowerPC, on any host; those that are not in the table give ENOSYS.

use std::ffi::{c_long, c_ulong};

use spu_sim::local_store::LocalStore;

/// Numbers on PowerPC, and on this host.
const NUMBERS: [(u64, c_long); 14] = [
    (3, libc::SYS_read),
    (4, libc::SYS_write),
    (6, libc::SYS_close),
    (19, libc::SYS_lseek),
    (20, libc::SYS_getpid),
    (24, libc::SYS_getuid),
    (47, libc::SYS_getgid),
    (49, libc::SYS_geteuid),
    (50, libc::SYS_getegid),
    (64, libc::SYS_getppid),
    (78, libc::SYS_gettimeofday),
    (158, libc::SYS_sched_yield),
    (162, libc::SYS_nanosleep),
    (207, libc::SYS_gettid),
];

/// Serves the call behind a stop.
pub(crate) fn serve(ls: &LocalStore, pc: u32) {
    let block = ls.load_word(pc);
    let doubleword = |index: u32| {
        let mut bytes = [0; 8];
        ls.read(block.wrapping_add(8 * index), &mut bytes);
        u64::from_be_bytes(bytes)
    };
    let number = doubleword(0);
    let parameters: [c_ulong; 6] = std::array::from_fn(|index| doubleword(index as u32 + 1) as c_ulong);
    let result: i64 = match NUMBERS.iter().find(|(powerpc, _)| *powerpc == number) {
        None => -i64::from(libc::ENOSYS),
        Some(&(_, host)) => {
            let [a, b, c, d, e, f] = parameters;
            // SAFETY: the calls of the table check their addresses; what they may change is what the process may.
            let result = unsafe { libc::syscall(host, a, b, c, d, e, f) };
            if result == -1 {
                -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
            } else {
                #[allow(clippy::useless_conversion, reason = "a long is narrower on 32-bit hosts")]
                i64::from(result)
            }
        }
    };
    ls.write(block, &result.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: u64, parameters: &[u64]) -> i64 {
        let ls = LocalStore::new();
        ls.store_word(0x100, 0x400);
        for (at, value) in (0x400..).step_by(8).zip([number].iter().chain(parameters)) {
            ls.write(at, &value.to_be_bytes());
        }
        serve(&ls, 0x100);
        let mut result = [0; 8];
        ls.read(0x400, &mut result);
        i64::from_be_bytes(result)
    }

    #[test]
    fn calls_have_the_numbers_of_powerpc() {
        assert_eq!(call(20, &[]), i64::from(std::process::id()));
        assert_eq!(call(6, &[u64::MAX]), -i64::from(libc::EBADF));
        assert_eq!(call(78, &[16, 0]), -i64::from(libc::EFAULT));
        assert_eq!(call(9999, &[]), -i64::from(libc::ENOSYS));
    }
}
