//! Loading libspe2 at run time.

use std::ffi::{CStr, CString, OsStr, OsString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::ptr::NonNull;
use std::{env, io, ops, ptr};

use crate::{Functions, SPE_COUNT_USABLE_SPES, System, Unavailable};

/// The name under which every libspe2 2.x is installed.
pub const LIBRARY_NAME: &str = "libspe2.so.2";
/// The environment variable that names another library, or its path.
pub const LIBRARY_VARIABLE: &str = "PMATRIX_LIBSPE2";

/// A loaded libspe2. It stays loaded for the life of the process, because contexts, handlers and threads of
/// its own may outlive any value of this type.
#[derive(Debug, Clone)]
pub struct Library {
    functions: Functions,
    name: OsString,
}

impl ops::Deref for Library {
    type Target = Functions;

    fn deref(&self) -> &Functions {
        &self.functions
    }
}

impl Library {
    /// Loads the library that [`LIBRARY_VARIABLE`] names, and [`LIBRARY_NAME`] if it is unset or empty.
    ///
    /// # Errors
    /// [`Unavailable::Library`] or [`Unavailable::Function`].
    pub fn load() -> Result<Library, Unavailable> {
        let named = env::var_os(LIBRARY_VARIABLE).filter(|name| !name.is_empty());
        Self::open(&named.unwrap_or_else(|| LIBRARY_NAME.into()))
    }

    /// Loads a library by its name, which is searched for as the system does, or by its path.
    ///
    /// # Errors
    /// [`Unavailable::Library`] or [`Unavailable::Function`].
    pub fn open(name: &OsStr) -> Result<Library, Unavailable> {
        let text = || name.to_string_lossy().into_owned();
        let missing = |reason: String| Unavailable::Library { name: text(), reason };
        let path = CString::new(name.as_bytes()).map_err(|_| missing("the name holds a NUL".into()))?;
        // SAFETY: the path is terminated. The initialisers of the library belong to libspe2 or to its
        // stand-in, which may run at any time.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let handle = NonNull::new(handle).ok_or_else(|| missing(last_error()))?;
        let address = |function: &'static CStr| {
            // SAFETY: the handle is open and the name terminated.
            let address = unsafe { libc::dlsym(handle.as_ptr(), function.as_ptr()) };
            NonNull::<c_void>::new(address).ok_or_else(|| Unavailable::Function {
                name: text(),
                function: function.to_string_lossy().into_owned(),
            })
        };
        // SAFETY: functions with these names have these types in every libspe2 2.x, and the library stays
        // loaded.
        let functions = unsafe { Functions::resolve(address)? };
        Ok(Library { functions, name: name.to_owned() })
    }

    /// The name or path from which it was loaded.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Whether SPE contexts can be made here, and `wanted` of them can run at once.
    ///
    /// # Errors
    /// What is missing, or too few.
    pub fn check(&self, wanted: u32) -> Result<(), Unavailable> {
        check(&self.functions, wanted, &System::default())
    }
}

/// [`Library::check`] on a given system.
fn check(functions: &Functions, wanted: u32, system: &System) -> Result<(), Unavailable> {
    // SAFETY: no flags and no gang are valid arguments.
    let context = unsafe { (functions.spe_context_create)(0, ptr::null_mut()) };
    if context.is_null() {
        return Err(system.explain(io::Error::last_os_error()));
    }
    // SAFETY: the context was made above, and nobody else knows it.
    unsafe { (functions.spe_context_destroy)(context) };
    // SAFETY: -1 means all nodes.
    let usable = unsafe { (functions.spe_cpu_info_get)(SPE_COUNT_USABLE_SPES as i32, -1) };
    let usable = u32::try_from(usable).unwrap_or(0);
    if usable < wanted { Err(Unavailable::TooFewSpes { wanted, usable }) } else { Ok(()) }
}

/// Why the last `dlopen` of this thread failed.
fn last_error() -> String {
    // SAFETY: the text belongs to the C library and stays valid until the next call of its family on this
    // thread.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            "no reason was given".into()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

#[cfg(test)]
mod tests;
