//! The PPE's own work in virtual time.

use pmatrix::engine::MeuReport;
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::operation::Precision;
use pmatrix::session::{Options, Session};
use pmatrix::time::ppe::PpeTimes;
use pmatrix::trace::Limits;

/// Two values are asked for, the second one after the first; a limit starts traces that nobody waits for; and
/// the PPE executes the little repetition.
const PROGRAM: &str = "a = rand(150, 150, 1); b = a * a + a; force(b); c = a; c = c * b; c = c + a; c = c * b; \
     d = repmat(c(1:3, 1:5), 2, 2); print(sum(sum(c)), sum(sum(d)));";

fn run(options: &Options) -> (Vec<MeuReport>, String) {
    let session = Session::new(options).unwrap();
    let mut out = Vec::new();
    let run = RunOptions { precision: Precision::Double, ..RunOptions::default() };
    Runner::new(&session, run, &mut out).run(&parse(PROGRAM.as_bytes(), "test").unwrap(), |_| ()).unwrap();
    (session.reports(), String::from_utf8(out).unwrap())
}

fn cycles(reports: &[MeuReport]) -> u64 {
    reports
        .iter()
        .filter_map(|report| report.pipeline.as_ref())
        .map(|pipeline| pipeline.cycles)
        .max()
        .unwrap()
}

fn times(reports: &[MeuReport]) -> PpeTimes {
    reports.iter().find_map(|report| report.ppe).unwrap()
}

#[test]
fn the_ppes_work_takes_virtual_time_that_is_equal_in_every_run() {
    if !super::can_run() {
        return;
    }
    let options = Options {
        engine: "sim".into(),
        meus: 2,
        timing: true,
        ppe_factor: 4.0,
        chunk_operations: 20,
        limits: Limits { operations: 4, ..Limits::default() },
        ..Options::default()
    };
    let (reports, result) = run(&options);
    assert_eq!(run(&options), (reports.clone(), result.clone()));
    assert_eq!(run(&Options { overlap: false, ..options.clone() }), (reports.clone(), result.clone()));
    let PpeTimes { factor, record, lower, schedule, allocate, control, element } = times(&reports);
    assert!(factor == 4.0 && [record, lower, schedule, allocate, control].iter().all(|&ns| ns > 0));
    let ppe = reports.iter().find(|report| report.meu.is_none()).unwrap();
    assert_eq!(ppe.operations > 0, element > 0);

    let (free, same) = run(&Options { ppe_factor: 0.0, ..options.clone() });
    assert_eq!((times(&free), same), (PpeTimes::default(), result));
    let (twice, _) = run(&Options { ppe_factor: 8.0, ..options });
    assert!(times(&twice).lower.abs_diff(2 * lower) <= 8);
    assert!(cycles(&free) < cycles(&reports) && cycles(&reports) < cycles(&twice));
}
