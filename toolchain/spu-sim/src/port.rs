//! The state that an SPE shares with the rest of the machine: local store, mailboxes, signals, and a request
//! to stop. The SPU side and any number of outside threads hold one [`Port`].
//!
//! Protocol: every change of the state below happens under the mutex, increments `generation` and wakes all
//! waiters. A waiter reads the generation first, tries, and waits only for a later generation, so that no
//! change between the attempt and the wait is missed.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    channels::event,
    local_store::LocalStore,
    mailbox::{InMailbox, OutMailbox, Signal},
};

/// The mailboxes, signals and events of one SPE.
#[derive(Debug, Default)]
pub struct PortState {
    /// PPE to SPU.
    pub in_mailbox: InMailbox,
    /// SPU to PPE.
    pub out_mailbox: OutMailbox,
    /// SPU to PPE, with an interrupt there.
    pub out_interrupt_mailbox: OutMailbox,
    /// Signal notification 1 and 2.
    pub signals: [Signal; 2],
    /// Events that arose since the SPU last collected them ([`event`] bits).
    pub(crate) events: u32,
    pub(crate) stop_requested: bool,
    generation: u64,
}

/// Told of every change of a port, under its mutex: it must not use the port.
type Watcher = Box<dyn Fn() + Send + Sync>;

/// The shared side of an SPE.
pub struct Port {
    ls: Arc<LocalStore>,
    state: Mutex<PortState>,
    changed: Condvar,
    /// For threads that wait for room in the inbound mailbox (for a word in the outbound interrupt mailbox).
    /// Several threads may wait, and one free entry (one word) serves one thread.
    room: Condvar,
    word: Condvar,
    watcher: OnceLock<Watcher>,
}

impl std::fmt::Debug for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Port").field("state", &self.state).finish_non_exhaustive()
    }
}

/// How a blocking mailbox call waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Do what is possible now.
    No,
    /// Until at least one word has passed.
    Any,
    /// Until all words have passed.
    All,
}

impl Port {
    /// A port with empty mailboxes. `or_mode` says for each signal register whether writes combine.
    pub fn new(or_mode: [bool; 2]) -> Port {
        let mut state = PortState::default();
        for (signal, or_mode) in state.signals.iter_mut().zip(or_mode) {
            signal.or_mode = or_mode;
        }
        Port {
            ls: Arc::new(LocalStore::new()),
            state: Mutex::new(state),
            changed: Condvar::new(),
            room: Condvar::new(),
            word: Condvar::new(),
            watcher: OnceLock::new(),
        }
    }

    /// Calls `watcher` at every change from now on, for a thread that waits for several ports. It is called
    /// under the mutex of the port, so it must not use the port. Only the first watcher of a port counts.
    pub fn watch(&self, watcher: impl Fn() + Send + Sync + 'static) {
        // A second watcher is dropped, as documented.
        let _ = self.watcher.set(Box::new(watcher));
    }

    /// The local store.
    pub fn ls(&self) -> &Arc<LocalStore> {
        &self.ls
    }

    fn lock(&self) -> MutexGuard<'_, PortState> {
        // The state is valid after every statement that changes it, also if a holder of the lock panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the state without changing it.
    pub fn inspect<R>(&self, look: impl FnOnce(&PortState) -> R) -> R {
        look(&self.lock())
    }

    /// Changes the state and wakes everyone who waits for a change.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut PortState) -> R) -> R {
        let mut state = self.lock();
        let result = change(&mut state);
        self.announce(&mut state);
        result
    }

    /// [`Port::change`] for an attempt that changes nothing if it gives `None`; nobody is woken then.
    pub(crate) fn try_change<R>(&self, attempt: impl FnOnce(&mut PortState) -> Option<R>) -> Option<R> {
        let mut state = self.lock();
        let result = attempt(&mut state);
        if result.is_some() {
            self.announce(&mut state);
        }
        result
    }

    /// Takes the events that arose since the last call. No thread waits for events to be taken, so none is
    /// woken.
    pub(crate) fn take_events(&self) -> u32 {
        std::mem::take(&mut self.lock().events)
    }

    /// Takes the request to stop, if there is one.
    pub(crate) fn take_stop_request(&self) -> bool {
        std::mem::take(&mut self.lock().stop_requested)
    }

    fn announce(&self, state: &mut PortState) {
        state.generation += 1;
        self.changed.notify_all();
        if state.stop_requested {
            self.room.notify_all();
            self.word.notify_all();
        }
        if state.in_mailbox.free() > 0 {
            self.room.notify_one();
        }
        if state.out_interrupt_mailbox.count() > 0 {
            self.word.notify_one();
        }
        if let Some(watcher) = self.watcher.get() {
            watcher();
        }
    }

    /// A number that grows with every change.
    pub fn generation(&self) -> u64 {
        self.lock().generation
    }

    /// Waits until the generation is no longer `seen`, or `timeout` has passed.
    pub fn wait_for_change(&self, seen: u64, timeout: Option<Duration>) {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let mut state = self.lock();
        while state.generation == seen {
            state = match deadline {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let Some(rest) = deadline.checked_duration_since(Instant::now()) else { return };
                    self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Writes one word to the inbound mailbox as the memory-mapped register does (a full one loses its
    /// newest).
    pub fn write_in_mailbox_register(&self, value: u32) {
        self.change(|state| {
            if state.in_mailbox.write(value) {
                state.events |= event::IN_MAILBOX;
            }
        });
    }

    /// Writes words to the inbound mailbox where there is room. Returns how many were written.
    pub fn write_in_mailbox(&self, words: &[u32], wait: Wait) -> usize {
        self.transfer(words.len(), wait, &self.room, |state, done| {
            if state.in_mailbox.free() == 0 {
                return false;
            }
            if state.in_mailbox.write(words[done]) {
                state.events |= event::IN_MAILBOX;
            }
            true
        })
    }

    /// Takes the word of the outbound mailbox, if there is one.
    pub fn read_out_mailbox(&self) -> Option<u32> {
        self.try_change(|state| {
            let word = state.out_mailbox.read()?;
            state.events |= event::OUT_MAILBOX;
            Some(word)
        })
    }

    /// Takes words from the outbound interrupt mailbox. Returns how many.
    pub fn read_out_interrupt_mailbox(&self, words: &mut [u32], wait: Wait) -> usize {
        self.transfer(words.len(), wait, &self.word, |state, done| {
            let Some(word) = state.out_interrupt_mailbox.read() else { return false };
            words[done] = word;
            state.events |= event::OUT_INTERRUPT_MAILBOX;
            true
        })
    }

    /// Repeats `step` (which gets the number of words done) `count` times, waiting for `possible` as `wait`
    /// says while it fails, and no longer once a stop of the SPU is requested.
    fn transfer(
        &self,
        count: usize,
        wait: Wait,
        possible: &Condvar,
        mut step: impl FnMut(&mut PortState, usize) -> bool,
    ) -> usize {
        let mut done = 0;
        let mut state = self.lock();
        loop {
            let before = done;
            while done < count && step(&mut state, done) {
                done += 1;
            }
            if done > before {
                self.announce(&mut state);
            }
            let enough = match wait {
                Wait::No => true,
                Wait::Any => done > 0 || count == 0,
                Wait::All => done == count,
            };
            if enough || state.stop_requested {
                return done;
            }
            state = possible.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Writes signal-notification register 0 or 1.
    ///
    /// # Panics
    /// If `register` is greater than 1.
    pub fn write_signal(&self, register: usize, value: u32) {
        const EVENTS: [u32; 2] = [event::SIGNAL_1, event::SIGNAL_2];
        self.change(|state| {
            if state.signals[register].write(value) {
                state.events |= EVENTS[register];
            }
        });
    }

    /// Asks the SPU to stop before its next instruction, also if it waits for a channel.
    pub fn request_stop(&self) {
        self.change(|state| state.stop_requested = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blocking_writer_waits_for_the_reader() {
        let port = Arc::new(Port::new([false; 2]));
        let writer = {
            let port = Arc::clone(&port);
            std::thread::spawn(move || port.write_in_mailbox(&[1, 2, 3, 4, 5, 6], Wait::All))
        };
        let mut words = Vec::new();
        while words.len() < 6 {
            let seen = port.generation();
            match port.try_change(|state| state.in_mailbox.read()) {
                Some(word) => words.push(word),
                None => port.wait_for_change(seen, None),
            }
        }
        assert_eq!(writer.join().ok(), Some(6));
        assert_eq!(words, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_word_wakes_one_of_many_writers() {
        const WRITERS: usize = 100;
        let port = Port::new([false; 2]);
        assert_eq!(port.write_in_mailbox(&[0; 4], Wait::All), 4);
        let attempts = Mutex::new(0);
        let count = || *attempts.lock().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    port.transfer(1, Wait::All, &port.room, |state, _| {
                        *attempts.lock().unwrap() += 1;
                        let free = state.in_mailbox.free() > 0;
                        if free {
                            state.in_mailbox.write(1);
                        }
                        free
                    })
                });
            }
            // The mutex of the port is held from an attempt to the wait behind it.
            while count() < WRITERS {
                std::thread::yield_now();
            }
            for left in (0..WRITERS).rev() {
                assert!(port.try_change(|state| state.in_mailbox.read()).is_some());
                while port.inspect(|state| state.in_mailbox.free() > 0) {
                    std::thread::yield_now();
                }
                assert!(count() <= 3 * WRITERS, "{} attempts, {left} writers left", count());
            }
        });
    }

    #[test]
    fn a_watcher_sees_every_change() {
        let port = Port::new([false; 2]);
        let changes = Arc::new(Mutex::new(0));
        let seen = Arc::clone(&changes);
        port.watch(move || *seen.lock().unwrap() += 1);
        port.write_signal(0, 1);
        port.write_in_mailbox(&[1, 2], Wait::No);
        assert_eq!(port.read_out_mailbox(), None);
        assert_eq!(*changes.lock().unwrap(), 2);
    }

    #[test]
    fn waiting_ends_at_the_timeout() {
        let port = Port::new([false; 2]);
        port.wait_for_change(port.generation(), Some(Duration::from_millis(1)));
        assert_eq!(port.write_in_mailbox(&[1; 9], Wait::Any), 4);
        assert_eq!(port.read_out_interrupt_mailbox(&mut [0; 2], Wait::No), 0);
    }
}
