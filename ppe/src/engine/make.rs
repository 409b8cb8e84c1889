//! Makes an engine from its name and a choice. No other module knows the engines by name.

use super::sabotage::Sabotage;
use super::{Engine, cell, clock, host, null, sim};
use crate::error::{Error, Result};
use crate::lower::{MemoryLimits, Target};
use crate::operation::KindSet;
use crate::time::TimeModel;
use spe_kernels::Processor;

/// What a session may choose about its engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Number of MEUs.
    pub meus: usize,
    /// Number of Cells that the MEUs are divided among.
    pub cells: usize,
    /// The kinds that MEUs shall execute. MEUs whose program lacks some of these kinds execute fewer.
    pub kinds: KindSet,
    /// How operations in memory are cut, for MEUs that address main memory. None makes MEUs use their local
    /// stores.
    pub memory: Option<MemoryLimits>,
    /// Execute DMA commands late and in any order that the rules allow, after this seed.
    pub chaos: Option<u64>,
    /// The processor of a simulated SPE.
    pub processor: Processor,
    /// Simulate SPEs in virtual time.
    pub timing: bool,
    /// In virtual time: how much longer the PPE takes than a host; 0 for a PPE that takes no time.
    pub ppe_factor: f64,
    /// Virtual clock: whether blocks are computed.
    pub compute: bool,
    /// For tests: MEUs that are lost on purpose.
    pub sabotage: Option<Sabotage>,
}

/// An engine by its name.
pub(super) struct Entry {
    /// On the command line.
    pub(super) name: &'static str,
    /// The number of MEUs that it has on this machine. None for an engine whose MEUs are threads.
    pub(super) meus: fn() -> Option<usize>,
    /// The most Cells that it can have.
    pub(super) most_cells: usize,
    /// Whether a rank can have it: it computes, and its time is real unless something else is chosen.
    pub(super) is_for_ranks: bool,
    /// What lowering and scheduling need to know about it.
    pub(super) target: fn(&Choice) -> Target,
    /// The time model of its machine that comes with pmatrix.
    pub(super) model: fn(&Choice) -> Result<TimeModel>,
    /// The engine itself, for this target, which may have been changed.
    pub(super) make: fn(&Choice, Target) -> Result<Box<dyn Engine>>,
}

const ENTRIES: &[Entry] = &[host::ENTRY, cell::ENTRY, sim::ENTRY, null::ENTRY, clock::ENTRY];

/// The names of the engines.
pub const NAMES: [&str; ENTRIES.len()] = {
    let mut names = [""; ENTRIES.len()];
    let mut number = 0;
    while number < names.len() {
        names[number] = ENTRIES[number].name;
        number += 1;
    }
    names
};

fn entry(name: &str) -> Result<&'static Entry> {
    let missing =
        || Error::Argument(format!("there is no engine '{name}' (there are: {})", NAMES.join(", ")));
    ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(missing)
}

/// How many MEUs an engine has by default: on a Cell one for each SPE, elsewhere one for each processor of
/// the machine.
#[must_use]
pub fn default_meus(name: &str) -> usize {
    // Without SPEs this is no error: making the engine tells what is missing.
    let own = entry(name).ok().and_then(|entry| (entry.meus)());
    own.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The names of the engines that ranks can have.
pub fn names_for_ranks() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().filter(|entry| entry.is_for_ranks).map(|entry| entry.name)
}

/// What lowering and scheduling need to know about the engine of this name.
///
/// # Errors
/// [`Error::Argument`] when there is no such engine, and when it cannot have so many Cells.
pub fn target(name: &str, choice: &Choice) -> Result<Target> {
    let entry = entry(name)?;
    if choice.cells > entry.most_cells {
        let (cells, most) = (choice.cells, entry.most_cells);
        let what = format!("cells is {cells}: the engine '{name}' has at most {most}");
        return Err(Error::Argument(what));
    }
    Ok((entry.target)(choice))
}

/// The time model for the engine of this name that comes with pmatrix.
///
/// # Errors
/// [`Error::Argument`] when there is no such engine.
pub fn model(name: &str, choice: &Choice) -> Result<TimeModel> {
    (entry(name)?.model)(choice)
}

/// The engine of this name, for a target that [`target`] has given and that may have been changed since.
///
/// # Errors
/// [`Error::Argument`] when there is no such engine, or when blocks do not fit its local stores.
/// [`Error::Engine`] or [`Error::Memory`] when this machine cannot provide the engine.
pub fn make(name: &str, choice: &Choice, target: Target) -> Result<Box<dyn Engine>> {
    (entry(name)?.make)(choice, target)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn choice(kinds: KindSet) -> Choice {
        let memory = Some(MemoryLimits::default());
        Choice {
            meus: 2,
            cells: 1,
            kinds,
            memory,
            chaos: None,
            processor: Processor::CellBe,
            timing: false,
            ppe_factor: 1.0,
            compute: true,
            sabotage: None,
        }
    }

    #[test]
    fn engines_are_made_by_their_names() {
        for kinds in [KindSet::ALL, KindSet::PAPER] {
            for name in ["host", "null"] {
                let choice = choice(kinds);
                let target = target(name, &choice).unwrap();
                let engine = make(name, &choice, target).unwrap();
                assert_eq!((engine.name(), *engine.target()), (name, target));
                assert_eq!((target.meus, target.kinds), (2, kinds));
            }
        }
        let error = target("host", &Choice { cells: 2, ..choice(KindSet::ALL) }).unwrap_err().to_string();
        assert_eq!(error, "cells is 2: the engine 'host' has at most 1");
        assert_eq!(target("clock", &Choice { cells: 2, ..choice(KindSet::ALL) }).unwrap().cells, 2);
        let error = target("abacus", &choice(KindSet::ALL)).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no engine 'abacus' (there are: host, cell, sim, null"),
            "{error}"
        );
    }

    #[test]
    fn only_meus_of_the_host_that_execute_everything_work_in_main_memory() {
        let in_memory = |name, choice: Choice| target(name, &choice).unwrap().memory.is_some();
        let all = choice(KindSet::ALL);
        assert!(in_memory("host", all));
        assert!(!in_memory("host", Choice { chaos: Some(1), ..all }));
        assert!(!in_memory("host", choice(KindSet::PAPER)));
        assert!(!in_memory("sim", all) && !in_memory("cell", all) && !in_memory("null", all));
    }
}
