//! Executes a program in virtual time, and works out its lower bounds.

use std::error::Error;
use std::io::sink;
use std::time::Duration;

use pmatrix::engine::{MeuReport, Waits};
use pmatrix::lang::ast::Program;
use pmatrix::lang::programs::{NAMES, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::schedule::bounds::levels;
use pmatrix::session::{Options, Session};
use pmatrix::trace::Limits;

use crate::choice::{Choice, Run};

/// Nanoseconds of a cycle: 3.2 GHz.
const CYCLE_NS: f64 = 1.0 / 3.2;

/// A long block operation may take minutes to simulate on a busy machine.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What SPEs and PPE did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// Virtual time.
    pub(crate) ns: f64,
    /// Moved from and to main memory.
    pub(crate) bytes: f64,
    /// The part of them, from 0 to 1, that lies in the memory of another Cell.
    pub(crate) far: f64,
    pub(crate) operations: u64,
    /// Time in which SPEs do not wait for a channel, of all SPEs together.
    work_ns: f64,
    /// Time that the busier hardware thread of the PPE works.
    ppe_ns: f64,
    /// Bytes that the memory moves in a nanosecond.
    bandwidth: f64,
    /// The parts of their time, from 0 to 1, in which SPEs waited for data, for operands and for the PPE, by the
    /// virtual clock.
    pub(crate) waits: Option<[f64; 3]>,
}

impl Measured {
    fn new(reports: &[MeuReport], bandwidth: f64) -> Measured {
        let all = reports.iter().filter_map(time_and_work);
        let (ns, work_ns) = all.fold((0.0, 0.0), |(most, sum), (ns, work)| (f64::max(most, ns), sum + work));
        let ppe = reports.iter().filter_map(|report| report.ppe).flat_map(|times| times.threads()).max();
        let bytes: u64 = reports.iter().map(|report| report.fetched_bytes + report.written_bytes).sum();
        let parts = |waits: Waits| [waits.data_ns, waits.operands_ns, waits.ppe_ns];
        let waits = reports
            .iter()
            .filter_map(|report| report.waits)
            .map(parts)
            .reduce(|a, b| [0, 1, 2].map(|part| a[part] + b[part]));
        let meus = reports.iter().filter(|report| report.waits.is_some()).count() as f64;
        Measured {
            waits: waits.map(|parts| parts.map(|part| part / (meus * ns))),
            ns,
            bytes: bytes as f64,
            far: reports.iter().map(|report| report.far_bytes).sum::<u64>() as f64 / bytes.max(1) as f64,
            operations: reports.iter().map(|report| report.operations).sum(),
            work_ns,
            ppe_ns: ppe.unwrap_or(0) as f64,
            bandwidth,
        }
    }
}

/// The time of an MEU, and the part of it in which the MEU did not wait.
fn time_and_work(report: &MeuReport) -> Option<(f64, f64)> {
    if let Some(waits) = report.waits {
        return Some((waits.total_ns(), waits.busy_ns));
    }
    let pipeline = report.pipeline.as_ref()?;
    let waits = pipeline.stalls.iter().filter(|&&(name, _)| name == "channel").map(|&(_, cycles)| cycles);
    let work = pipeline.cycles - waits.sum::<u64>().min(pipeline.cycles);
    Some((pipeline.cycles as f64 * CYCLE_NS, work as f64 * CYCLE_NS))
}

/// Lower bounds of the time, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    work: f64,
    memory: f64,
    path: f64,
    ppe: f64,
}

impl Bounds {
    pub(crate) fn new(measured: &Measured, spes: usize, path: f64) -> Bounds {
        let Measured { work_ns, bytes, bandwidth, ppe_ns, .. } = *measured;
        Bounds { work: work_ns / spes as f64, memory: bytes / bandwidth, path, ppe: ppe_ns }
    }

    pub(crate) fn all(&self) -> [f64; 4] {
        [self.work, self.memory, self.path, self.ppe]
    }

    /// The largest, with its letter.
    pub(crate) fn largest(&self) -> (char, f64) {
        let all = ['w', 'm', 'p', 'P'].into_iter().zip(self.all());
        all.fold((' ', 0.0), |most, bound| if bound.1 > most.1 { bound } else { most })
    }
}

impl Choice {
    /// A session that computes results only where its engine cannot do without.
    fn session(&self, engine: &str, run: Run, limits: Limits) -> Result<Session, Box<dyn Error>> {
        let options = Options {
            engine: engine.to_owned(),
            meus: run.spes,
            // One SPE has one Cell, for the speed-up.
            cells: self.cells.min(run.spes),
            processor: self.processor,
            timing: true,
            ppe_factor: self.factor * run.part,
            compute: false,
            // Equal products of `synth` are to be executed each, as in the paper.
            common: false,
            limits,
            patience: PATIENCE,
            ..Options::default()
        };
        Ok(Session::new(&options)?)
    }

    /// Executes a program in virtual time. `progress` is told the part of its statements that has been recorded.
    pub(crate) fn measure(
        &self,
        engine: &str,
        run: Run,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Measured, Box<dyn Error>> {
        let session = self.session(engine, run, Limits::default())?;
        let (mut unused, program) = (sink(), self.program(run)?);
        let options = RunOptions { precision: self.precision, ..RunOptions::default() };
        let statements = program.statements.len() as f64;
        let mut runner = Runner::new(&session, options, &mut unused);
        runner.run(&program, |index| progress(index as f64 / statements))?;
        let bandwidth = session.target().bandwidth.ok_or("the engine has no memory of a Cell")?;
        Ok(Measured::new(&session.reports(), bandwidth))
    }

    /// The time along the longest path of the program proper.
    pub(crate) fn path_ns(&self, run: Run) -> Result<f64, Box<dyn Error>> {
        let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
        let session = self.session("clock", run, unlimited)?;
        let mut unused = sink();
        let options = RunOptions { precision: self.precision, record_only: true, ..RunOptions::default() };
        // Its variables are what the trace is to compute, so the runner lives until the trace is taken.
        let mut runner = Runner::new(&session, options, &mut unused);
        runner.run(&self.program(run)?, |_| {})?;
        let trace = session.take_trace().ok_or("the program leaves nothing to execute")?;
        drop(runner);
        let graph = session.lower(trace)?;
        let (_, times) = session.schedule(&graph);
        Ok(levels(&graph, &times).into_iter().max().unwrap_or(0) as f64)
    }

    fn program(&self, run: Run) -> Result<Program, Box<dyn Error>> {
        let name = NAMES[run.program];
        let text = text(name, self.size()).ok_or("there is no such program")?;
        Ok(parse(text.as_bytes(), name)?)
    }
}
