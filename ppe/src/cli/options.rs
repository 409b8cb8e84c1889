//! Options that make a session.

use std::path::PathBuf;

use clap::Args;
use pmatrix::lower::InPlace;
use pmatrix::session::{Options, Session, default_meus, processor};
use pmatrix::trace::{KindSet, Limits, Precision};

use super::Failure;

/// How programs are executed.
#[derive(Debug, Args)]
pub(crate) struct SessionArguments {
    /// What executes: host, cell (SPEs through libspe2), sim (a simulated Cell), reference, or null (which schedules only)
    #[arg(long, env = "PMATRIX_ENGINE", default_value = "host")]
    pub(crate) engine: String,
    /// Number of MEUs [default: processors, or the SPEs of a Cell]
    #[arg(long, env = "PMATRIX_MEUS")]
    pub(crate) meus: Option<usize>,
    /// How operations are distributed: heuristic or round-robin
    #[arg(long, env = "PMATRIX_SCHEDULER", default_value = "heuristic")]
    pub(crate) scheduler: String,
    /// Literals and constructors have single precision
    #[arg(long, overrides_with = "double")]
    pub(crate) single: bool,
    /// Literals and constructors have double precision (the default)
    #[arg(long)]
    pub(crate) double: bool,
    /// Most elements of a block [default: the engine's]
    #[arg(long, value_name = "S")]
    pub(crate) block_elements: Option<usize>,
    /// Rows and columns of a block are multiples of this [default: the engine's]
    #[arg(long, value_name = "DELTA")]
    pub(crate) divisor: Option<usize>,
    /// Most products in an accumulation chain; 1 for the paper's separate additions
    #[arg(long, value_name = "N")]
    pub(crate) chain: Option<usize>,
    /// Whether the long sides of thin matrices get longer parts; false for the paper's cut [default: the engine's]
    #[arg(long, value_name = "BOOL")]
    pub(crate) stretch: Option<bool>,
    /// Block operations that are lowered, scheduled and executed at a time
    #[arg(long, value_name = "OPERATIONS")]
    pub(crate) chunk: Option<usize>,
    /// Lower, schedule and execute in the thread that records
    #[arg(long)]
    pub(crate) no_overlap: bool,
    /// Execute a trace once it has this many operations
    #[arg(long, value_name = "N")]
    pub(crate) max_operations: Option<u64>,
    /// Execute a trace once its longest path has this many operations
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u64>,
    /// Execute a trace once it pins this many bytes
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_bytes: Option<u64>,
    /// A time model file instead of the built-in model
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Simulated Cell, or its arithmetic: the SPEs' processor, cell (Cell BE) or celledp (PowerXCell 8i)
    #[arg(long, env = "PMATRIX_CPU", default_value = "celledp")]
    pub(crate) cpu: String,
    /// Simulated Cell: in virtual time, with the timing of pipelines and memory
    #[arg(long)]
    pub(crate) timing: bool,
    /// Host engine and simulated Cell: execute DMA commands late and in any order that the rules allow
    #[arg(long, value_name = "SEED")]
    pub(crate) chaos: Option<u64>,
    /// Operations that MEUs execute: all, paper, or their names with commas between; the PPE executes the others
    #[arg(long, value_name = "KINDS", default_value = "all")]
    pub(crate) meu_kinds: KindSet,
    /// Host engine: execute all in local stores, as SPEs do, instead of element-wise operations in main memory
    #[arg(long)]
    pub(crate) local_store: bool,
    /// Host engine: execute each element-wise operation alone
    #[arg(long)]
    pub(crate) no_fusion: bool,
    /// Reference engine: arithmetic of single precision, ieee, or spu for that of SPEs (see --cpu)
    #[arg(long, env = "PMATRIX_ARITHMETIC", default_value = "ieee")]
    pub(crate) arithmetic: String,
    /// Fill memory with NaN before it is used
    #[arg(long)]
    pub(crate) poison: bool,
}

impl SessionArguments {
    /// Precision of literals and constructors.
    pub(crate) fn precision(&self) -> Precision {
        if self.single { Precision::Single } else { Precision::Double }
    }

    /// A session; `limits` hold where the options set none.  With `overlap` its stages have threads, unless the options say no.
    pub(crate) fn session(&self, limits: Limits, overlap: bool) -> Result<Session, Failure> {
        let defaults = Options::default();
        let steps = |in_place| if self.no_fusion { InPlace { steps: 1, ..in_place } } else { in_place };
        let in_place = defaults.in_place.filter(|_| !self.local_store).map(steps);
        let options = Options {
            engine: self.engine.clone(),
            meus: self.meus.unwrap_or_else(|| default_meus(&self.engine)),
            scheduler: self.scheduler.clone(),
            overlap: overlap && !self.no_overlap,
            limits: Limits {
                operations: self.max_operations.unwrap_or(limits.operations),
                depth: self.max_depth.unwrap_or(limits.depth),
                bytes: self.max_bytes.unwrap_or(limits.bytes),
            },
            block_elements: self.block_elements,
            divisor: self.divisor,
            chain: self.chain,
            stretch: self.stretch,
            model: self.model.clone(),
            chunk_operations: self.chunk.unwrap_or(defaults.chunk_operations),
            poison: self.poison,
            processor: processor(&self.cpu).map_err(Failure::of_session)?,
            timing: self.timing,
            chaos: self.chaos,
            meu_kinds: self.meu_kinds,
            in_place,
            arithmetic: self.arithmetic.clone(),
            ..defaults
        };
        Session::new(&options).map_err(Failure::of_session)
    }
}
