//! Calls of SPE programs to the PPE: a table of handlers by call number, shared by all contexts. Numbers 0, 1
//! and 5 are the libraries of the SPE's C runtime: C99 stdio, POSIX.1, and memory of the process (cell-facts
//! D4).

use std::ffi::{c_int, c_uint, c_void};
use std::mem;
use std::ptr::NonNull;
use std::sync::{LazyLock, Mutex};

use crate::context::{Context, context_of_local_store, lock};
use crate::errno::Errno;
use crate::settings::tell;
use ppu_sys::{SPE_CALLBACK_NEW, SPE_CALLBACK_UPDATE};
use spu_sim::calls::UnknownCall;

/// A handler: gets the local store and the address behind the stop, and returns 0 if the program is to go on.
type Handler = unsafe extern "C" fn(*mut c_void, c_uint) -> c_int;

/// The stop code of call number 0.
const LIBRARY_CALL: u16 = 0x2100;
const C99: u8 = 0;
const POSIX: u8 = 1;
const LIBEA: u8 = 5;
/// The first number that programs may use.
const FIRST_FREE: c_uint = 4;

static HANDLERS: LazyLock<Mutex<[Option<Handler>; 256]>> = LazyLock::new(|| {
    let mut handlers: [Option<Handler>; 256] = [None; 256];
    handlers[usize::from(C99)] = Some(c99);
    handlers[usize::from(POSIX)] = Some(posix);
    handlers[usize::from(LIBEA)] = Some(libea);
    Mutex::new(handlers)
});

/// Calls the handler of a number; -1 if there is none.
pub(crate) fn call(context: &Context, number: u8, pc: u32) -> c_int {
    let handler = lock(&HANDLERS)[usize::from(number)];
    let Some(handler) = handler else {
        tell(format_args!("context {}: no handler for call {number}, made at {pc:#07x}", context.id));
        return -1;
    };
    // SAFETY: whoever registered the handler vouches for its type; the local store lives as long as the
    // context.
    unsafe { handler(context.port.ls().as_ptr().cast(), pc) }
}

fn number(callnum: c_uint) -> Result<usize, Errno> {
    u8::try_from(callnum).map(usize::from).map_err(|_| Errno(libc::EINVAL))
}

/// Registers a handler.
///
/// # Safety
/// `handler` is NULL or a handler, for as long as it is registered.
pub(crate) unsafe fn register(handler: *mut c_void, callnum: c_uint, mode: c_uint) -> Result<(), Errno> {
    let number = number(callnum)?;
    let handler = NonNull::new(handler).ok_or(Errno(libc::EINVAL))?;
    // SAFETY: the caller passes a function of this type.
    let handler = unsafe { mem::transmute::<NonNull<c_void>, Handler>(handler) };
    let mut handlers = lock(&HANDLERS);
    let place = &mut handlers[number];
    match (mode, &place) {
        (SPE_CALLBACK_NEW, _) if callnum < FIRST_FREE => return Err(Errno(libc::EACCES)),
        (SPE_CALLBACK_NEW, Some(_)) => return Err(Errno(libc::EACCES)),
        (SPE_CALLBACK_UPDATE, None) => return Err(Errno(libc::ESRCH)),
        (SPE_CALLBACK_NEW, None) | (SPE_CALLBACK_UPDATE, Some(_)) => {}
        _ => return Err(Errno(libc::EINVAL)),
    }
    *place = Some(handler);
    Ok(())
}

/// Removes a handler. The handlers of reserved numbers cannot be removed.
pub(crate) fn deregister(callnum: c_uint) -> Result<(), Errno> {
    let number = number(callnum)?;
    if callnum < FIRST_FREE {
        return Err(Errno(libc::EACCES));
    }
    lock(&HANDLERS)[number].take().map(drop).ok_or(Errno(libc::ESRCH))
}

/// The handler of a number.
pub(crate) fn query(callnum: c_uint) -> Result<*mut c_void, Errno> {
    let handler = lock(&HANDLERS)[number(callnum)?];
    handler.map(|handler| handler as *mut c_void).ok_or(Errno(libc::ESRCH))
}

/// Serves a call of one of the C runtime's libraries.
fn serve(class: u8, ls: *mut c_void, pc: c_uint) -> c_int {
    let Ok(context) = context_of_local_store(ls.addr()) else { return -1 };
    match serve_code(&context, LIBRARY_CALL | u16::from(class), pc) {
        Ok(()) => 0,
        Err(unknown) => {
            tell(format_args!("context {}: {unknown}, made at {pc:#07x}", context.id));
            -1
        }
    }
}

/// Serves the call behind a stop with this code.
pub(crate) fn serve_code(context: &Context, code: u16, pc: c_uint) -> Result<(), UnknownCall> {
    let mut services = lock(&context.services);
    let served = services.call(code, context.port.ls(), pc);
    // The process prints too; what both print has to come in the order of the calls.
    services.flush();
    served
}

extern "C" fn c99(ls: *mut c_void, pc: c_uint) -> c_int {
    serve(C99, ls, pc)
}

extern "C" fn posix(ls: *mut c_void, pc: c_uint) -> c_int {
    serve(POSIX, ls, pc)
}

extern "C" fn libea(ls: *mut c_void, pc: c_uint) -> c_int {
    serve(LIBEA, ls, pc)
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    extern "C" fn seven(_: *mut c_void, _: c_uint) -> c_int {
        7
    }

    #[test]
    fn numbers_are_taken_once_and_the_first_four_are_reserved() {
        let handler = seven as *mut c_void;
        // SAFETY: the handler has the type of handlers.
        let register = |handler, number, mode| unsafe { register(handler, number, mode) };
        for (number, mode, expected) in [
            (3, SPE_CALLBACK_NEW, Err(Errno(libc::EACCES))),
            (5, SPE_CALLBACK_NEW, Err(Errno(libc::EACCES))),
            (256, SPE_CALLBACK_NEW, Err(Errno(libc::EINVAL))),
            (77, SPE_CALLBACK_UPDATE, Err(Errno(libc::ESRCH))),
            (77, 9, Err(Errno(libc::EINVAL))),
            (77, SPE_CALLBACK_NEW, Ok(())),
            (77, SPE_CALLBACK_NEW, Err(Errno(libc::EACCES))),
            (77, SPE_CALLBACK_UPDATE, Ok(())),
        ] {
            assert_eq!(register(handler, number, mode), expected, "{number}");
        }
        assert_eq!(register(ptr::null_mut(), 78, SPE_CALLBACK_NEW), Err(Errno(libc::EINVAL)));
        assert_eq!(query(77), Ok(handler));
        assert!(query(0).is_ok() && query(1).is_ok() && query(5).is_ok());
        assert_eq!(query(2), Err(Errno(libc::ESRCH)));
        assert_eq!((deregister(77), deregister(77)), (Ok(()), Err(Errno(libc::ESRCH))));
        assert_eq!(deregister(0), Err(Errno(libc::EACCES)));
    }
}
