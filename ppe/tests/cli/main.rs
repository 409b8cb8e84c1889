//! The command line: what it prints, and how it ends.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../built/mod.rs"]
mod built;
mod engines;
mod explain;
mod files;
mod manual;
mod optimal;
mod options;
mod results;
mod room;
mod saved;
mod simulate;
mod terminal;
mod timeline;

use std::path::PathBuf;
use std::process::{Command, Output};

pub(crate) fn command() -> Command {
    let mut command = built::command(env!("CARGO_BIN_EXE_pmatrix"));
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for variable in variables.filter(|name| name.starts_with("PMATRIX_") && name != "PMATRIX_LIBSPE2") {
        command.env_remove(variable);
    }
    command
}

pub(crate) fn pmatrix(arguments: &[&str]) -> Output {
    command().args(arguments).output().unwrap()
}

/// A file for one test.
pub(crate) fn file(name: &str, contents: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).unwrap();
    path
}

/// Runs a program with some options; exit code, standard output, standard error without the file's directory.
pub(crate) fn run(name: &str, program: &str, options: &[&str]) -> (i32, String, String) {
    let path = file(name, program.as_bytes());
    let output = command().arg("run").args(options).arg(&path).output().unwrap();
    let directory = format!("{}/", path.parent().unwrap().display());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&directory, "");
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}
