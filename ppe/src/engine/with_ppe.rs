//! Adds the PPE to an engine whose MEUs do not execute all kinds of operations. The PPE executes the
//! remaining kinds.
//!
//! In virtual time the PPE has a clock ([`PpeClock`]): MEUs go on while the PPE offers and acknowledges
//! operations, and an operation that the PPE executes is completed when the clock says so.

mod ppe;

use std::collections::VecDeque;
use std::time::Duration;

use ppe::{DEPTH, Ppe};

use super::{BlockAddress, Command, Engine, Fault, MeuReport, Task};
use crate::error::Result;
use crate::lower::{LoweredGraph, Target, Venue};
use crate::operation::{OpKind, Shape};
use crate::sync::Unparker;
use crate::time::ppe::PpeClock;
use crate::time::{StageTimes, TimeModel};
use crate::timeline::Span;

/// An engine that can wait for its MEUs and for the PPE at once.
pub(super) trait WaitsBeside: Engine {
    /// What wakes the thread of execution control.
    fn unparker(&self) -> Unparker;

    /// Waits as [`Engine::wait`] does, while the PPE is executing as well. `has_news` says whether the PPE
    /// has completed an operation; the PPE then wakes the thread by its unparker.
    fn wait_beside(&mut self, timeout: Duration, has_news: &dyn Fn() -> bool);

    /// Waits as [`Engine::wait`] does, but not beyond this moment of virtual time.
    fn wait_until(&mut self, _timeout: Duration, _until: u64) {}
}

/// An engine, and the PPE as one more MEU, whose number follows the numbers of the MEUs.
#[derive(Debug)]
pub(super) struct WithPpe<E> {
    ppe: Ppe,
    meus: E,
    /// None when time is real.
    virtual_time: Option<VirtualTime>,
    /// As [`Engine::is_incomplete`] says.
    is_incomplete: bool,
}

/// The PPE in virtual time.
#[derive(Debug)]
struct VirtualTime {
    clock: PpeClock,
    /// How long the host takes for operations in memory.
    model: TimeModel,
    /// Operations of each MEU that the PPE has seen completed.
    seen: Vec<u64>,
    /// When the operations are completed that the PPE executes, and that it has not been seen to complete.
    due: VecDeque<u64>,
    /// Operations of the PPE that have been seen completed.
    completed: u64,
}

impl<E: WaitsBeside> WithPpe<E> {
    /// Starts the PPE's thread beside an engine.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub(super) fn new(meus: E) -> Result<WithPpe<E>> {
        let ppe = Ppe::start(meus.name(), meus.unparker())?;
        Ok(WithPpe { ppe, meus, virtual_time: None, is_incomplete: false })
    }

    /// As [`new`](Self::new), for an engine with virtual time. The PPE takes `factor` times as long as the
    /// host.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn in_virtual_time(meus: E, factor: f64) -> Result<WithPpe<E>> {
        let virtual_time = VirtualTime {
            clock: PpeClock::new(factor),
            model: TimeModel::of_host()?,
            seen: vec![0; meus.target().meus],
            due: VecDeque::new(),
            completed: 0,
        };
        Ok(WithPpe { virtual_time: Some(virtual_time), ..WithPpe::new(meus)? })
    }

    fn is_ppe(&self, number: usize) -> bool {
        number == self.meus.target().meus
    }
}

impl VirtualTime {
    /// How many operations the PPE has completed at this moment of virtual time. The thread of the PPE may be
    /// behind or ahead of virtual time.
    fn completed(&mut self, ppe: &mut Ppe, now: u64) -> Result<u64, Fault> {
        while self.due.front().is_some_and(|&due| due <= now) {
            while ppe.completed()? <= self.completed {
                std::thread::yield_now();
            }
            self.due.pop_front();
            self.completed += 1;
        }
        Ok(self.completed)
    }
}

impl<E: WaitsBeside> Engine for WithPpe<E> {
    fn name(&self) -> &'static str {
        self.meus.name()
    }

    fn target(&self) -> &Target {
        self.meus.target()
    }

    fn begin(&mut self, graph: &LoweredGraph) {
        self.meus.begin(graph);
    }

    fn room(&mut self, number: usize) -> usize {
        match &self.virtual_time {
            Some(time) if self.is_ppe(number) => DEPTH as usize - time.due.len(),
            None if self.is_ppe(number) => self.ppe.room(),
            _ => self.meus.room(number),
        }
    }

    fn offer(&mut self, number: usize, command: &Command<'_>) {
        let is_ppe = self.is_ppe(number);
        if let Some(time) = &mut self.virtual_time {
            let now = self.meus.now();
            match is_ppe {
                true => time.due.push_back(time.clock.execute(now, host_ns(&time.model, command))),
                false => self.meus.pass(now + time.clock.offer()),
            }
        }
        if is_ppe { self.ppe.offer(command) } else { self.meus.offer(number, command) }
    }

    fn completed(&mut self, number: usize) -> Result<u64, Fault> {
        let is_ppe = self.is_ppe(number);
        let Some(time) = &mut self.virtual_time else {
            return if is_ppe { self.ppe.completed() } else { self.meus.completed(number) };
        };
        if is_ppe {
            return time.completed(&mut self.ppe, self.meus.now());
        }
        let completed = self.meus.completed(number)?;
        let new = completed - std::mem::replace(&mut time.seen[number], completed);
        if new > 0 {
            self.meus.pass(self.meus.now() + time.clock.acknowledge(new));
        }
        Ok(completed)
    }

    fn wait(&mut self, timeout: Duration) {
        match &self.virtual_time {
            Some(time) => match time.due.front() {
                Some(&due) => self.meus.wait_until(timeout, due),
                None => self.meus.wait(timeout),
            },
            None if self.ppe.is_busy() => self.meus.wait_beside(timeout, &|| self.ppe.has_news()),
            None => self.meus.wait(timeout),
        }
    }

    fn stop(&mut self) -> bool {
        self.is_incomplete = true;
        if !self.ppe.is_out() {
            self.ppe.stop();
        }
        self.meus.stop()
    }

    fn start(&mut self) -> Result<()> {
        if !self.ppe.is_out() {
            self.ppe = Ppe::start(self.meus.name(), self.meus.unparker())?;
        }
        if let Some(time) = &mut self.virtual_time {
            time.seen.fill(0);
            time.due.clear();
            time.completed = 0;
        }
        self.meus.start()?;
        self.is_incomplete = false;
        Ok(())
    }

    fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    fn take_out(&mut self, number: usize, patience: Duration) -> bool {
        if !self.is_ppe(number) {
            return self.meus.take_out(number, patience);
        }
        if let Some(time) = &mut self.virtual_time {
            time.due.clear();
        }
        self.ppe.take_out(patience)
    }

    fn is_out(&self, number: usize) -> bool {
        if self.is_ppe(number) { self.ppe.is_out() } else { self.meus.is_out(number) }
    }

    fn stand_in(&mut self, command: &Command<'_>) -> Result<Result<(), Fault>> {
        if command.venue == Venue::Ppe { Ok(Ppe::stand_in(command)) } else { self.meus.stand_in(command) }
    }

    fn profile(&mut self) -> bool {
        self.meus.profile()
    }

    fn last_times(&mut self, number: usize) -> Option<StageTimes> {
        if self.is_ppe(number) { None } else { self.meus.last_times(number) }
    }

    fn note_spans(&mut self, on: bool) -> bool {
        self.meus.note_spans(on)
    }

    /// The PPE notes no spans.
    fn take_spans(&mut self, number: usize) -> Vec<Span> {
        if self.is_ppe(number) { Vec::new() } else { self.meus.take_spans(number) }
    }

    fn reports(&self) -> Vec<MeuReport> {
        let times = self.virtual_time.as_ref().map(|time| time.clock.times());
        let ppe = MeuReport { ppe: times, ..MeuReport::of_operations(None, self.ppe.executed()) };
        self.meus.reports().into_iter().chain([ppe]).collect()
    }

    fn ppe_clock(&mut self) -> Option<&mut PpeClock> {
        self.virtual_time.as_mut().map(|time| &mut time.clock)
    }

    fn now(&self) -> u64 {
        self.meus.now()
    }

    fn pass(&mut self, until: u64) {
        self.meus.pass(until);
    }

    fn computes(&self) -> bool {
        self.meus.computes()
    }

    fn may_fall_behind(&self) -> bool {
        self.meus.may_fall_behind()
    }
}

/// How long a host takes for an operation in memory.
fn host_ns(model: &TimeModel, command: &Command<'_>) -> f64 {
    let Some(block) = command.results.first() else { return 0.0 };
    let shape = |block: &BlockAddress| Shape { rows: block.rows, columns: block.columns };
    let (result, operand) = (shape(block), command.operands.first().map_or(shape(block), shape));
    let of = |kind: OpKind, operand: Shape| model.estimate_whole(kind, block.precision, result, operand);
    match command.task {
        // Only MEUs execute products.
        Task::Product(..) => 0.0,
        Task::Program(program) => program.steps.iter().map(|step| of(step.kind, result)).sum(),
        // A move may name a whole matrix, of which it reads as many elements as it writes.
        Task::Direct { kind, .. } if kind.is_move() => of(kind, result),
        Task::Direct { kind, .. } => of(kind, operand),
    }
}
