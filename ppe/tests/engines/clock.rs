//! The virtual clock: what decides its time, and what does not.

use pmatrix::engine::MeuReport;
use pmatrix::lang::programs::{Size, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::session::{Options, Session};

/// What a program of the nine takes in virtual time, in its tiny size.
fn reports(name: &str, options: Options) -> Vec<MeuReport> {
    let options = Options { engine: "clock".into(), block_elements: Some(64), divisor: Some(4), ..options };
    let session = Session::new(&options).unwrap();
    let program = parse(text(name, Size::Tiny).unwrap().as_bytes(), name).unwrap();
    let mut unread = std::io::sink();
    Runner::new(&session, RunOptions::default(), &mut unread).run(&program, |_| ()).unwrap();
    session.reports()
}

#[test]
fn time_does_not_depend_on_whether_results_are_computed() {
    for name in ["dft", "kmeans", "leontief", "neural"] {
        let [computed, pretended] =
            [true, false].map(|compute| reports(name, Options { meus: 3, compute, ..Options::default() }));
        assert_eq!(computed, pretended, "{name}");
        let moved = |report: &MeuReport| report.fetched_bytes > 0 && report.written_bytes > 0;
        assert!(computed[..3].iter().all(moved), "{name}");
    }
}
