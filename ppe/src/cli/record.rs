//! A program as one trace, for commands that look at it instead of executing it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use pmatrix::lang::ast::Program;
use pmatrix::lang::saved::Stated;
use pmatrix::lang::{RunOptions, Runner};
use pmatrix::session::{Options, Session};
use pmatrix::trace::{Limits, Trace};

use super::options::SessionArguments;
use super::progress::{Show, watch};
use super::{Failure, read_program};

/// No limit: the program is one trace.
const UNLIMITED: Limits = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };

/// Records a program; returns its trace, and the session that it belongs to. None for a program that leaves
/// nothing to execute, which a warning says.
pub(super) fn record(
    arguments: &SessionArguments,
    file: &Path,
    show: Show,
) -> Result<Option<(Session, Trace)>, Failure> {
    record_program(arguments, &read_program(file)?, show)
}

/// Records a program as [`record`] does.
pub(super) fn record_program(
    arguments: &SessionArguments,
    program: &Program,
    show: Show,
) -> Result<Option<(Session, Trace)>, Failure> {
    let options = arguments.options(UNLIMITED, false)?;
    let run = RunOptions { precision: arguments.precision(), record_only: true, ..RunOptions::default() };
    let recorded = take(options, run, program, (false, show))?;
    Ok(recorded.map(|(session, trace, _)| (session, trace)))
}

/// Records a program for a file, in a session of this machine that writes a timeline if it has a file for it.
pub(super) fn record_for_file(
    program: &Program,
    run: RunOptions,
    profile: Option<PathBuf>,
    show: Show,
) -> Result<Option<(Session, Trace, Vec<Stated>)>, Failure> {
    let options = Options { limits: UNLIMITED, profile, ..Options::default() };
    take(options, RunOptions { record_only: true, ..run }, program, (true, show))
}

/// Records a program, and notes what it would show if that is wanted.
fn take(
    options: Options,
    run: RunOptions,
    program: &Program,
    (notes, show): (bool, Show),
) -> Result<Option<(Session, Trace, Vec<Stated>)>, Failure> {
    // A taken trace can be lowered once its constants are there, so nothing may be in flight. It has every
    // operation, so none is computed at once.
    let options = Options { immediate: false, ..options };
    let session = Session::new(&options).map_err(Failure::of_session)?;
    let mut unused = io::sink();
    // Its variables are what the trace is to compute, so the runner lives until the trace is taken.
    let mut runner = Runner::new(&session, run, &mut unused);
    if notes {
        runner.note_stated();
    }
    watch(show, &session, program.statements.len(), |begun| {
        runner.run(program, |index| begun.store(index + 1, Ordering::Relaxed))
    })?;
    let trace = session.take_trace();
    let stated = runner.take_stated();
    drop(runner);
    if trace.is_none() {
        log::warn!("the program leaves nothing to execute");
    }
    Ok(trace.map(|trace| (session, trace, stated)))
}
