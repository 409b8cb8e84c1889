//! Random programs on random engines, without end: any number of MEUs, schedulers, cuts and limits; MEUs that are lost, memory
//! that is refused, executions that are given up, and busy processors. Each run has the bits of the reference, ends, and leaves
//! nothing behind in the process.
//!
//! `scripts/soak` runs it for hours, and has its options as the environment variables `PMATRIX_SOAK_SECONDS`, `_PROGRAMS`,
//! `_SEED`, `_MEUS` (the most), `_RUNS` (of each program), `_HANGS` (0: no MEU hangs), and `_REPEAT` (a file). Without any of them
//! it is a short test, equal in every run.
//!
//! A program that fails is made as small as it still fails, and written to a file of the trace language. The file's first line
//! says the seed and the number of the run, from which all else is drawn; `scripts/soak --repeat FILE` runs it again.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod program;
mod resources;
mod run;
mod setting;
mod shrink;
mod watchdog;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use program::Case;
use resources::Growth;
use run::{Counts, compare};
use setting::Setting;
use watchdog::Watchdog;

/// Programs of the short test.
const PROGRAMS: u64 = 100;

/// Runs of each program, unless told.
const RUNS: u64 = 4;

/// How often a file's program is run: what fails may fail now and then.
const REPEATS: u64 = 100;

fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(format!("PMATRIX_SOAK_{name}")).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("PMATRIX_SOAK_{name} is no number: {text}")))
}

/// Where programs that fail are written, and the seed of the program that runs: a process that ends can say neither.
fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("soak");
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn random_programs_under_random_faults_give_the_reference_bits_and_leave_nothing_behind() {
    let watchdog = Watchdog::start(folder());
    let most_meus = variable("MEUS").unwrap_or(8) as usize;
    if let Ok(path) = std::env::var("PMATRIX_SOAK_REPEAT") {
        return repeat(&PathBuf::from(path), most_meus, &watchdog);
    }
    resources::keep_little();
    let begun = Instant::now();
    let time = variable("SECONDS").map(Duration::from_secs);
    let most = variable("PROGRAMS").unwrap_or(if time.is_some() { u64::MAX } else { PROGRAMS });
    let (first, runs) = (variable("SEED").unwrap_or(1), variable("RUNS").unwrap_or(RUNS));
    let mut growth = Growth::default();
    let mut counts = Counts::default();
    let mut said = Instant::now();
    for seed in first.. {
        if counts.programs == most || time.is_some_and(|time| begun.elapsed() > time) {
            break;
        }
        let case = Case::new(seed);
        for number in 0..runs {
            let setting = Setting::new(seed, number, &case, most_meus);
            watchdog.begin(&case, number, &setting);
            if let Err(what) = compare(&case, &setting, &mut counts) {
                let path = shrink::write(&folder(), &case, number, &setting, &what, &watchdog);
                panic!("seed {seed}, run {number}: {what}\nthe program: {}", path.display());
            }
        }
        watchdog.end();
        counts.programs += 1;
        growth.look(&counts).unwrap_or_else(|what| panic!("up to seed {seed}: {what}"));
        if said.elapsed() > Duration::from_secs(10) {
            said = Instant::now();
            println!("{:6.0} s, up to seed {seed}: {counts}; {growth}", begun.elapsed().as_secs_f64());
        }
    }
    println!("{:6.0} s, seeds from {first} on: {counts}; {growth}", begun.elapsed().as_secs_f64());
    assert!(
        counts.lost > 0 && counts.refused > 0 && counts.traces > counts.runs || most < PROGRAMS,
        "{counts}"
    );
}

/// Runs a program that has failed once more, many times.
fn repeat(path: &std::path::Path, most_meus: usize, watchdog: &Watchdog) {
    let (case, number) = Case::read(path);
    let setting = Setting::new(case.seed, number, &case, most_meus);
    println!("{setting}");
    let mut counts = Counts::default();
    for _ in 0..REPEATS {
        watchdog.begin(&case, number, &setting);
        compare(&case, &setting, &mut counts).unwrap_or_else(|what| panic!("{what}"));
        watchdog.end();
    }
    println!("{counts}");
}
