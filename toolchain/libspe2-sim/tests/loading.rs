//! The library is loaded as the Cell engine loads a libspe2, and as any program would.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::env;
use std::path::PathBuf;

use ppu_sys::{Library, Unavailable};

/// The shared library, which lies beside this test's executable.
fn library() -> PathBuf {
    env::current_exe().unwrap().with_file_name("libspe2.so")
}

#[test]
fn it_is_a_libspe2_with_eight_spes() {
    let library = Library::open(library().as_os_str()).unwrap();
    assert_eq!(library.check(8), Ok(()));
    assert_eq!(library.check(9), Err(Unavailable::TooFewSpes { wanted: 9, usable: 8 }));
}

/// Names of the functions that the file exports, from its dynamic symbol table.
fn exported() -> Option<Vec<String>> {
    let output =
        std::process::Command::new("nm").args(["-D", "--defined-only"]).arg(library()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut names: Vec<String> =
        text.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect();
    names.sort();
    Some(names)
}

#[test]
fn it_exports_the_binary_interface_and_nothing_else() {
    let Some(names) = exported() else {
        assert!(env::var_os("REQUIRE_ALL").is_none(), "there is no nm");
        eprintln!("skipped: there is no nm (binutils has it)");
        return;
    };
    let mut expected = ppu_sys::Functions::NAMES.to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
}
