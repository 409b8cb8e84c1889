//! `pmatrix completions`: what a shell completes after the name of the command.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::{Arguments, Failure};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArguments {
    pub(crate) fn execute(&self, out: &mut dyn Write) -> Result<(), Failure> {
        // Written in one piece: the generator ends the process when it cannot write.
        let mut text = Vec::new();
        generate(self.shell, &mut Arguments::command(), "pmatrix", &mut text);
        Ok(out.write_all(&text)?)
    }
}
