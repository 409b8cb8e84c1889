//! What stands in the place of `solve` where pmatrix is built without the feature `highs`.

use std::time::Duration;

use super::super::optimal::Found;
use super::super::{Processors, Schedule};
use crate::error::{Error, Result};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// Solves the integer program of a graph where pmatrix is built with the feature `highs`.
///
/// # Errors
/// [`Error::Argument`] says how to build a pmatrix with this feature.
pub fn solve(
    _: &LoweredGraph,
    _: &[StageTimes],
    _: Processors,
    _: Schedule,
    _: Duration,
    _: &mut dyn FnMut(Found) -> bool,
) -> Result<(Schedule, Found)> {
    let needs = "this pmatrix was built without the solver HiGHS";
    let how = "where cmake, a C++ compiler and libclang are installed, \
               'cargo build --release -p pmatrix --features highs' builds one that has it";
    Err(Error::Argument(format!("{needs}; {how}")))
}
