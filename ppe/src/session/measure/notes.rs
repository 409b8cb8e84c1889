//! The timeline of measurements: each operation alone, and each pair of streams.

use std::sync::Arc;

use crate::error::Site;
use crate::operation::{OpKind, Shape};
use crate::time::profile::Times;
use crate::time::trials::Trial;
use crate::timeline::{Noted, Span, Timeline, now_ns};

/// What is measured, for the timeline.
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) timeline: Timeline,
    trial: Option<(OpKind, Noted)>,
    /// Trials so far.
    trials: u64,
}

impl Notes {
    pub(super) fn new(timeline: Timeline) -> Notes {
        Notes { timeline, trial: None, trials: 0 }
    }

    /// What follows belongs to this trial, whose words stand in place of a file.
    pub(super) fn begin(&mut self, trial: &Trial) {
        if !self.timeline.is_on() {
            return;
        }
        self.trials += 1;
        let block = match trial {
            Trial::Program { sides, .. } => *sides,
            Trial::Stages(size) | Trial::InMemory(size) | Trial::Stream(size) | Trial::Part(size) => {
                size.result
            }
        };
        let (kind, precision) = trial.kind();
        let noted = Noted {
            processor: Some(0),
            is_ppe: false,
            trace: self.trials,
            index: 0,
            shape: Shape { rows: block.0.into(), columns: block.1.into() },
            block,
            site: Arc::new(Site { file: format!("{}, {precision:?}", trial.text()), line: 0 }),
        };
        self.trial = Some((kind, noted));
    }

    /// Notes what has just been measured, if its beginning was noted, with its stages if they have times of this machine.
    pub(super) fn measured(&mut self, begun: Option<u64>, stages: Option<&Times>) {
        let (Some(start_ns), Some((kind, noted))) = (begun, &mut self.trial) else { return };
        let stages_ns = stages.map(|times| [times.df, times.ex, times.wb].map(|ns| ns as u32));
        let span = Span { start_ns, end_ns: now_ns(), stages_ns, ..Span::default() };
        self.timeline.executed(span, noted.clone(), std::iter::once((*kind, &noted.site)));
        noted.index += 1;
    }
}
