//! The trace language from text to result: golden files by stage, the benchmark programs' graphs, and random
//! programs on all engines.
//!
//! `UPDATE_GOLDEN=1 cargo test --test lang` writes the golden files anew.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod built;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pmatrix::lang::random::{RandomOptions, exact_operations, program};
use pmatrix::lang::{RunOptions, Runner, parse, programs};
use pmatrix::lower::{ChunkLimits, Lowering, Target};
use pmatrix::operation::{OpKind, Precision};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Limits;

/// The output of a program.
fn output(text: &str, name: &str, options: &Options) -> String {
    let session = Session::new(options).unwrap();
    let program = parse(text.as_bytes(), name).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut out = Vec::new();
    let result = Runner::new(&session, RunOptions::default(), &mut out).run(&program, |_| ());
    result.unwrap_or_else(|error| panic!("{error}\n{text}"));
    String::from_utf8(out).unwrap()
}

#[test]
fn golden_files() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut found = 0;
    let traces: Vec<PathBuf> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    for path in traces.iter().filter(|path| path.extension().is_some_and(|e| e == "trace")) {
        // The paper's stages, and programs on SPEs and in main memory.
        let stages: [(&str, &[&str]); 7] = [
            ("trace.txt", &["dump", "--stage", "trace"]),
            ("lowered.txt", &["dump", "--local-store", "--no-fusion", "--uneven", "--stage", "lowered"]),
            ("schedule.txt", &["dump", "--local-store", "--no-fusion", "--uneven", "--stage", "schedule"]),
            ("plan.txt", &["dump", "--local-store", "--stage", "plan"]),
            ("programs.txt", &["dump", "--local-store", "--stage", "lowered"]),
            ("result.txt", &["run"]),
            ("in_place.txt", &["dump", "--stage", "lowered"]),
        ];
        for (extension, arguments) in stages {
            let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/golden.model");
            let output = built::command(env!("CARGO_BIN_EXE_pmatrix"))
                .args(arguments)
                .args(["--engine", "host", "--scheduler", "heuristic", "--meus", "2", "--model"])
                .arg(model)
                .args(["--block-elements", "64", "--divisor", "4", "--chain", "1", "--stretch", "false"])
                .arg(path)
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{}: {}",
                path.display(),
                String::from_utf8_lossy(&output.stderr)
            );
            let golden = path.with_extension(extension);
            if update {
                fs::write(&golden, &output.stdout).unwrap();
            }
            let expected = fs::read_to_string(&golden).unwrap_or_default();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{}", golden.display());
        }
        found += 1;
    }
    assert!(found >= 3, "golden files in {}", directory.display());
}

/// Nodes and edges of a program's graph: original, lowered for single, lowered for double blocks, with the
/// paper's limits.
fn sizes(name: &str) -> [(u64, u64); 3] {
    let text = programs::text(name, programs::Size::Paper).unwrap();
    let program = parse(text.as_bytes(), name).unwrap();
    let mut sizes = [(0, 0); 3];
    for precision in Precision::ALL {
        let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
        // Only the shapes count, so the input need not be computed.
        let session = Session::new(&Options {
            engine: "null".into(),
            limits: unlimited,
            validate: false,
            overlap: false,
            common: false,
            ..Options::default()
        })
        .unwrap();
        let mut out = std::io::sink();
        let options = RunOptions { precision, record_only: true, ..RunOptions::default() };
        let mut runner = Runner::new(&session, options, &mut out);
        runner.run(&program, |_| ()).unwrap();
        let trace = session.take_trace().unwrap();
        let (nodes, edges) = trace.graph_size();
        sizes[0] = (nodes as u64, edges as u64);
        let mut lowering = Lowering::new(
            Arc::new(trace),
            &Target::paper(8),
            session.model(),
            session.pool(),
            ChunkLimits { operations: 4096, ..ChunkLimits::WHOLE },
        );
        while lowering.next_chunk().unwrap_or_else(|error| panic!("{name}: {error}")).is_some() {}
        sizes[1 + precision as usize] = (lowering.size().nodes, lowering.size().edges);
    }
    sizes
}

#[test]
fn graphs_of_the_benchmark_programs_have_the_papers_sizes() {
    let table = [
        ("dft", [(9, 9), (72384, 141284), (223896, 440420)]),
        ("synth", [(60003, 120000), (60003, 120000), (720012, 1440000)]),
        ("hill", [(9, 8), (73684, 140608), (226708, 438976)]),
        ("hits", [(50, 98), (319950, 639450), (1020272, 2039576)]),
        ("kmeans", [(34, 45), (137512, 229175), (200014, 333345)]),
        ("leontief", [(204, 402), (129152, 254720), (433152, 858456)]),
        ("markov", [(52, 100), (93400, 186580), (320400, 640320)]),
        ("neural", [(9994, 12489), (234842, 413763), (514650, 943239)]),
        ("reachability", [(959, 1912), (119575, 239000), (489664, 978944)]),
    ];
    let wrong: Vec<_> = table
        .iter()
        .map(|(name, expected)| (name, expected, sizes(name)))
        .filter(|(_, e, s)| *e != s)
        .collect();
    assert!(wrong.is_empty(), "name, expected, found: {wrong:#?}");
}

#[test]
fn benchmark_traces_are_what_unroll_writes() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/traces");
    for name in programs::NAMES {
        let text = programs::text(name, programs::Size::Small).unwrap();
        let path = directory.join(format!("{name}.trace"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &text).unwrap();
        }
        assert!(fs::read_to_string(&path).unwrap() == text, "{} is out of date", path.display());
    }
}

#[test]
fn benchmark_programs_compute_what_they_should() {
    let shown = |name: &str, show: &str| {
        let options = Options { meus: 3, ..Options::default() };
        let text = programs::text(name, programs::Size::Tiny).unwrap();
        let own = output(&text, name, &options);
        let all = output(&(text + show), name, &options);
        let host = all.strip_prefix(&own).unwrap().to_owned();
        assert!(!own.is_empty() && !host.is_empty());
        host
    };
    let zeros = |name: &str, show: &str| {
        let text = shown(name, show);
        assert!(text.split_whitespace().all(|number| number == "0" || number == "-0"), "{name}: {text}");
    };
    zeros("hill", "print(plain - M);");
    zeros("reachability", "print((R * R != 0) - R);");
    zeros("markov", "print(round((ones(1,12) * s - 1) * 1e12));");
    zeros("leontief", "print(round((x - A * x - d) * 1e9));");
    // Two epochs teach little, but what is recalled are bits.
    zeros("neural", "print(out .* (1 - out));");
    zeros("hits", "print(round((P - P * L) * 1e2));");
    zeros("kmeans", "print(ones(1,8) * S5 * [0; 0; 1] - 64);");
    // The transform of a constant has all of its sum at frequency 0.
    zeros("dft", "print(round(((cos(phase) * ones(12,1)) - (k == 0) * 12) * 1e9));");
    shown("synth", "print(P12);");
}

fn engine(name: &str, meus: usize) -> Options {
    // The same limits on all engines: they fix the order of the sums.
    Options { engine: name.into(), meus, block_elements: Some(256), divisor: Some(4), ..Options::default() }
}

#[test]
fn random_programs_give_the_same_bits_everywhere() {
    for seed in 0..24 {
        let exact = seed % 2 == 0;
        let operations = if exact { exact_operations() } else { OpKind::ALL.to_vec() };
        let max_side = [1, 7, 40, 70][seed as usize % 4];
        let min_side = u32::from(seed % 5 != 0);
        let text = program(&RandomOptions {
            length: 40,
            min_side,
            max_side,
            seed,
            operations,
            ..RandomOptions::default()
        });
        // sin, cos and powers may differ in the last bit between engines, but not between runs of one.
        let first = if exact { engine("reference", 1) } else { engine("host", 1) };
        let expected = output(&text, "random", &first);
        for (index, meus) in (1..=8).enumerate() {
            let options = Options {
                scheduler: ["heuristic", "round-robin", "hlfet", "online", "portfolio"][index % 5].into(),
                overlap: index % 3 != 0,
                chaos: (index % 4 == 1).then_some(seed),
                poison: index % 2 == 1,
                chunk_operations: [2048, 5, 64][index % 3],
                limits: Limits { bytes: [u64::MAX, 1 << 14][index % 2], ..Limits::default() },
                ..engine("host", meus)
            };
            assert!(output(&text, "random", &options) == expected, "seed {seed}, {options:?}:\n{text}");
        }
    }
}
