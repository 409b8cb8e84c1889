//! The null engine: accepts every operation and computes nothing.  It measures and tests everything but arithmetic.

use std::time::Duration;

use super::{Command, Engine, Fault};
use crate::error::Result;
use crate::lower::BlockLimits;
use crate::operation::{KindSet, OpKind};

/// See the module's documentation.
#[derive(Debug)]
pub struct Null {
    limits: BlockLimits,
    kinds: KindSet,
    offered: Vec<u64>,
}

impl Null {
    /// An engine with any limits.
    #[must_use]
    pub fn new(limits: BlockLimits) -> Null {
        Null::restricted(limits, KindSet::ALL)
    }

    /// An engine whose MEUs pretend to execute these kinds, and whose PPE the others.
    #[must_use]
    pub fn restricted(limits: BlockLimits, kinds: KindSet) -> Null {
        Null { limits, kinds, offered: vec![0; limits.meus + 1] }
    }
}

impl Engine for Null {
    fn name(&self) -> &'static str {
        "null"
    }

    fn limits(&self) -> BlockLimits {
        self.limits
    }

    fn executes(&self, kind: OpKind) -> bool {
        self.kinds.contains(kind)
    }

    fn room(&mut self, _meu: usize) -> usize {
        4
    }

    fn offer(&mut self, meu: usize, _command: &Command) {
        self.offered[meu] += 1;
    }

    fn completed(&mut self, meu: usize) -> Result<u64, Fault> {
        Ok(self.offered[meu])
    }

    fn wait(&mut self, _timeout: Duration) {}

    fn reset(&mut self) -> Result<()> {
        self.offered.fill(0);
        Ok(())
    }

    fn computes(&self) -> bool {
        false
    }
}
