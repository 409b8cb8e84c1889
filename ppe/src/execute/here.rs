//! Execution of a lowered graph by the calling thread alone.

use super::Witness;
use super::blocks::{Addresses, Blocks, concerning, failure_of};
use crate::engine::Caller;
use crate::error::Failure;
use crate::lower::LoweredGraph;
use crate::pool::Pool;

/// Executes all operations of `graph` in their order, which is topological. Needs no schedule, no guard
/// counts and no engine. Every operation is one that MEUs execute in main memory.
///
/// # Errors
/// The first failure.
pub fn execute_here(graph: &LoweredGraph, pool: &Pool, witness: Witness<'_>) -> Result<(), Failure> {
    let (mut blocks, mut caller) = (Blocks::new(graph, pool), Caller::new(pool));
    let mut addresses = Addresses::default();
    for index in 0..graph.len() as u32 {
        let command = blocks.command(index, &mut addresses)?;
        let begun = witness.begin();
        let outcome = caller.execute(&command).map_err(|error| concerning(graph, index, 0, error))?;
        if let Err(fault) = outcome {
            return Err(failure_of(graph, index, "the calling thread".into(), &fault));
        }
        blocks.executed(index);
        witness.count(graph, index);
        witness.note(graph, index, begun);
    }
    Ok(())
}
