//! The program for the PPE computes what this machine computes, bit for bit.

use std::fs;

use pmatrix::lang::programs;
use pmatrix::lang::random::{RandomOptions, program};
use pmatrix::operation::{OpKind, Precision};
use qemu_tests::{Emulated, compare, native, printing, root};

/// Engines whose arithmetic is IEEE's in both precisions.
const ENGINES: [&str; 2] = ["host", "reference"];

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Runs a program in both precisions on every engine.
fn everywhere(pmatrix: &Emulated, text: &str) {
    for precision in Precision::ALL {
        for engine in ENGINES {
            pmatrix.agrees(text, precision, &["--engine", engine, "--meus", "2"], &[]);
        }
    }
}

#[test]
fn every_operation() {
    let Some(pmatrix) = Emulated::find() else { return };
    for name in ["operations", "special", "denormal"] {
        everywhere(&pmatrix, &text(&format!("qemu-tests/tests/programs/{name}.trace")));
    }
}

#[test]
fn functions_of_the_c_library() {
    let Some(pmatrix) = Emulated::find() else { return };
    let text = text("qemu-tests/tests/programs/library.trace");
    for precision in Precision::ALL {
        // The C library has other code for other processors, so only engines on one machine have equal bits.
        let run = |engine| pmatrix.run(&text, precision, &["--engine", engine], &[]);
        let reference = run("reference");
        compare(&reference.out, &native(&text, precision), precision, 2, "library.trace");
        for engine in ENGINES {
            assert_eq!(run(engine), reference, "{engine}");
        }
    }
}

#[test]
fn programs_of_the_trace_language() {
    let Some(pmatrix) = Emulated::find() else { return };
    for path in [
        "ppe/examples/add.trace",
        "ppe/tests/golden/dead.trace",
        "ppe/tests/golden/elementwise.trace",
        "ppe/tests/golden/power.trace",
    ] {
        everywhere(&pmatrix, &printing(&text(path)));
    }
}

#[test]
fn the_nine_programs() {
    let Some(pmatrix) = Emulated::find() else { return };
    for name in programs::NAMES {
        let text = programs::text(name, programs::Size::Tiny).unwrap_or_default();
        everywhere(&pmatrix, &printing(&text));
    }
}

#[test]
fn any_number_of_meus_and_any_order() {
    let Some(pmatrix) = Emulated::find() else { return };
    let text = text("qemu-tests/tests/programs/operations.trace");
    for meus in 1..=16 {
        let seed = meus.to_string();
        let scheduler = ["heuristic", "round-robin"][meus % 2];
        let mut options = vec!["--engine", "host", "--meus", &seed, "--scheduler", scheduler];
        match meus % 3 {
            0 => options.push("--no-overlap"),
            1 => options.extend(["--chaos", &seed]),
            _ => options.extend(["--chunk", "7"]),
        }
        pmatrix.agrees(&text, Precision::Double, &options, &[]);
    }
}

#[test]
fn random_programs() {
    let Some(pmatrix) = Emulated::find() else { return };
    for seed in 0..12 {
        println!("seed {seed}");
        let max_side = [1, 7, 20, 40][seed as usize % 4];
        // The operations of the paper, and conversion: none of them calls the C library.
        let options = RandomOptions {
            length: 30,
            min_side: u32::from(seed % 5 != 0),
            max_side,
            seed,
            operations: OpKind::ALL.into_iter().filter(|kind| *kind <= OpKind::Convert).collect(),
            ..RandomOptions::default()
        };
        let meus = (1 + seed % 8).to_string();
        for precision in Precision::ALL {
            pmatrix.agrees(&program(&options), precision, &["--engine", "host", "--meus", &meus], &[]);
        }
    }
}
