//! What to choose about ranks.

use std::path::PathBuf;

use crate::engine;
use crate::error::{Error, Result};
use crate::lower::{ShardLimits, Target};
use crate::wire::configuration::{Configuration, RankEngine};

/// What to choose about ranks.
#[derive(Debug, Clone)]
pub struct Choice {
    /// How many there are.
    pub ranks: usize,
    /// The program of a rank. None for the one of `PMATRIX_RANK`, beside this program, or on the search path.
    pub program: Option<PathBuf>,
    /// The machines on which they run, as mpirun takes them. None for this machine.
    pub hostfile: Option<PathBuf>,
    /// How matrices are cut.
    pub shards: ShardLimits,
    /// The name of the session's own engine. Each rank has one as well, unless its MEUs work in main memory.
    pub engine: &'static str,
    /// What is chosen about that engine.
    pub engine_choice: engine::Choice,
    /// Bytes of shards that each rank holds in memory, at most. None for as many as come.
    pub memory_bytes: Option<u64>,
    /// Bytes that are kept in memory, at most, to compute values again.
    pub most_bytes: u64,
}

impl Choice {
    /// Checks that ranks can give the results of an engine with this target. Returns how they lower traces.
    ///
    /// # Errors
    /// [`Error::Argument`] for senseless shards, and for MEUs in main memory with blocks that are not the engine's own
    /// choice.
    pub fn check(&self, target: &Target) -> Result<Configuration> {
        self.shards.validate()?;
        let engine = RankEngine::new(self.engine, &self.engine_choice);
        Configuration::of(target, self.shards, engine).ok_or_else(|| {
            let what =
                "ranks need the engine's own choice of blocks where operations are executed in main memory";
            Error::Argument(what.into())
        })
    }
}
