//! Options that make a session.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use pmatrix::error::Error;
use pmatrix::operation::{KindSet, Precision};
use pmatrix::pool::within_memory;
use pmatrix::session::Options;
use pmatrix::session::choices::{Given, Source, variables};
use pmatrix::trace::Limits;

use super::Failure;

/// The timeline of a command that executes something.
#[derive(Debug, Args)]
pub(crate) struct TimelineArgument {
    /// Write a timeline to this file, in the Chrome trace format, which Perfetto (ui.perfetto.dev) and
    /// chrome://tracing open [env: PMATRIX_PROFILE]
    #[arg(long, value_name = "FILE")]
    profile: Option<OsString>,
}

impl TimelineArgument {
    /// The file, for a command without the other options of a session.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        let variable = || {
            let mut given = variables(|name| std::env::var_os(name)).into_iter();
            Some(given.find(|given| given.option == "profile")?.value)
        };
        self.profile.clone().or_else(variable).map(PathBuf::from)
    }
}

/// How programs are executed. What the table of options knows is checked there (`pmatrix::session::choices`):
/// a value is that of the option, else that of the environment variable, else the default.
#[derive(Debug, Args)]
pub(crate) struct SessionArguments {
    /// What executes: host, cell (SPEs through libspe2), sim (a simulated Cell), reference, null (which
    /// schedules only), or clock (SPEs that take what the time model says)
    ///
    /// [env: PMATRIX_ENGINE] [default: host]
    #[arg(long)]
    engine: Option<OsString>,
    /// Number of MEUs, 1 to 4096 [env: PMATRIX_MEUS] [default: processors, or the SPEs of a Cell]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    meus: Option<OsString>,
    /// How operations are distributed: heuristic, round-robin, hlfet (highest level first), online (a pool),
    /// or portfolio (the best of several)
    ///
    /// [env: PMATRIX_SCHEDULER] [default: heuristic]
    #[arg(long)]
    scheduler: Option<OsString>,
    /// Literals and constructors have single precision
    #[arg(long, overrides_with = "double")]
    pub(crate) single: bool,
    /// Literals and constructors have double precision (the default)
    #[arg(long)]
    pub(crate) double: bool,
    /// Most elements of a block [default: the engine's]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    block_elements: Option<OsString>,
    /// Rows and columns of a block are multiples of this [default: the engine's]
    #[arg(long, value_name = "DELTA", allow_hyphen_values = true)]
    divisor: Option<OsString>,
    /// Most products in an accumulation chain; 1 for the paper's separate additions
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    chain: Option<OsString>,
    /// Whether the long sides of thin matrices get longer parts; false for the paper's cut [default: the
    /// engine's]
    #[arg(long, value_name = "BOOL", allow_hyphen_values = true)]
    stretch: Option<OsString>,
    /// Block operations that are lowered, scheduled and executed at a time
    #[arg(long, value_name = "OPERATIONS", allow_hyphen_values = true)]
    chunk: Option<OsString>,
    /// Lower, schedule and execute in the thread that records [env: PMATRIX_OVERLAP, 0 for this]
    #[arg(long)]
    pub(crate) no_overlap: bool,
    /// Hand all work over to the engine, little work too [env: PMATRIX_IMMEDIATE, 0 for this]
    #[arg(long)]
    pub(crate) no_immediate: bool,
    /// Execute a trace once it has this many operations [env: PMATRIX_MAX_OPERATIONS]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    max_operations: Option<OsString>,
    /// Execute a trace once its longest path has this many operations [env: PMATRIX_MAX_DEPTH]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    max_depth: Option<OsString>,
    /// Execute a trace once it pins this many bytes [env: PMATRIX_MAX_BYTES]
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    max_bytes: Option<OsString>,
    /// Memory that the matrices of a program may take together. A program that needs more is refused before
    /// anything of it is executed
    ///
    /// Traces pin at most a quarter of it, unless --max-bytes says otherwise. A PlayStation 3 has some 200000000
    /// bytes for a program. [default: the memory of this machine]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    memory: Option<u64>,
    /// A time model file instead of the built-in model [env: PMATRIX_MODEL]
    #[arg(long, value_name = "FILE")]
    model: Option<OsString>,
    /// Simulated Cell, or its arithmetic: the SPEs' processor, cell (Cell BE) or celledp (PowerXCell 8i)
    ///
    /// [env: PMATRIX_CPU] [default: celledp]
    #[arg(long)]
    cpu: Option<OsString>,
    /// Simulated Cell: in virtual time, with the timing of pipelines and memory [env: PMATRIX_TIMING, 1 for
    /// this]
    #[arg(long)]
    pub(crate) timing: bool,
    /// Simulated Cell and virtual clock: Cells that the MEUs are divided among, each with a memory of its own: 2 is a blade, a QS22
    /// for instance
    ///
    /// [env: PMATRIX_CELLS] [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    cells: Option<OsString>,
    /// Virtual time: how much longer the PPE takes for its own work than the host on which this work was
    /// measured; 0 for a PPE that takes no time
    ///
    /// [env: PMATRIX_PPE_FACTOR] [default: as published comparisons say]
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true)]
    ppe_factor: Option<OsString>,
    /// Host engine and simulated Cell: execute DMA commands late and in any order that the rules allow
    #[arg(long, value_name = "SEED")]
    pub(crate) chaos: Option<u64>,
    /// Operations that MEUs execute: all, paper, or their names with commas between, multiply among them; the PPE
    /// executes the others
    #[arg(long, value_name = "KINDS", default_value = "all")]
    pub(crate) meu_kinds: KindSet,
    /// Host engine: execute all in local stores, as SPEs do, instead of element-wise operations in main
    /// memory
    #[arg(long)]
    pub(crate) local_store: bool,
    /// Execute each element-wise operation alone, instead of several as a program
    #[arg(long)]
    pub(crate) no_fusion: bool,
    /// Execute equal operations on equal operands as often as the program states them [env: PMATRIX_COMMON, 0
    /// for this]
    #[arg(long)]
    pub(crate) no_common: bool,
    /// Cut rows and columns without regard to the number of MEUs, where these copy blocks to local stores
    #[arg(long)]
    pub(crate) uneven: bool,
    /// Reference engine: arithmetic of single precision, ieee, or spu for that of SPEs (see --cpu)
    ///
    /// [env: PMATRIX_ARITHMETIC] [default: ieee]
    #[arg(long)]
    arithmetic: Option<OsString>,
    /// Processes that hold matrices together and execute what is much work, started with mpirun; 1 for none
    ///
    /// [env: PMATRIX_RANKS] [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    ranks: Option<OsString>,
    /// The machines on which ranks run, as mpirun takes them [env: PMATRIX_HOSTFILE] [default: this machine]
    #[arg(long, value_name = "FILE")]
    hostfile: Option<OsString>,
    /// Rows and columns of the part of a matrix that one rank owns, at most, a multiple of 16
    ///
    /// [env: PMATRIX_SHARD] [default: 512]
    #[arg(long, value_name = "SIDE", allow_hyphen_values = true)]
    shard: Option<OsString>,
    /// Ranks execute what takes one core of this machine so many milliseconds
    ///
    /// [env: PMATRIX_RANKS_WORK_MS] [default: 50]
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    ranks_work_ms: Option<OsString>,
    /// Bytes of matrices that each rank holds in memory, at most; what is more lies on a disk
    ///
    /// With a limit even one rank is a process of its own. [env: PMATRIX_RANKS_MEMORY] [default: no limit]
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    ranks_memory: Option<OsString>,
    #[command(flatten)]
    timeline: TimelineArgument,
    /// Fill memory with NaN before it is used [env: PMATRIX_POISON, 1 for this]
    #[arg(long)]
    pub(crate) poison: bool,
}

impl SessionArguments {
    /// Precision of literals and constructors.
    pub(crate) fn precision(&self) -> Precision {
        if self.single { Precision::Single } else { Precision::Double }
    }

    /// Memory that matrices may take.
    pub(crate) fn room(&self) -> u64 {
        self.memory.unwrap_or_else(|| within_memory(u64::MAX, 1))
    }

    /// The limits of a program that is executed.
    pub(crate) fn limits(&self) -> Limits {
        let limits = Limits::default();
        let quarter = self.memory.map_or(limits.bytes, |bytes| (bytes / 4).max(1));
        Limits { bytes: limits.bytes.min(quarter), ..limits }
    }

    /// What was given for the options of the table.
    fn given(&self) -> Vec<Given> {
        let flag = |set: bool, value: &str| set.then(|| OsString::from(value));
        let arguments = [
            ("engine", self.engine.clone()),
            ("meus", self.meus.clone()),
            ("scheduler", self.scheduler.clone()),
            ("overlap", flag(self.no_overlap, "off")),
            ("immediate", flag(self.no_immediate, "off")),
            ("common", flag(self.no_common, "off")),
            ("model", self.model.clone()),
            ("max_operations", self.max_operations.clone()),
            ("max_depth", self.max_depth.clone()),
            ("max_bytes", self.max_bytes.clone()),
            ("chunk", self.chunk.clone()),
            ("block_elements", self.block_elements.clone()),
            ("divisor", self.divisor.clone()),
            ("chain", self.chain.clone()),
            ("stretch", self.stretch.clone()),
            ("cpu", self.cpu.clone()),
            ("arithmetic", self.arithmetic.clone()),
            ("timing", flag(self.timing, "on")),
            ("cells", self.cells.clone()),
            ("ppe_factor", self.ppe_factor.clone()),
            ("poison", flag(self.poison, "on")),
            ("profile", self.timeline.profile.clone()),
            ("ranks", self.ranks.clone()),
            ("hostfile", self.hostfile.clone()),
            ("shard", self.shard.clone()),
            ("ranks_work_ms", self.ranks_work_ms.clone()),
            ("ranks_memory", self.ranks_memory.clone()),
        ];
        let arguments: Vec<_> = arguments
            .into_iter()
            .filter_map(|(option, value)| Some(Given { option, value: value?, source: Source::Argument }))
            .collect();
        // A variable whose option is given does not count, whatever it says.
        let mut given = variables(|name| std::env::var_os(name));
        given.retain(|variable| arguments.iter().all(|argument| argument.option != variable.option));
        given.extend(arguments);
        given
    }

    /// The options of a session; `limits` hold where nothing else was given. With `overlap` its stages have
    /// threads, unless the options say no.
    pub(crate) fn options(&self, limits: Limits, overlap: bool) -> Result<Options, Failure> {
        let options = self.among(Options::default(), &self.given(), limits)?;
        Ok(Options { overlap: options.overlap && overlap, ..options })
    }

    fn among(&self, defaults: Options, given: &[Given], limits: Limits) -> Result<Options, Failure> {
        let options = Options {
            limits,
            chaos: self.chaos,
            meu_kinds: self.meu_kinds,
            memory: defaults.memory.filter(|_| !self.local_store),
            steps: if self.no_fusion { 1 } else { defaults.steps },
            even: !self.uneven,
            ..defaults
        };
        options.with(given).map_err(Failure::of_session)
    }

    /// The options of a session on this engine; `limits` hold where nothing else was given.
    pub(crate) fn options_on(&self, engine: &'static str, limits: Limits) -> Result<Options, Failure> {
        if self.engine.is_some() {
            let what = format!("--engine makes no sense here: this command has the engine '{engine}'");
            return Err(Failure::Usage(Error::Argument(what)));
        }
        let mut given = self.given();
        given.retain(|given| given.option != "engine");
        let defaults = Options { engine: engine.into(), ..Options::default() };
        self.among(defaults, &given, limits)
    }
}
