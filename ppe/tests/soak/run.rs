//! Runs a program, and compares what it prints.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fastrand::Rng;
use pmatrix::engine::sabotage::Manner;
use pmatrix::lang::ast::Program;
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::memory::injection;
use pmatrix::session::{Options, Session};

use crate::program::Case;
use crate::setting::{Disturbance, Setting};

/// Room for what a program prints, so that no memory that the system refuses is wanted here.
const OUTPUT_BYTES: usize = 1 << 22;

/// What has been run.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) programs: u64,
    pub(crate) runs: u64,
    pub(crate) traces: u64,
    pub(crate) block_operations: u64,
    /// MEUs that were lost.
    pub(crate) lost: u64,
    /// MEUs that hung: each may leave the memory of a graph behind.
    pub(crate) hung: u64,
    /// Allocations that were refused.
    pub(crate) refused: u64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { programs, runs, traces, block_operations, lost, hung, refused } = self;
        write!(
            f,
            "{programs} programs, {runs} runs, {traces} traces, {block_operations} block operations, {lost} MEUs lost, \
             {hung} of them hung, {refused} allocations refused"
        )
    }
}

/// Runs a program under a setting, and says in what the run differs from what it should be.
pub(crate) fn compare(case: &Case, setting: &Setting, counts: &mut Counts) -> Result<(), String> {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let expected = undisturbed(case, &setting.expected(case))?;
        disturbed(case, setting, &expected, counts)
    }));
    injection::end();
    caught.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.into())).unwrap_or_default())
    })
}

fn parsed(case: &Case) -> Result<Program, String> {
    parse(case.text.as_bytes(), "soak").map_err(|error| error.to_string())
}

fn execute(session: &Session, case: &Case, program: &Program, out: &mut Vec<u8>) -> Result<(), String> {
    out.clear();
    let options = RunOptions { precision: case.precision, ..RunOptions::default() };
    Runner::new(session, options, out).run(program, |_| ()).map_err(|error| error.to_string())
}

fn undisturbed(case: &Case, options: &Options) -> Result<Vec<u8>, String> {
    let session = Session::new(options).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    execute(&session, case, &parsed(case)?, &mut out)
        .map_err(|what| format!("without disturbance: {what}"))?;
    Ok(out)
}

fn disturbed(case: &Case, setting: &Setting, expected: &[u8], counts: &mut Counts) -> Result<(), String> {
    let session = Session::new(&setting.options).map_err(|error| error.to_string())?;
    let program = parsed(case)?;
    let mut out = Vec::with_capacity(OUTPUT_BYTES);
    let mut random = Rng::with_seed(setting.seed);
    let mut run = |program: &Program| execute(&session, case, program, &mut out);
    let outcome = match setting.disturbance {
        Disturbance::None => run(&program),
        Disturbance::Busy => beside(
            |stop| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            },
            || run(&program),
        ),
        Disturbance::Cancelled(times) => {
            let session = &session;
            let cancel = move |stop: &AtomicBool| {
                for _ in 0..times {
                    std::thread::sleep(Duration::from_micros(1 << random.u32(4..12)));
                    if stop.load(Ordering::Relaxed) || session.cancel().is_err() {
                        break;
                    }
                }
            };
            beside(cancel, || run(&program))
        }
        Disturbance::NoMemory(granted) => {
            injection::refuse(granted..u64::MAX);
            let outcome = run(&program);
            counts.refused += injection::end();
            match outcome {
                Err(what) if what.contains("out of memory") => run(&program),
                outcome => outcome,
            }
        }
        Disturbance::Abandoned(percent) => {
            let mut part = program.clone();
            part.statements.truncate(program.statements.len() * percent / 100);
            run(&part).and_then(|()| run(&program))
        }
    };
    let outcome = outcome.and_then(|()| same(&out, expected));
    let losses = session.take_losses();
    counts.runs += 1;
    let statistics = session.statistics();
    counts.traces += statistics.traces;
    counts.block_operations += statistics.block_operations;
    counts.lost += losses.len() as u64;
    if setting.options.sabotage.is_some_and(|sabotage| sabotage.manner == Manner::Hang) {
        counts.hung += losses.len() as u64;
    }
    outcome.map_err(|what| format!("{what}; lost: {losses:?}"))?;
    match setting.options.sabotage {
        None if !losses.is_empty() => Err(format!("nothing was to be lost: {losses:?}")),
        _ => Ok(()),
    }
}

/// Calls `work` while another thread does something else, until it is told to stop.
fn beside<R>(other: impl FnOnce(&AtomicBool) + Send, work: impl FnOnce() -> R) -> R {
    let stop = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || other(stop));
        let result = work();
        stop.store(true, Ordering::Relaxed);
        result
    })
}

/// Says where two outputs differ first.
fn same(found: &[u8], expected: &[u8]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (String::from_utf8_lossy(found), String::from_utf8_lossy(expected));
    let lines = found.lines().zip(expected.lines()).enumerate();
    let first = lines.map(|(number, (a, b))| (number + 1, a, b)).find(|(_, a, b)| a != b);
    Err(match first {
        Some((number, found, expected)) => {
            let words = found.split_whitespace().zip(expected.split_whitespace()).enumerate();
            let word = words.filter(|(_, (a, b))| a != b).map(|(at, (a, b))| (at + 1, a, b)).next();
            format!("line {number} differs, first in (word, found, expected) {word:?}")
        }
        None => format!("{} lines instead of {}", found.lines().count(), expected.lines().count()),
    })
}
