//! Programs of the trace language, and time models.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use pmatrix::lang::parse;
use pmatrix::operation::{OpKind, Precision, Shape};
use pmatrix::time::TimeModel;

use super::mutation::mutated;
use super::{inputs, with_input};

/// The files with this extension in a folder of this crate.
fn files(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    assert!(!paths.is_empty());
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn programs() {
    let good = [files("benchmarks/traces", "trace"), files("tests/golden", "trace")].concat();
    good.iter().for_each(|text| _ = parse(text, "good").unwrap());
    let mut random = Rng::with_seed(11);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..inputs() {
        with_input(&mutated(&good, &mut random), |text| match parse(text, "random") {
            Ok(program) => {
                let again = parse(program.source.as_bytes(), "random").unwrap();
                // Texts of programs cost more than the parser, and a program with NaN does not equal itself.
                assert!(program == again || format!("{program:?}") == format!("{again:?}"), "{program:?}");
                accepted += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        });
    }
    assert!(accepted > 0 && refused > 0, "{accepted} accepted, {refused} refused");
}

#[test]
fn models() {
    let good = files("models", "model");
    let parse = |text: &[u8]| TimeModel::parse(&String::from_utf8_lossy(text), "a model");
    good.iter().for_each(|text| _ = parse(text).unwrap());
    let mut random = Rng::with_seed(12);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..inputs() {
        let kind = OpKind::ALL[random.usize(..OpKind::ALL.len())];
        with_input(&mutated(&good, &mut random), |text| match parse(text) {
            Ok(model) => {
                // A file has fewer digits than a number.
                TimeModel::parse(&model.to_text("written"), "written").unwrap();
                let shape = Shape { rows: 65535, columns: 65535 };
                for precision in Precision::ALL {
                    let time = model.estimate_whole(kind, precision, shape, shape);
                    assert!(time.is_finite() && time >= 0.0, "{kind:?} takes {time}");
                }
                accepted += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("a model"), "{error}");
                refused += 1;
            }
        });
    }
    assert!(accepted > 0 && refused > 0, "{accepted} accepted, {refused} refused");
}
