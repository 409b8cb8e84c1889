//! The virtual clock: MEUs whose stages take what the time model says. Execution control is the same as for
//! every engine, so this shows what a schedule, the bandwidth of the memory and the PPE make of a program, for
//! any number of SPEs, far faster than simulated SPEs do.
//!
//! The blocks are computed by MEUs of the host, in local stores. Their time is real and decides nothing: an
//! operation counts as completed when virtual time has reached its end, and the engine then waits until
//! the host has completed it as well. Singles have the bits of the host.

mod pipelines;

use std::time::{Duration, Instant};

use crossbeam_utils::sync::Unparker;
use spe_kernels::sys;

use super::make::Entry;
use super::report::MeuReport;
use super::with_ppe::{WaitsBeside, WithPpe};
use super::{BlockAddress, Command, Engine, Fault, Host, Task, local_store};
use crate::error::Result;
use crate::lower::{Program, Target};
use crate::operation::{OpKind, Precision};
use crate::time::{BlockSize, TimeModel, transfer_terms};
use pipelines::{Pipelines, Stages, Transfer};

/// Nanoseconds between two looks of the PPE at the completion records.
const POLL_NS: f64 = 100.0;

/// How long the host may be behind virtual time before execution control gets the time to find out why.
const HOST_PATIENCE: Duration = Duration::from_secs(1);

/// SPEs of a Cell.
const SPES: usize = 8;

/// Bytes of a line.
const LINE_BYTES: f64 = sys::MEU_LINE_BYTES as f64;

pub(super) const ENTRY: Entry = Entry {
    name: "clock",
    meus: || Some(SPES),
    model: |choice| TimeModel::of_cell(choice.processor),
    target: |choice| local_store::cell(choice.meus, choice.kinds),
    make: |choice, target| {
        let clock = Clock::new(target, TimeModel::of_cell(choice.processor)?)?;
        Ok(Box::new(WithPpe::in_virtual_time(clock, choice.ppe_factor)?))
    },
};

/// See the module's documentation.
#[derive(Debug)]
struct Clock {
    host: Host,
    model: TimeModel,
    pipelines: Pipelines,
    /// Virtual time when the MEUs were last started.
    started: u64,
}

impl Clock {
    fn new(target: Target, model: TimeModel) -> Result<Clock> {
        let pipelines = pipelines(&target);
        Ok(Clock { host: Host::new(target, None)?, model, pipelines, started: 0 })
    }
}

fn pipelines(target: &Target) -> Pipelines {
    Pipelines::new(target.meus, target.bandwidth.unwrap_or(f64::INFINITY))
}

impl Engine for Clock {
    fn name(&self) -> &'static str {
        "clock"
    }

    fn target(&self) -> &Target {
        self.host.target()
    }

    fn room(&mut self, meu: usize) -> usize {
        let room = (sys::MEU_MAILBOX_DEPTH as usize).saturating_sub(self.pipelines.words(meu));
        let end = Instant::now() + HOST_PATIENCE;
        while room > 0 && self.host.room(meu) == 0 {
            if Instant::now() > end {
                return 0;
            }
            std::thread::yield_now();
        }
        room.min(self.host.room(meu))
    }

    fn offer(&mut self, meu: usize, command: &Command<'_>) {
        self.host.offer(meu, command);
        self.pipelines.offer(meu, stages(&self.model, command));
    }

    fn completed(&mut self, meu: usize) -> Result<u64, Fault> {
        let completed = self.pipelines.completed(meu);
        let end = Instant::now() + HOST_PATIENCE;
        loop {
            let of_host = self.host.completed(meu)?;
            if of_host >= completed || Instant::now() > end {
                return Ok(completed.min(of_host));
            }
            std::thread::yield_now();
        }
    }

    fn wait(&mut self, timeout: Duration) {
        self.wait_until(timeout, u64::MAX);
    }

    fn reset(&mut self) -> Result<bool> {
        self.started = self.now();
        self.pipelines = pipelines(self.host.target());
        self.host.reset()
    }

    fn take_out(&mut self, meu: usize, patience: Duration) -> bool {
        self.host.take_out(meu, patience)
    }

    fn is_out(&self, meu: usize) -> bool {
        self.host.is_out(meu)
    }

    fn stand_in(&mut self, command: &Command<'_>) -> Result<Result<(), Fault>> {
        self.host.stand_in(command)
    }

    fn reports(&self) -> Vec<MeuReport> {
        let report = |meu| MeuReport {
            waits: Some(self.pipelines.waits(meu)),
            ..MeuReport::of_operations(Some(meu), self.pipelines.completed(meu))
        };
        (0..self.target().meus).map(report).collect()
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
        self.host.unparker()
    }

    fn wait_beside(&mut self, timeout: Duration, has_news: &dyn Fn() -> bool) {
        self.host.wait_beside(timeout, has_news);
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

/// What the stages of an operation take.
fn stages(model: &TimeModel, command: &Command<'_>) -> Stages {
    let fetch = |blocks: &[BlockAddress]| {
        let transfer = |block: &BlockAddress| transfer(block, model.fetch_ns(sides(block), block.precision));
        blocks.iter().map(transfer).fold(Transfer::default(), Transfer::and)
    };
    let write = |block: &BlockAddress| transfer(block, model.write_ns(sides(block), block.precision));
    let write = command.results.iter().map(write).fold(Transfer::default(), Transfer::and);
    let precision = command.results.first().map_or(Precision::Double, |block| block.precision);
    let execute = |kind: OpKind| {
        let sides_of = |blocks: &[BlockAddress], number: usize| blocks.get(number).map_or((0, 0), sides);
        let operand = |number| sides_of(command.operands, number);
        model.execution_ns(&BlockSize {
            kind,
            precision,
            operand_precision: precision,
            result: sides_of(command.results, 0),
            operands: [operand(0), operand(1)],
            products: 1,
        })
    };
    let steps = |program: &Program| program.steps.iter().map(|step| execute(step.kind)).sum::<f64>();
    let alone = |execute_ns| Stages {
        fetch: fetch(command.operands),
        execute_ns,
        parts: 1.0,
        beside: Transfer::default(),
        write,
    };
    match command.task {
        Task::Product(inner, epilogue) => {
            let (factors, further) = command.operands.split_at(2.min(command.operands.len()));
            let (fetched, parts) = (fetch(factors), f64::from(inner.parts()));
            Stages {
                fetch: fetched,
                execute_ns: parts * execute(OpKind::Multiply)
                    + epilogue.map_or(0.0, |program| steps(program)),
                parts,
                beside: fetched.times(parts - 1.0).and(fetch(further)),
                write,
            }
        }
        Task::Program(program) => alone(steps(program)),
        Task::Direct { kind, .. } => alone(execute(kind)),
    }
}

fn sides(block: &BlockAddress) -> (u16, u16) {
    let side = |length: u32| u16::try_from(length).unwrap_or(u16::MAX);
    (side(block.rows), side(block.columns))
}

fn transfer(block: &BlockAddress, ns: f64) -> Transfer {
    let [.., lines] = transfer_terms(sides(block), block.precision);
    Transfer { ns: ns.max(0.0), bytes: lines * LINE_BYTES }
}
