//! Execution after the loss of a processor (README, "Loss of a processor").

use super::ExecutionControl;
use super::blocks::{concerning, failure_of};
use super::losses::{Source, executes};
use super::quiet::LONGEST_WAIT;
use crate::engine::{Cause, Fault};
use crate::error::Failure;

impl ExecutionControl<'_> {
    /// Takes the processor of a stream out. False if it may still use memory of this graph.
    pub(super) fn lose(&mut self, stream: usize, fault: &Fault) -> bool {
        let (name, oldest) = (self.name(stream), self.queues[stream].oldest());
        let Some(number) = self.numbers[stream].take() else { return true };
        let patience = self.patience.clamp(LONGEST_WAIT, 10 * LONGEST_WAIT);
        let has_ended = self.engine.take_out(number, patience);
        if let Some(streams) = &mut self.streams {
            streams.lost(stream);
        }
        self.losses.abandon(stream);
        self.losses.leave(self.queues[stream].take_rest(), oldest);
        let place = oldest.map(|oldest| format!(" in {}", self.graph.blame(oldest))).unwrap_or_default();
        self.note(&format!("{name} is lost: {}{place}", fault.what));
        has_ended
    }

    /// Says once what has been lost, and what is left.
    fn note(&self, what: &str) {
        let meus = self.engine.target().meus;
        let left = (0..meus).filter(|&number| !self.engine.is_out(number)).count();
        let rest = match left {
            0 => "no MEU is left, and each operation is executed in this process, which is slow".to_owned(),
            left => format!("{left} of {meus} MEUs are left"),
        };
        let what = format!("{what}; {rest}");
        self.witness.executed.lose(meus - left, what);
    }

    /// Says which processors the engine has taken out while it was reset.
    pub(super) fn note_losses(&self) {
        for stream in 0..self.numbers.len() {
            if self.numbers[stream].is_some_and(|number| self.engine.is_out(number)) {
                self.note(&format!("{} is lost: it does not stop", self.name(stream)));
            }
        }
    }

    /// Takes out every processor that holds an operation. False as for [`lose`](Self::lose).
    pub(super) fn lose_all(&mut self) -> bool {
        let what = format!("nothing has completed for {:?}", self.patience);
        let mut have_ended = true;
        for stream in 0..self.queues.len() {
            if self.numbers[stream].is_some() && !self.queues[stream].is_empty() {
                let fault = Fault { operation: None, step: 0, cause: Cause::Lost, what: what.clone() };
                have_ended &= self.lose(stream, &fault);
            }
        }
        have_ended
    }

    /// Whether a processor holds an operation.
    pub(super) fn is_outstanding(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    /// Looks at processors that hold nothing, and takes out the ones that are lost. True if there are any: what
    /// they would have been offered can be offered to others.
    pub(super) fn look_at_idle(&mut self) -> bool {
        let mut found = false;
        for stream in 0..self.queues.len() {
            if let Some(number) = self.numbers[stream].filter(|_| self.queues[stream].is_empty())
                && let Err(fault) = self.engine.completed(number)
                && fault.cause == Cause::Lost
            {
                // It holds no operation, so it uses no memory.
                _ = self.lose(stream, &fault);
                found = true;
            }
        }
        found
    }

    /// What the processor of a stream is offered after a loss: whatever the schedule starts first, of its own
    /// stream and of what was left.
    pub(super) fn next_with_losses(&self, stream: usize) -> Option<(Source, u32)> {
        let own = self.front(stream);
        let left = self.losses.offers(|stream| self.front(stream));
        let fits = |&(_, operation): &(Source, u32)| {
            executes(self.schedule, stream, self.graph, operation) && !self.losses.is_dangerous(operation)
        };
        own.into_iter().chain(left.filter(fits)).min_by_key(|&(_, operation)| self.start(operation))
    }

    fn start(&self, operation: u32) -> u64 {
        self.schedule.starts[operation as usize]
    }

    /// Executes one operation that no processor is left for. False if there is none.
    pub(super) fn stand_in(&mut self) -> Result<bool, Failure> {
        let has_processor = |operation| {
            let mut streams = (0..self.numbers.len()).filter(|&stream| self.numbers[stream].is_some());
            !self.losses.is_dangerous(operation)
                && streams.any(|stream| executes(self.schedule, stream, self.graph, operation))
        };
        let left = self.losses.offers(|stream| self.front(stream));
        let open = left.filter(|&(_, operation)| !has_processor(operation));
        let Some((source, operation)) = open.min_by_key(|&(_, operation)| self.start(operation)) else {
            return Ok(false);
        };
        let command = self.blocks.command(operation, &mut self.addresses)?;
        let begun = self.witness.begin();
        let outcome = self.engine.stand_in(&command);
        self.taken(source, operation);
        match outcome.map_err(|error| concerning(self.graph, operation, 0, error))? {
            Ok(()) => {
                self.witness.note(self.graph, operation, begun);
                self.executed(operation);
            }
            Err(fault) => {
                let name = "what takes the place of lost processors".into();
                return Err(failure_of(self.graph, operation, name, &fault));
            }
        }
        Ok(true)
    }
}
