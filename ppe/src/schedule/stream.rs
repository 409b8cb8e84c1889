//! The pipeline of one MEU on the time line, and the slot function (paper, "Greedy Algorithm").

use crate::time::StageTimes;

/// When each stage of the last operation appended to a stream ends: the paper's s_df, s_ex and s_wb.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stream {
    df: u64,
    ex: u64,
    wb: u64,
}

impl Stream {
    /// The slot function h: the earliest start of an operation whose operands are in memory from `earliest`
    /// on.
    ///
    /// The three stages of an operation follow each other without a gap. No stage overlaps the stage of its
    /// kind of the operation before.
    #[must_use]
    pub fn slot(&self, earliest: u64, times: StageTimes) -> u64 {
        let fetched = earliest.max(self.df) + times.df;
        let executed = fetched.max(self.ex) + times.ex;
        executed.max(self.wb) - (times.df + times.ex)
    }

    /// When each stage of the last operation ends.
    #[must_use]
    pub fn ends(&self) -> [u64; 3] {
        [self.df, self.ex, self.wb]
    }

    /// Appends an operation that starts at `start`; returns when it ends.
    pub fn append(&mut self, start: u64, times: StageTimes) -> u64 {
        self.df = start + times.df;
        self.ex = self.df + times.ex;
        self.wb = self.ex + times.wb;
        self.wb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_of_neighbours_do_not_overlap() {
        let mut stream = Stream::default();
        let first = StageTimes { df: 10, ex: 30, wb: 5 };
        assert_eq!(stream.slot(0, first), 0);
        assert_eq!(stream.append(0, first), 45);
        // Execution is the bottleneck: the next may begin to fetch at 30, so that it executes from 40 on.
        assert_eq!(stream.slot(0, first), 30);
        // A long fetch may begin as soon as the first fetch has ended.
        assert_eq!(stream.slot(0, StageTimes { df: 100, ex: 1, wb: 1 }), 10);
        // A short operation waits for the write back before it: 45 - 2.
        assert_eq!(stream.slot(0, StageTimes { df: 1, ex: 1, wb: 1 }), 43);
        // Operands that come late decide alone.
        assert_eq!(stream.slot(500, first), 500);
    }
}
