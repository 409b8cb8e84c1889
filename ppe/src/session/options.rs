//! How a session works.

use std::path::PathBuf;
use std::time::Duration;

pub use spe_kernels::Processor;

use crate::engine::reference::Arithmetic;
use crate::engine::{Host, Sim};
use crate::error::{Error, Result};
use crate::lower::{BlockLimits, ChunkLimits, InPlace};
use crate::pool::within_memory;
use crate::schedule::scheduler;
use crate::time::TimeModel;
use crate::trace::{KindSet, Limits};

/// Names of the engines.
pub const ENGINES: [&str; 5] = ["host", "cell", "sim", "reference", "null"];

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
    /// "host", "cell", "sim", "reference" or "null".
    pub engine: String,
    /// Number of MEUs.
    pub meus: usize,
    /// "heuristic" or "round-robin".
    pub scheduler: String,
    /// Run lowering, scheduling and execution in threads of their own.
    pub overlap: bool,
    /// When a trace is executed unasked.
    pub limits: Limits,
    /// Most elements of a block, instead of the engine's own choice.
    pub block_elements: Option<usize>,
    /// Divisor of rows and columns of a block, instead of the engine's own choice.
    pub divisor: Option<usize>,
    /// Most products in an accumulation chain, instead of the engine's own choice; 1 for the paper's separate additions.
    pub chain: Option<usize>,
    /// Give the long sides of thin matrices longer parts, instead of the engine's own choice; false for the paper's cut.
    pub stretch: Option<bool>,
    /// A time model file instead of the built-in model.
    pub model: Option<PathBuf>,
    /// Block operations that are lowered, scheduled and executed at a time.
    pub chunk_operations: usize,
    /// Fill memory with NaN before it is used.
    pub poison: bool,
    /// Bytes of freed matrices that are kept for new ones: by default 256 MiB, or an eighth of the machine's memory; never more than
    /// half of `limits.bytes`.
    pub keep_bytes: usize,
    /// An engine on which nothing completes for this long is stuck.
    pub patience: Duration,
    /// Simulated Cell and arithmetic of SPEs: their processor.
    pub processor: Processor,
    /// Simulated Cell: in virtual time, with the timing of pipelines and memory.
    pub timing: bool,
    /// Host engine and simulated Cell: execute DMA commands late and in any order that the rules allow, after this seed.
    pub chaos: Option<u64>,
    /// The kinds of operations that MEUs execute; the PPE executes the others.  MEUs of a Cell have room for the paper's only.
    pub meu_kinds: KindSet,
    /// Host engine: how element-wise operations are executed where their operands lie, in main memory; None for in local stores, as
    /// on SPEs.  Chaos, and MEUs with some kinds only, execute them in local stores.
    pub in_place: Option<InPlace>,
    /// Reference engine: the arithmetic of single precision, "ieee", or "spu" for that of SPEs with `processor`.
    pub arithmetic: String,
    /// Check graphs and schedules at the borders of the stages.
    pub validate: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: "host".into(),
            meus: std::thread::available_parallelism().map_or(1, usize::from),
            scheduler: "heuristic".into(),
            overlap: true,
            limits: Limits::default(),
            block_elements: None,
            divisor: None,
            chain: None,
            stretch: None,
            model: None,
            chunk_operations: 2048,
            poison: false,
            keep_bytes: within_memory(256 << 20, 8) as usize,
            patience: Duration::from_secs(60),
            processor: Processor::PowerXCell8i,
            timing: false,
            chaos: None,
            meu_kinds: KindSet::ALL,
            in_place: Some(InPlace::default()),
            arithmetic: "ieee".into(),
            validate: cfg!(debug_assertions),
        }
    }
}

/// Chunks that make up the memory of those in flight, when they are as large as they may be: one in each stage, and one that
/// waits.
const CHUNKS_IN_FLIGHT: u64 = 4;

/// More memory than this in flight does not make the stages overlap better, and is no longer in a cache, or not even the system's,
/// when it is used again.
const MOST_BYTES_IN_FLIGHT: u64 = 64 << 20;

impl Options {
    /// How large chunks may be.
    pub(super) fn chunk_limits(&self) -> ChunkLimits {
        let bytes = self.chunk_bytes_in_flight() / CHUNKS_IN_FLIGHT;
        ChunkLimits { operations: self.chunk_operations.max(1), bytes }
    }

    /// How many bytes of results may get their memory before they are computed.
    pub(super) fn chunk_bytes_in_flight(&self) -> u64 {
        (self.limits.bytes / 2).min(MOST_BYTES_IN_FLIGHT)
    }

    /// What the pool may keep.
    pub(super) fn kept_bytes(&self) -> usize {
        let half = usize::try_from(self.limits.bytes / 2).unwrap_or(usize::MAX);
        self.keep_bytes.min(half)
    }

    /// The defaults, changed by the environment variables `PMATRIX_ENGINE`, `_MEUS`, `_SCHEDULER`, `_OVERLAP` (0 or 1),
    /// `_MAX_OPERATIONS`, `_MAX_DEPTH`, `_MAX_BYTES`, `_MODEL`, `_CPU` (see [`processor`]), `_TIMING` (0 or 1),
    /// `_POISON` (0 or 1) and `_ARITHMETIC`.
    ///
    /// # Errors
    /// [`Error::Argument`] names the variable whose value is not a number, or the processor that does not exist.
    pub fn from_environment() -> Result<Options> {
        fn number<T: std::str::FromStr>(name: &str, value: &mut T) -> Result<()> {
            if let Ok(text) = std::env::var(name) {
                *value =
                    text.parse().map_err(|_| Error::Argument(format!("{name}: '{text}' is not a number")))?;
            }
            Ok(())
        }
        let mut options = Options::default();
        let mut overlap = u8::from(options.overlap);
        number("PMATRIX_OVERLAP", &mut overlap)?;
        number("PMATRIX_MAX_OPERATIONS", &mut options.limits.operations)?;
        number("PMATRIX_MAX_DEPTH", &mut options.limits.depth)?;
        number("PMATRIX_MAX_BYTES", &mut options.limits.bytes)?;
        let mut timing = u8::from(options.timing);
        number("PMATRIX_TIMING", &mut timing)?;
        let mut poison = u8::from(options.poison);
        number("PMATRIX_POISON", &mut poison)?;
        if let Ok(name) = std::env::var("PMATRIX_CPU") {
            options.processor = processor(&name)?;
        }
        options.overlap = overlap != 0;
        options.timing = timing != 0;
        options.poison = poison != 0;
        options.engine = std::env::var("PMATRIX_ENGINE").unwrap_or(options.engine);
        options.meus = super::default_meus(&options.engine);
        number("PMATRIX_MEUS", &mut options.meus)?;
        options.scheduler = std::env::var("PMATRIX_SCHEDULER").unwrap_or(options.scheduler);
        options.arithmetic = std::env::var("PMATRIX_ARITHMETIC").unwrap_or(options.arithmetic);
        options.model = std::env::var_os("PMATRIX_MODEL").map(PathBuf::from);
        Ok(options)
    }

    /// Checks what can be checked without starting an engine.
    ///
    /// # Errors
    /// [`Error::Argument`] names the option whose value is unknown or senseless, [`Error::File`] the model that cannot be read.
    pub fn check(&self) -> Result<()> {
        if !ENGINES.contains(&self.engine.as_str()) {
            let (name, names) = (&self.engine, ENGINES.join(", "));
            return Err(Error::Argument(format!("there is no engine '{name}' (there are: {names})")));
        }
        scheduler(&self.scheduler)?;
        self.reference_arithmetic()?;
        if let Some(path) = &self.model {
            TimeModel::load(path)?;
        }
        let counts = [
            ("number of MEUs", self.meus as u64),
            ("limit on operations", self.limits.operations),
            ("limit on depth", self.limits.depth),
            ("limit on bytes", self.limits.bytes),
        ];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((name, _)) => Err(Error::Argument(format!("the {name} must be at least 1"))),
            None => Ok(()),
        }
    }

    /// The arithmetic of the reference engine.
    pub(super) fn reference_arithmetic(&self) -> Result<Arithmetic> {
        match self.arithmetic.as_str() {
            "ieee" => Ok(Arithmetic::Ieee),
            "spu" => Ok(Arithmetic::Spu(self.processor)),
            name => Err(Error::Argument(format!("there is no arithmetic '{name}' (there are: ieee, spu)"))),
        }
    }

    /// Limits for blocks: those of the engine, unless the options say otherwise.
    pub(super) fn block_limits(&self) -> Result<BlockLimits> {
        let has_local_stores = match self.engine.as_str() {
            "cell" | "sim" => true,
            _ if self.arithmetic == "spu" => true,
            _ => self.in_place.is_none() || !Host::works_in_place(self.chaos, self.meu_kinds),
        };
        let mut limits = match has_local_stores {
            true => Sim::default_limits(self.meus),
            false => Host::default_limits(self.meus),
        };
        // Who asks for other blocks asks for them in products as well.
        if self.block_elements.or(self.divisor).or(self.chain).is_some() || self.stretch.is_some() {
            limits.product = None;
        }
        if let Some(elements) = self.block_elements {
            limits.block_elements = [elements; 2];
        }
        if let Some(divisor) = self.divisor {
            limits.divisor = [divisor; 2];
        }
        limits.chain = self.chain.unwrap_or(limits.chain);
        limits.stretch = self.stretch.unwrap_or(limits.stretch);
        limits.validate()?;
        Ok(limits)
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
        assert!(text(&|o| o.engine = "abacus".into()).contains("there is no engine 'abacus'"));
        assert!(text(&|o| o.scheduler = "none".into()).contains("none"));
        assert!(text(&|o| o.arithmetic = "roman".into()).contains("there is no arithmetic 'roman'"));
        assert!(text(&|o| o.meus = 0).contains("number of MEUs"));
        assert!(text(&|o| o.limits.depth = 0).contains("limit on depth"));
        assert!(text(&|o| o.model = Some("/nowhere/at.all".into())).contains("/nowhere/at.all"));
    }
}
