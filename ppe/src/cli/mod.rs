//! Commands, exit codes and messages.

mod completions;
mod dump;
mod explain;
mod info;
mod log;
mod manual;
mod optimal;
mod options;
mod profile;
mod progress;
mod record;
mod room;
mod run;
mod save_trace;
mod simulate;

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pmatrix::error::Error;
use pmatrix::lang::random::{RandomOptions, program};
use pmatrix::lang::{Cause, ProgramError, programs};
use pmatrix::operation::OpKind;

use options::SessionArguments;
use progress::{BesideBar, Show};

/// The end of the help of what runs programs.
macro_rules! exit_codes {
    () => {
        "\
Exit codes:
  0  all went well
  1  a program failed while it ran (results shown before are complete)
  2  wrong usage: unknown options, names, or numbers out of range
  3  an input file is missing or malformed

Errors go to the standard error: `pmatrix: FILE:LINE:COLUMN: text`, and the line of the program with a mark
under the place."
    };
}

/// Executes matrix programs in parallel, on Matrix Execution Units (MEUs): threads of this machine, or the
/// SPEs of a Cell processor.
///
/// A program is a text file in the trace language, which looks like Octave without loops
/// (ppe/TRACE_LANGUAGE.md describes it). Operations are recorded first, and executed when a result is shown
/// or saved.
#[derive(Debug, Parser)]
#[command(name = "pmatrix", version, after_help = concat!("\
Example:
  echo 'A = rand(500, 500, 1); print(sum(sum(A * A)))' | pmatrix run -

", exit_codes!()), propagate_version = true)]
struct Arguments {
    /// Say on the standard error what is going on; twice for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Show no progress and no remarks; errors are shown
    #[arg(short, long, global = true, conflicts_with_all = ["progress", "verbose"])]
    quiet: bool,
    /// Show progress from the beginning, in files and pipes too; without it, a bar appears on a terminal
    /// after a second
    #[arg(long, global = true)]
    progress: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a program and show its results
    #[command(after_help = concat!("\
Example: four MEUs, five digits, and what happened:
  pmatrix run --meus 4 --format short --stats ppe/benchmarks/traces/hits.trace

", exit_codes!()))]
    Run(run::RunArguments),
    /// Write a program's trace to a file, with the values that it reads
    ///
    /// `print` notes what is shown, for `pmatrix run`; `save` and `force` do nothing. What `copy` and `transposed` need
    /// is executed, since it prepares the input.
    #[command(name = "save-trace", after_help = concat!("\
Example: save a trace here, and run it there:
  pmatrix save-trace ppe/examples/add.trace add.saved
  pmatrix run add.saved

", exit_codes!()))]
    SaveTrace(save_trace::SaveTraceArguments),
    /// Show a program's trace, its lowered graph, or its schedule, without executing it
    ///
    /// `print`, `save` and `force` do nothing; what `copy` and `transposed` need is executed, since it
    /// prepares the input.
    #[command(after_help = concat!("\
Example: which of two MEUs executes what, and a picture of the operations:
  pmatrix dump --stage schedule --meus 2 ppe/examples/add.trace
  pmatrix dump --stage trace --format dot ppe/examples/add.trace | dot -Tsvg > add.svg

", exit_codes!()))]
    Dump(dump::DumpArguments),
    /// Say what of a program would be executed where, why, and how long the time model says that it takes
    ///
    /// `print`, `save` and `force` do nothing; the program is one trace. Hints say what costs time for nothing.
    #[command(after_help = concat!("\
Example: what two MEUs would do:
  pmatrix explain --meus 2 ppe/examples/add.trace

", exit_codes!()))]
    Explain(explain::ExplainArguments),
    /// Write a random program to the standard output, for tests
    #[command(after_help = "\
Example: products and sums of matrices with sides of at most 50:
  pmatrix random --length 20 --max-side 50 --operations multiply,add | pmatrix run -")]
    Random(RandomArguments),
    /// Write one of the paper's nine benchmark programs, its loops written out, to the standard output
    #[command(after_help = "\
Example:
  pmatrix unroll markov --size tiny | pmatrix run -")]
    Unroll(UnrollArguments),
    /// Measure how fast the host engine is on this machine, for better schedules (takes some ten seconds)
    #[command(after_help = "\
Example: measure, and use what was measured:
  pmatrix profile --output my.model
  pmatrix run --model my.model ppe/benchmarks/traces/hits.trace")]
    Profile(profile::ProfileArguments),
    /// Compare a program's schedules with the best there is, by predicted time
    ///
    /// Branch and bound searches the best schedule. Until it is proven, the gap says how far the best known
    /// schedule may be from it. A program of more than 1000 block operations gets a lower bound only.
    #[command(after_help = "\
Example: how good the schedules of two MEUs are, at most ten seconds:
  pmatrix optimal --meus 2 --time-limit 10 ppe/examples/add.trace")]
    Optimal(optimal::OptimalArguments),
    /// Predict how long a program takes on a Cell with any number of SPEs, and what its SPEs wait for
    ///
    /// Execution control works as ever; MEUs take as long as the time model says, and share the bandwidth of the memory.
    /// What the program shows is not shown.
    #[command(after_help = "\
Example: the power of a matrix on eight SPEs, and on sixteen with a PPE that takes no time:
  pmatrix simulate --meus 8 ppe/tests/golden/power.trace
  pmatrix simulate --meus 16 --ppe-factor 0 ppe/tests/golden/power.trace")]
    Simulate(simulate::SimulateArguments),
    /// Show versions, engines, limits and the time model
    #[command(after_help = "\
Example: what the engine would be like with two MEUs:
  pmatrix info --meus 2")]
    Info(SessionArguments),
    /// Write what a shell completes to the standard output
    #[command(after_help = "\
Example: for this session of bash:
  source <(pmatrix completions bash)")]
    Completions(completions::CompletionsArguments),
    /// Write a manual page of each command
    #[command(after_help = "\
Example: read one without installing it:
  pmatrix manual /tmp && man /tmp/pmatrix-run.1")]
    Manual(manual::ManualArguments),
}

#[derive(Debug, Args)]
struct RandomArguments {
    /// Number of operations
    #[arg(long, default_value_t = 50)]
    length: usize,
    /// Shortest side of a matrix
    #[arg(long, default_value_t = 1)]
    min_side: u32,
    /// Longest side of a matrix
    #[arg(long, default_value_t = 200)]
    max_side: u32,
    /// NaN, infinite and -0 elements, and values that are forced, shown and forgotten anywhere
    #[arg(long)]
    wild: bool,
    /// The same seed gives the same program
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Operations to choose from, such as `multiply,add,cos`; one that is listed twice is chosen twice as
    /// often
    #[arg(long, value_delimiter = ',', value_parser = operation)]
    operations: Vec<OpKind>,
}

#[derive(Debug, Args)]
struct UnrollArguments {
    /// The program
    #[arg(value_parser = programs::NAMES)]
    name: String,
    /// How large
    #[arg(long, value_enum, default_value_t = SizeName::Small)]
    size: SizeName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SizeName {
    /// For tests
    Tiny,
    /// About a fiftieth of the paper's arithmetic
    Small,
    /// The paper's
    Paper,
    /// For several machines: matrices of some gigabytes, few iterations (see `save-trace --shapes`)
    Cluster,
}

fn operation(name: &str) -> Result<OpKind, String> {
    OpKind::from_name(name).ok_or_else(|| {
        let names: Vec<_> = OpKind::ALL.into_iter().map(OpKind::name).collect();
        format!("there is no such operation (there are: {})", names.join(", "))
    })
}

/// Why a command failed.
#[derive(Debug)]
enum Failure {
    /// The options make no sense together, or to the session.
    Usage(Error),
    /// A program cannot be read.
    Unreadable(PathBuf, io::Error),
    /// A file cannot be written.
    Unwritable(PathBuf, io::Error),
    /// A program is wrong, or has failed.
    Program(ProgramError),
    /// Anything else of the library's.
    Other(Error),
    /// The standard output cannot be written.
    Output(io::Error),
}

impl Failure {
    /// A session could not be made.
    fn of_session(error: Error) -> Failure {
        match error {
            Error::Argument(_) => Failure::Usage(error),
            error => Failure::Other(error),
        }
    }

    /// None when there is nothing to report: whoever read the output has had enough.
    fn exit_code(&self) -> Option<u8> {
        match self {
            Failure::Usage(_) => Some(2),
            Failure::Unreadable(..) | Failure::Other(Error::File { .. }) => Some(3),
            Failure::Program(error) if error.is_broken_pipe() => None,
            Failure::Program(error) => Some(if error.is_bad_input() { 3 } else { 1 }),
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            Failure::Other(_) | Failure::Unwritable(..) | Failure::Output(_) => Some(1),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(error) | Failure::Other(error) => error.fmt(f),
            Failure::Unreadable(path, error) | Failure::Unwritable(path, error) => {
                write!(f, "{}: {error}", path.display())
            }
            Failure::Program(error) => error.fmt(f),
            Failure::Output(error) => Cause::Output(io::Error::new(error.kind(), error.to_string())).fmt(f),
        }
    }
}

impl From<ProgramError> for Failure {
    fn from(error: ProgramError) -> Failure {
        Failure::Program(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// Far larger than any program that a person or a script writes.
const MOST_SOURCE_BYTES: u64 = 1 << 28;

/// Reads a file; `-` is the standard input.
fn read_bytes(path: &Path, most_bytes: u64) -> Result<Vec<u8>, Failure> {
    let bytes = match path.to_str() {
        Some("-") => pmatrix::input::read_all(io::stdin(), most_bytes),
        _ => pmatrix::input::read(path, most_bytes),
    };
    bytes.map_err(|error| Failure::Unreadable(path.to_owned(), error))
}

/// Reads and parses a program; `-` is the standard input.
fn read_program(path: &Path) -> Result<pmatrix::lang::ast::Program, Failure> {
    let source = read_bytes(path, MOST_SOURCE_BYTES)?;
    Ok(pmatrix::lang::parse(&source, &path.display().to_string())?)
}

/// Everything but the process: parses the command line, executes the command, reports its failure.
pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors; should nobody read them, that is none either.
            _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    log::start(arguments.verbose);
    let mut out = io::BufWriter::new(BesideBar(io::stdout()));
    let show = match (arguments.quiet, arguments.progress) {
        (true, _) => Show::Never,
        (_, true) => Show::Always,
        // What --verbose says would stand amid the bar.
        _ if arguments.verbose > 0 => Show::Never,
        _ => Show::WhenLong,
    };
    let result = match &arguments.command {
        Command::Run(run) => run.execute(show, &mut out),
        Command::SaveTrace(save) => save.execute(show),
        Command::Dump(dump) => dump.execute(show, &mut out),
        Command::Explain(explain) => explain.execute(show, &mut out),
        Command::Random(random) => random.execute(&mut out),
        Command::Unroll(unroll) => unroll.execute(&mut out),
        Command::Profile(profile) => profile.execute(show, &mut out),
        Command::Optimal(optimal) => optimal.execute(show, &mut out),
        Command::Simulate(simulate) => simulate.execute(show, &mut out),
        Command::Info(session) => info::execute(session, &mut out),
        Command::Completions(completions) => completions.execute(&mut out),
        Command::Manual(manual) => manual.execute(),
    };
    // Results come before the message about what followed them.
    let flushed = out.flush().map_err(Failure::from);
    match result.and(flushed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => match failure.exit_code() {
            None => ExitCode::SUCCESS,
            Some(code) => {
                _ = writeln!(io::stderr(), "pmatrix: {failure}");
                if let Failure::Program(error) = &failure {
                    _ = writeln!(io::stderr(), "{}", error.excerpt());
                }
                ExitCode::from(code)
            }
        },
    }
}

impl RandomArguments {
    fn execute(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let usage = |what: &str| Failure::Usage(Error::Argument(what.into()));
        if self.min_side > self.max_side {
            return Err(usage("--min-side is more than --max-side"));
        }
        if self.max_side > 1 << 14 {
            return Err(usage("--max-side is at most 16384"));
        }
        let defaults = RandomOptions::default();
        let operations =
            if self.operations.is_empty() { defaults.operations } else { self.operations.clone() };
        let (length, min_side, max_side, seed) = (self.length, self.min_side, self.max_side, self.seed);
        let wild = self.wild;
        let text = program(&RandomOptions { length, min_side, max_side, wild, seed, operations, ..defaults });
        Ok(out.write_all(text.as_bytes())?)
    }
}

impl UnrollArguments {
    fn execute(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let size = match self.size {
            SizeName::Tiny => programs::Size::Tiny,
            SizeName::Small => programs::Size::Small,
            SizeName::Paper => programs::Size::Paper,
            SizeName::Cluster => programs::Size::Cluster,
        };
        // The names were checked with the command line.
        let text = programs::text(&self.name, size).unwrap_or_default();
        Ok(out.write_all(text.as_bytes())?)
    }
}
