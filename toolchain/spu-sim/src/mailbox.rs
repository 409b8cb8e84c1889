//! Mailboxes and signal-notification registers as state machines. They know nothing of threads or time;
//! [`crate::port`] shares them between the SPU and the outside.

use std::collections::VecDeque;

/// Entries of the inbound mailbox (cell-facts B1).
pub const IN_MAILBOX_ENTRIES: usize = 4;

/// The inbound mailbox: PPE to SPU, four entries.
#[derive(Debug, Default)]
pub struct InMailbox {
    entries: VecDeque<u32>,
}

impl InMailbox {
    /// Words that wait for the SPU.
    pub fn count(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Free entries.
    pub fn free(&self) -> u32 {
        (IN_MAILBOX_ENTRIES - self.entries.len()) as u32
    }

    /// Writes as the memory-mapped register does: a word written to a full mailbox replaces the newest one
    /// (cell-facts B1). Returns whether the mailbox was empty, which is when the event arises.
    pub fn write(&mut self, value: u32) -> bool {
        if self.entries.len() == IN_MAILBOX_ENTRIES {
            self.entries.pop_back();
        }
        self.entries.push_back(value);
        self.entries.len() == 1
    }

    /// Takes the oldest word.
    pub fn read(&mut self) -> Option<u32> {
        self.entries.pop_front()
    }
}

/// An outbound mailbox: SPU to PPE, one entry.
#[derive(Debug, Default)]
pub struct OutMailbox {
    entry: Option<u32>,
}

impl OutMailbox {
    /// Words that wait for the PPE, 0 or 1.
    pub fn count(&self) -> u32 {
        u32::from(self.entry.is_some())
    }

    /// Writes unless full; returns whether it was written.
    #[must_use]
    pub fn write(&mut self, value: u32) -> bool {
        let free = self.entry.is_none();
        if free {
            self.entry = Some(value);
        }
        free
    }

    /// Takes the word.
    pub fn read(&mut self) -> Option<u32> {
        self.entry.take()
    }
}

/// A signal-notification register.
#[derive(Debug, Default)]
pub struct Signal {
    /// Whether writes are combined by OR; otherwise the last write wins.
    pub or_mode: bool,
    value: u32,
    pending: bool,
}

impl Signal {
    /// 1 if a signal waits to be read.
    pub fn count(&self) -> u32 {
        u32::from(self.pending)
    }

    /// Writes a signal. Returns whether none was pending, which is when the event arises.
    pub fn write(&mut self, value: u32) -> bool {
        self.value = if self.or_mode { self.value | value } else { value };
        !std::mem::replace(&mut self.pending, true)
    }

    /// The SPU's read: takes the value and clears it.
    pub fn read(&mut self) -> Option<u32> {
        std::mem::take(&mut self.pending).then(|| std::mem::take(&mut self.value))
    }

    /// The PPE's read, which clears nothing.
    pub fn peek(&self) -> u32 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fifth_word_replaces_the_fourth() {
        let mut mailbox = InMailbox::default();
        assert!(mailbox.write(1));
        for value in 2..=5 {
            assert!(!mailbox.write(value));
        }
        assert_eq!(mailbox.free(), 0);
        let words: Vec<u32> = std::iter::from_fn(|| mailbox.read()).collect();
        assert_eq!(words, [1, 2, 3, 5]);
    }

    #[test]
    fn an_outbound_mailbox_holds_one_word() {
        let mut mailbox = OutMailbox::default();
        assert!(mailbox.write(7));
        assert!(!mailbox.write(8));
        assert_eq!((mailbox.read(), mailbox.read()), (Some(7), None));
    }

    #[test]
    fn signals_overwrite_or_combine() {
        let mut signal = Signal::default();
        assert!(signal.write(1));
        assert!(!signal.write(2));
        assert_eq!((signal.peek(), signal.read(), signal.read()), (2, Some(2), None));
        let mut signal = Signal { or_mode: true, ..Signal::default() };
        signal.write(1);
        signal.write(2);
        assert_eq!(signal.read(), Some(3));
    }
}
