//! Programs of the trace language, and time models.

use std::fs;
use std::path::Path;

use pmatrix::lang::parse;
use pmatrix::operation::{OpKind, Precision, Shape};
use pmatrix::time::TimeModel;

use super::fuzz;

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
    fuzz(11, &good, |text| match parse(text, "random") {
        Ok(program) => {
            let again = parse(program.source.as_bytes(), "random").unwrap();
            // Texts of programs cost more than the parser, and a program with NaN does not equal itself.
            assert!(program == again || format!("{program:?}") == format!("{again:?}"), "{program:?}");
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    });
}

#[test]
fn models() {
    let good = files("models", "model");
    let parse = |text: &[u8]| TimeModel::parse(&String::from_utf8_lossy(text), "a model");
    good.iter().for_each(|text| _ = parse(text).unwrap());
    let mut kinds = OpKind::ALL.into_iter().cycle();
    fuzz(12, &good, |text| match parse(text) {
        Ok(model) => {
            // A file has fewer digits than a number.
            TimeModel::parse(&model.to_text("written"), "written").unwrap();
            let shape = Shape { rows: 65535, columns: 65535 };
            let kind = kinds.next().unwrap();
            for precision in Precision::ALL {
                let time = model.estimate_whole(kind, precision, shape, shape);
                assert!(time.is_finite() && time >= 0.0, "{kind:?} takes {time}");
            }
            true
        }
        Err(error) => {
            assert!(error.to_string().contains("a model"), "{error}");
            false
        }
    });
}
