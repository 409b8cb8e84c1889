//! Options and commands.

mod listing;
mod simulate;
mod symbols;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Parser, Subcommand, ValueEnum};
use spu_sim::{elf::Image, spu::Cpu};

/// Exit status when the simulation failed, as opposed to a status that the program gave.
pub(crate) const FAILURE: u8 = 255;

/// Simulator of the Cell Broadband Engine's SPU.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs a program; the exit status is the program's (255 if the simulation fails)
    Run {
        #[command(flatten)]
        program: Program,
        /// Copies of the program to run side by side, each on an SPE of its own
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
        spes: u8,
        /// Simulates the pipeline and the memory system, and prints the cycles to standard error
        #[arg(long)]
        timing: bool,
    },
    /// Disassembles a program
    Disasm {
        /// The program
        file: PathBuf,
        /// Writes plain addresses, without symbols
        #[arg(long)]
        no_symbols: bool,
    },
    /// Runs a program with timing and lists where its cycles go, by function and by instruction
    Profile {
        #[command(flatten)]
        program: Program,
        /// Lists instructions that executed at least this often (0 lists none)
        #[arg(long, default_value_t = 1)]
        minimum: u64,
    },
    /// Runs a program and prints each instruction with the register that it writes
    Trace {
        #[command(flatten)]
        program: Program,
        /// Prints the issue cycle, too
        #[arg(long)]
        timing: bool,
    },
}

/// A program and how to run it.
#[derive(Debug, clap::Args)]
struct Program {
    /// Processor
    #[arg(long, value_enum, default_value_t = CpuName::Celledp)]
    cpu: CpuName,
    /// Stops with an error after this many instructions
    #[arg(long, default_value_t = 100_000_000_000)]
    limit: u64,
    /// Main memory in megabytes. Its lower half is for the program, whose second argument is its address;
    /// what the program allocates and maps comes from the upper half
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=4096))]
    memory: u16,
    /// Executes DMA commands late and in an order drawn from this seed, within what fences and barriers
    /// allow; shows programs that rely on more (not with timing, which has an order of its own)
    #[arg(long)]
    reorder: Option<u64>,
    /// Takes effective addresses for 64-bit ones although no relocation shows it (the compiler's -mea64)
    #[arg(long)]
    ea64: bool,
    /// Passes the arguments as a C main expects them; the program must be linked with -mstdmain
    #[arg(long)]
    stdmain: bool,
    /// The program
    file: PathBuf,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Names of the processors as the compiler's `-march` has them.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum CpuName {
    /// Cell Broadband Engine
    Cell,
    /// PowerXCell 8i
    Celledp,
}

impl From<CpuName> for Cpu {
    fn from(name: CpuName) -> Cpu {
        match name {
            CpuName::Cell => Cpu::CellBe,
            CpuName::Celledp => Cpu::PowerXCell8i,
        }
    }
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("{path}: {error}")]
    Elf { path: String, error: spu_sim::elf::ElfError },
    #[error("SPE {spe}: {error}")]
    Program { spe: usize, error: spu_sim::program::Failure },
    #[error("{0}")]
    Usage(&'static str),
    #[error("a simulating thread failed")]
    Thread,
    #[error("output: {0}")]
    Output(#[from] io::Error),
}

/// Far larger than a program: a local store has 256 KiB.
const MOST_FILE_BYTES: u64 = 64 << 20;

/// Reads a regular file of a sensible size: other files may never end.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let contents = std::fs::metadata(path).and_then(|metadata| {
        let refused = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        match metadata.is_file() {
            false => refused("it is no regular file"),
            true if metadata.len() > MOST_FILE_BYTES => refused("it is larger than 67108864 bytes"),
            true => std::fs::read(path),
        }
    });
    contents.map_err(|error| Error::File { path: path.display().to_string(), error })
}

fn elf_error(path: &Path) -> impl Fn(spu_sim::elf::ElfError) -> Error {
    move |error| Error::Elf { path: path.display().to_string(), error }
}

fn load(path: &Path) -> Result<Image, Error> {
    Image::parse(&read(path)?).map_err(elf_error(path))
}

/// Runs the command; gives the exit status.
pub(crate) fn run() -> Result<u8, Error> {
    let status = match Options::parse().command {
        Command::Run { program, spes, timing: false } => simulate::in_threads(&program, usize::from(spes)),
        Command::Run { program, spes, timing: true } => {
            simulate::in_virtual_time(&program, usize::from(spes))
        }
        Command::Disasm { file, no_symbols } => listing::disassembly(&load(&file)?, no_symbols),
        Command::Profile { program, minimum } => listing::profile(&program, minimum),
        Command::Trace { program, timing } => listing::trace(&program, timing),
    };
    match status {
        // A reader that has seen enough, like head, is no error.
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        status => {
            io::stdout().flush()?;
            status
        }
    }
}
