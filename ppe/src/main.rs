//! The command line: runs programs of the trace language, and shows their trace, plan, lowered graph and
//! schedule.
#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
