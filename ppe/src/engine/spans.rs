//! When one MEU has executed each of its operations, for a timeline.
//!
//! An MEU executes in order. So an operation begins when the MEU takes it, or when the operation before it is
//! completed. The MEU's side tells both moments; the thread of execution control takes the spans. While
//! nobody wants spans, telling costs one relaxed load.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::time::StageTimes;
use crate::timeline::{Span, now_ns};

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Spans {
    on: AtomicBool,
    /// The time in virtual time, where the MEU runs in it.
    virtual_ns: Option<AtomicU64>,
    /// Virtual time that had passed when the MEU was started.
    started_ns: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    spans: Vec<Span>,
    /// Operations that the MEU has been given and has completed, since the engine began.
    given: u64,
    completed: u64,
    /// When the operation began that the MEU executes.
    since_ns: u64,
}

impl Spans {
    /// Spans in virtual time, of which so much has passed.
    pub(super) fn in_virtual_time(started_ns: u64) -> Spans {
        Spans { virtual_ns: Some(AtomicU64::new(started_ns)), started_ns, ..Spans::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins or ends to note spans, while nothing is outstanding of `completed` operations.
    pub(super) fn switch(&self, on: bool, completed: u64) {
        if on != self.is_on() {
            *self.state() = State { given: completed, completed, ..State::default() };
            self.on.store(on, Ordering::Relaxed);
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Sets the virtual time, from the start of the MEU on.
    pub(super) fn set_virtual_ns(&self, now_ns: u64) {
        if let Some(time) = &self.virtual_ns {
            time.store(self.started_ns + now_ns, Ordering::Relaxed);
        }
    }

    fn now_ns(&self) -> u64 {
        self.virtual_ns.as_ref().map_or_else(now_ns, |time| time.load(Ordering::Relaxed))
    }

    /// The MEU has been given an operation.
    pub(super) fn given(&self) {
        if self.is_on() {
            let now_ns = self.now_ns();
            let mut state = self.state();
            if state.given == state.completed {
                state.since_ns = now_ns;
            }
            state.given += 1;
        }
    }

    /// The MEU has completed an operation, whose stages took `times`.
    pub(super) fn completed(&self, times: impl FnOnce() -> StageTimes) {
        if self.is_on() {
            let end_ns = self.now_ns();
            let StageTimes { df, ex, wb } = times();
            let stages_ns = [df, ex, wb].map(|ns| u32::try_from(ns).unwrap_or(u32::MAX));
            let mut state = self.state();
            let start_ns = state.since_ns.min(end_ns);
            let (number, is_virtual) = (state.completed, self.virtual_ns.is_some());
            state.spans.push(Span { number, start_ns, end_ns, stages_ns: Some(stages_ns), is_virtual });
            (state.completed, state.since_ns) = (number + 1, end_ns);
        }
    }

    /// The spans that were noted since the last call, oldest first.
    pub(super) fn take(&self) -> Vec<Span> {
        if self.is_on() { std::mem::take(&mut self.state().spans) } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_follow_each_other_or_begin_when_they_are_given() {
        let spans = Spans::in_virtual_time(1000);
        let times = || StageTimes { df: 1, ex: 2, wb: 3 };
        // Nobody wants spans yet.
        spans.given();
        spans.completed(times);
        assert_eq!(spans.take(), []);
        spans.switch(true, 1);
        for (now_ns, is_end) in [(10, false), (12, false), (30, true), (50, true), (90, false), (100, true)] {
            spans.set_virtual_ns(now_ns);
            if is_end { spans.completed(times) } else { spans.given() }
        }
        let noted: Vec<_> =
            spans.take().iter().map(|span| (span.number, span.start_ns, span.end_ns)).collect();
        assert_eq!(noted, [(1, 1010, 1030), (2, 1030, 1050), (3, 1090, 1100)]);
        assert_eq!(spans.take(), []);
    }
}
