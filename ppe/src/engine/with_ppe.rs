//! Adds the PPE to an engine whose MEUs do not execute all kinds of operations. The PPE executes the
//! remaining kinds.

use std::time::Duration;

use crossbeam_utils::sync::Unparker;

use super::ppe::Ppe;
use super::{Command, Engine, Fault, MeuReport};
use crate::error::Result;
use crate::lower::Target;
use crate::time::StageTimes;

/// An engine that can wait for its MEUs and for the PPE at once.
pub(super) trait WaitsBeside: Engine {
    /// What wakes the thread of execution control.
    fn unparker(&self) -> Unparker;

    /// Waits as [`Engine::wait`] does, while the PPE is executing as well. `has_news` says whether the PPE
    /// has completed an operation; the PPE then wakes the thread by its unparker.
    fn wait_beside(&mut self, timeout: Duration, has_news: &dyn Fn() -> bool);
}

/// An engine, and the PPE as one more MEU, whose number follows the numbers of the MEUs.
#[derive(Debug)]
pub(super) struct WithPpe<E> {
    ppe: Ppe,
    meus: E,
}

impl<E: WaitsBeside> WithPpe<E> {
    /// Starts the PPE's thread beside an engine.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub(super) fn new(meus: E) -> Result<WithPpe<E>> {
        Ok(WithPpe { ppe: Ppe::start(meus.name(), meus.unparker())?, meus })
    }

    fn is_ppe(&self, number: usize) -> bool {
        number == self.meus.target().meus
    }
}

impl<E: WaitsBeside> Engine for WithPpe<E> {
    fn name(&self) -> &'static str {
        self.meus.name()
    }

    fn target(&self) -> &Target {
        self.meus.target()
    }

    fn room(&mut self, number: usize) -> usize {
        if self.is_ppe(number) { self.ppe.room() } else { self.meus.room(number) }
    }

    fn offer(&mut self, number: usize, command: &Command<'_>) {
        if self.is_ppe(number) { self.ppe.offer(command) } else { self.meus.offer(number, command) }
    }

    fn completed(&mut self, number: usize) -> Result<u64, Fault> {
        if self.is_ppe(number) { self.ppe.completed() } else { self.meus.completed(number) }
    }

    fn wait(&mut self, timeout: Duration) {
        if self.ppe.is_busy() {
            self.meus.wait_beside(timeout, &|| self.ppe.has_news());
        } else {
            self.meus.wait(timeout);
        }
    }

    fn reset(&mut self) -> Result<()> {
        // The old thread has ended when the assignment drops it.
        self.ppe = Ppe::start(self.meus.name(), self.meus.unparker())?;
        self.meus.reset()
    }

    fn profile(&mut self) -> bool {
        self.meus.profile()
    }

    fn last_times(&mut self, number: usize) -> Option<StageTimes> {
        if self.is_ppe(number) { None } else { self.meus.last_times(number) }
    }

    fn reports(&self) -> Vec<MeuReport> {
        let ppe = MeuReport::of_operations(None, self.ppe.executed());
        self.meus.reports().into_iter().chain([ppe]).collect()
    }

    fn computes(&self) -> bool {
        self.meus.computes()
    }

    fn may_fall_behind(&self) -> bool {
        self.meus.may_fall_behind()
    }
}
