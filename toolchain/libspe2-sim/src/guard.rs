//! The C side (`guard/`): accesses to memory that may not be there, and the signal handlers behind them.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::Once;

use spu_sim::memory::{LINE_BYTES, Line, MemoryFault};

use crate::problem_state;

/// `struct spe2_registers`.
#[repr(C)]
struct RegisterAccess {
    contains: extern "C" fn(usize) -> c_int,
    read: extern "C" fn(usize) -> u32,
    write: extern "C" fn(usize, u32),
}

unsafe extern "C" {
    fn spe2_guard_install(registers: *const RegisterAccess) -> c_int;
    fn spe2_guard_load(to: *mut u8, from: u64, bytes: u32) -> c_int;
    fn spe2_guard_store(to: u64, from: *const u8, bytes: u32) -> c_int;
    fn spe2_guard_exchange(line: u64, expected: *const u64, desired: *const u64) -> c_int;
}

/// Installs the signal handlers, once.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let registers = RegisterAccess { contains: is_register, read: register_read, write: register_write };
        // SAFETY: the table is copied; the handlers touch nothing but thread-local state and the registers,
        // and pass all further faults on.
        let failed = unsafe { spe2_guard_install(&registers) } != 0;
        assert!(!failed, "signal handlers can be installed: the signals and the flags are valid");
    });
}

/// Runs `body` with SIGSEGV and SIGBUS unblocked on this thread. A program may have blocked all signals, and
/// a fault whose signal is blocked ends the process.
pub(crate) fn with_faults<R>(body: impl FnOnce() -> R) -> R {
    // SAFETY: both sets are initialised before they are read, and the mask is that of this thread.
    unsafe {
        let (mut faults, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        libc::sigemptyset(faults.as_mut_ptr());
        libc::sigaddset(faults.as_mut_ptr(), libc::SIGSEGV);
        libc::sigaddset(faults.as_mut_ptr(), libc::SIGBUS);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, faults.as_ptr(), before.as_mut_ptr());
        let result = body();
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
        result
    }
}

/// Reads memory of the process. The range lies within one line.
pub(crate) fn load(ea: u64, buffer: &mut [u8]) -> Result<(), MemoryFault> {
    install();
    // SAFETY: the buffer is writable; the source is checked by the access itself.
    let result = unsafe { spe2_guard_load(buffer.as_mut_ptr(), ea, buffer.len() as u32) };
    if result == 0 { Ok(()) } else { Err(MemoryFault { ea, write: false }) }
}

/// Writes memory of the process. The range lies within one line.
pub(crate) fn store(ea: u64, data: &[u8]) -> Result<(), MemoryFault> {
    install();
    // SAFETY: the data is readable. The SPE program answers for the target, as on the machine: its DMA may
    // write wherever the process may.
    let result = unsafe { spe2_guard_store(ea, data.as_ptr(), data.len() as u32) };
    if result == 0 { Ok(()) } else { Err(MemoryFault { ea, write: true }) }
}

/// Replaces a line if its contents are `expected`; gives whether they were.
pub(crate) fn exchange(ea: u64, expected: &Line, desired: &Line) -> Result<bool, MemoryFault> {
    #[repr(align(8))]
    struct Aligned(Line);
    const { assert!(size_of::<Aligned>() == LINE_BYTES) };
    install();
    let (expected, desired) = (Aligned(*expected), Aligned(*desired));
    // SAFETY: both lines are readable and aligned; for the target see `store`.
    match unsafe { spe2_guard_exchange(ea, expected.0.as_ptr().cast(), desired.0.as_ptr().cast()) } {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(MemoryFault { ea, write: true }),
    }
}

/// Whether an address that faulted is a register.
extern "C" fn is_register(address: usize) -> c_int {
    c_int::from(problem_state::contains(address as u64))
}

/// A load of this process from a register. An address without a register reads as zero.
extern "C" fn register_read(address: usize) -> u32 {
    problem_state::read(address as u64).unwrap_or(0)
}

/// A store of this process to a register. A store to an address without a register has no effect.
extern "C" fn register_write(address: usize, value: u32) {
    let _ = problem_state::write(address as u64, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_caught_on_a_thread_that_blocks_all_signals() {
        std::thread::spawn(|| {
            // SAFETY: the set is filled before it is used; the thread ends with this test.
            unsafe {
                let mut all = MaybeUninit::uninit();
                libc::sigfillset(all.as_mut_ptr());
                libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), std::ptr::null_mut());
            }
            let fault = with_faults(|| load(0x80, &mut [0; 4]));
            assert_eq!(fault, Err(MemoryFault { ea: 0x80, write: false }));
        })
        .join()
        .unwrap();
    }
}
