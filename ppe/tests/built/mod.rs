//! Starting programs that were built for the target, which is not always the machine that the tests run on.

use std::ffi::OsStr;
use std::process::Command;

/// A program built for the target, behind the emulator that `PMATRIX_TEST_RUNNER` names
/// (toolchain/powerpc64.toml sets it).
pub(crate) fn command(path: impl AsRef<OsStr>) -> Command {
    let runner = std::env::var("PMATRIX_TEST_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    match words.next() {
        None => Command::new(path),
        Some(first) => {
            let mut command = Command::new(first);
            command.args(words).arg(path);
            command
        }
    }
}
