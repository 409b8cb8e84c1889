use std::cell::Cell;
use std::ffi::{c_int, c_uint};

use super::*;
use crate::{spe_context, spe_context_ptr_t, spe_gang_context_ptr_t};

thread_local! {
    /// What `create` fails with; 0 for success.
    static ERROR: Cell<i32> = const { Cell::new(0) };
}

unsafe extern "C" fn create(_: c_uint, _: spe_gang_context_ptr_t) -> spe_context_ptr_t {
    match ERROR.get() {
        0 => NonNull::<spe_context>::dangling().as_ptr(),
        error => {
            // SAFETY: errno belongs to this thread.
            unsafe { *libc::__errno_location() = error };
            ptr::null_mut()
        }
    }
}

unsafe extern "C" fn destroy(_: spe_context_ptr_t) -> c_int {
    0
}

unsafe extern "C" fn six_spes(_: c_int, _: c_int) -> c_int {
    6
}

extern "C" fn never_called() {
    unreachable!("the check calls three functions only")
}

fn functions() -> Functions {
    let address = |name: &'static CStr| {
        let address = match name.to_bytes() {
            b"spe_context_create" => create as *mut c_void,
            b"spe_context_destroy" => destroy as *mut c_void,
            b"spe_cpu_info_get" => six_spes as *mut c_void,
            _ => never_called as *mut c_void,
        };
        NonNull::new(address).ok_or(())
    };
    // SAFETY: the functions that are called have the types of their fields.
    unsafe { Functions::resolve(address) }.unwrap()
}

#[test]
fn a_missing_library_is_named_with_the_ways_out() {
    let error = Library::open(OsStr::new("/nowhere/libspe2.so.2")).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Unavailable::Library { .. }), "{text}");
    for part in ["/nowhere/libspe2.so.2", "No such file", LIBRARY_VARIABLE] {
        assert!(text.contains(part), "{text}");
    }
    assert!(Library::open(OsStr::new("a\0b")).is_err());
}

#[test]
fn another_library_lacks_the_functions() {
    // The C library is always there, under a name of its own on each system.
    let error = Library::open(OsStr::new("libc.so.6")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the library libc.so.6 has no function spe_context_create, so it is not libspe2 2.x"
    );
}

#[test]
fn too_few_spes_are_counted() {
    let system = System::default();
    ERROR.set(0);
    assert_eq!(check(&functions(), 6, &system), Ok(()));
    let error = check(&functions(), 7, &system).unwrap_err();
    assert_eq!(error, Unavailable::TooFewSpes { wanted: 7, usable: 6 });
    assert_eq!(error.to_string(), "7 SPEs are wanted, but this machine has 6 usable ones");
}

#[test]
fn a_context_that_cannot_be_made_is_explained() {
    let nowhere = System { mounts: "/nowhere".into(), filesystems: "/nowhere".into() };
    ERROR.set(libc::ENOENT);
    assert_eq!(check(&functions(), 1, &nowhere), Err(Unavailable::NoKernelSupport));
}
