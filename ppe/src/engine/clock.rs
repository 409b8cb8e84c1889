//! The virtual clock: MEUs whose stages take what the time model says. Execution control is the same as for
//! every engine, so this shows what a schedule, the bandwidth of the memory and the PPE make of a program, for
//! any number of SPEs, far faster than simulated SPEs do.
//!
//! The blocks are computed by MEUs of the host, in local stores. Their time is real and decides nothing: an
//! operation counts as completed when virtual time has reached its end, and the engine then waits until
//! the host has completed it as well. Singles have the bits of the host. When nobody reads the results, the blocks need
//! not be computed at all ([`Choice::compute`](super::Choice)).

mod executed;
mod meu;
mod mfc;
mod operation;
mod pipelines;

use std::time::{Duration, Instant};

use spe_kernels::sys;

use super::homes::Homes;
use super::make::Entry;
use super::report::MeuReport;
use super::with_ppe::{WaitsBeside, WithPpe};
use super::{Command, Engine, Fault, Host, local_store};
use crate::error::{Error, Result};
use crate::lower::{LoweredGraph, Target};
use crate::sync::{Parker, Unparker};
use crate::time::TimeModel;
use crate::time::memory::Memory;
use crate::timeline::Span;
use operation::operation;
use pipelines::Pipelines;

/// Nanoseconds between two looks of the PPE at the completion records.
const POLL_NS: f64 = 100.0;

/// How long the host may be behind virtual time before execution control gets the time to find out why.
const HOST_PATIENCE: Duration = Duration::from_secs(1);

/// SPEs of a Cell.
const SPES: usize = 8;

pub(super) const ENTRY: Entry = Entry {
    name: "clock",
    meus: || Some(SPES),
    model: |choice| TimeModel::of_cell(choice.processor),
    most_cells: local_store::CELLS_OF_A_BLADE,
    is_for_ranks: false,
    target: |choice| local_store::blade(choice.cells, choice.meus, choice.kinds),
    make: |choice, target| {
        let clock = Clock::new(target, TimeModel::of_cell(choice.processor)?, choice.compute)?;
        Ok(Box::new(WithPpe::in_virtual_time(clock, choice.ppe_factor)?))
    },
};

/// See the module's documentation.
#[derive(Debug)]
struct Clock {
    target: Target,
    /// None when nothing is computed.
    host: Option<Host>,
    /// For the engine's own thread, when there is no host that has one.
    parker: Parker,
    model: TimeModel,
    memory: Memory,
    pipelines: Pipelines,
    homes: Homes,
    /// Virtual time when the MEUs were last started.
    started: u64,
}

impl Clock {
    fn new(target: Target, model: TimeModel, compute: bool) -> Result<Clock> {
        let what = "the time model has no figures of a memory";
        let memory = model.memory.ok_or_else(|| Error::Engine { engine: "clock", what: what.into() })?;
        let pipelines = Pipelines::new(target.meus, target.cells, memory);
        let (homes, parker) = (Homes::default(), Parker::new());
        let host = if compute { Some(Host::new(target, None)?) } else { None };
        Ok(Clock { target, host, parker, model, memory, pipelines, homes, started: 0 })
    }
}

impl Engine for Clock {
    fn name(&self) -> &'static str {
        "clock"
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn room(&mut self, meu: usize) -> usize {
        let room = (sys::MEU_MAILBOX_DEPTH as usize).saturating_sub(self.pipelines.words(meu));
        let Some(host) = &mut self.host else { return room };
        let end = Instant::now() + HOST_PATIENCE;
        while room > 0 && host.room(meu) == 0 {
            if Instant::now() > end {
                return 0;
            }
            std::thread::yield_now();
        }
        room.min(host.room(meu))
    }

    fn offer(&mut self, meu: usize, command: &Command<'_>) {
        if let Some(host) = &mut self.host {
            host.offer(meu, command);
        }
        self.homes.offered(command, meu, &self.target);
        self.pipelines.offer(meu, operation(&self.model, &self.homes, command));
    }

    fn completed(&mut self, meu: usize) -> Result<u64, Fault> {
        let completed = self.pipelines.completed(meu);
        let Some(host) = &mut self.host else { return Ok(completed) };
        let end = Instant::now() + HOST_PATIENCE;
        loop {
            let of_host = host.completed(meu)?;
            if of_host >= completed || Instant::now() > end {
                return Ok(completed.min(of_host));
            }
            std::thread::yield_now();
        }
    }

    fn wait(&mut self, timeout: Duration) {
        self.wait_until(timeout, u64::MAX);
    }

    fn stop(&mut self) -> bool {
        self.host.as_mut().is_none_or(Host::stop)
    }

    fn start(&mut self) -> Result<()> {
        self.started = self.now();
        self.pipelines = Pipelines::new(self.target.meus, self.target.cells, self.memory);
        self.host.as_mut().map_or(Ok(()), Host::start)
    }

    fn is_incomplete(&self) -> bool {
        self.host.as_ref().is_some_and(Host::is_incomplete)
    }

    fn take_out(&mut self, meu: usize, patience: Duration) -> bool {
        self.host.as_mut().is_none_or(|host| host.take_out(meu, patience))
    }

    fn is_out(&self, meu: usize) -> bool {
        self.host.as_ref().is_some_and(|host| host.is_out(meu))
    }

    fn stand_in(&mut self, command: &Command<'_>) -> Result<Result<(), Fault>> {
        self.host.as_mut().map_or(Ok(Ok(())), |host| host.stand_in(command))
    }

    fn reports(&self) -> Vec<MeuReport> {
        let report = |meu| {
            let (moved, bytes) = (self.pipelines.moved(meu), |lines| lines * u64::from(sys::MEU_LINE_BYTES));
            MeuReport {
                waits: Some(self.pipelines.waits(meu)),
                fetched_bytes: bytes(moved.fetched),
                written_bytes: bytes(moved.written),
                far_bytes: bytes(moved.far),
                ..MeuReport::of_operations(Some(meu), self.pipelines.completed(meu))
            }
        };
        (0..self.target.meus).map(report).collect()
    }

    fn note_spans(&mut self, on: bool) -> bool {
        self.pipelines.note_executed(on);
        true
    }

    fn take_spans(&mut self, meu: usize) -> Vec<Span> {
        let started = self.started;
        self.pipelines.executed(meu).map_or_else(Vec::new, |executed| executed.take(started))
    }

    fn begin(&mut self, graph: &LoweredGraph) {
        self.homes.begin(graph);
    }

    fn now(&self) -> u64 {
        self.started + self.pipelines.now().ceil() as u64
    }

    fn pass(&mut self, until: u64) {
        self.pipelines.pass(until.saturating_sub(self.started) as f64, true);
    }
}

impl WaitsBeside for Clock {
    fn unparker(&self) -> Unparker {
        self.host.as_ref().map_or_else(|| self.parker.unparker().clone(), Host::unparker)
    }

    fn wait_beside(&mut self, timeout: Duration, has_news: &dyn Fn() -> bool) {
        match &mut self.host {
            Some(host) => host.wait_beside(timeout, has_news),
            None => self.parker.park_timeout(timeout),
        }
    }

    fn wait_until(&mut self, timeout: Duration, until: u64) {
        let (begin, end) = (self.pipelines.now(), until.saturating_sub(self.started) as f64);
        match self.pipelines.pass_until_news(end) {
            true => {
                let polls = ((self.pipelines.now() - begin) / POLL_NS).ceil();
                self.pipelines.pass((begin + polls * POLL_NS).min(end), false);
            }
            false if until < u64::MAX => self.pipelines.pass(end, false),
            // Nothing will happen in virtual time. Only a failure may still be reported.
            false => std::thread::sleep(timeout.min(Duration::from_millis(1))),
        }
    }
}
