//! Memory that is used again: the panels of a result may share matrices, one after the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::super::Region;
use super::super::graph::regions::{Held, meet};
use super::LoweredGraph;

/// What a block operation does with memory that several panels share.
#[derive(Debug, Clone, Copy)]
struct Access {
    /// The block operation.
    index: u32,
    writes: bool,
    region: Region,
}

/// For each block operation the ones that it must wait for because they read what was there before. `sources` are
/// the sources of each operation's edges.
///
/// # Errors
/// An operation that writes before everything has ended that happens to the panel before.
pub(super) fn waits(graph: &LoweredGraph, sources: &[Vec<u32>]) -> Result<Vec<BTreeSet<u32>>, String> {
    let mut waits = vec![BTreeSet::new(); graph.len()];
    for panels in shared(graph) {
        for pair in panels.windows(2) {
            let [earlier, later] = pair else { continue };
            for write in later.iter().filter(|access| access.writes) {
                let (index, its_sources) = (write.index, &sources[write.index as usize]);
                for &Access { index: before, writes, .. } in
                    earlier.iter().filter(|other| meet(other.region, write.region))
                {
                    let has_edge = its_sources.contains(&before);
                    if writes {
                        let waits_for_it = |&reader: &u32| sources[reader as usize].contains(&before);
                        if !has_edge && !its_sources.iter().any(waits_for_it) {
                            return Err(format!("b{index} may write before b{before} has written there"));
                        }
                    } else if has_edge {
                        waits[index as usize].insert(before);
                    } else {
                        return Err(format!("b{index} may write what b{before} has not read yet"));
                    }
                }
            }
        }
    }
    Ok(waits)
}

/// For each matrix that several panels share: the accesses to each of them, in the order of the panels.
///
/// To compare each panel with the one before it is enough: block operations of a panel wait for the panel's own writers
/// before they read it, and all of a panel is written. A constant that is in the table twice counts as shared, too, but nobody
/// writes it.
fn shared(graph: &LoweredGraph) -> Vec<Vec<Vec<Access>>> {
    let addresses: Vec<usize> = graph.matrices.iter().map(|matrix| Arc::as_ptr(matrix).addr()).collect();
    let mut count: HashMap<usize, usize> = HashMap::new();
    addresses.iter().for_each(|&address| *count.entry(address).or_default() += 1);
    // By address and panel.
    let mut accesses: BTreeMap<(usize, u32), Vec<Access>> = BTreeMap::new();
    if count.values().all(|&count| count < 2) {
        return Vec::new();
    }
    for index in 0..graph.len() as u32 {
        let read = graph.regions_read(index).into_iter().flatten().map(|held| (false, held));
        let written = graph.regions_written(index).into_iter().map(|held| (true, held));
        for (writes, held) in read.chain(written) {
            if let Held::Matrix(panel, region) = held
                && let Some(address) = addresses.get(panel as usize).filter(|address| count[address] > 1)
            {
                accesses.entry((*address, panel)).or_default().push(Access { index, writes, region });
            }
        }
    }
    let mut shared: BTreeMap<usize, Vec<Vec<Access>>> = BTreeMap::new();
    accesses.into_iter().for_each(|((address, _), panel)| shared.entry(address).or_default().push(panel));
    let mut shared: Vec<_> = shared.into_values().collect();
    shared.iter_mut().for_each(|panels| panels.sort_by_key(|panel| panel[0].index));
    shared
}
