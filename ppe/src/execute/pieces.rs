//! Execution of independent commands by a team.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::engine::{Caller, Command, Shared, Team};

/// Executes commands that do not depend on each other, with at most a member of the team for each of them.
/// `wakes`: whether the work is worth a wake-up. False if one of them has failed.
pub(super) fn execute_pieces(commands: &[Command<'_>], team: &mut Team, wakes: bool) -> bool {
    let pieces = Pieces { commands, next: AtomicUsize::new(0), failed: AtomicBool::new(false) };
    team.share(&pieces, commands.len(), wakes);
    !pieces.failed.into_inner()
}

/// Commands while a team executes them.
struct Pieces<'a> {
    commands: &'a [Command<'a>],
    /// The command that is taken next.
    next: AtomicUsize,
    failed: AtomicBool,
}

/// A member that panics leaves a piece that nobody executes.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared for Pieces<'_> {
    fn take_part(&self, _name: &str, caller: &mut Caller) -> u64 {
        let mut count = 0;
        let _alarm = Alarm(&self.failed);
        while let Some(command) = self.commands.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if !matches!(caller.execute(command), Ok(Ok(()))) {
                self.failed.store(true, Ordering::Relaxed);
            }
            count += 1;
        }
        count
    }
}
