//! The PPE's end of the connection to one MEU: what has been offered to it, and what it has completed.
//!
//! An engine has one [`Link`] for each of its MEUs.  Engines differ in how a mailbox word reaches the MEU,
//! and in how data move.

use std::sync::Arc;

use spe_kernels::program::FurtherLine;
use spe_kernels::sys;

use super::record::{self, Completion, Ring, SharedLines};
use super::{Command, Fault, Task};
use crate::lower::Venue;
use crate::time::StageTimes;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Link {
    /// What the MEU shares with the PPE.
    pub(super) lines: Arc<SharedLines>,
    ring: Ring,
    offered: u64,
    completed: u64,
}

impl Link {
    /// Nothing has been offered yet.
    pub(super) fn new(lines: Arc<SharedLines>) -> Link {
        Link { lines, ring: Ring::new(), offered: 0, completed: 0 }
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
        // The ring has many more lines than mailbox and MEU together can use, but acknowledging may lag
        // behind.
        self.ring.room(self.offered, self.completed).min(free as usize)
    }

    /// Writes the record of an operation into the ring, which has room.  Returns the mailbox word to be sent
    /// next.
    pub(super) fn write(&mut self, command: &Command<'_>, profile: bool) -> u32 {
        self.offered += 1;
        let memory = u32::from(command.venue == Venue::Memory);
        let flags = memory * sys::MEU_FLAG_MEMORY + u32::from(profile) * sys::MEU_FLAG_PROFILE;
        match command.task {
            Task::Product(parts, None) => self.put(flags, record::product(command, parts), 1, []),
            Task::Product(parts, Some(epilogue)) => match epilogue.encoded() {
                Ok(epilogue) => {
                    let blocks = record::blocks(command);
                    let record = epilogue.with_product(record::product(command, parts));
                    let further = epilogue.further_product_lines(&blocks);
                    self.put(flags, record, epilogue.product_lines(), further)
                }
                // As for a program.
                Err(_) => self.put(flags, record::empty(), 1, []),
            },
            Task::Direct { kind, parameters, origin } => {
                let line = FurtherLine::Direct(record::direct_operation(command, kind, parameters, origin));
                self.put(flags, record::direct(kind), 2, [line])
            }
            Task::Program(program) => match program.encoded() {
                Ok(program) => {
                    let blocks = record::blocks(command);
                    let further = program.further_lines(&blocks);
                    self.put(flags, program.record(&blocks), program.record_lines(), further)
                }
                // The MEU refuses an empty record, and its completion record then names the operation.
                Err(_) => self.put(flags, record::empty(), 1, []),
            },
        }
    }

    /// Writes the record of the operation that was offered last, which takes `lines` lines.
    fn put(
        &mut self,
        flags: u32,
        record: sys::meu_record,
        lines: u32,
        further: impl IntoIterator<Item = FurtherLine>,
    ) -> u32 {
        let first = self.ring.take(self.offered - 1, lines);
        let record = sys::meu_record { flags: flags as u8, sequence: self.offered as u32, ..record };
        // SAFETY: `&mut self` makes this the only writer; the ring gives lines that no outstanding operation
        // uses.
        unsafe { self.lines.write(first, &record, further) }
    }

    /// Stage times of the last operation, which the completion record holds once nothing is outstanding.
    pub(super) fn last_times(&self) -> Option<StageTimes> {
        if self.offered == 0 || self.completed != self.offered {
            return None;
        }
        // SAFETY: nothing is outstanding, which has been seen with acquire order: the MEU waits for a mailbox word.
        let completion = unsafe { self.lines.completion() };
        Some(StageTimes { df: completion.fetch_ns, ex: completion.execute_ns, wb: completion.write_back_ns })
    }

    /// Whether something has completed since the PPE last looked.
    pub(super) fn has_news(&self) -> bool {
        self.lines.sequence() != self.completed as u32
    }

    /// How many operations have been completed.  The results of these operations are visible to the caller.
    pub(super) fn completed(&mut self) -> u64 {
        let news = self.lines.sequence().wrapping_sub(self.completed as u32);
        self.completed += u64::from(news);
        self.completed
    }

    /// Whether the MEU's completion record says that it has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.lines.status() != sys::MEU_STATUS_OK
    }

    /// Does the work of [`Engine::completed`](super::Engine::completed).  `crash` says why the MEU has
    /// stopped, if it has stopped without a completion record.
    pub(super) fn poll(&mut self, crash: Option<&str>) -> Result<u64, Fault> {
        let completed = self.completed();
        if self.has_failed() {
            // SAFETY: a failed MEU writes no further completion record, and the status was loaded with
            // acquire order.
            let completion = unsafe { self.lines.completion() };
            return Err(self.fault(&completion));
        }
        match crash {
            Some(what) => Err(self.crash(what)),
            None => Ok(completed),
        }
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

    /// The fault of an MEU that has stopped without a completion record.
    fn crash(&mut self, what: &str) -> Fault {
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
