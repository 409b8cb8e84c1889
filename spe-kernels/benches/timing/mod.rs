//! The time of a call.

use std::time::{Duration, Instant};

/// Nanoseconds of one call: the best of so many samples, since other programs use the machine as well.
pub(crate) fn nanoseconds(samples: u32, mut call: impl FnMut()) -> f64 {
    let mut calls = 1_u32;
    loop {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        if start.elapsed() > Duration::from_millis(2) {
            break;
        }
        calls *= 2;
    }
    let sample = |call: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_nanos() as f64 / f64::from(calls)
    };
    (0..samples).map(|_| sample(&mut call)).fold(f64::INFINITY, f64::min)
}
