//! The MFCs of all SPEs and the memory that they share, in virtual time.
//!
//! An MFC sends the lines of its commands in order, at the pace and within the limit that the model's figures give
//! ([`Memory`]). A line that finds the memory busy waits until the memory has taken the lines before. A fenced
//! command begins when the earlier commands of its tag have ended.

use std::collections::VecDeque;

use crate::time::memory::Memory;

/// Runs of list elements with as many lines each.
pub(super) type Elements = VecDeque<Run>;

/// Elements with as many lines each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) elements: u32,
    pub(super) lines: u32,
}

/// A DMA command.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Command {
    pub(super) tag: u8,
    /// Whether it waits for the earlier commands of its tag.
    pub(super) fenced: bool,
    /// Whether its elements are those of a list, which the MFC fetches.
    pub(super) listed: bool,
    /// Whether it writes to main memory.
    pub(super) writes: bool,
    pub(super) elements: Elements,
}

impl Command {
    /// A command for so many lines without a list.
    pub(super) fn of_lines(tag: u8, lines: u32) -> Command {
        let elements = VecDeque::from([Run { elements: 1, lines }]);
        Command { tag, fenced: false, listed: false, writes: false, elements }
    }
}

/// A command in the queue of an MFC.
#[derive(Debug)]
struct Entry {
    number: u64,
    command: Command,
    /// Lines of the element at hand that have not been sent.
    lines: u32,
    outstanding: u32,
    sent: bool,
}

impl Entry {
    /// Begins the next element. None: there is no further one.
    fn next_element(&mut self) -> Option<()> {
        let run = self.command.elements.front_mut()?;
        (run.elements, self.lines) = (run.elements - 1, run.lines);
        if run.elements == 0 {
            self.command.elements.pop_front();
        }
        Some(())
    }
}

#[derive(Debug, Default)]
struct Mfc {
    queue: VecDeque<Entry>,
    /// When it may send its next line.
    ready: f64,
    /// Whether it has nothing to send until something changes.
    idle: bool,
    outstanding: u32,
    /// Lines that it has fetched, and lines that it has written.
    moved: [u64; 2],
}

/// A line on its way.
#[derive(Debug, Clone, Copy)]
struct Flight {
    lands: f64,
    mfc: usize,
    command: u64,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Mfcs {
    figures: Memory,
    mfcs: Vec<Mfc>,
    /// In the order in which they land: the memory takes one line after the other, and all take as long.
    flights: VecDeque<Flight>,
    /// When the memory can take the next line.
    free: f64,
    /// Commands so far.
    commands: u64,
}

impl Mfcs {
    pub(super) fn new(figures: Memory, count: usize) -> Mfcs {
        let mfcs = std::iter::repeat_with(|| Mfc { idle: true, ..Mfc::default() }).take(count).collect();
        Mfcs { figures, mfcs, flights: VecDeque::new(), free: 0.0, commands: 0 }
    }

    /// Puts a command into a queue. Returns the command's number.
    pub(super) fn issue(&mut self, mfc: usize, now: f64, command: Command) -> u64 {
        self.commands += 1;
        let mfc = &mut self.mfcs[mfc];
        mfc.queue.push_back(Entry { number: self.commands, command, lines: 0, outstanding: 0, sent: false });
        // A busy MFC decodes the command while it works on earlier commands.
        if std::mem::take(&mut mfc.idle) {
            mfc.ready = mfc.ready.max(now + self.figures.decode_ns);
        }
        self.commands
    }

    /// Whether no command of this tag is under way.
    pub(super) fn is_done(&self, mfc: usize, tag: u8) -> bool {
        self.mfcs[mfc].queue.iter().all(|entry| entry.command.tag != tag)
    }

    /// Whether this command has ended.
    pub(super) fn has_ended(&self, mfc: usize, command: u64) -> bool {
        self.mfcs[mfc].queue.iter().all(|entry| entry.number != command)
    }

    /// Lines that an MFC has fetched, and lines that it has written.
    pub(super) fn moved(&self, mfc: usize) -> [u64; 2] {
        self.mfcs[mfc].moved
    }

    /// When something happens next: a line lands, or one is sent.
    pub(super) fn next_event(&self) -> Option<f64> {
        let landing = self.flights.front().map(|flight| flight.lands);
        let sending = self.next_sending().map(|(time, _)| time);
        landing.into_iter().chain(sending).min_by(f64::total_cmp)
    }

    fn next_sending(&self) -> Option<(f64, usize)> {
        let may_send = |mfc: &&Mfc| !mfc.idle && f64::from(mfc.outstanding) < self.figures.outstanding;
        let sending = self.mfcs.iter().enumerate().filter(|(_, mfc)| may_send(mfc));
        sending.map(|(number, mfc)| (mfc.ready, number)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Lets lines be sent and land until a command has ended, but not beyond `until`. Returns when that was, and
    /// the MFC of the command.
    pub(super) fn advance(&mut self, until: f64) -> Option<(f64, usize)> {
        loop {
            let sending = self.next_sending();
            let (time, ended) = match (self.flights.front(), sending) {
                (Some(&flight), sending) if sending.is_none_or(|(time, _)| flight.lands <= time) => {
                    if flight.lands > until {
                        return None;
                    }
                    self.flights.pop_front();
                    (flight.lands, self.land(flight))
                }
                (_, Some((time, number))) if time <= until => (time, self.send(number, time)),
                _ => return None,
            };
            if let Some(number) = ended {
                return Some((time, number));
            }
        }
    }

    fn land(&mut self, flight: Flight) -> Option<usize> {
        let mfc = &mut self.mfcs[flight.mfc];
        mfc.outstanding -= 1;
        // Something behind a fence may be free to go.
        mfc.idle = false;
        mfc.ready = mfc.ready.max(flight.lands);
        let place = mfc.queue.iter().position(|entry| entry.number == flight.command)?;
        let entry = &mut mfc.queue[place];
        entry.outstanding -= 1;
        (entry.sent && entry.outstanding == 0).then(|| {
            mfc.queue.remove(place);
            flight.mfc
        })
    }

    fn send(&mut self, number: usize, now: f64) -> Option<usize> {
        let Mfcs { figures, mfcs, flights, free, .. } = self;
        let mfc = &mut mfcs[number];
        let waits = |place: usize| {
            let of = &mfc.queue[place].command;
            of.fenced && mfc.queue.iter().take(place).any(|earlier| earlier.command.tag == of.tag)
        };
        let Some(place) = (0..mfc.queue.len()).find(|&place| !mfc.queue[place].sent && !waits(place)) else {
            mfc.idle = true;
            return None;
        };
        let entry = &mut mfc.queue[place];
        if entry.lines == 0 {
            if entry.next_element().is_none() {
                entry.sent = true;
                mfc.ready = now + figures.command_ns;
                let ended = entry.outstanding == 0;
                if ended {
                    mfc.queue.remove(place);
                }
                return ended.then_some(number);
            }
            if entry.command.listed {
                mfc.ready = now + figures.element_ns;
                return None;
            }
        }
        entry.lines -= 1;
        entry.outstanding += 1;
        mfc.outstanding += 1;
        mfc.moved[usize::from(entry.command.writes)] += 1;
        mfc.ready = now + figures.line_ns;
        let start = free.max(now);
        *free = start + figures.shared_ns;
        let lands = start + figures.latency_ns;
        flights.push_back(Flight { lands, mfc: number, command: entry.number });
        None
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Easy to add up: a line takes 100 ns, and two of them can be outstanding.
    pub(crate) const FIGURES: Memory = Memory {
        latency_ns: 100.0,
        line_ns: 10.0,
        element_ns: 5.0,
        command_ns: 20.0,
        decode_ns: 30.0,
        shared_ns: 10.0,
        outstanding: 2.0,
    };

    /// Lets all commands end. Returns when each ended, in the order of ends.
    fn ends(mfcs: &mut Mfcs) -> Vec<f64> {
        std::iter::from_fn(|| mfcs.advance(f64::INFINITY)).map(|(time, _)| time).collect()
    }

    #[test]
    fn one_transfer_takes_what_the_model_says() {
        for (elements, lines) in [(0, 1), (0, 7), (3, 1), (4, 2), (9, 3)] {
            let mut mfcs = Mfcs::new(FIGURES, 1);
            let command = match elements {
                0 => Command::of_lines(0, lines),
                elements => Command {
                    listed: true,
                    elements: VecDeque::from([Run { elements, lines }]),
                    ..Command::of_lines(0, 0)
                },
            };
            mfcs.issue(0, 0.0, command);
            let all = f64::from(lines * elements.max(1));
            let alone = FIGURES.alone_ns(elements.into(), all);
            let end = ends(&mut mfcs)[0];
            assert!((end - alone).abs() <= 25.0, "{elements} of {lines}: {end}, {alone}");
        }
    }

    #[test]
    fn a_fence_waits_for_its_tag_and_a_busy_memory_delays_all() {
        let mut mfcs = Mfcs::new(FIGURES, 1);
        mfcs.issue(0, 0.0, Command::of_lines(1, 1));
        mfcs.issue(0, 0.0, Command { fenced: true, ..Command::of_lines(1, 1) });
        assert!(!mfcs.is_done(0, 1) && mfcs.is_done(0, 2));
        assert_eq!(ends(&mut mfcs), [130.0, 230.0]);
        assert!(mfcs.has_ended(0, 1) && mfcs.is_done(0, 1));
        let mut mfcs = Mfcs::new(Memory { shared_ns: 50.0, ..FIGURES }, 2);
        mfcs.issue(0, 0.0, Command::of_lines(1, 1));
        mfcs.issue(1, 0.0, Command::of_lines(1, 1));
        assert_eq!(ends(&mut mfcs), [130.0, 180.0]);
    }
}
