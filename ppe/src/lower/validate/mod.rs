//! A check of lowered graphs: each block operation computes its part of a recorded operation, and waits for
//! its operands.
//!
//! The check does not trust lowering.  It works out from the trace alone which elements a block operation
//! must read ([`needs`]).  It keeps a map of which block operation writes which element ([`written`]).  It
//! compares both with the graph: with the places and sides of operands, and with the dependences.
//!
//! The check finds two writers of one element, an element without a writer, a read of an element before its
//! writer has finished, memory that is written again before it has been read ([`again`]), and a dependence that is
//! missing or counted wrongly.

mod again;
mod needs;
mod written;

use std::collections::{BTreeSet, HashMap};

use super::graph::{LoweredGraph, Place};
use crate::trace::Operand;
use needs::{Elements, Need, Needs};
pub use written::Written;

/// The value of the trace that a matrix of a chunk's table holds, and the column of the value at which the
/// matrix begins: 0 except for panels.
pub(super) type Origin = (Operand, u32);

impl LoweredGraph {
    /// Checks all properties on which later stages rely.  `written` says what the earlier chunks of the trace
    /// have written, and is empty before the first chunk.  The results of this chunk are added to it.
    ///
    /// # Errors
    /// What is wrong, in words: a mistake of ours.
    pub fn validate(&self, written: &mut Written) -> Result<(), String> {
        self.check_edges()?;
        self.check_matrices()?;
        let mut needs = Needs::new(self);
        let mut reads = Vec::with_capacity(self.len());
        for index in 0..self.len() as u32 {
            let found = needs.of(index).map_err(|what| self.report(index, &what))?;
            written.steps(found.steps);
            for (operation, region) in found.results {
                written.insert(operation, region, index);
            }
            reads.push(found.reads);
        }
        written.index()?;
        let mut readers = vec![0u32; self.len()];
        let mut sources = vec![Vec::new(); self.len()];
        for source in 0..self.len() as u32 {
            self.dependants(source).for_each(|dependant| sources[dependant as usize].push(source));
        }
        let waits = again::waits(self, &sources)?;
        for (index, (reads, sources)) in reads.iter().zip(&sources).enumerate() {
            check_reads(reads, sources, &waits[index], written, &mut readers)
                .map_err(|what| self.report(index as u32, &what))?;
        }
        for (index, operation) in self.operations.iter().enumerate() {
            if matches!(operation.result, Place::Temporary(_)) && readers[index] != 1 {
                let count = readers[index];
                return Err(self.report(index as u32, &format!("the temporary has {count} readers")));
            }
        }
        written.end_chunk();
        if self.last { written.check_whole(&self.trace) } else { Ok(()) }
    }

    /// The plain fields, because making text for people may fail for a wrong graph.
    fn report(&self, index: u32, what: &str) -> String {
        format!("b{index}: {what}: {:?}", self.operations[index as usize])
    }

    /// Checks that edges go forwards, and that guard counts count the edges.
    fn check_edges(&self) -> Result<(), String> {
        let mut guards = vec![0u16; self.len()];
        for index in 0..self.len() as u32 {
            for dependant in self.dependants(index) {
                if dependant <= index || dependant as usize >= self.len() {
                    return Err(format!(
                        "b{dependant} depends on b{index}, which is not an earlier operation"
                    ));
                }
                guards[dependant as usize] += 1;
            }
        }
        match guards.iter().zip(self.guards()).position(|(edges, guard)| edges != guard) {
            Some(index) => Err(self.report(index as u32, "the guard count is not the number of edges")),
            None => Ok(()),
        }
    }

    /// Checks that no two results of a chunk share a matrix, but for panels of one result that nobody keeps, and that no
    /// result is in the matrix of a constant.
    fn check_matrices(&self) -> Result<(), String> {
        let mut holders: HashMap<usize, Origin> = HashMap::new();
        for (matrix, &origin) in self.matrices.iter().zip(&self.origins) {
            let address = std::sync::Arc::as_ptr(matrix).addr();
            let shared = holders.insert(address, origin).filter(|&other| {
                let is_result = |(operand, _)| matches!(operand, Operand::Operation(_));
                let are_panels = match (other, origin) {
                    ((Operand::Operation(a), first), (Operand::Operation(b), second)) => {
                        a == b && first != second && self.trace.operations[a as usize].keep.is_none()
                    }
                    _ => false,
                };
                other != origin && !are_panels && (is_result(other) || is_result(origin))
            });
            if let Some(other) = shared {
                return Err(format!("{origin:?} and {other:?} share a matrix"));
            }
        }
        Ok(())
    }
}

/// Checks that an operation reads only elements that have been written.  An edge must lead to it from each
/// operation of the chunk that writes some of these elements, once for each operand, and from each operation of
/// `waits`.  `sources` are the sources of its edges.
fn check_reads(
    reads: &[Need],
    sources: &[u32],
    waits: &BTreeSet<u32>,
    written: &Written,
    readers: &mut [u32],
) -> Result<(), String> {
    let mut needed: HashMap<u32, u32> = waits.iter().map(|&source| (source, 1)).collect();
    let mut roughly = false;
    for read in reads {
        match read {
            Need::Temporary(writer) => {
                readers[*writer as usize] += 1;
                *needed.entry(*writer).or_default() += 1;
            }
            Need::Elements(Operand::Operation(operation), elements) => {
                // The elements may form no rectangle.  Lowering takes the rectangle around them, which may
                // have more writers.
                roughly |= matches!(elements, Elements::List(_));
                for writer in written.writers(*operation, elements)? {
                    *needed.entry(writer).or_default() += 1;
                }
            }
            Need::Elements(..) => {}
        }
    }
    let mut edges: HashMap<u32, u32> = HashMap::new();
    sources.iter().for_each(|&source| *edges.entry(source).or_default() += 1);
    for (&writer, &count) in &needed {
        let there = edges.get(&writer).copied().unwrap_or(0);
        if there < count {
            return Err(format!("it must wait for b{writer} {count} times, with {there} edges from it"));
        }
    }
    match edges.iter().find(|&(writer, &count)| needed.get(writer).copied().unwrap_or(0) < count) {
        Some((writer, _)) if !roughly => Err(format!(
            "waits for b{writer}, which writes nothing that it reads, and reads nothing that it writes"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
