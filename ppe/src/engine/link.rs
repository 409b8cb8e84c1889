//! The PPE's end of the connection to one MEU: what has been offered to it, and what it has completed.
//!
//! An engine has one [`Link`] for each of its MEUs.  Engines differ in how a mailbox word reaches the MEU,
//! and in how data move.

use std::sync::Arc;

use spe_kernels::program::FurtherLine;
use spe_kernels::sys;

use super::record::{self, Report, Ring, SharedLines};
use super::{Cause, Command, Fault, Task};
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
            Task::Direct { kind, parameters, origin } if command.venue == Venue::LocalStore => {
                let record = match kind.is_move() {
                    true => record::local_move(command, kind, parameters, origin),
                    false => Some(record::reduction(command, kind, parameters)),
                };
                match record {
                    Some(record) => self.put(flags, record, 1, []),
                    None => {
                        let (record, line) = record::gather(command, kind, &parameters, origin);
                        self.put(flags, record, 2, [FurtherLine::Gather(line)])
                    }
                }
            }
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
        // SAFETY: nothing is outstanding, as a report has said: the MEU waits for a mailbox word.
        let completion = unsafe { self.lines.completion() };
        Some(StageTimes { df: completion.fetch_ns, ex: completion.execute_ns, wb: completion.write_back_ns })
    }

    /// Whether something has completed since the PPE last looked.
    pub(super) fn has_news(&self) -> bool {
        self.lines.sequence() != self.completed as u32
    }

    /// Whether the MEU has failed.
    pub(super) fn has_failed(&self) -> bool {
        failed(&self.lines.report())
    }

    /// Does the work of [`Engine::completed`](super::Engine::completed).  `crash` says why the MEU has
    /// stopped, if it has stopped without a completion record.
    pub(super) fn poll(&mut self, crash: Option<&str>) -> Result<u64, Fault> {
        let report = self.lines.report();
        let further = u64::from(report.sequence.wrapping_sub(self.completed as u32));
        if further > self.offered - self.completed || !is_sound(&report) {
            let Report { sequence, status, detail } = report;
            let text = format!("its completion record is damaged ({sequence}, {status}, {detail})");
            return Err(self.lost(&text));
        }
        self.completed += further;
        match crash {
            _ if failed(&report) => Err(self.fault(&report)),
            Some(what) => Err(self.lost(what)),
            None => Ok(self.completed),
        }
    }

    /// The fault of an MEU that says that it cannot execute the first operation that it has not completed.
    fn fault(&self, report: &Report) -> Fault {
        let (status, detail) = (report.status.into(), report.detail.into());
        let domain = status == sys::MEU_STATUS_DOMAIN;
        Fault {
            operation: Some(self.completed),
            step: if domain { detail } else { 0 },
            cause: if domain { Cause::Domain } else { Cause::Refused },
            what: fault_text(status, detail),
        }
    }

    /// The fault of an MEU that has stopped without a completion record, or whose record is damaged.
    fn lost(&self, what: &str) -> Fault {
        Fault { operation: Some(self.completed), step: 0, cause: Cause::Lost, what: what.to_owned() }
    }
}

/// Whether an MEU can have written this report: it knows a few statuses, and a success has no detail.
fn is_sound(report: &Report) -> bool {
    match u32::from(report.status) {
        sys::MEU_STATUS_OK => report.detail == 0,
        status => status <= sys::MEU_STATUS_DOMAIN,
    }
}

/// Whether a report says that the MEU has failed.
fn failed(report: &Report) -> bool {
    u32::from(report.status) != sys::MEU_STATUS_OK
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::BlockAddress;
    use crate::engine::mailbox::Mailbox;
    use crate::lower::Axis;
    use crate::operation::{OpKind, Precision};

    /// A link with so many operations offered and completed, and what it says of a report.
    fn polled(
        (offered, completed): (u64, u64),
        (sequence, status, detail): (u32, u32, u16),
        crash: Option<&str>,
    ) -> Result<u64, (u64, u32, Cause)> {
        let mut link = Link { offered, completed, ..Link::new(Arc::new(SharedLines::new())) };
        let report = Report { sequence, status: status as u16, detail };
        // SAFETY: nobody else writes or reads the line.
        unsafe { link.lines.complete(&sys::meu_completion { report, ..Default::default() }) };
        link.poll(crash).map_err(|fault| (fault.operation.unwrap(), fault.step, fault.cause))
    }

    #[test]
    fn a_failed_meu_names_the_first_operation_that_was_not_completed() {
        assert_eq!(polled((9, 0), (0, sys::MEU_STATUS_OK, 0), None), Ok(0));
        assert_eq!(polled((9, 0), (0, sys::MEU_STATUS_DOMAIN, 5), None), Err((0, 5, Cause::Domain)));
        assert_eq!(polled((9, 0), (3, sys::MEU_STATUS_OK, 0), None), Ok(3));
        let refused = Err((4, 0, Cause::Refused));
        assert_eq!(polled((9, 3), (4, sys::MEU_STATUS_DMA, 2), Some("crashed")), refused);
        let lost = Err((4, 0, Cause::Lost));
        assert_eq!(polled((9, 3), (4, sys::MEU_STATUS_OK, 0), Some("crashed")), lost);
        assert_eq!(polled((4, 3), (4, sys::MEU_STATUS_OK, 0), Some("crashed")), lost);
        // Numbers go on behind the last of 32 bits.
        let last = u64::from(u32::MAX);
        assert_eq!(polled((last + 3, last - 2), (u32::MAX, sys::MEU_STATUS_OK, 0), None), Ok(last));
        let domain = Err((last + 2, 0, Cause::Domain));
        assert_eq!(polled((last + 3, last), (1, sys::MEU_STATUS_DOMAIN, 0), None), domain);
    }

    /// An MEU in Rust reads all lines of each record, and what it reports is read by the PPE. Miri finds an access that
    /// races with another one. `from` reads a number in the byte order of the lines.
    fn exchange(lines: SharedLines, from: fn([u8; 4]) -> u32) {
        const OPERATIONS: u32 = 300;
        let block = |ea| BlockAddress {
            ea,
            stride_bytes: 64,
            rows: 4,
            columns: 4,
            precision: Precision::Double,
            transposed: false,
        };
        let (operands, results) = ([block(4096), block(8192)], [block(12288)]);
        let product = Task::Product(Axis::whole(4), None);
        let repeat = Task::Direct { kind: OpKind::Repeat, parameters: [0; 4], origin: (0, 0) };
        let tasks =
            [(product, Venue::LocalStore, 2), (repeat, Venue::LocalStore, 1), (repeat, Venue::Memory, 1)];
        let lines = Arc::new(lines);
        let mut link = Link::new(Arc::clone(&lines));
        let (mailbox, parker) = Mailbox::new();
        let mailbox = Arc::new(mailbox);
        let inbound = Arc::clone(&mailbox);
        let meu = std::thread::spawn(move || {
            for sequence in 1..=OPERATIONS {
                let word = inbound.read(&parker, |_| ());
                let (first, count) = ((word & 0xffff) as usize, (word >> 16) as usize);
                assert_eq!(count, 1 + usize::from(sequence % 3 != 1));
                // SAFETY: the word has named these lines, and the operation is not completed.
                let record: Vec<_> = (first..first + count).map(|line| unsafe { lines.read(line) }).collect();
                let number = &record[0][std::mem::offset_of!(sys::meu_record, sequence)..];
                assert_eq!(from(number[..4].try_into().unwrap()), sequence);
                let report = Report { sequence, ..Report::default() };
                let completion = sys::meu_completion {
                    report,
                    fetch_ns: sequence.into(),
                    execute_ns: 1,
                    write_back_ns: 2,
                    ..Default::default()
                };
                // SAFETY: this is the only thread that writes, and the other one reads the times at the end.
                unsafe { lines.complete(&completion) };
            }
        });
        let mut offered = 0;
        while link.poll(None).unwrap() < u64::from(OPERATIONS) {
            while offered < OPERATIONS && link.room(sys::MEU_MAILBOX_DEPTH - mailbox.count()) > 0 {
                let (task, venue, count) = tasks[offered as usize % tasks.len()];
                let command = Command { task, venue, results: &results, operands: &operands[..count] };
                assert!(mailbox.write(link.write(&command, true)));
                offered += 1;
            }
            std::thread::yield_now();
        }
        let times = link.last_times().unwrap();
        assert_eq!((times.df, times.ex, times.wb), (u64::from(OPERATIONS), 1, 2));
        meu.join().unwrap();
    }

    #[test]
    fn records_and_reports_pass_between_threads() {
        exchange(SharedLines::new(), u32::from_ne_bytes);
        exchange(SharedLines::big_endian(), u32::from_be_bytes);
    }

    #[test]
    fn a_damaged_report_changes_no_number() {
        let damaged = Err((3, 0, Cause::Lost));
        // More than was offered, less than was completed, a status that there is not, a detail of nothing.
        for report in [(10, 0, 0), (2, 0, 0), (4, 6, 0), (4, 0, 1)] {
            assert_eq!(polled((9, 3), report, None), damaged, "{report:?}");
        }
    }
}
