//! A program that fails, made as small as it still fails.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::Case;
use crate::run::{Counts, compare};
use crate::setting::Setting;
use crate::watchdog::Watchdog;

/// How often a smaller program is run, since what fails may fail now and then.
const TRIES: u32 = 5;

/// What kind of failure it is: a program that lacks a statement may fail because of that.
fn kind(what: &str) -> String {
    what.chars().filter(|letter| !letter.is_ascii_digit()).take(50).collect()
}

/// Whether a case fails in this way.
fn fails(case: &Case, number: u64, setting: &Setting, kind_of: &str, watchdog: &Watchdog) -> bool {
    (0..TRIES).any(|_| {
        watchdog.begin(case, number, setting);
        compare(case, setting, &mut Counts::default()).is_err_and(|what| kind(&what) == kind_of)
    })
}

/// Leaves out statements, many at first, as long as what is left fails.
fn shrunk(case: &Case, number: u64, setting: &Setting, kind: &str, watchdog: &Watchdog) -> Case {
    let mut case = case.clone();
    let mut size = case.text.lines().count() / 2;
    while size > 0 {
        let lines: Vec<&str> = case.text.lines().collect();
        let smaller = (0..lines.len()).step_by(size).rev().find_map(|from| {
            let to = (from + size).min(lines.len());
            let text = [&lines[..from], &lines[to..]].concat().join("\n") + "\n";
            let candidate = Case { text, ..case.clone() };
            fails(&candidate, number, setting, kind, watchdog).then_some(candidate)
        });
        match smaller {
            Some(smaller) => case = smaller,
            None => size /= 2,
        }
    }
    case
}

/// Writes the smallest program found that fails, with all that is known; returns the file.
pub(crate) fn write(
    folder: &Path,
    case: &Case,
    number: u64,
    setting: &Setting,
    what: &str,
    watchdog: &Watchdog,
) -> PathBuf {
    let path = folder.join(format!("seed-{}-run-{number}.trace", case.seed));
    let remarks = format!("{what}\n{setting}");
    // First as it is, should something smaller end the process.
    fs::write(&path, case.to_file(number, &remarks)).unwrap();
    let small = shrunk(case, number, setting, &kind(what), watchdog);
    fs::write(&path, small.to_file(number, &remarks)).unwrap();
    path
}
