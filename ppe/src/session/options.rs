//! How a session works.

use std::path::PathBuf;
use std::time::Duration;

use super::choices::{Given, MOST_COUNT, Setting, Source, check, variables};

pub use spe_kernels::Processor;

use crate::engine::sabotage::Sabotage;
use crate::engine::{self, Choice, NAMES};
use crate::error::{Error, Result};
use crate::lower::{MAX_STEPS, MemoryLimits, ShardLimits, Target};
use crate::operation::KindSet;
use crate::pool::within_memory;
use crate::reference::Arithmetic;
use crate::time::TimeModel;
use crate::time::ppe::FACTOR;
use crate::trace::Limits;

/// The name of the reference, which executes whole traces by the definition of their results.
pub(super) const REFERENCE: &str = "reference";

/// Names that the option `engine` takes: the engines, and the reference.
pub const ENGINES: [&str; NAMES.len() + 1] = {
    let mut names = [REFERENCE; NAMES.len() + 1];
    let mut number = 0;
    while number < NAMES.len() {
        // The reference stands behind the three engines that compute on a host and on a Cell.
        names[if number < 3 { number } else { number + 1 }] = NAMES[number];
        number += 1;
    }
    names
};

/// The processor of an SPE by its compiler's name: "cell" (Cell BE) or "celledp" (PowerXCell 8i).
///
/// # Errors
/// [`Error::Argument`] for any other name.
pub fn processor(name: &str) -> Result<Processor> {
    match name {
        "cell" => Ok(Processor::CellBe),
        "celledp" => Ok(Processor::PowerXCell8i),
        _ => Err(Error::Argument(format!("there is no SPE processor '{name}' (there are: cell, celledp)"))),
    }
}

/// How a session works.
#[derive(Debug, Clone)]
pub struct Options {
    /// "host", "cell", "sim", "reference", "null" or "clock".
    pub engine: String,
    /// Number of MEUs.
    pub meus: usize,
    /// Virtual clock: the number of Cells that the MEUs are divided among, each with a memory of its own.
    pub cells: usize,
    /// "heuristic", "round-robin", "hlfet", "online" or "portfolio".
    pub scheduler: String,
    /// Run lowering, scheduling and execution in threads of their own.
    pub overlap: bool,
    /// Let the program's thread do little work itself, instead of recording it or handing it over. Only an
    /// engine whose MEUs address main memory can be without: others are handed everything.
    pub immediate: bool,
    /// The limits at which a trace is executed although no value is forced.
    pub limits: Limits,
    /// Most elements of a block, instead of the engine's own choice.
    pub block_elements: Option<usize>,
    /// Divisor of rows and columns of a block, instead of the engine's own choice.
    pub divisor: Option<usize>,
    /// Most products in an accumulation chain, instead of the engine's own choice. 1 gives the paper's
    /// separate additions.
    pub chain: Option<usize>,
    /// Whether the long sides of thin matrices get longer parts, instead of the engine's own choice. False
    /// gives the paper's cut.
    pub stretch: Option<bool>,
    /// A time model file instead of the built-in model.
    pub model: Option<PathBuf>,
    /// Block operations that are lowered, scheduled and executed at a time.
    pub chunk_operations: usize,
    /// Fill memory with NaN before it is used.
    pub poison: bool,
    /// Bytes of freed matrices that are kept for new matrices. The default is 256 MiB, or an eighth of a
    /// small machine's memory. The pool never keeps more than half of `limits.bytes`.
    pub keep_bytes: usize,
    /// The most bytes that matrices may take together. What needs more is an error.
    pub most_bytes: usize,
    /// An engine is stuck when no operation completes for this long.
    pub patience: Duration,
    /// The processor of SPEs, for the simulated Cell and for the arithmetic of SPEs.
    pub processor: Processor,
    /// Simulated Cell: run SPEs in virtual time, with the timing of pipelines and memory.
    pub timing: bool,
    /// Virtual time: how much longer the PPE takes for its own work than the host on which this work was
    /// measured ([`FACTOR`] says why). 0 is a PPE that takes no time.
    pub ppe_factor: f64,
    /// Virtual clock: whether results are computed. Virtual time passes all the same, and results are NaN without
    /// being computed, for a program whose results nobody reads.
    pub compute: bool,
    /// Host engine and simulated Cell: execute DMA commands late and in any order that the rules allow, after
    /// this seed.
    pub chaos: Option<u64>,
    /// The kinds of operations that MEUs execute. The PPE executes all other kinds. MEUs of a Cell do not
    /// have all kinds (spe-kernels/include/operations.def).
    pub meu_kinds: KindSet,
    /// Host engine: how operations in memory are cut. None makes MEUs use their local stores, as SPEs do. Two
    /// other options make MEUs use their local stores as well: `chaos`, which tests DMA, and fewer `kinds`,
    /// which stand for MEUs of a Cell.
    pub memory: Option<MemoryLimits>,
    /// Whether equal operations on equal operands are recorded and executed once.
    pub common: bool,
    /// Most steps of a program. 1 executes each element-wise operation alone.
    pub steps: usize,
    /// Whether rows and columns are cut with regard to the number of MEUs, for work in local stores.
    pub even: bool,
    /// Reference: the arithmetic of single precision, "ieee", or "spu" for the arithmetic of SPEs with
    /// `processor`.
    pub arithmetic: String,
    /// Whether graphs and schedules are checked between the stages.
    pub validate: bool,
    /// Processes that hold matrices together and execute traces of much work; 1 for none beside this process.
    pub ranks: usize,
    /// The program of a rank. None for the one that `PMATRIX_RANK` names, that lies beside this program, or that is on
    /// the search path.
    pub rank_program: Option<PathBuf>,
    /// The machines on which ranks run, in a file as mpirun takes it. None for this machine.
    pub hostfile: Option<PathBuf>,
    /// Rows and columns of the part of a matrix that one rank owns, at most.
    pub shard: u32,
    /// Ranks execute traces that take one core of this machine so many milliseconds, by the time model. Shorter ones
    /// stay here.
    pub ranks_work_ms: f64,
    /// Bytes of shards that each rank holds in memory, at most; what is more lies on a disk. [`MOST_COUNT`] for no limit.
    /// With a limit even one rank is a process of its own.
    pub ranks_memory: u64,
    /// For tests, host engine and simulated Cell: MEUs that are lost on purpose.
    #[doc(hidden)]
    pub sabotage: Option<Sabotage>,
    /// A file for the timeline, as Chrome trace events. It is written when the session or the process ends.
    pub profile: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: "host".into(),
            meus: std::thread::available_parallelism().map_or(1, usize::from),
            cells: 1,
            scheduler: "heuristic".into(),
            overlap: true,
            immediate: true,
            limits: Limits::default(),
            block_elements: None,
            divisor: None,
            chain: None,
            stretch: None,
            model: None,
            chunk_operations: 2048,
            poison: false,
            keep_bytes: within_memory(256 << 20, 8) as usize,
            most_bytes: usize::MAX,
            patience: Duration::from_secs(60),
            processor: Processor::PowerXCell8i,
            timing: false,
            ppe_factor: FACTOR,
            compute: true,
            chaos: None,
            meu_kinds: KindSet::ALL,
            memory: Some(MemoryLimits::default()),
            common: true,
            steps: MAX_STEPS,
            even: true,
            arithmetic: "ieee".into(),
            validate: cfg!(debug_assertions),
            ranks: 1,
            rank_program: None,
            hostfile: None,
            shard: ShardLimits::USUAL.side,
            ranks_work_ms: 50.0,
            ranks_memory: MOST_COUNT,
            sabotage: None,
            profile: None,
        }
    }
}

impl Options {
    /// How many bytes the pool may keep.
    pub(super) fn kept_bytes(&self) -> usize {
        let half = usize::try_from(self.limits.bytes / 2).unwrap_or(usize::MAX);
        self.keep_bytes.min(half)
    }

    /// The defaults, changed by the environment variables `PMATRIX_ENGINE`, `_MEUS`, `_SCHEDULER`,
    /// `_OVERLAP`, `_IMMEDIATE`, `_COMMON`, `_MAX_OPERATIONS`, `_MAX_DEPTH`, `_MAX_BYTES`, `_MODEL`, `_CPU`
    /// (see [`processor`]), `_TIMING`, `_POISON`, `_ARITHMETIC`, and their like for the other options.
    ///
    /// # Errors
    /// [`Error::Argument`] says the variable, its value, and what is allowed.
    pub fn from_environment() -> Result<Options> {
        Options::default().with(&variables(|name| std::env::var_os(name)))
    }

    /// These options with the given values. When an option is given twice, its last value counts.
    ///
    /// # Errors
    /// [`Error::Argument`] says the option, its value, and what is allowed.
    pub fn with(mut self, given: &[Given]) -> Result<Options> {
        for given in given {
            self.set(given)?;
        }
        if given.iter().all(|given| given.option != "meus") {
            self.meus = engine::default_meus(&self.engine) * self.cells;
        }
        Ok(self)
    }

    fn set(&mut self, given: &Given) -> Result<()> {
        let text = given.value.to_string_lossy();
        match (given.option, check(given.option, &text, given.source)?) {
            ("engine", _) => self.engine = text.into(),
            ("scheduler", _) => self.scheduler = text.into(),
            ("arithmetic", _) => self.arithmetic = text.into(),
            ("cpu", _) => self.processor = processor(&text)?,
            ("model", _) => self.model = Some(PathBuf::from(&given.value)),
            ("profile", _) => self.profile = Some(PathBuf::from(&given.value)),
            ("meus", Setting::Count(count)) => self.meus = count as usize,
            ("cells", Setting::Count(count)) => self.cells = count as usize,
            ("max_operations", Setting::Count(count)) => self.limits.operations = count,
            ("max_depth", Setting::Count(count)) => self.limits.depth = count,
            ("max_bytes", Setting::Count(count)) => self.limits.bytes = count,
            ("chunk", Setting::Count(count)) => self.chunk_operations = count as usize,
            ("block_elements", Setting::Count(count)) => self.block_elements = Some(count as usize),
            ("divisor", Setting::Count(count)) => self.divisor = Some(count as usize),
            ("chain", Setting::Count(count)) => self.chain = Some(count as usize),
            ("stretch", Setting::Switch(on)) => self.stretch = Some(on),
            ("overlap", Setting::Switch(on)) => self.overlap = on,
            ("immediate", Setting::Switch(on)) => self.immediate = on,
            ("common", Setting::Switch(on)) => self.common = on,
            ("timing", Setting::Switch(on)) => self.timing = on,
            ("ppe_factor", Setting::Number(factor)) => self.ppe_factor = factor,
            ("poison", Setting::Switch(on)) => self.poison = on,
            ("ranks", Setting::Count(count)) => self.ranks = count as usize,
            ("hostfile", _) => self.hostfile = Some(PathBuf::from(&given.value)),
            ("shard", Setting::Count(count)) => self.shard = count as u32,
            ("ranks_work_ms", Setting::Number(milliseconds)) => self.ranks_work_ms = milliseconds,
            ("ranks_memory", Setting::Count(bytes)) => self.ranks_memory = bytes,
            // Options of the Octave package have been checked, and do not concern a session.
            _ => {}
        }
        Ok(())
    }

    /// Checks options that have a choice of names, and numbers that no engine can work with.
    ///
    /// # Errors
    /// [`Error::Argument`] says the option, its value, and what is allowed.
    pub(super) fn check_choices(&self) -> Result<()> {
        check("engine", &self.engine, Source::Program)?;
        check("scheduler", &self.scheduler, Source::Program)?;
        check("arithmetic", &self.arithmetic, Source::Program)?;
        check("meus", &self.meus.to_string(), Source::Program)?;
        check("cells", &self.cells.to_string(), Source::Program)?;
        check("ppe_factor", &self.ppe_factor.to_string(), Source::Program)?;
        check("ranks", &self.ranks.to_string(), Source::Program)?;
        check("shard", &self.shard.to_string(), Source::Program)?;
        check("ranks_work_ms", &self.ranks_work_ms.to_string(), Source::Program)?;
        check("ranks_memory", &self.ranks_memory.to_string(), Source::Program)?;
        if let Some(choice) = self.ranks_choice()? {
            choice.check(&self.target()?)?;
        }
        check("chunk", &self.chunk_operations.to_string(), Source::Program).map(|_| ())
    }

    /// Checks all that can be checked without starting an engine.
    ///
    /// # Errors
    /// [`Error::Argument`] says the option, its value, and what is allowed; [`Error::File`] names the model
    /// that cannot be read.
    pub fn check(&self) -> Result<()> {
        self.check_choices()?;
        let Limits { operations, depth, bytes } = self.limits;
        for (option, value) in [("max_operations", operations), ("max_depth", depth), ("max_bytes", bytes)] {
            check(option, &value.to_string(), Source::Program)?;
        }
        if let Some(path) = &self.model {
            TimeModel::load(path)?;
        }
        self.check_profile()
    }

    /// The arithmetic of the reference.
    pub(super) fn reference_arithmetic(&self) -> Result<Arithmetic> {
        match self.arithmetic.as_str() {
            "ieee" => Ok(Arithmetic::Ieee),
            "spu" => Ok(Arithmetic::Spu(self.processor)),
            name => Err(Error::Argument(format!("there is no arithmetic '{name}' (there are: ieee, spu)"))),
        }
    }

    /// What to choose about the engine.
    pub(super) fn choice(&self) -> Choice {
        Choice {
            meus: self.meus,
            cells: self.cells,
            kinds: self.meu_kinds,
            // The arithmetic of SPEs needs the cut of products that SPEs have.
            memory: self.memory.filter(|_| self.arithmetic != "spu"),
            chaos: self.chaos,
            processor: self.processor,
            timing: self.timing,
            ppe_factor: self.ppe_factor,
            compute: self.compute,
            sabotage: self.sabotage,
        }
    }

    /// Whether there are ranks.
    #[must_use]
    pub fn has_ranks(&self) -> bool {
        self.ranks > 1 || self.ranks_memory < MOST_COUNT
    }

    /// The engine that traces are lowered for: the reference computes what the host computes.
    pub(super) fn lowered_for(&self) -> &str {
        if self.engine == REFERENCE { NAMES[0] } else { &self.engine }
    }

    /// What lowering and scheduling are to know of the engine: what the engine says, unless the options say
    /// otherwise.
    pub(super) fn target(&self) -> Result<Target> {
        let mut target = engine::target(self.lowered_for(), &self.choice())?;
        // Who asks for other blocks asks for them in products as well.
        if let Some(memory) = &mut target.memory
            && (self.block_elements.or(self.divisor).or(self.chain).is_some() || self.stretch.is_some())
        {
            memory.product = None;
        }
        let blocks = &mut target.blocks;
        if let Some(elements) = self.block_elements {
            blocks.block_elements = [elements; 2];
        }
        if let Some(divisor) = self.divisor {
            blocks.divisor = [divisor; 2];
        }
        blocks.chain = self.chain.unwrap_or(blocks.chain);
        blocks.stretch = self.stretch.unwrap_or(blocks.stretch);
        target.even &= self.even;
        target.steps = self.steps;
        target.validate()?;
        Ok(target)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn bad_values_are_named() {
        let text = |change: &dyn Fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert!(Options::default().check().is_ok());
        assert!(text(&|o| o.engine = "abacus".into()).starts_with("engine is 'abacus': it must be one of "));
        assert!(text(&|o| o.scheduler = "none".into()).starts_with("scheduler is 'none'"));
        assert!(text(&|o| o.arithmetic = "roman".into()).starts_with("arithmetic is 'roman'"));
        assert!(text(&|o| o.meus = 0).starts_with("meus is '0'"));
        assert!(text(&|o| o.meus = 4097).ends_with("from 1 to 4096"));
        assert!(text(&|o| o.limits.depth = 0).starts_with("max_depth is '0'"));
        assert!(text(&|o| o.limits.bytes = u64::MAX).starts_with("max_bytes is '18446744073709551615'"));
        assert!(text(&|o| o.chunk_operations = 0).starts_with("chunk is '0'"));
        assert!(text(&|o| o.model = Some("/nowhere/at.all".into())).contains("/nowhere/at.all"));
        assert!(text(&|o| o.model = Some("/dev/zero".into())).contains("/dev/zero: it is no regular file"));
    }

    #[test]
    fn of_several_values_the_last_counts() {
        let given = |option, value: &str, source| Given { option, value: value.into(), source };
        let options = Options::default()
            .with(&[
                given("meus", "3", Source::Variable),
                given("overlap", "off", Source::Variable),
                given("chunk", "7", Source::Argument),
                given("meus", "5", Source::Argument),
            ])
            .unwrap();
        assert_eq!((options.meus, options.overlap, options.chunk_operations), (5, false, 7));
        let error = Options::default().with(&[given("max_bytes", "abc", Source::Variable)]).unwrap_err();
        let expected = "the environment variable PMATRIX_MAX_BYTES is 'abc': it must be a whole number from 1 to \
                        4503599627370496";
        assert_eq!(error.to_string(), expected);
    }
}
