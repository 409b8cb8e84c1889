//! Random sequences of calls of the C interface, with arguments that are right, wrong, or missing. No call reports a
//! mistake of pmatrix, and results do not depend on when they are computed.
//!
//! `FUZZ_INPUTS` sets the number of calls (default 20000); `tests/fuzz` has other random input.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use super::direct::{pm_band, pm_diagonal, pm_join, pm_reduce, pm_repeat, pm_view};
use super::options::{PmOptions, pm_options_default};
use super::read::{pm_read, pm_read_view};
use super::record::{pm_binary, pm_binary_scalar, pm_convert, pm_product, pm_unary};
use super::session::{pm_cancel, pm_flush, pm_session_create, pm_session_destroy, pm_session_release};
use super::value::{
    pm_columns, pm_constant_copy, pm_constant_view, pm_has_result, pm_operation_of, pm_rows, pm_value_class,
    pm_value_release, pm_value_retain, pm_wait,
};
use super::{PmSession, PmStatus, PmValue};
use fastrand::Rng;

/// Calls of one sequence, at most.
const CALLS: u32 = 60;

/// Values that a sequence holds at a time.
const VALUES: usize = 12;

/// The place of each operation.
const FILE: *const c_char = c"calls.m".as_ptr();

struct Calls<'r> {
    random: &'r mut Rng,
    session: *mut PmSession,
    values: Vec<*mut PmValue>,
    /// What each call answered, and the bytes that were read.
    answers: Vec<u8>,
    /// Calls that did what they were asked for.
    accepted: u64,
}

impl Calls<'_> {
    /// A value, or sometimes none.
    fn value(&mut self) -> *mut PmValue {
        match self.values.len() {
            0 => null_mut(),
            _ if self.random.u32(..50) == 0 => null_mut(),
            count => self.values[self.random.usize(..count)],
        }
    }

    /// A length: small, or one that no matrix has.
    fn length(&mut self) -> u64 {
        match self.random.u32(..30) {
            0 => u64::MAX - u64::from(self.random.u32(..3)),
            1 => 1 << 40,
            _ => self.random.u64(..9),
        }
    }

    /// A step or a position.
    fn step(&mut self) -> i64 {
        match self.random.u32(..30) {
            0 => i64::MIN + i64::from(self.random.u32(..2)),
            1 => i64::MAX,
            _ => self.random.i64(-9..10),
        }
    }

    /// A small number, now and then one that is far out of range.
    fn number(&mut self, below: u32) -> u32 {
        if self.random.u32(..40) == 0 { self.random.u32(..) } else { self.random.u32(..below) }
    }

    fn answered(&mut self, status: PmStatus, what: &str) {
        assert_ne!(status, PmStatus::Panic, "{what}");
        assert_ne!(status, PmStatus::Fork, "{what}");
        self.answers.push(status as u8);
        self.accepted += u64::from(status == PmStatus::Ok);
    }

    fn take(&mut self, status: PmStatus, value: *mut PmValue, what: &str) {
        self.answered(status, what);
        assert_eq!(status == PmStatus::Ok, !value.is_null(), "{what}");
        if value.is_null() {
            return;
        }
        if self.values.len() == VALUES {
            let old = self.values.swap_remove(self.random.usize(..VALUES));
            // SAFETY: a value of this sequence, which is not used again.
            unsafe { pm_value_release(old) };
        }
        self.values.push(value);
    }

    fn record(&mut self) {
        let (a, b, mut result) = (self.value(), self.value(), null_mut());
        let (operation, line) = (self.number(75), self.number(100));
        let side = self.number(2) as c_int;
        let what = self.random.u32(..10);
        // SAFETY: values of this sequence or null, and places for results.
        let status = unsafe {
            match what {
                0 => pm_unary(operation, a, FILE, line, &mut result),
                1 => pm_binary(operation, a, b, FILE, line, &mut result),
                2 => pm_product(a, side, b, self.number(2) as c_int, FILE, line, &mut result),
                3 => {
                    let scalar =
                        [0.0, -0.0, 1.0, 2.5, -3.0, f64::NAN, f64::INFINITY, 1e300][self.random.usize(..8)];
                    pm_binary_scalar(operation, a, scalar, self.number(3), side, FILE, line, &mut result)
                }
                4 => pm_convert(a, self.number(3), FILE, line, &mut result),
                5 => {
                    let (rows, columns, offset) = (self.length(), self.length(), self.step());
                    let (row_step, column_step) = (self.step(), self.step());
                    let part = self.number(3) as c_int;
                    pm_view(a, rows, columns, offset, row_step, column_step, part, FILE, line, &mut result)
                }
                6 => {
                    // Repetitions of repetitions grow fast.
                    let few = |length: u64| if length < 9 { length % 3 } else { length };
                    let (down, right) = (few(self.length()), few(self.length()));
                    pm_repeat(a, down, right, FILE, line, &mut result)
                }
                7 => pm_join(a, b, side, FILE, line, &mut result),
                8 => pm_band(a, self.step(), self.step(), FILE, line, &mut result),
                _ if self.random.bool() => pm_reduce(operation, a, side, FILE, line, &mut result),
                _ if pm_rows(a).max(pm_columns(a)) < 100 => {
                    pm_diagonal(a, self.random.i64(-9..10), FILE, line, &mut result)
                }
                _ => return,
            }
        };
        self.take(status, result, &format!("record {what} {operation}"));
    }

    fn constant(&mut self) {
        let class = self.number(3);
        let (rows, columns) = (self.length(), self.length());
        let elements: Vec<f64> = (0..64).map(|_| f64::from(self.random.u32(..9)) - 4.0).collect();
        let singles: Vec<f32> = elements.iter().map(|&x| x as f32).collect();
        let truths: Vec<u8> = elements.iter().map(|&x| u8::from(x > 0.0)).collect();
        let mut data: *const c_void = match class {
            0 => singles.as_ptr().cast(),
            1 => elements.as_ptr().cast(),
            _ => truths.as_ptr().cast(),
        };
        if self.random.u32(..50) == 0 {
            data = null();
        }
        let mut value = null_mut();
        // A matrix that does not fit is refused before its elements are read, so its data need not be there.
        // SAFETY: lengths below 9 stay within the 64 elements, and other lengths are refused.
        let status = unsafe {
            match self.random.bool() {
                true => pm_constant_copy(self.session, data, rows, columns, class, &mut value),
                false => {
                    let (view_rows, view_columns, offset) = (self.length(), self.length(), self.step());
                    let steps = (self.step(), self.step());
                    pm_constant_view(
                        self.session,
                        data,
                        rows,
                        columns,
                        class,
                        view_rows,
                        view_columns,
                        offset,
                        steps.0,
                        steps.1,
                        &mut value,
                    )
                }
            }
        };
        self.take(status, value, "constant");
    }

    fn read(&mut self) {
        let value = self.value();
        // SAFETY: a value of this sequence or null; the buffer has as many bytes as the call is told.
        unsafe {
            let count = pm_rows(value).saturating_mul(pm_columns(value));
            if count > 1 << 20 {
                return;
            }
            let element = match pm_value_class(value) {
                0 => 4,
                2 => 1,
                _ => 8,
            };
            let bytes = count * element + u64::from(self.random.u32(..40) == 0);
            let mut buffer = vec![0u8; bytes as usize];
            let status = match self.random.u32(..3) {
                0 => {
                    let (rows, columns, offset) = (self.length(), self.length(), self.step());
                    let (row_step, column_step) = (self.step(), self.step());
                    let data = buffer.as_mut_ptr().cast();
                    pm_read_view(value, rows, columns, offset, row_step, column_step, data, bytes)
                }
                _ => pm_read(value, buffer.as_mut_ptr().cast(), bytes),
            };
            self.answered(status, "read");
            if status == PmStatus::Ok {
                self.answers.extend(buffer);
            }
        }
    }

    fn other(&mut self) {
        let value = self.value();
        // SAFETY: values and the session of this sequence, or null; places for results.
        unsafe {
            match self.random.u32(..5) {
                0 => self.answered(pm_flush(self.session), "flush"),
                1 => {
                    let mut done = 0;
                    let status = pm_wait(value, u64::MAX, &mut done);
                    self.answered(status, "wait");
                }
                2 if !value.is_null() => {
                    let copy = pm_value_retain(value);
                    self.take(PmStatus::Ok, copy, "retain");
                }
                3 => {
                    let (mut a, mut b, mut operation, mut scalar, mut form) =
                        (null_mut(), null_mut(), 0, 0.0, 0);
                    let status =
                        pm_operation_of(value, &mut operation, &mut a, &mut b, &mut scalar, &mut form);
                    // When operations are executed depends on the engine.
                    assert_ne!(status, PmStatus::Panic);
                    [a, b].into_iter().filter(|x| !x.is_null()).for_each(|x| pm_value_release(x));
                }
                _ => {
                    assert_ne!(pm_cancel(self.session), PmStatus::Panic);
                    assert!((0..=1).contains(&pm_has_result(value)));
                }
            }
        }
    }
}

/// The answers of a sequence of calls, and how many calls did what they were asked for.
fn answers(set: impl FnOnce(&mut PmOptions), seed: u64) -> (Vec<u8>, u64) {
    let mut random = Rng::with_seed(seed);
    let mut session = null_mut();
    // SAFETY: a structure of plain numbers and pointers that the library fills in; a session and values of its own.
    unsafe {
        let mut options = std::mem::zeroed::<PmOptions>();
        assert_eq!(pm_options_default(&mut options), PmStatus::Ok);
        options.meus = 2;
        set(&mut options);
        assert_eq!(pm_session_create(&options, &mut session), PmStatus::Ok);
    }
    let mut calls =
        Calls { random: &mut random, session, values: Vec::new(), answers: Vec::new(), accepted: 0 };
    for _ in 0..CALLS {
        match calls.random.u32(..10) {
            0 | 1 => calls.constant(),
            2 => calls.read(),
            3 => calls.other(),
            _ => calls.record(),
        }
    }
    let Calls { values, answers, accepted, .. } = calls;
    // SAFETY: the session and the values that this function has made; nothing is used afterwards. Values may outlive
    // their session.
    unsafe {
        if seed.is_multiple_of(2) {
            pm_session_destroy(session);
        } else {
            pm_session_release(session);
        }
        values.into_iter().for_each(|value| pm_value_release(value));
    }
    (answers, accepted)
}

#[test]
fn a_logical_scalar_is_0_or_1() {
    let (mut session, mut mask, mut result) = (null_mut(), null_mut(), null_mut());
    // SAFETY: a structure of plain numbers and pointers that the library fills in; a session and values of this test,
    // with a place for each result.
    unsafe {
        let mut options = std::mem::zeroed::<PmOptions>();
        assert_eq!(pm_options_default(&mut options), PmStatus::Ok);
        assert_eq!(pm_session_create(&options, &mut session), PmStatus::Ok);
        let truths = [1u8, 0];
        assert_eq!(pm_constant_copy(session, truths.as_ptr().cast(), 2, 1, 2, &mut mask), PmStatus::Ok);
        // 46: max.
        assert_eq!(pm_binary_scalar(46, mask, 2.5, 2, 0, FILE, 1, &mut result), PmStatus::Argument);
        assert!(result.is_null());
        assert_eq!(pm_binary_scalar(46, mask, 1.0, 2, 0, FILE, 1, &mut result), PmStatus::Ok);
        [mask, result].into_iter().for_each(|value| pm_value_release(value));
        pm_session_release(session);
    }
}

#[test]
fn random_sequences_of_calls() {
    let calls = std::env::var("FUZZ_INPUTS").ok().and_then(|value| value.parse().ok()).unwrap_or(20_000u64);
    let mut accepted = 0;
    for seed in 0..calls / u64::from(CALLS) {
        let [recorded, at_once] = [0, 1].map(|immediate| {
            answers(|options| (options.engine, options.immediate) = (c"host".as_ptr(), immediate), seed)
        });
        assert!(recorded == at_once, "seed {seed}");
        accepted += recorded.1;
    }
    assert!(accepted > calls / 3, "{accepted} of {calls}");
}

/// No kernel is called, so Miri can execute these calls: all that the interface, the session and its threads do with
/// memory.
#[test]
fn random_sequences_of_calls_on_an_engine_that_computes_nothing() {
    let sequences = if cfg!(miri) { 2 } else { 100 };
    let set = |options: &mut PmOptions| {
        (options.engine, options.overlap, options.immediate) = (c"null".as_ptr(), 1, 0);
    };
    let accepted: u64 = (0..sequences).map(|seed| answers(set, seed).1).sum();
    assert!(accepted > sequences * u64::from(CALLS) / 4, "{accepted} in {sequences} sequences");
}
