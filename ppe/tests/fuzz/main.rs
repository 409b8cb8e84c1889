//! Random input for everything that takes what strangers made: programs, matrix files, time models, what ranks send.
//! Nothing may panic, and what is accepted has to work.
//!
//! `FUZZ_INPUTS` sets the number of inputs of each target (default 5000); seeds are fixed, and an input that fails
//! is printed. `FUZZ_INPUTS=10000000 cargo test --release -p pmatrix --test fuzz` is the long run. Calls of
//! the C interface have such a test in `src/capi/tests.rs`; the decoder, the ELF loader and the MFC in
//! `toolchain/spu-sim`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use fastrand::Rng;

mod files;
mod mutation;
mod texts;
mod wire;

/// Gives `target` damaged forms of good inputs, `FUZZ_INPUTS` of them. It says whether it accepts one; where it panics, the
/// input is printed as well. Inputs that are all accepted, or all refused, test nothing.
fn fuzz(seed: u64, good: &[Vec<u8>], mut target: impl FnMut(&[u8]) -> bool) {
    let inputs = std::env::var("FUZZ_INPUTS").ok().and_then(|value| value.parse().ok()).unwrap_or(5000u64);
    let mut random = Rng::with_seed(seed);
    let mut accepted = 0;
    for _ in 0..inputs {
        let bytes = mutation::mutated(good, &mut random);
        match catch_unwind(AssertUnwindSafe(|| target(&bytes))) {
            Ok(accepts) => accepted += u64::from(accepts),
            Err(_) => panic!("this input fails: {}", bytes.escape_ascii()),
        }
    }
    assert!(accepted > 0 && accepted < inputs, "{accepted} of {inputs} accepted");
}
