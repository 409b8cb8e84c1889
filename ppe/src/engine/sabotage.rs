//! For tests: MEUs that are lost on purpose, at a given step.

use std::sync::atomic::{AtomicU64, Ordering};

/// How an MEU is lost. An SPE of the Cell engine can be lost in two manners: it stops or it hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Its program ends before it takes the next operation; an SPE of the Cell engine stops in whatever it is doing.
    Stop,
    /// It crashes: a thread of the host panics, and a DMA command of a simulated SPE goes to memory that there
    /// is not.
    Fault,
    /// It reports nothing more.
    Hang,
    /// Its completion record holds what cannot be.
    Damage,
}

impl Manner {
    /// All of them.
    pub const ALL: [Manner; 4] = [Manner::Stop, Manner::Fault, Manner::Hang, Manner::Damage];
}

/// Which MEU is lost, when, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sabotage {
    /// The MEU; None for each of them.
    pub meu: Option<usize>,
    /// Operations that the MEU completes before.
    pub step: u64,
    /// How it is lost.
    pub manner: Manner,
}

impl Sabotage {
    /// What happens to this MEU.
    pub(super) fn of(sabotage: Option<Sabotage>, meu: usize) -> Plot {
        let sabotage = sabotage.filter(|sabotage| sabotage.meu.is_none_or(|victim| victim == meu));
        Plot { sabotage, steps: AtomicU64::new(0) }
    }
}

/// The sabotage of one MEU, which counts its steps.
#[derive(Debug)]
pub(super) struct Plot {
    sabotage: Option<Sabotage>,
    steps: AtomicU64,
}

impl Plot {
    /// Notes a step of the MEU: a place where it can be lost in one of these manners. Returns how it is lost
    /// there.
    pub(super) fn step(&self, manners: &[Manner]) -> Option<Manner> {
        let sabotage = self.sabotage.filter(|sabotage| manners.contains(&sabotage.manner))?;
        (self.steps.fetch_add(1, Ordering::Relaxed) >= sabotage.step).then_some(sabotage.manner)
    }

    /// Whether the MEU has been lost in this manner.
    pub(super) fn has_struck(&self, manner: Manner) -> bool {
        let sabotage = self.sabotage.filter(|sabotage| sabotage.manner == manner);
        sabotage.is_some_and(|sabotage| self.steps.load(Ordering::Relaxed) > sabotage.step)
    }
}
