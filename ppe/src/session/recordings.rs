//! What the program's thread did before each trace, for the PPE's clock in virtual time.
//!
//! The thread that executes chunks advances the clock, and real time decides how far the program has come
//! meanwhile. So the program's thread notes what it did, and the clock reads a note when the trace of
//! the note begins.

use std::collections::VecDeque;

use super::stages::lock;
use crate::engine::Engine;
use crate::lower::LoweredGraph;
use crate::sync::Mutex;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Recordings(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    notes: VecDeque<Note>,
    /// Operations that had been recorded when the last trace was sealed.
    recorded: u64,
    /// The number of the last trace that was sealed.
    sealed: u64,
    /// The last trace that was sealed before the program last waited for a value.
    awaited: u64,
}

/// What the program did before a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Note {
    trace: u64,
    /// Operations that it recorded since the trace before.
    recorded: u64,
    /// It waited for all traces up to this one.
    awaited: u64,
}

impl Recordings {
    /// A trace has been sealed, and `recorded` operations have been recorded since the session began.
    pub(super) fn sealed(&self, trace: u64, recorded: u64) {
        let mut noted = lock(&self.0);
        let before = std::mem::replace(&mut noted.recorded, recorded);
        let note = Note { trace, recorded: recorded - before, awaited: noted.awaited };
        noted.sealed = trace;
        noted.notes.push_back(note);
    }

    /// The program has waited for a value. Which trace has computed the value is not known any more, so the
    /// program counts as having waited for all traces.
    pub(super) fn awaited(&self) {
        let mut noted = lock(&self.0);
        noted.awaited = noted.sealed;
    }

    fn take(&self, trace: u64) -> Vec<Note> {
        let mut noted = lock(&self.0);
        let count = noted.notes.iter().take_while(|note| note.trace <= trace).count();
        noted.notes.drain(..count).collect()
    }

    /// A chunk is about to be executed: lets virtual time pass until the PPE has recorded, lowered and scheduled
    /// it.
    pub(super) fn begin(&self, engine: &mut dyn Engine, chunk: &LoweredGraph) {
        let notes = self.take(chunk.trace.id);
        let Some(clock) = engine.ppe_clock() else { return };
        for note in notes {
            clock.recorded(note.recorded, note.awaited);
        }
        let scheduled = clock.scheduled(chunk.len() as u64, chunk.written_bytes(), chunk.released_bytes);
        engine.pass(scheduled);
    }

    /// All chunks of a trace have been executed.
    pub(super) fn end(&self, engine: &mut dyn Engine, trace: u64) {
        let now = engine.now();
        if let Some(clock) = engine.ppe_clock() {
            clock.executed(trace, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_taken_once_with_those_of_traces_that_were_given_up() {
        let recordings = Recordings::default();
        recordings.sealed(1, 10);
        recordings.awaited();
        recordings.sealed(2, 15);
        recordings.sealed(3, 15);
        recordings.awaited();
        recordings.sealed(4, 16);
        let note = |trace, recorded, awaited| Note { trace, recorded, awaited };
        assert_eq!(recordings.take(1), [note(1, 10, 0)]);
        assert_eq!(recordings.take(3), [note(2, 5, 1), note(3, 0, 1)]);
        assert_eq!(recordings.take(3), []);
        assert_eq!(recordings.take(4), [note(4, 1, 3)]);
    }
}
