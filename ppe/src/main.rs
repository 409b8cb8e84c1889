//! The command line: runs programs of the trace language, and shows what becomes of them stage by stage.
#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
