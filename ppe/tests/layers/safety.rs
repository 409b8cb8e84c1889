//! What is said of unsafe code: the inventory (SAFETY.md) and the comments beside it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::uses::words;

/// Folders of this repository with Rust sources.
const CRATES: [&str; 7] = [
    "ppe/src",
    "ppu-sys/src",
    "ranks/src",
    "spe-kernels/src",
    "toolchain/bindings/src",
    "toolchain/libspe2-sim/src",
    "toolchain/spu-sim/src",
];

/// Words of a SAFETY comment that has its argument elsewhere.
const ELSEWHERE: [&str; 6] =
    ["as above", "see above", "contract above", "and below", "as in `", "see the contract"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// All Rust files below a folder, with their paths from the root of the repository.
fn files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&path));
        } else if Path::new(&path).extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(entry.path()).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// The places in the first column of the inventory.
fn inventory() -> Vec<String> {
    let text = fs::read_to_string(root().join("ppe/SAFETY.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let columns = rows.filter_map(|row| row.split(" | ").next());
    columns.flat_map(|places| places.split(", ")).map(|place| place.trim_matches('`').to_owned()).collect()
}

#[test]
fn the_inventory_names_all_unsafe_code_and_nothing_else() {
    let places = inventory();
    assert!(places.len() > 10, "{places:?}");
    let has_unsafe = |text: &str| words(text).iter().any(|word| word == "unsafe");
    let is_test = |path: &str| path.contains("/tests/") || path.ends_with("tests.rs");
    let all: Vec<_> = CRATES.into_iter().flat_map(files).collect();
    let unsafe_files: Vec<&String> =
        all.iter().filter(|(path, text)| !is_test(path) && has_unsafe(text)).map(|(path, _)| path).collect();
    for path in &unsafe_files {
        assert!(
            places.iter().any(|place| path.starts_with(place)),
            "{path} has unsafe code and is not in SAFETY.md"
        );
    }
    for place in &places {
        assert!(
            unsafe_files.iter().any(|path| path.starts_with(place)),
            "{place} of SAFETY.md has no unsafe code"
        );
    }
}

/// SAFETY comments, each on one line, with the number of its first line.
fn comments(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            inside = false;
            continue;
        };
        if comment.trim_start().starts_with("SAFETY") {
            found.push((number + 1, String::new()));
            inside = true;
        }
        if let Some((_, whole)) = found.last_mut().filter(|_| inside) {
            whole.push_str(comment);
        }
    }
    found
}

#[test]
fn each_safety_comment_has_its_own_argument() {
    let folders = ["ppe", "ppu-sys", "qemu-tests", "spe-kernels", "toolchain"];
    let mut count = 0;
    for (path, text) in folders.into_iter().flat_map(files) {
        for (line, comment) in comments(&text) {
            count += 1;
            let elsewhere = ELSEWHERE.iter().find(|words| comment.contains(*words));
            assert!(
                elsewhere.is_none(),
                "{path}:{line}: say here why it is sound, not '{}'",
                elsewhere.unwrap()
            );
        }
    }
    assert!(count > 200, "{count}");
}

#[test]
fn a_planted_comment_is_found() {
    let text = "fn f() {\n    // SAFETY: this is\n    // as above.\n    unsafe {}\n    // as above\n}\n";
    assert_eq!(comments(text), [(2, " SAFETY: this is as above.".to_owned())]);
}
