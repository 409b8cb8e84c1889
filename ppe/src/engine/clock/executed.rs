//! When an MEU in virtual time has executed each of its operations, for a timeline.
//!
//! An MEU executes in order: an operation begins when it is offered, or when the operation before it is completed. It
//! has been executed when the MEU issues its completion record, and is completed when the record has been written.

use std::collections::VecDeque;

use crate::engine::report::Waits;
use crate::timeline::Span;

/// See the module's documentation. All times are nanoseconds.
#[derive(Debug, Default)]
pub(super) struct Executed {
    /// When the operations were offered that are not completed.
    offered: VecDeque<f64>,
    /// When the operations were reported that are not completed, what each had waited for data, and how long it was
    /// executed.
    reported: VecDeque<[f64; 3]>,
    /// What the MEU had waited and worked before the operation that it executes.
    before: Waits,
    /// When the last operation was completed.
    last_end: f64,
    spans: Vec<Span>,
}

impl Executed {
    /// From now on, for an MEU that has waited and worked so much.
    pub(super) fn since(waits: Waits) -> Executed {
        Executed { before: waits, ..Executed::default() }
    }

    pub(super) fn offered(&mut self, now: f64) {
        self.offered.push_back(now);
    }

    pub(super) fn reported(&mut self, now: f64, waits: Waits) {
        let (data, busy) = (waits.data_ns - self.before.data_ns, waits.busy_ns - self.before.busy_ns);
        self.before = waits;
        self.reported.push_back([now, data, busy]);
    }

    /// `number`: operations that the MEU had completed before.
    pub(super) fn completed(&mut self, number: u64, now: f64) {
        let (Some(offered), Some([reported, data, busy])) =
            (self.offered.pop_front(), self.reported.pop_front())
        else {
            return;
        };
        let start = offered.max(self.last_end);
        self.last_end = now;
        self.spans.push(Span {
            number,
            start_ns: start as u64,
            end_ns: now as u64,
            stages_ns: Some([data, busy, now - reported].map(|ns| ns as u32)),
            is_virtual: true,
        });
    }

    /// What was completed since the last call, oldest first, with times that begin at `started`.
    pub(super) fn take(&mut self, started: u64) -> Vec<Span> {
        let mut spans = std::mem::take(&mut self.spans);
        for span in &mut spans {
            span.start_ns += started;
            span.end_ns += started;
        }
        spans
    }
}
