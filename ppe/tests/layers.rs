//! Who may use whom (ARCHITECTURE.md): each module names only modules to its right.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A module, and the modules that it may name.
const LAYERS: &[(&str, &[&str])] = &[
    // error names operations in its messages, so these three are one layer at the bottom.
    ("error", &["trace"]),
    ("process", &[]),
    ("input", &[]),
    ("memory", &["error"]),
    ("pool", &["error", "memory", "process"]),
    ("matrix", &["error", "pool", "trace"]),
    ("trace", &["error", "matrix", "memory", "pool", "process"]),
    ("lower", &["error", "matrix", "memory", "pool", "trace"]),
    ("time", &["error", "input", "trace"]),
    ("schedule", &["error", "lower", "time", "trace"]),
    ("engine", &["error", "lower", "matrix", "memory", "pool", "time", "trace"]),
    ("stats", &["lower", "trace"]),
    ("execute", &["engine", "error", "lower", "pool", "schedule", "stats"]),
    (
        "session",
        &[
            "engine", "error", "execute", "lower", "matrix", "memory", "pool", "process", "schedule",
            "stats", "time", "trace",
        ],
    ),
    ("lang", &["error", "input", "matrix", "pool", "session", "trace"]),
    ("capi", &["error", "matrix", "session", "trace"]),
];

/// Modules without a line of unsafe code.
const SAFE: &[&str] =
    &["error", "input", "trace", "lower", "time", "schedule", "execute", "session", "stats", "lang"];

fn sources(module: &str) -> Vec<PathBuf> {
    fn walk(path: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs")
                && path.file_name().is_some_and(|n| n != "tests.rs")
            {
                found.push(path);
            }
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let file = source.join(format!("{module}.rs"));
    let mut found = Vec::new();
    if source.join(module).is_dir() {
        walk(&source.join(module), &mut found);
    }
    if file.exists() {
        found.push(file);
    }
    found
}

/// The product code of a file: without comments, and without the tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    product.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[test]
fn modules_use_only_what_lies_below_them() {
    for (module, allowed) in LAYERS {
        let sources = sources(module);
        assert!(!sources.is_empty(), "there is no module {module}");
        for path in sources {
            let code = code(&path);
            let named: BTreeSet<&str> = code
                .split("crate::")
                .skip(1)
                .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
                .filter(|name| !name.is_empty() && name != module)
                .collect();
            for name in named {
                assert!(allowed.contains(&name), "{}: {module} may not use {name}", path.display());
            }
        }
    }
}

#[test]
fn every_module_has_its_layer() {
    let front = code(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
    for line in front.lines().filter_map(|line| line.trim().strip_prefix("pub mod ")) {
        let module = line.trim_end_matches(';');
        assert!(LAYERS.iter().any(|(name, _)| *name == module), "{module} has no layer");
    }
}

#[test]
fn unsafe_code_stays_where_it_belongs() {
    for module in SAFE {
        for path in sources(module) {
            assert!(!code(&path).contains("unsafe"), "{} contains unsafe code", path.display());
        }
    }
}
