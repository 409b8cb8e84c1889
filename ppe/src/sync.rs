//! What threads meet by: atomics, locks, condition variables, parkers, bounded channels, threads.
//!
//! The parts of this crate that wait for one another take these from here and not from `std`. In unit tests with
//! the feature `models` this module has [loom]'s instead. Then a test (`engine/tests.rs`, `session/tests/models.rs`)
//! visits the interleavings of the part's own code, with the values that each load may see, and finds a wake-up
//! that is lost and a wait that never ends. `scripts/check-concurrency models` runs these tests.
//!
//! A counter or a flag that no thread waits for stays one of `std`: an interleaving differs in nothing but
//! its value.
//!
//! [loom]: https://docs.rs/loom

#[cfg(all(test, feature = "models"))]
mod model;

use std::time::Duration;

#[cfg(all(test, feature = "models"))]
pub(crate) use loom::{
    hint,
    sync::{Condvar, Mutex, MutexGuard, atomic},
};
#[cfg(all(test, feature = "models"))]
pub(crate) use model::{Parker, Unparker, channel as mpsc, check, thread};

#[cfg(not(all(test, feature = "models")))]
pub(crate) use crossbeam_utils::sync::{Parker, Unparker};
#[cfg(not(all(test, feature = "models")))]
pub(crate) use std::{
    hint,
    sync::{Condvar, Mutex, MutexGuard, atomic, mpsc},
    thread,
};

/// How often a thread looks for something before it waits in another way. A model needs one look: a second
/// one is what a thread does that was slower.
pub(crate) const fn looks(count: u32) -> u32 {
    if cfg!(all(test, feature = "models")) { 1 } else { count }
}

/// How long a thread looks for something before it sleeps. A model has no clock, and a thread that sleeps at
/// once is the one that may miss a call.
pub(crate) const fn looking(time: Duration) -> Duration {
    if cfg!(all(test, feature = "models")) { Duration::ZERO } else { time }
}
