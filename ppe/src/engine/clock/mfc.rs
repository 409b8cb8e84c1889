//! The MFCs of all SPEs and the memories that they share, in virtual time.
//!
//! An MFC sends the lines of its commands in order, at the pace and within the limit that the model's figures give
//! ([`Memory`]). A line that finds the memory busy waits until the memory has taken the lines before. A fenced
//! command begins when the earlier commands of its tag have ended.
//!
//! Each Cell has a memory. A line of another Cell's memory takes its turn there, and then passes the link between the
//! two Cells ([`Link`]), which takes one line at a time in each direction.

use std::collections::VecDeque;

use crate::time::memory::{Link, Memory};

/// Runs of list elements with as many lines each.
pub(super) type Elements = VecDeque<Run>;

/// Elements with as many lines each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) elements: u32,
    pub(super) lines: u32,
    /// The Cell in whose memory they lie; None for the Cell of the SPE.
    pub(super) home: Option<u8>,
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
        let elements = VecDeque::from([Run { elements: 1, lines, home: None }]);
        Command { tag, fenced: false, listed: false, writes: false, elements }
    }
}

/// A command in the queue of an MFC.
#[derive(Debug)]
struct Entry {
    number: u64,
    command: Command,
    /// Lines of the element at hand that have not been sent, and where they lie.
    lines: u32,
    home: Option<u8>,
    outstanding: u32,
    sent: bool,
}

impl Entry {
    /// Begins the next element. None: there is no further one.
    fn next_element(&mut self) -> Option<()> {
        let run = self.command.elements.front_mut()?;
        (run.elements, self.lines, self.home) = (run.elements - 1, run.lines, run.home);
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
    moved: Moved,
}

/// Lines that an MFC has moved.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moved {
    pub(super) fetched: u64,
    pub(super) written: u64,
    /// Of both, those that have passed the link.
    pub(super) far: u64,
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
    cells: usize,
    /// Lines on their way: for each memory those that stay in its Cell, and then for each pair of Cells those that
    /// pass the link. On each way lines land in the order in which they were sent, because each takes as long.
    flights: Vec<VecDeque<Flight>>,
    /// When each memory, and then the link between each pair of Cells, can take the next line.
    free: Vec<f64>,
    /// Commands so far.
    commands: u64,
}

impl Mfcs {
    /// So many MFCs, divided among so many Cells.
    pub(super) fn new(figures: Memory, count: usize, cells: usize) -> Mfcs {
        let ways = cells + cells * cells;
        let mfcs = std::iter::repeat_with(|| Mfc { idle: true, ..Mfc::default() }).take(count).collect();
        Mfcs {
            figures,
            mfcs,
            cells,
            flights: vec![VecDeque::new(); ways],
            free: vec![0.0; ways],
            commands: 0,
        }
    }

    /// Puts a command into a queue. Returns the command's number.
    pub(super) fn issue(&mut self, mfc: usize, now: f64, command: Command) -> u64 {
        self.commands += 1;
        let mfc = &mut self.mfcs[mfc];
        mfc.queue.push_back(Entry {
            number: self.commands,
            command,
            lines: 0,
            home: None,
            outstanding: 0,
            sent: false,
        });
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

    /// What an MFC has moved.
    pub(super) fn moved(&self, mfc: usize) -> Moved {
        self.mfcs[mfc].moved
    }

    /// When something happens next: a line lands, or one is sent.
    pub(super) fn next_event(&self) -> Option<f64> {
        let landing = self.next_landing().map(|(time, _)| time);
        let sending = self.next_sending().map(|(time, _)| time);
        landing.into_iter().chain(sending).min_by(f64::total_cmp)
    }

    /// When a line lands next, and on which way.
    fn next_landing(&self) -> Option<(f64, usize)> {
        let first = |(way, flights): (usize, &VecDeque<Flight>)| Some((flights.front()?.lands, way));
        self.flights.iter().enumerate().filter_map(first).min_by(|a, b| a.0.total_cmp(&b.0))
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
            let (landing, sending) = (self.next_landing(), self.next_sending());
            let (time, ended) = match (landing, sending) {
                (Some((time, way)), sending) if sending.is_none_or(|(other, _)| time <= other) => {
                    if time > until {
                        return None;
                    }
                    (time, self.land(way))
                }
                (_, Some((time, number))) if time <= until => (time, self.send(number, time)),
                _ => return None,
            };
            if let Some(number) = ended {
                return Some((time, number));
            }
        }
    }

    fn land(&mut self, way: usize) -> Option<usize> {
        let flight = self.flights[way].pop_front()?;
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
        let Mfcs { figures, mfcs, flights, free, cells, .. } = self;
        let own = number * *cells / mfcs.len();
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
        mfc.ready = now + figures.line_ns;
        let home = entry.home.map_or(own, usize::from);
        let start = free[home].max(now);
        free[home] = start + figures.shared_ns;
        let (way, lands) = if home == own {
            (home, start + figures.latency_ns)
        } else {
            let (from, to) = if entry.command.writes { (own, home) } else { (home, own) };
            let way = *cells + from * *cells + to;
            let passes = free[way].max(start);
            free[way] = passes + Link::BLADE.line_ns;
            mfc.moved.far += 1;
            (way, passes + figures.latency_ns + Link::BLADE.latency_ns)
        };
        let moved = if entry.command.writes { &mut mfc.moved.written } else { &mut mfc.moved.fetched };
        *moved += 1;
        flights[way].push_back(Flight { lands, mfc: number, command: entry.number });
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
            let mut mfcs = Mfcs::new(FIGURES, 1, 1);
            let command = match elements {
                0 => Command::of_lines(0, lines),
                elements => Command {
                    listed: true,
                    elements: VecDeque::from([Run { elements, lines, home: None }]),
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
        let mut mfcs = Mfcs::new(FIGURES, 1, 1);
        mfcs.issue(0, 0.0, Command::of_lines(1, 1));
        mfcs.issue(0, 0.0, Command { fenced: true, ..Command::of_lines(1, 1) });
        assert!(!mfcs.is_done(0, 1) && mfcs.is_done(0, 2));
        assert_eq!(ends(&mut mfcs), [130.0, 230.0]);
        assert!(mfcs.has_ended(0, 1) && mfcs.is_done(0, 1));
        let mut mfcs = Mfcs::new(Memory { shared_ns: 50.0, ..FIGURES }, 2, 1);
        mfcs.issue(0, 0.0, Command::of_lines(1, 1));
        mfcs.issue(1, 0.0, Command::of_lines(1, 1));
        assert_eq!(ends(&mut mfcs), [130.0, 180.0]);
    }

    #[test]
    fn two_cells_have_a_memory_each_and_a_link() {
        let far = |home, lines| Command {
            elements: VecDeque::from([Run { elements: 1, lines, home: Some(home) }]),
            ..Command::of_lines(1, 0)
        };
        let busy = Memory { shared_ns: 50.0, ..FIGURES };
        let run = |homes: [u8; 2]| {
            let mut mfcs = Mfcs::new(busy, 2, 2);
            (0..2).for_each(|number| _ = mfcs.issue(number, 0.0, far(homes[number], 1)));
            (ends(&mut mfcs), mfcs.moved(0).far + mfcs.moved(1).far)
        };
        assert_eq!(run([0, 1]), (vec![130.0, 130.0], 0));
        // The second SPE waits for the first memory, and for both crossings.
        assert_eq!(run([0, 0]), (vec![130.0, 180.0 + Link::BLADE.latency_ns], 1));
        // Each direction of the link has a line to itself.
        assert_eq!(run([1, 0]), (vec![130.0 + Link::BLADE.latency_ns; 2], 2));
        // Lines of one direction pass one after the other, even where both memories are fast.
        let mut mfcs = Mfcs::new(Memory { shared_ns: 1.0, line_ns: 1.0, ..FIGURES }, 2, 2);
        mfcs.issue(0, 0.0, far(1, 2));
        mfcs.issue(1, 0.0, Command { writes: true, ..far(0, 1) });
        let last = 30.0 + 2.0 * Link::BLADE.line_ns + 100.0 + Link::BLADE.latency_ns;
        assert!((ends(&mut mfcs)[1] - last).abs() < 1e-9);
    }
}
