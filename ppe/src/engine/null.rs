//! The null engine: accepts every operation and computes nothing. It serves to measure and test lowering,
//! scheduling and execution control.

use std::time::Duration;

use super::make::Entry;
use super::{Command, Engine, Fault, Host};
use crate::error::Result;
use crate::lower::Target;
use crate::time::TimeModel;

pub(super) const ENTRY: Entry = Entry {
    name: "null",
    meus: || None,
    model: |_| TimeModel::of_host(),
    target: |choice| Host::in_local_stores(choice.meus, choice.kinds),
    make: |_, target| Ok(Box::new(Null::new(target))),
};

/// See the module's documentation.
#[derive(Debug)]
pub struct Null {
    target: Target,
    offered: Vec<u64>,
}

impl Null {
    /// An engine that reports this target.
    #[must_use]
    pub fn new(target: Target) -> Null {
        Null { target, offered: vec![0; target.meus + 1] }
    }
}

impl Engine for Null {
    fn name(&self) -> &'static str {
        "null"
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn room(&mut self, _meu: usize) -> usize {
        4
    }

    fn offer(&mut self, meu: usize, _command: &Command<'_>) {
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
