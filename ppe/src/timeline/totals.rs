//! What each operation of each line of a program has taken.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Site;
use crate::operation::OpKind;

/// How an operation was dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It was recorded.
    Recorded,
    /// It was computed instead of being recorded.
    Stated,
    /// A block of it was executed by the thread that forced it, or by a helper.
    Immediate,
    /// A block of it was executed by an MEU or the PPE.
    Scheduled,
}

/// The sums of one kind of operation in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total {
    /// The line.
    pub site: Arc<Site>,
    /// The kind of operation.
    pub kind: OpKind,
    /// How often each [`Mode`] was met, in its order.
    pub counts: [u64; 4],
    /// Time of all processors together. Operations that are executed together share their time equally.
    pub ns: u64,
}

/// Sums by line and kind of operation. There are as many as the program has operations.
#[derive(Debug, Default)]
pub(super) struct Totals(HashMap<(Arc<Site>, OpKind), ([u64; 4], u64)>);

impl Totals {
    pub(super) fn count(&mut self, site: &Arc<Site>, kind: OpKind, mode: Mode, ns: u64) {
        let (counts, total_ns) = self.0.entry((Arc::clone(site), kind)).or_default();
        counts[mode as usize] += 1;
        *total_ns += ns;
    }

    pub(super) fn add(&mut self, other: &Totals) {
        for (key, (counts, ns)) in &other.0 {
            let (sums, total_ns) = self.0.entry(key.clone()).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            *total_ns += ns;
        }
    }

    /// The sums, the longest first.
    pub(super) fn sorted(self) -> Vec<Total> {
        let total = |((site, kind), (counts, ns))| Total { site, kind, counts, ns };
        let mut totals: Vec<_> = self.0.into_iter().map(total).collect();
        totals.sort_by(|a, b| {
            let key = |total: &Total| (Reverse(total.ns), total.site.line, total.kind);
            key(a).cmp(&key(b)).then_with(|| a.site.file.cmp(&b.site.file))
        });
        totals
    }
}
