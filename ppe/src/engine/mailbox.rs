//! An MEU's inbound mailbox on the host: four words from the PPE to one MEU. The MEU sleeps while the mailbox
//! is empty.
//!
//! # Protocol
//! The mailbox is a ring of four words with one writer, the PPE, and one reader, the MEU.
//!
//! `tail` counts the words that have been written.  The PPE stores `tail` with release order after the word.
//! The MEU loads `tail` with acquire order before it reads the word.  So the MEU sees everything that the PPE
//! wrote before: the operation record, and the operands that other MEUs computed.
//!
//! `head` counts the words that have been read.  The MEU stores `head` with release order after it has read a
//! word.  The PPE loads `head` with acquire order before it writes to the word's entry again.
//!
//! An MEU that finds the mailbox empty looks several more times and then parks.  The PPE unparks the MEU
//! after every word.  A parker keeps one token.  If a word is written between the MEU's last look and its
//! `park`, then `park` finds the token and returns at once, and the MEU looks again.  If the token is of an
//! earlier word, the MEU finds the mailbox empty and parks again.  So the MEU misses no word.

use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::hint::spin_loop;
use crate::sync::thread::yield_now;
use crate::sync::{Parker, Unparker, looking, looks};

/// Words that a mailbox holds.
pub(super) const DEPTH: u32 = spe_kernels::sys::MEU_MAILBOX_DEPTH;

/// How often the MEU looks at an empty mailbox before it counts as idle: about a microsecond.
const LOOKS: u32 = looks(60);

/// How long an idle MEU looks before it parks, and offers its core to another thread each time: about as long
/// as waking up takes.  Dependent operations on small blocks would otherwise pay for waking up each time.
///
/// The limit is a time and not a number, because of other processes on the core. With such a process,
/// offering the core takes a time slice, some milliseconds. A thread that sleeps in the system is different:
/// when it is woken, it usually takes the core from a process that has had it for longer. So after one slice
/// that was lost, the MEU parks.
const IDLE_LOOKS: Duration = looking(Duration::from_micros(30));

#[derive(Debug)]
pub(super) struct Mailbox {
    words: [AtomicU32; DEPTH as usize],
    head: CachePadded<AtomicU32>,
    tail: CachePadded<AtomicU32>,
    reader: Unparker,
}

impl Mailbox {
    /// An empty mailbox, and the parker of its reader.
    pub(super) fn new() -> (Mailbox, Parker) {
        let parker = Parker::new();
        let mailbox = Mailbox {
            words: Default::default(),
            head: CachePadded::default(),
            tail: CachePadded::default(),
            reader: parker.unparker().clone(),
        };
        (mailbox, parker)
    }

    /// Number of words that have not been read.
    pub(super) fn count(&self) -> u32 {
        self.tail.load(Ordering::Acquire).wrapping_sub(self.head.load(Ordering::Acquire))
    }

    /// Writes a word; false when the mailbox is full.  Called by the PPE only.
    pub(super) fn write(&self, word: u32) -> bool {
        let tail = self.tail.load(Ordering::Relaxed);
        if tail.wrapping_sub(self.head.load(Ordering::Acquire)) == DEPTH {
            return false;
        }
        self.words[(tail % DEPTH) as usize].store(word, Ordering::Relaxed);
        self.tail.store(tail.wrapping_add(1), Ordering::Release);
        self.reader.unpark();
        true
    }

    /// Reads a word if there is one.  Called by the MEU only.
    fn try_read(&self) -> Option<u32> {
        let head = self.head.load(Ordering::Relaxed);
        if self.tail.load(Ordering::Acquire) == head {
            return None;
        }
        let word = self.words[(head % DEPTH) as usize].load(Ordering::Relaxed);
        self.head.store(head.wrapping_add(1), Ordering::Release);
        Some(word)
    }

    /// Waits for a word and reads it.  Calls `idle` with true when the waiting becomes long, and with false
    /// when it ends.  Called by the MEU only.
    pub(super) fn read(&self, parker: &Parker, mut idle: impl FnMut(bool)) -> u32 {
        for _ in 0..LOOKS {
            if let Some(word) = self.try_read() {
                return word;
            }
            spin_loop();
        }
        idle(true);
        let end = Instant::now() + IDLE_LOOKS;
        let word = loop {
            if let Some(word) = self.try_read() {
                break word;
            }
            if Instant::now() < end {
                yield_now();
            } else {
                parker.park();
            }
        };
        idle(false);
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_words_fit_and_come_out_in_order() {
        let (mailbox, parker) = Mailbox::new();
        for word in 0..DEPTH {
            assert!(mailbox.write(word));
        }
        assert!(!mailbox.write(99));
        assert_eq!(mailbox.count(), DEPTH);
        for word in 0..DEPTH {
            assert_eq!(mailbox.read(&parker, |_| panic!("not idle")), word);
        }
        assert_eq!(mailbox.try_read(), None);
    }

    #[test]
    fn a_sleeping_reader_misses_nothing() {
        let (mailbox, parker) = Mailbox::new();
        std::thread::scope(|scope| {
            let mailbox = &mailbox;
            let reader = scope.spawn(move || {
                for expected in 0..100_000u32 {
                    assert_eq!(mailbox.read(&parker, |_| ()), expected);
                }
            });
            for word in 0..100_000 {
                while !mailbox.write(word) {
                    yield_now();
                }
                if word % 1000 == 0 {
                    std::thread::sleep(Duration::from_micros(50));
                }
            }
            reader.join().unwrap();
        });
    }
}
