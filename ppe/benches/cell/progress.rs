//! A progress bar on a terminal: how much of all runs is done, and what is being executed.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::choice::Run;

/// Steps of the bar for each run.
const STEPS: f64 = 1000.0;

/// See the module's documentation.
pub(crate) struct Progress {
    bar: ProgressBar,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ended: usize,
    /// What is being executed, and how much of it has been.
    running: Vec<(Run, f64)>,
}

impl Progress {
    pub(crate) fn new(runs: &[Run]) -> Progress {
        let bar = ProgressBar::new((runs.len() as f64 * STEPS) as u64);
        let style = ProgressStyle::with_template("{elapsed} {bar:24} {percent:>3} %, {eta} left: {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The list is whole whenever the lock is free.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run has come to this share of its end.
    pub(crate) fn note(&self, run: Run, share: f64) {
        let mut state = self.state();
        match state.running.iter_mut().find(|(other, _)| *other == run) {
            Some((_, known)) => *known = share,
            None => state.running.push((run, share)),
        }
        self.show(&state);
    }

    /// A run has ended.
    pub(crate) fn end(&self, run: Run) {
        let mut state = self.state();
        state.running.retain(|(other, _)| *other != run);
        state.ended += 1;
        self.show(&state);
    }

    fn show(&self, state: &State) {
        let share = state.ended as f64 + state.running.iter().map(|(_, share)| share).sum::<f64>();
        self.bar.set_position((share * STEPS) as u64);
        let running: Vec<_> =
            state.running.iter().map(|(run, _)| format!("{} on {} SPEs", run.name(), run.spes)).collect();
        self.bar.set_message(running.join(", "));
    }

    /// Writes beside the bar.
    pub(crate) fn beside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Takes the bar away.
    pub(crate) fn close(&self) {
        self.bar.finish_and_clear();
    }
}
