//! Compiles and runs `capi.c` against the static library.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod built;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The static library, which is built with the tests into their directory. Older builds may have left further
/// libraries there.
fn newest_library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let libraries =
        test.parent().unwrap().read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libpmatrix-") && name.ends_with(".a")
        });
    libraries
        .max_by_key(|path| path.metadata().unwrap().modified().unwrap())
        .expect("the tests build the static library")
}

#[test]
fn the_c_interface_does_what_its_header_says() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = newest_library();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
    let variable = |name| std::env::var(name).ok();
    let compiler = variable("TARGET_CC").or_else(|| variable("CC")).unwrap_or_else(|| "cc".into());
    let status = Command::new(compiler)
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program)
        .arg(format!("-I{}", source.join("include").display()))
        .arg(source.join("tests/capi.c"))
        .arg(&library)
        .args(["-lpthread", "-ldl", "-lm"])
        // HiGHS is a C++ program.
        .args(cfg!(feature = "highs").then_some("-lstdc++"))
        .status()
        .unwrap();
    assert!(status.success(), "capi.c does not compile");
    let output = built::command(program).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
