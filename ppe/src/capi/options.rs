//! The options of a session of the C interface.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

use std::ffi::{CString, c_char, c_int};
use std::sync::OnceLock;

use super::PmStatus;
use super::boundary::{Failed, borrow, guarded, store, text};
use crate::session::Options;
use crate::session::choices::{Setting, Source, check as check_option, check_variable};

/// `pm_options`
#[derive(Debug)]
#[repr(C)]
pub struct PmOptions {
    pub(super) engine: *const c_char,
    pub(super) scheduler: *const c_char,
    pub(super) model: *const c_char,
    pub(super) meus: u32,
    pub(super) overlap: u32,
    pub(super) immediate: u32,
    pub(super) common: u32,
    pub(super) max_operations: u64,
    pub(super) max_depth: u64,
    pub(super) max_bytes: u64,
    pub(super) profile: *const c_char,
    pub(super) ranks: u32,
    pub(super) shard: u32,
    pub(super) ranks_work_ms: f64,
    pub(super) hostfile: *const c_char,
    pub(super) ranks_memory: u64,
}

fn static_text(cell: &'static OnceLock<CString>, value: String) -> *const c_char {
    cell.get_or_init(|| CString::new(value).unwrap_or_default()).as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_options_default(options: *mut PmOptions) -> PmStatus {
    static ENGINE: OnceLock<CString> = OnceLock::new();
    static SCHEDULER: OnceLock<CString> = OnceLock::new();
    static MODEL: OnceLock<CString> = OnceLock::new();
    static PROFILE: OnceLock<CString> = OnceLock::new();
    static HOSTFILE: OnceLock<CString> = OnceLock::new();
    guarded(|| {
        let defaults = Options::from_environment()?;
        let model = defaults.model.map(|path| static_text(&MODEL, path.display().to_string()));
        let profile = defaults.profile.map(|path| static_text(&PROFILE, path.display().to_string()));
        let hostfile = defaults.hostfile.map(|path| static_text(&HOSTFILE, path.display().to_string()));
        let filled = PmOptions {
            engine: static_text(&ENGINE, defaults.engine),
            scheduler: static_text(&SCHEDULER, defaults.scheduler),
            model: model.unwrap_or(std::ptr::null()),
            meus: defaults.meus as u32,
            overlap: u32::from(defaults.overlap),
            immediate: u32::from(defaults.immediate),
            common: u32::from(defaults.common),
            max_operations: defaults.limits.operations,
            max_depth: defaults.limits.depth,
            max_bytes: defaults.limits.bytes,
            profile: profile.unwrap_or(std::ptr::null()),
            ranks: defaults.ranks as u32,
            shard: defaults.shard,
            ranks_work_ms: defaults.ranks_work_ms,
            hostfile: hostfile.unwrap_or(std::ptr::null()),
            ranks_memory: defaults.ranks_memory,
        };
        // SAFETY: the header's contract.
        unsafe { store(options, filled, "options") }
    })
}

/// # Safety
/// `options` is null or valid, and so are its strings.
pub(super) unsafe fn chosen_options(options: *const PmOptions) -> Result<Options, Failed> {
    // SAFETY: this function's contract: `options` is null or valid.
    let given = unsafe { borrow(options, "options") }?;
    let mut chosen = Options::from_environment()?;
    let path = |path: *const c_char, option| match path.is_null() {
        true => Ok(None),
        // SAFETY: this function's contract: each text of the options is null or a string.
        false => unsafe { text(path, option) }.map(|text| Some(text.into())),
    };
    // SAFETY: this function's contract: each text of the options is null or a string.
    unsafe {
        chosen.engine = text(given.engine, "engine")?.into();
        chosen.scheduler = text(given.scheduler, "scheduler")?.into();
    }
    chosen.model = path(given.model, "model")?;
    chosen.profile = path(given.profile, "profile")?;
    chosen.hostfile = path(given.hostfile, "hostfile")?;
    chosen.ranks = given.ranks as usize;
    chosen.shard = given.shard;
    chosen.ranks_work_ms = given.ranks_work_ms;
    chosen.ranks_memory = given.ranks_memory;
    chosen.meus = given.meus as usize;
    check_option("overlap", &given.overlap.to_string(), Source::Program)?;
    chosen.overlap = given.overlap != 0;
    check_option("immediate", &given.immediate.to_string(), Source::Program)?;
    chosen.immediate = given.immediate != 0;
    check_option("common", &given.common.to_string(), Source::Program)?;
    chosen.common = given.common != 0;
    chosen.limits.operations = given.max_operations;
    chosen.limits.depth = given.max_depth;
    chosen.limits.bytes = given.max_bytes;
    Ok(chosen)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_options_check(options: *const PmOptions) -> PmStatus {
    // SAFETY: the header's contract.
    guarded(|| Ok(unsafe { chosen_options(options) }?.check()?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_option_check(option: *const c_char, value: *const c_char) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let (option, value) = unsafe { (text(option, "option")?, text(value, "value")?) };
        check_option(option, value, Source::Program)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_option_variable(variable: *const c_char, on: *mut c_int) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let variable = unsafe { text(variable, "variable") }?;
        match check_variable(variable)? {
            // SAFETY: pmatrix.h: `on` is null or valid for a write.
            Some(Setting::Switch(given)) => unsafe { store(on, c_int::from(given), "on") },
            _ => Ok(()),
        }
    })
}
