//! The SPU compiler for tests that need it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Directory of the compiler's programs, or `None` after saying why the test cannot run. With `REQUIRE_ALL=1`
/// that is a failure.
pub(crate) fn toolchain() -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spu-gcc.sh");
    let found = Command::new(&script).arg("--find").output().ok().filter(|output| output.status.success());
    let prefix = found.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    if prefix.is_none() {
        let required = std::env::var("REQUIRE_ALL").is_ok_and(|value| value == "1");
        assert!(!required, "REQUIRE_ALL=1, but there is no SPU compiler (toolchain/spu-gcc.sh)");
        eprintln!("skipped: there is no SPU compiler (toolchain/spu-gcc.sh builds one)");
    }
    prefix.map(|prefix| Path::new(&prefix).join("bin"))
}

/// A directory for one test's files, removed at the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("spu-sim-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory is writable");
        Scratch(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover in the temporary directory harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a command that has to succeed; gives its standard output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().expect("the command starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
