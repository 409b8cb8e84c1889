//! Results of the runs of a context, for `spe_stop_info_read`. While a program has registered for the event
//! that the context stops, the real library passes results through a pipe: the thread that runs the context
//! waits while the pipe is full, so that no result is lost. While no program has registered, only the last
//! result is kept.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use ppu_sys::spe_stop_info;

use crate::context::lock;

/// Results that a pipe of 64 KiB holds.
const CAPACITY: usize = 65536 / size_of::<spe_stop_info>();

/// The result of a run. All its fields are integers, so it may go to any thread.
#[derive(Clone, Copy)]
pub(crate) struct Stop(pub(crate) spe_stop_info);

// SAFETY: the pointer in the union is a reserved field that is never set.
unsafe impl Send for Stop {}

impl std::fmt::Debug for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stop").field("reason", &self.0.stop_reason).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct State {
    unread: VecDeque<Stop>,
    /// Registrations of the event that a context stopped.
    listeners: usize,
    /// Whether the context is destroyed, so that no thread waits any more.
    closed: bool,
}

/// The results of one context that nobody has read.
#[derive(Debug, Default)]
pub(crate) struct Stops {
    state: Mutex<State>,
    room: Condvar,
}

impl Stops {
    /// Keeps a result. Waits for room while somebody listens.
    pub(crate) fn add(&self, stop: Stop) {
        let mut state = lock(&self.state);
        while state.listeners > 0 && !state.closed && state.unread.len() == CAPACITY {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.listeners == 0 {
            state.unread.clear();
        }
        state.unread.push_back(stop);
    }

    /// Takes the oldest result.
    pub(crate) fn take(&self) -> Option<Stop> {
        let stop = lock(&self.state).unread.pop_front();
        self.room.notify_one();
        stop
    }

    /// Whether there is no result to take.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.state).unread.is_empty()
    }

    /// Adds a listener. The first listener gets the results of later runs only.
    pub(crate) fn listen(&self) {
        let mut state = lock(&self.state);
        if state.listeners == 0 {
            state.unread.clear();
        }
        state.listeners += 1;
    }

    /// Removes a listener. Results that the last listener has not read are lost.
    pub(crate) fn unlisten(&self) {
        let mut state = lock(&self.state);
        state.listeners -= 1;
        if state.listeners == 0 {
            state.unread.clear();
        }
        self.room.notify_all();
    }

    /// Ends all waiting, because the context is destroyed.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use ppu_sys::spe_stop_info__bindgen_ty_1;

    use super::*;

    fn stop(number: u64) -> Stop {
        let result = spe_stop_info__bindgen_ty_1 { __reserved_u64: number };
        Stop(spe_stop_info { stop_reason: 1, result, spu_status: 0 })
    }

    fn number(stop: Stop) -> u64 {
        // SAFETY: the member was set.
        unsafe { stop.0.result.__reserved_u64 }
    }

    #[test]
    fn nothing_is_lost_while_somebody_listens() {
        let stops = Stops::default();
        stops.listen();
        let count = 3 * CAPACITY as u64;
        thread::scope(|scope| {
            scope.spawn(|| (0..count).for_each(|index| stops.add(stop(index))));
            let mut expected = 0;
            while expected < count {
                match stops.take() {
                    Some(stop) => {
                        assert_eq!(number(stop), expected);
                        expected += 1;
                    }
                    None => thread::yield_now(),
                }
            }
        });
        assert!(stops.is_empty());
    }

    #[test]
    fn only_the_last_is_kept_while_nobody_listens() {
        let stops = Stops::default();
        (0..2 * CAPACITY as u64).for_each(|index| stops.add(stop(index)));
        assert_eq!(stops.take().map(number), Some(2 * CAPACITY as u64 - 1));
        assert!(stops.take().is_none());
        stops.add(stop(7));
        stops.listen();
        assert!(stops.is_empty(), "whoever listens hears of later runs");
        stops.add(stop(8));
        stops.unlisten();
        assert!(stops.is_empty());
    }

    #[test]
    fn whoever_waits_for_room_goes_on_when_the_context_is_destroyed() {
        let stops = Stops::default();
        stops.listen();
        (0..CAPACITY as u64).for_each(|index| stops.add(stop(index)));
        thread::scope(|scope| {
            scope.spawn(|| stops.add(stop(0)));
            stops.close();
        });
    }
}
