//! One MEU in virtual time: the loop of the MEU's program (`spe-kernels/meu/main.c`), as a list of what it does
//! next.
//!
//! An MEU takes a word from its mailbox when it has nothing to do, or before the last part of what it executes.
//! It fetches the record, and issues the transfers of the operands. The result of an operation is written back
//! while the next operation is executed. Then the MEU waits until the result before has gone, and writes its
//! completion record.

use std::collections::VecDeque;

use super::executed::Executed;
use super::mfc::{Command, Elements, Mfcs};
use crate::engine::report::Waits;
use crate::time::OVERLAY_LINES;

/// Buffers of the local store: tags of their transfers.
const BUFFERS: u8 = spe_kernels::sys::MEU_BUFFER_COUNT as u8;
const RECORD_TAG: u8 = BUFFERS;
const OVERLAY_TAG: u8 = BUFFERS + 1;

/// A step of a program, or the whole execution of something else, on one strip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Segment {
    /// The overlay whose code it needs.
    pub(super) overlay: Option<&'static str>,
    pub(super) ns: f64,
}

/// What an operation makes an MEU do. Times are those of the MEU itself, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Operation {
    /// Lines of its record.
    pub(super) record_lines: u32,
    /// To take it, and to issue the fetch of its operands.
    pub(super) take_ns: f64,
    /// Operands; of a chain, those of the first part.
    pub(super) fetch: Elements,
    /// To issue the fetches of each further part.
    pub(super) part_ns: f64,
    /// The execution of each part, in their order; of anything but a chain there is one.
    pub(super) parts: Vec<f64>,
    /// Operands of each further part, in their order.
    pub(super) part_fetches: Vec<Elements>,
    /// The steps of a program or of an epilogue, strip by strip.
    pub(super) segments: Vec<Segment>,
    /// Further operands of an epilogue. They are fetched during the execution.
    pub(super) further: Elements,
    /// To issue the write back.
    pub(super) write_ns: f64,
    /// Results.
    pub(super) write: Elements,
    /// Everything else.
    pub(super) turn_ns: f64,
}

impl Operation {
    /// The overlay that it needs first.
    fn first_overlay(&self) -> Option<&'static str> {
        self.segments.iter().find_map(|segment| segment.overlay)
    }
}

/// What an MEU does next.
#[derive(Debug)]
enum Act {
    Work(f64),
    Issue(Command),
    Wait(u8),
    /// Needs this overlay.
    Need(&'static str),
    /// Waits for a word, which it takes.
    Read,
    /// Takes a word if there is one; operands go into this buffer.
    Look(u8),
    /// Begins to execute what it holds.
    Begin,
    /// Writes the completion record, under this tag.
    Report(u8),
    /// Begins anew.
    Again,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Meu {
    mailbox: VecDeque<Operation>,
    acts: VecDeque<Act>,
    /// The operation that is executed, and the one that is fetched.
    held: Option<Operation>,
    next: Option<Operation>,
    /// Buffers: of operands, of the next operands, of results.
    buffers: [u8; 3],
    /// When it has done what it does.
    until: f64,
    overlay: Option<&'static str>,
    /// Commands that write completion records.
    reports: VecDeque<u64>,
    completed: u64,
    waits: Waits,
    /// None while no timeline wants to know.
    executed: Option<Executed>,
}

impl Meu {
    pub(super) fn new() -> Meu {
        Meu {
            mailbox: VecDeque::new(),
            acts: VecDeque::from([Act::Read, Act::Begin]),
            held: None,
            next: None,
            buffers: [0, 1, 2],
            until: 0.0,
            overlay: None,
            reports: VecDeque::new(),
            completed: 0,
            waits: Waits::default(),
            executed: None,
        }
    }

    /// Words that it has not taken.
    pub(super) fn words(&self) -> usize {
        self.mailbox.len()
    }

    pub(super) fn completed(&self) -> u64 {
        self.completed
    }

    pub(super) fn waits(&self) -> Waits {
        self.waits
    }

    pub(super) fn offer(&mut self, operation: Operation, now: f64) {
        if let Some(executed) = &mut self.executed {
            executed.offered(now);
        }
        self.mailbox.push_back(operation);
    }

    /// Begins or ends to note when it executes operations, while nothing is outstanding.
    pub(super) fn note_executed(&mut self, on: bool) {
        if on != self.executed.is_some() {
            self.executed = on.then(|| Executed::since(self.waits));
        }
    }

    /// What it has noted; None when it notes nothing.
    pub(super) fn executed(&mut self) -> Option<&mut Executed> {
        self.executed.as_mut()
    }

    /// When it has done what it does; None when it waits.
    pub(super) fn next_event(&self, now: f64) -> Option<f64> {
        (self.until > now).then_some(self.until)
    }

    /// Whether what it did ends now.
    pub(super) fn is_due(&self, now: f64) -> bool {
        self.until == now
    }

    /// Notes that time has passed. `ppe_works`: the PPE could not offer anything meanwhile.
    pub(super) fn pass(&mut self, now: f64, ns: f64, ppe_works: bool) {
        let waits = &mut self.waits;
        let to = match self.acts.front() {
            _ if self.until > now => &mut waits.busy_ns,
            Some(Act::Read) if self.reports.is_empty() && ppe_works => &mut waits.ppe_ns,
            Some(Act::Read) if self.reports.is_empty() => &mut waits.operands_ns,
            _ => &mut waits.data_ns,
        };
        *to += ns;
    }

    /// Does all that takes no time.
    pub(super) fn turn(&mut self, number: usize, now: f64, mfcs: &mut Mfcs) {
        while self.reports.front().is_some_and(|&report| mfcs.has_ended(number, report)) {
            self.reports.pop_front();
            if let Some(executed) = &mut self.executed {
                executed.completed(self.completed, now);
            }
            self.completed += 1;
        }
        while self.until <= now {
            let Some(act) = self.acts.pop_front() else { return };
            match act {
                Act::Work(ns) => self.until = now + ns,
                Act::Issue(command) => _ = mfcs.issue(number, now, command),
                Act::Wait(tag) if mfcs.is_done(number, tag) => {}
                Act::Need(overlay) => self.need(overlay, number, now, mfcs),
                Act::Read if !self.mailbox.is_empty() => {
                    self.held = self.take(self.buffers[0]);
                }
                Act::Look(buffer) => {
                    self.next = self.take(buffer);
                    self.expect_overlay(number, now, mfcs);
                }
                Act::Begin => self.begin(),
                Act::Report(tag) => {
                    if let Some(executed) = &mut self.executed {
                        executed.reported(now, self.waits);
                    }
                    let line = Command { fenced: true, writes: true, ..Command::of_lines(tag, 1) };
                    self.reports.push_back(mfcs.issue(number, now, line));
                }
                Act::Again => {
                    self.held = self.next.take();
                    if self.held.is_none() {
                        self.acts.push_back(Act::Read);
                    }
                    self.acts.push_back(Act::Begin);
                }
                waits @ (Act::Wait(_) | Act::Read) => {
                    self.acts.push_front(waits);
                    return;
                }
            }
        }
    }

    /// Takes a word: fetches the record, and then the operands into this buffer.
    fn take(&mut self, buffer: u8) -> Option<Operation> {
        let operation = self.mailbox.pop_front()?;
        let fetch = Command {
            fenced: true,
            listed: true,
            elements: operation.fetch.clone(),
            ..Command::of_lines(buffer, 0)
        };
        for act in [
            Act::Issue(fetch),
            Act::Work(operation.take_ns),
            Act::Wait(RECORD_TAG),
            Act::Issue(Command::of_lines(RECORD_TAG, operation.record_lines)),
        ] {
            self.acts.push_front(act);
        }
        Some(operation)
    }

    /// Fetches the overlay that the next operation needs first, if this one needs none.
    fn expect_overlay(&mut self, number: usize, now: f64, mfcs: &mut Mfcs) {
        let first = |operation: &Option<Operation>| operation.as_ref().and_then(Operation::first_overlay);
        if let (None, Some(overlay)) = (first(&self.held), first(&self.next)) {
            self.fetch_overlay(overlay, number, now, mfcs);
        }
    }

    fn fetch_overlay(&mut self, overlay: &'static str, number: usize, now: f64, mfcs: &mut Mfcs) {
        if self.overlay != Some(overlay) {
            self.overlay = Some(overlay);
            mfcs.issue(number, now, Command::of_lines(OVERLAY_TAG, OVERLAY_LINES as u32));
        }
    }

    fn need(&mut self, overlay: &'static str, number: usize, now: f64, mfcs: &mut Mfcs) {
        self.fetch_overlay(overlay, number, now, mfcs);
        if !mfcs.is_done(number, OVERLAY_TAG) {
            self.acts.push_front(Act::Wait(OVERLAY_TAG));
        }
    }

    /// Plans the execution of what it holds.
    fn begin(&mut self) {
        let Some(held) = &self.held else { return };
        let [mut operands, mut next, out] = self.buffers;
        let before = next;
        let list = |tag: u8, writes: bool, elements: &Elements| {
            let elements = elements.clone();
            // Operands go where a result may still be leaving.
            Act::Issue(Command {
                fenced: !writes,
                listed: true,
                writes,
                elements,
                ..Command::of_lines(tag, 0)
            })
        };
        let acts = &mut self.acts;
        if !held.further.is_empty() {
            acts.push_back(list(out, false, &held.further));
        }
        let (last, earlier) = held.parts.split_last().map_or((0.0, &[][..]), |(last, rest)| (*last, rest));
        for (&ns, fetch) in earlier.iter().zip(&held.part_fetches) {
            acts.extend([Act::Work(held.part_ns), list(next, false, fetch)]);
            acts.extend([Act::Wait(operands), Act::Work(ns)]);
            std::mem::swap(&mut operands, &mut next);
        }
        acts.extend([Act::Look(next), Act::Wait(operands), Act::Work(last)]);
        if !held.further.is_empty() {
            acts.push_back(Act::Wait(out));
        }
        for segment in &held.segments {
            acts.extend(segment.overlay.map(Act::Need));
            acts.push_back(Act::Work(segment.ns));
        }
        acts.extend([Act::Work(held.write_ns), list(out, true, &held.write), Act::Wait(before)]);
        acts.extend([Act::Work(held.turn_ns), Act::Report(out), Act::Again]);
        self.buffers = [next, out, operands];
    }
}
