//! Random input for everything that takes what strangers made: programs, matrix files, time models, what ranks send.
//! Nothing may panic, and what is accepted has to work.
//!
//! `FUZZ_INPUTS` sets the number of inputs of each target (default 5000); seeds are fixed, and an input that fails
//! is printed. `FUZZ_INPUTS=10000000 cargo test --release -p pmatrix --test fuzz` is the long run. Calls of
//! the C interface have such a test in `src/capi/tests.rs`; the decoder, the ELF loader and the MFC in
//! `toolchain/spu-sim`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::panic::{AssertUnwindSafe, catch_unwind};

mod files;
mod mutation;
mod texts;
mod wire;

/// The number of inputs of a target.
fn inputs() -> u64 {
    std::env::var("FUZZ_INPUTS").ok().and_then(|value| value.parse().ok()).unwrap_or(5000)
}

/// Calls `target` with an input. Where it panics, the input is printed as well.
fn with_input(bytes: &[u8], target: impl FnOnce(&[u8])) {
    let outcome = catch_unwind(AssertUnwindSafe(|| target(bytes)));
    assert!(outcome.is_ok(), "this input fails: {}", bytes.escape_ascii());
}
