//! Calls of the C interface, as an Octave package makes them.

use std::ffi::c_char;
use std::ptr::null_mut;

use pmatrix::capi::options::{PmOptions, pm_options_default};
use pmatrix::capi::read::pm_read;
use pmatrix::capi::record::{pm_binary, pm_binary_scalar, pm_unary};
use pmatrix::capi::session::{pm_session_create, pm_session_release};
use pmatrix::capi::value::{pm_constant_copy, pm_value_release};
use pmatrix::capi::{PmSession, PmStatus, PmValue};
use pmatrix::memory::injection;
use pmatrix::operation::OpKind;

use crate::{alone, refuse_every_allocation};

const FILE: *const c_char = c"calls.m".as_ptr();

/// Rows and columns.
const SIDE: usize = 30;

/// The session and the values of some calls, which are given back at the end.
struct Calls {
    session: *mut PmSession,
    values: Vec<*mut PmValue>,
}

impl Drop for Calls {
    fn drop(&mut self) {
        // SAFETY: the values and the session of these calls, which nothing uses afterwards.
        unsafe {
            self.values.drain(..).for_each(|value| pm_value_release(value));
            pm_session_release(self.session);
        }
    }
}

impl Calls {
    /// Makes a session.
    fn new() -> Result<Calls, PmStatus> {
        let mut calls = Calls { session: null_mut(), values: Vec::with_capacity(8) };
        // SAFETY: a structure of plain numbers and pointers that the library fills in; a place for the result.
        let status = unsafe {
            let mut options = std::mem::zeroed::<PmOptions>();
            match pm_options_default(&mut options) {
                PmStatus::Ok => pm_session_create(&options, &mut calls.session),
                status => status,
            }
        };
        if status == PmStatus::Ok { Ok(calls) } else { Err(status) }
    }

    /// Keeps what a call has made.
    fn made(&mut self, call: impl FnOnce(&mut *mut PmValue) -> PmStatus) -> Result<*mut PmValue, PmStatus> {
        let mut value = null_mut();
        let status = call(&mut value);
        assert_eq!(status == PmStatus::Ok, !value.is_null());
        if status == PmStatus::Ok { Ok(value) } else { Err(status) }.inspect(|&value| self.values.push(value))
    }

    /// A constant, operations that are short or not, and a force.
    fn compute(&mut self, elements: &[f64], found: &mut [f64]) -> Result<(), PmStatus> {
        let (side, session) = (SIDE as u64, self.session);
        // SAFETY: values and the session of these calls; as many elements as the calls are told.
        unsafe {
            let a = self.made(|to| pm_constant_copy(session, elements.as_ptr().cast(), side, side, 1, to))?;
            let square = self.made(|to| pm_binary(OpKind::Multiply as u32, a, a, FILE, 1, to))?;
            let half =
                self.made(|to| pm_binary_scalar(OpKind::Times as u32, square, 0.5, 1, 0, FILE, 2, to))?;
            let cosine = self.made(|to| pm_unary(OpKind::Cos as u32, half, FILE, 3, to))?;
            let sum = self.made(|to| pm_binary(OpKind::Add as u32, cosine, a, FILE, 3, to))?;
            match pm_read(sum, found.as_mut_ptr().cast(), 8 * side * side) {
                PmStatus::Ok => Ok(()),
                status => Err(status),
            }
        }
    }
}

#[test]
fn a_call_without_memory_says_so_and_can_be_made_again() {
    let _alone = alone();
    let elements: Vec<f64> = (0..SIDE * SIDE).map(|i| (i % 7) as f64 / 16.0).collect();
    let mut expected = vec![0.0; SIDE * SIDE];
    Calls::new().unwrap().compute(&elements, &mut expected).unwrap();
    let mut found = vec![0.0; SIDE * SIDE];
    let mut failures = 0;
    refuse_every_allocation("calls of C", |numbers| {
        injection::refuse(numbers.clone());
        let made = Calls::new();
        let outcome = made.and_then(|mut calls| {
            let outcome = calls.compute(&elements, &mut found);
            let refused = injection::end();
            // The session and the values that were made are as good as before.
            if outcome.is_err() {
                calls
                    .compute(&elements, &mut found)
                    .unwrap_or_else(|status| panic!("again after {numbers:?}: {status:?}"));
            }
            assert_eq!(found, expected, "{numbers:?}");
            outcome.map(|()| refused)
        });
        match outcome {
            Ok(refused) => refused,
            Err(status) => {
                assert_eq!(status, PmStatus::Memory, "{numbers:?}");
                failures += 1;
                // Something was refused.
                injection::end()
            }
        }
    });
    assert!(failures > 10, "{failures} failures");
}
