//! The virtual clock: what decides its time, and what does not.

use pmatrix::engine::MeuReport;
use pmatrix::lang::programs::{Size, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::session::{Options, Session};

/// What a program takes in virtual time, and what it prints.
fn run(program: &str, options: Options) -> (Vec<MeuReport>, String) {
    let session = Session::new(&Options { engine: "clock".into(), ..options }).unwrap();
    let program = parse(program.as_bytes(), "test").unwrap();
    let mut out = Vec::new();
    Runner::new(&session, RunOptions::default(), &mut out).run(&program, |_| ()).unwrap();
    (session.reports(), String::from_utf8(out).unwrap())
}

/// A program of the nine in its tiny size, in small blocks.
fn tiny(name: &str, options: Options) -> (Vec<MeuReport>, String) {
    let options = Options { block_elements: Some(64), divisor: Some(4), ..options };
    run(&text(name, Size::Tiny).unwrap(), options)
}

#[test]
fn time_does_not_depend_on_whether_results_are_computed() {
    for name in ["dft", "kmeans", "leontief", "neural"] {
        let [computed, pretended] =
            [true, false].map(|compute| tiny(name, Options { meus: 3, compute, ..Options::default() }).0);
        assert_eq!(computed, pretended, "{name}");
        let moved = |report: &MeuReport| report.fetched_bytes > 0 && report.written_bytes > 0;
        assert!(computed[..3].iter().all(moved), "{name}");
    }
}

#[test]
fn two_cells_give_the_bits_of_one_and_the_same_time_in_every_run() {
    for name in ["dft", "hits", "kmeans", "neural"] {
        let of = |cells| tiny(name, Options { meus: 4, cells, ..Options::default() });
        let (one, two) = (of(1), of(2));
        assert_eq!(one.1, two.1, "{name}");
        assert_eq!(of(2), two, "{name}");
        assert!(one.0.iter().all(|report| report.far_bytes == 0));
    }
}

/// Sums of large matrices, which take no time but that of their transfers.
const SUMS: &str = "a = rand(1152, 1536, 1); b = rand(1152, 1536, 2); c = a + b; d = c - b; force(c, d);";

#[test]
fn the_memories_of_two_cells_move_more_than_one() {
    let of = |cells| {
        let options = Options { meus: 16, cells, ppe_factor: 0.0, compute: false, ..Options::default() };
        let reports = run(SUMS, options).0;
        let waits = reports.iter().filter_map(|report| report.waits);
        let all: u64 = reports.iter().map(|report| report.fetched_bytes + report.written_bytes).sum();
        let far: u64 = reports.iter().map(|report| report.far_bytes).sum();
        (waits.map(|waits| waits.total_ns()).fold(0.0, f64::max), far as f64 / all as f64)
    };
    let ((one, _), (two, far)) = (of(1), of(2));
    assert!(two < 0.7 * one, "{two} {one}");
    // Without a preference it would be half of the bytes.
    assert!((0.0..0.3).contains(&far), "{far}");
}

#[test]
fn cells_have_equal_numbers_of_spes() {
    let error = Session::new(&Options { engine: "clock".into(), meus: 5, cells: 2, ..Options::default() });
    assert_eq!(error.unwrap_err().to_string(), "5 MEUs cannot be divided among 2 Cells");
    let error = Session::new(&Options { engine: "host".into(), meus: 4, cells: 2, ..Options::default() });
    assert_eq!(error.unwrap_err().to_string(), "cells is 2: the engine 'host' has at most 1");
}
