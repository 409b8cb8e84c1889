//! Sessions with ranks: what they compute stands in `results`, what happens when ranks are lost in `losses`, and when they
//! have little memory in `memory`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod engines;
mod losses;
mod memory;
mod results;

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, Shape};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

const RANK: &str = env!("CARGO_BIN_EXE_pmatrix-rank");

/// Lets one test after the other have ranks, if they can be started here: if there are StarPU and mpirun. Some tests
/// end all ranks of this process.
pub(crate) fn one_at_a_time() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    can_start().then_some(turn)
}

fn can_start() -> bool {
    let usage = Command::new(RANK).output().unwrap();
    let has_starpu = usage.status.code() == Some(2);
    let has_mpirun = Command::new("mpirun").arg("--version").output().is_ok();
    let can = has_starpu && has_mpirun;
    assert!(
        can || std::env::var_os("REQUIRE_ALL").is_none(),
        "ranks need StarPU and mpirun (scripts/setup ranks)"
    );
    if !can {
        eprintln!("skipped: ranks need StarPU and mpirun (scripts/setup ranks)");
    }
    can
}

/// Options of a session whose ranks get all work.
pub(crate) fn all_to_ranks(ranks: usize, shard: u32) -> Options {
    let rank_program = Some(RANK.into());
    Options {
        ranks,
        rank_program,
        shard,
        ranks_work_ms: 0.0,
        immediate: false,
        meus: 1,
        ..Options::default()
    }
}

/// A session of this machine alone.
pub(crate) fn alone() -> Session {
    Session::new(&Options { meus: 1, ..Options::default() }).unwrap()
}

/// What a program shows.
pub(crate) fn shown(source: &str, name: &str, options: RunOptions, session: &Session) -> String {
    let program = parse(source.as_bytes(), name).unwrap();
    let mut out = Vec::new();
    let outcome = Runner::new(session, options, &mut out).run(&program, |_| {});
    let mut shown = String::from_utf8(out).unwrap();
    if let Err(error) = outcome {
        shown += &error.to_string();
    }
    shown
}

/// A matrix of thirds, which no sum rounds in the same way twice.
pub(crate) fn constant(session: &Session, rows: u32, columns: u32) -> Value {
    let element = |r: usize, c: usize| ((r * 7 + c * 13) % 31) as f64 / 3.0 - 5.0;
    let matrix = Matrix::from_fn(Shape { rows, columns }, session.pool(), element).unwrap();
    session.constant(matrix, Class::Double).unwrap()
}

/// Bits of a value.
pub(crate) fn bits(session: &Session, value: &Value) -> Vec<u64> {
    session.force(value).unwrap().values().map(f64::to_bits).collect()
}

/// The processes of ranks that this process has started, and that have not ended.
pub(crate) fn processes() -> Vec<u32> {
    let stat = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let parent = |pid: u32| {
        let stat = stat(pid)?;
        let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        // A zombie has ended.
        (fields[0] != "Z").then(|| fields[1].parse::<u32>().ok())?
    };
    let is_mine = |pid: &u32| {
        let ancestors = std::iter::successors(Some(*pid), |&pid| parent(pid).filter(|&pid| pid > 1));
        ancestors.skip(1).any(|pid| pid == std::process::id())
    };
    let is_rank =
        |pid: &u32| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == Path::new(RANK));
    let all = std::fs::read_dir("/proc").unwrap();
    let pids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(is_rank).filter(is_mine).collect()
}
