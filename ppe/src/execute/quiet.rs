//! How long nothing has completed.

use std::time::{Duration, Instant};

/// The longest time between two looks at the completion records.
pub(super) const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// The time since something was last seen to complete, in which this process could look. A look that comes
/// late counts as one that comes in time: the process may have been stopped, and all processors with it.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    time: Duration,
    last: Option<Instant>,
}

impl Quiet {
    /// Counts up to now.
    pub(super) fn lasts(&mut self) -> Duration {
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            self.time += now.duration_since(last).min(2 * LONGEST_WAIT);
        }
        self.time
    }
}
