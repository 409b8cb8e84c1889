use std::cell::Cell;
use std::collections::BTreeSet;
use std::ptr::{null, null_mut};

use super::*;
use crate::capi::direct::*;
use crate::capi::options::*;
use crate::capi::pm_version;
use crate::capi::profile::*;
use crate::capi::read::*;
use crate::capi::record::*;
use crate::capi::session::*;
use crate::capi::small::*;
use crate::capi::value::*;

thread_local! {
    static WANTED: Cell<bool> = const { Cell::new(false) };
}

/// Panics inside the boundary of this thread's next call, when a test wants that.
pub(super) fn panic_if_wanted() {
    assert!(!WANTED.take(), "a test wants it");
}

/// A function of the header.
struct EntryPoint {
    name: &'static str,
    /// Calls it with null pointers; whether it answers as it should when it panics.
    answers: fn() -> bool,
}

fn is_same<T: PartialEq>(left: T, right: T) -> bool {
    left == right
}

macro_rules! entry_points {
    ($($name:ident ($($argument:expr),*) => $answer:expr;)*) => {
        vec![$(EntryPoint {
            name: stringify!($name),
            #[allow(unused_unsafe, reason = "some take nothing that a caller could do wrong")]
            // SAFETY: null pointers are in every contract.
            answers: || is_same(unsafe { $name($($argument),*) }, $answer),
        },)*]
    };
}

/// Every entry point, with what it answers when it panics.
fn entry_points() -> Vec<EntryPoint> {
    use PmStatus::Panic;
    entry_points! {
        pm_options_default(null_mut()) => Panic;
        pm_options_check(null()) => Panic;
        pm_option_check(null(), null()) => Panic;
        pm_option_variable(null(), null_mut()) => Panic;
        pm_session_create(null(), null_mut()) => Panic;
        pm_session_destroy(null_mut()) => ();
        pm_session_release(null_mut()) => ();
        pm_session_statistics(null(), null_mut()) => Panic;
        pm_session_progress(null(), null_mut()) => Panic;
        pm_session_losses(null(), null_mut(), 0) => Panic;
        pm_session_profile(null_mut(), 1) => Panic;
        pm_session_profile_clear(null_mut()) => Panic;
        pm_session_profile_save(null_mut(), null()) => Panic;
        pm_session_totals(null_mut(), None, null_mut()) => Panic;
        pm_flush(null_mut()) => Panic;
        pm_cancel(null_mut()) => Panic;
        pm_session_interrupt(null_mut(), None, null_mut()) => Panic;
        pm_constant(null_mut(), null(), 1, 1, 1, None, null_mut(), null_mut()) => Panic;
        pm_constant_copy(null_mut(), null(), 1, 1, 1, null_mut()) => Panic;
        pm_constant_view(null_mut(), null(), 1, 1, 1, 1, 1, 0, 1, 1, null_mut()) => Panic;
        pm_small_reduce(60, 0, null(), null()) => Panic;
        pm_unary(1, null(), null(), 1, null_mut()) => Panic;
        pm_binary(1, null(), null(), null(), 1, null_mut()) => Panic;
        pm_product(null(), 1, null(), 0, null(), 1, null_mut()) => Panic;
        pm_binary_scalar(1, null(), 1.0, 1, 0, null(), 1, null_mut()) => Panic;
        pm_convert(null(), 1, null(), 1, null_mut()) => Panic;
        pm_view(null(), 1, 1, 0, 1, 1, 0, null(), 1, null_mut()) => Panic;
        pm_repeat(null(), 1, 1, null(), 1, null_mut()) => Panic;
        pm_join(null(), null(), 0, null(), 1, null_mut()) => Panic;
        pm_band(null(), 0, 0, null(), 1, null_mut()) => Panic;
        pm_diagonal(null(), 0, null(), 1, null_mut()) => Panic;
        pm_reduce(1, null(), 0, null(), 1, null_mut()) => Panic;
        pm_parameters_of(null(), null_mut()) => Panic;
        pm_operation_of(null(), null_mut(), null_mut(), null_mut(), null_mut(), null_mut()) => Panic;
        pm_small_elements(1) => 64;
        pm_small_describe(1, 0, null(), null(), 1, null_mut()) => Panic;
        pm_small_compute(1, 0, null(), null(), 1.0, 1, null()) => Panic;
        pm_value_retain(null()) => null_mut();
        pm_value_release(null_mut()) => ();
        pm_value_information(null(), null_mut()) => Panic;
        pm_value_cancel(null()) => Panic;
        pm_value_identity(null()) => u64::MAX;
        pm_value_is_in(null(), null()) => 0;
        pm_value_class(null()) => 1;
        pm_rows(null()) => 0;
        pm_columns(null()) => 0;
        pm_has_result(null()) => 0;
        pm_wait(null(), 0, null_mut()) => Panic;
        pm_read(null(), null_mut(), 0) => Panic;
        pm_read_view(null(), 0, 0, 0, 0, 0, null_mut(), 0) => Panic;
        pm_version() => null();
    }
}

/// The message of the last error of this thread.
fn last_message() -> String {
    // SAFETY: the string stays until the next error of this thread.
    unsafe { CStr::from_ptr(pm_last_error_message()) }.to_str().unwrap_or_default().to_owned()
}

#[test]
fn every_entry_point_of_the_header_is_known_here() {
    let header = include_str!("../../../include/pmatrix.h");
    let declared: BTreeSet<&str> = header
        .match_indices("pm_")
        .map(|(at, _)| &header[at..])
        .filter_map(|text| {
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
            text[end..].starts_with(" (").then_some(&text[..end])
        })
        .collect();
    let mut known: BTreeSet<&str> = entry_points().into_iter().map(|entry| entry.name).collect();
    known.extend(["pm_last_error_message", "pm_last_error_id"]);
    assert_eq!(declared, known);
}

#[test]
fn a_panic_in_any_entry_point_is_an_answer() {
    for EntryPoint { name, answers } in entry_points() {
        remember("nothing", "");
        WANTED.set(true);
        assert!(answers(), "{name}");
        assert!(!WANTED.get(), "{name} is outside of the boundary");
        assert_eq!(last_message(), "a mistake of pmatrix: a test wants it", "{name}");
    }
}

#[test]
fn the_last_error_can_be_asked_for_whatever_happens() {
    remember("a message", "an:id");
    for ask in [pm_last_error_message, pm_last_error_id] {
        WANTED.set(true);
        // SAFETY: a string that is never freed.
        assert!(unsafe { CStr::from_ptr(ask()) }.is_empty());
        assert!(!WANTED.get());
    }
}
