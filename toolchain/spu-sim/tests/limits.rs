//! Files that are no programs: an error, however large they are.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs::File;
use std::path::Path;
use std::process::Command;

/// What the command says of a file.
fn said(path: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_spu-sim")).arg("run").arg(path).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code != 0), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn files_that_are_too_large_or_endless_are_not_read() {
    assert!(said(Path::new("/dev/zero")).contains("/dev/zero: it is no regular file"));
    assert!(said(Path::new("/")).contains("it is no regular file"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large.elf");
    // A hole: the file takes no room on the disk.
    let large = File::create(&path).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    assert!(said(&path).contains("it is larger than 67108864 bytes"));
    large.set_len(1000).unwrap();
    assert!(said(&path).contains("ELF"));
}
