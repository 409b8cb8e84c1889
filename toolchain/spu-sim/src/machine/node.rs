//! One SPE of a machine, and a line of memory on its way.

use std::sync::Arc;

use super::ahead::Traveller;
use crate::{exec::Flow, mfc::Issued, spe::Spe, timing::pipeline::Pipeline};

/// What an SPE is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activity {
    /// Not started, or stopped and not resumed.
    Stopped,
    Running,
    /// Waits for a channel; the port had this generation when it last tried.
    Blocked {
        channel: u8,
        seen: u64,
    },
}

/// One SPE with its clock.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) spe: Spe,
    pub(super) pipeline: Pipeline,
    pub(super) activity: Activity,
    /// Cycle from which the MFC may send its next line.
    pub(super) mfc_ready: u64,
    /// Whether the MFC has nothing to send until its queue changes.
    pub(super) mfc_idle: bool,
    pub(super) outstanding: usize,
    /// It has executed no channel instruction that the machine looks at since this cycle.
    pub(super) quiet_since: u64,
    /// Whether it has run ahead to a channel instruction.
    pub(super) at_channel: bool,
    /// What has ended its running ahead, until virtual time has come to it.
    pub(super) held: Option<Flow>,
}

impl Node {
    /// A cycle before which it does nothing more.
    pub(super) fn next_cycle(&self) -> u64 {
        if self.held.is_some() { self.pipeline.cycle() } else { self.pipeline.next_cycle() }
    }
}

/// Where an SPE is.
#[derive(Debug)]
pub(super) enum Slot {
    Here(Box<Node>),
    Ahead(Arc<Traveller>),
    /// It is being moved.
    Empty,
}

/// A line on its way. Ordered by time, then by issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flight {
    pub(super) done: u64,
    pub(super) number: u64,
    pub(super) spe: usize,
    pub(super) issued: Issued,
}

impl Ord for Flight {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.done, self.number).cmp(&(other.done, other.number))
    }
}

impl PartialOrd for Flight {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
