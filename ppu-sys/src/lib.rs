//! Raw bindings of libspe2 2.x, the library through which a Linux program on the PPE runs programs on the
//! SPEs of a Cell Broadband Engine.
//!
//! The library is loaded when the program runs, so one binary works with and without it, and cross-builds
//! need nothing installed:
//!
//! ```no_run
//! let library = ppu_sys::Library::load()?;
//! library.check(8)?;
//! // SAFETY: -1 means all nodes; the function takes nothing else.
//! let usable = unsafe { (library.spe_cpu_info_get)(ppu_sys::SPE_COUNT_USABLE_SPES as i32, -1) };
//! println!("{usable} SPEs");
//! # Ok::<(), ppu_sys::Unavailable>(())
//! ```
//!
//! * The constants, types and [`Functions`] come from the headers in `include/`, which describe the library's
//!   binary interface in our own words. C programs can be compiled against them; a build script of a
//!   dependent crate finds their directory in `DEP_SPE2_INCLUDE`.
//! * `src/bindings.rs` is generated from them by bindgen and committed; `toolchain/bindings` generates it
//!   anew and compares (`UPDATE_BINDINGS=1 cargo test -p bindings` replaces it).
//! * [`Library`] loads `libspe2.so.2`, or what `PMATRIX_LIBSPE2` names, and [`Unavailable`] says what is
//!   missing when SPEs cannot be used.
//! * The feature `link` links against the library when the program is built; `Functions::linked` gives its
//!   functions then.
//!
//! Nothing here is safe to call without the rules of libspe2: a context is destroyed once and not while it
//! runs, and what a program's DMA may touch is up to the program.

/// Turns the generated declarations into a table of function pointers that can be filled at run time.
macro_rules! functions {
    ($($(#[$attribute:meta])* pub fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;)*) => {
        /// The functions of libspe2.
        #[derive(Debug, Clone, Copy)]
        pub struct Functions {
            $($(#[$attribute])* pub $name: unsafe extern "C" fn($($argument: $type),*) -> $result,)*
        }

        impl Functions {
            /// Their names, in the order of the header.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Fills the table by asking for the address of each name.
            ///
            /// # Errors
            /// The first error of `address`.
            ///
            /// # Safety
            /// Each address has to be that of a function with the type of its field, and stay valid.
            pub unsafe fn resolve<E>(
                mut address: impl FnMut(&'static ::std::ffi::CStr) -> Result<::std::ptr::NonNull<::std::ffi::c_void>, E>,
            ) -> Result<Functions, E> {
                const fn terminated(name: &'static str) -> &'static ::std::ffi::CStr {
                    match ::std::ffi::CStr::from_bytes_with_nul(name.as_bytes()) {
                        Ok(name) => name,
                        Err(_) => panic!("the name of a function holds no NUL"),
                    }
                }
                Ok(Functions {
                    $($name: {
                        let address = address(const { terminated(concat!(stringify!($name), "\0")) })?;
                        // SAFETY: the caller vouches for the type of the function at this address.
                        unsafe {
                            ::std::mem::transmute::<
                                ::std::ptr::NonNull<::std::ffi::c_void>,
                                unsafe extern "C" fn($($argument: $type),*) -> $result,
                            >(address)
                        }
                    },)*
                })
            }

            /// The functions of the library that the program was linked against.
            #[cfg(feature = "link")]
            pub fn linked() -> Functions {
                Functions { $($name: linked::$name,)* }
            }
        }

        #[cfg(feature = "link")]
        mod linked {
            use super::*;
            unsafe extern "C" {
                $(pub(super) fn $name($($argument: $type),*) -> $result;)*
            }
        }
    };
}
#[rustfmt::skip]
#[allow(non_camel_case_types, non_snake_case, missing_docs, unused_qualifications, reason = "names are the library's")]
#[allow(missing_debug_implementations, reason = "unions cannot be printed")]
mod bindings;
mod diagnosis;
mod layout;
mod library;

pub use bindings::*;
pub use diagnosis::{System, Unavailable};
pub use library::{LIBRARY_NAME, LIBRARY_VARIABLE, Library};
