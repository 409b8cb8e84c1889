//! `pmatrix manual`: the help of all commands as pages for `man`.

use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use pmatrix::output::replace;

use super::{Arguments, Failure};

#[derive(Debug, Args)]
pub(crate) struct ManualArguments {
    /// A folder that exists, for the pages pmatrix.1, pmatrix-run.1 and so on
    folder: PathBuf,
}

impl ManualArguments {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let mut command = Arguments::command().disable_help_subcommand(true);
        // Gives each command its full name, such as pmatrix-run.
        command.build();
        self.write(&command)?;
        command.get_subcommands().try_for_each(|sub| self.write(sub))
    }

    fn write(&self, command: &Command) -> Result<(), Failure> {
        let (man, mut page) = (Man::new(command.clone()), Vec::new());
        man.render(&mut page)?;
        Ok(replace(&self.folder.join(man.get_filename()), &page)?)
    }
}
