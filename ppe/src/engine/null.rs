//! The null engine: accepts every operation and computes nothing. It serves to measure and test lowering,
//! scheduling and execution control. For each operation it writes the record that an MEU would read, so that
//! this part of the PPE's work is measured too.

use std::sync::Arc;
use std::time::Duration;

use spe_kernels::sys;

use super::link::Link;
use super::make::Entry;
use super::record::{Report, SharedLines};
use super::{Command, Engine, Fault, Host};
use crate::error::Result;
use crate::lower::Target;
use crate::time::TimeModel;

pub(super) const ENTRY: Entry = Entry {
    name: "null",
    meus: || None,
    model: |_| TimeModel::of_host(),
    most_cells: 1,
    is_for_ranks: false,
    target: |choice| Host::in_local_stores(choice.meus, choice.kinds),
    make: |_, target| Ok(Box::new(Null::new(target))),
};

/// See the module's documentation.
#[derive(Debug)]
pub struct Null {
    target: Target,
    links: Vec<Link>,
}

/// One for each MEU, and one for the PPE.
fn links(target: &Target) -> Vec<Link> {
    (0..=target.meus).map(|_| Link::new(Arc::new(SharedLines::new()))).collect()
}

impl Null {
    /// An engine that reports this target.
    #[must_use]
    pub fn new(target: Target) -> Null {
        Null { target, links: links(&target) }
    }
}

impl Engine for Null {
    fn name(&self) -> &'static str {
        "null"
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn room(&mut self, meu: usize) -> usize {
        self.links[meu].room(sys::MEU_MAILBOX_DEPTH)
    }

    fn offer(&mut self, meu: usize, command: &Command<'_>) {
        let link = &mut self.links[meu];
        link.write(command, false);
        let report = Report { sequence: link.offered() as u32, ..Report::default() };
        let completion = sys::meu_completion { report, ..sys::meu_completion::default() };
        // SAFETY: there is no MEU, so this thread alone accesses the line.
        unsafe { link.lines.complete(&completion) };
    }

    fn completed(&mut self, meu: usize) -> Result<u64, Fault> {
        self.links[meu].poll(None)
    }

    fn wait(&mut self, _timeout: Duration) {}

    fn stop(&mut self) -> bool {
        true
    }

    fn start(&mut self) -> Result<()> {
        self.links = links(&self.target);
        Ok(())
    }

    fn computes(&self) -> bool {
        false
    }
}
