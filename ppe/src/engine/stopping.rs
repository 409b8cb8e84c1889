//! How the MEUs of an engine are stopped, any of which may hang.

use std::time::{Duration, Instant};

/// How long stopping all MEUs may take.
const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// Stops all MEUs that are not out. False if one does not stop: it is out then.
///
/// `is_out` is where an MEU notes that it is out. `stop` tells an MEU to stop, and waits until it has stopped, or until a
/// moment at which the result is false.
pub(super) fn stop_all<M>(
    meus: &mut [M],
    is_out: impl Fn(&mut M) -> &mut bool,
    stop: impl Fn(&mut M, Instant) -> bool,
) -> bool {
    let deadline = Instant::now() + STOP_PATIENCE;
    let mut have_stopped = true;
    for (number, meu) in meus.iter_mut().enumerate() {
        if !*is_out(meu) && !stop(meu, deadline) {
            log::error!("MEU {number} cannot be stopped");
            *is_out(meu) = true;
            have_stopped = false;
        }
    }
    have_stopped
}
