//! The PPE's end of the connection to one MEU: what has been offered to it, and what it has completed.
//!
//! Every engine with MEUs has one for each.  They differ in how a mailbox word reaches the MEU, and in who moves the data.

use std::sync::Arc;

use spe_kernels::sys;

use super::direct::{Description, is_direct};
use super::record::{Completion, Record, SharedLines};
use super::{Command, Fault};

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Link {
    /// What the MEU shares with the PPE.
    pub(super) lines: Arc<SharedLines>,
    offered: u64,
    completed: u64,
}

impl Link {
    /// Nothing has been offered yet.
    pub(super) fn new(lines: Arc<SharedLines>) -> Link {
        Link { lines, offered: 0, completed: 0 }
    }

    /// Operations offered so far.
    pub(super) fn offered(&self) -> u64 {
        self.offered
    }

    /// Operations that had been completed when the PPE last looked.
    pub(super) fn acknowledged(&self) -> u64 {
        self.completed
    }

    /// How many operations can be offered while the mailbox has `free` entries.
    pub(super) fn room(&self, free: u32) -> usize {
        let outstanding = self.offered - self.completed;
        // The ring is much longer than mailbox and MEU together can hold; acknowledging may lag behind, though.
        let fits = outstanding + u64::from(sys::MEU_MAILBOX_DEPTH) < u64::from(sys::MEU_RING_LINES);
        if fits { free as usize } else { 0 }
    }

    /// Writes the record of an operation into the ring; the mailbox word that is to follow it.  There is room.  With `in_place`
    /// the MEU executes element-wise operations and products in main memory, as it does all that have no other way.
    pub(super) fn write(&mut self, command: &Command, profile: bool, in_place: bool) -> u32 {
        self.offered += 1;
        let sequence = self.offered as u32;
        // SAFETY of both: `&mut self` makes this the only writer; room() keeps fewer operations outstanding than the ring has lines.
        if is_direct(command, in_place) {
            let description = Description::of(command);
            // SAFETY: see above.
            return unsafe { self.lines.write_direct(&description, sequence, profile) };
        }
        let record = Record::new(command, sequence, profile, in_place);
        // SAFETY: see above.
        unsafe { self.lines.write(&record) }
    }

    /// Whether something has completed since the PPE last looked.
    pub(super) fn has_news(&self) -> bool {
        self.lines.sequence() != self.completed as u32
    }

    /// How many operations have been completed.  Their results are visible to the caller.
    pub(super) fn completed(&mut self) -> u64 {
        let news = self.lines.sequence().wrapping_sub(self.completed as u32);
        self.completed += u64::from(news);
        self.completed
    }

    /// The fault that a completion record with a status other than 0 reports.
    pub(super) fn fault(&mut self, completion: &Completion) -> Fault {
        let completed = self.completed();
        let number = completed + u64::from(completion.failed_sequence.wrapping_sub(completed as u32));
        Fault {
            operation: number.checked_sub(1),
            step: if completion.status == sys::MEU_STATUS_DOMAIN { completion.detail } else { 0 },
            domain: completion.status == sys::MEU_STATUS_DOMAIN,
            what: fault_text(completion.status, completion.detail),
        }
    }

    /// The fault of an MEU that has stopped without a completion record that says why.
    pub(super) fn crash(&mut self, what: &str) -> Fault {
        let completed = self.completed();
        Fault {
            operation: (self.offered > completed).then_some(completed),
            step: 0,
            domain: false,
            what: what.to_owned(),
        }
    }
}

fn fault_text(status: u32, detail: u32) -> String {
    match status {
        sys::MEU_STATUS_VERSION => "the MEU speaks another version of the protocol".into(),
        sys::MEU_STATUS_OPCODE => "the MEU does not know this operation".into(),
        sys::MEU_STATUS_SHAPE => "the blocks do not fit the operation or the local store".into(),
        sys::MEU_STATUS_DMA => format!("a DMA command broke a rule of the MFC (fault {detail})"),
        sys::MEU_STATUS_DOMAIN => "the result would be complex".into(),
        other => format!("unknown status {other}"),
    }
}
