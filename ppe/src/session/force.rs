//! Demand: pending operations are sealed as a trace, the trace goes to the stages, and a force waits for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Session;
use super::immediate::{AtOnce, MOST_NS};
use super::stages::{Sealed, lock};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::trace::{Demand, Limit, Progress, Trace, Value};

impl Session {
    /// Starts the execution of all pending operations. With overlap it does not wait for their end.
    ///
    /// # Errors
    /// [`Error::Fork`], [`Error::Closed`], [`Error::Memory`]
    pub fn flush(&self) -> Result<()> {
        self.submit(Demand::All, None, None).map(|_| ())
    }

    /// Starts the execution of what these values need and nothing else, as one trace: operations that are
    /// executed side by side share the MEUs. With overlap the call does not wait for their end.
    ///
    /// # Errors
    /// [`Error::Fork`], [`Error::Closed`], [`Error::Memory`]
    pub fn start(&self, values: &[&Value]) -> Result<()> {
        self.submit(Demand::Values(values), None, None).map(|_| ())
    }

    /// Seals pending operations and sends the trace to the stages. False if there was no room for it before
    /// `deadline`.
    pub(super) fn submit(
        &self,
        demand: Demand<'_>,
        limit: Option<Limit>,
        deadline: Option<Instant>,
    ) -> Result<bool> {
        if self.is_foreign() {
            return Err(Error::Fork);
        }
        // What may give memory back to its owner is dropped after the lock has been released, because the
        // owner's code may call this session.
        let (at_once, trace);
        let mut discarded = Vec::new();
        // This lock is held until the trace is sent, so that traces are sent in the order of sealing.
        let pipeline = lock(&self.pipeline);
        if self.overlap && pipeline.is_none() {
            return Err(Error::Closed);
        }
        if let Demand::Value(value) = demand {
            at_once = self.core.execute_at_once(value)?;
            if let Some(immediate) = &self.core.immediate {
                immediate.note_force(at_once.as_ref().is_some_and(|at_once| at_once.little));
            }
            if let Some(AtOnce { error, .. }) = &at_once {
                return error.clone().map_or(Ok(true), Err);
            }
        }
        trace = match self.core.seal(demand, limit, deadline)? {
            Sealed::Trace(trace) => trace,
            Sealed::Nothing => return Ok(true),
            Sealed::TimedOut => return Ok(false),
        };
        match &*pipeline {
            Some(_)
                if matches!(demand, Demand::Value(_) | Demand::Values(_))
                    && self.is_worth_no_wake_up(&trace, deadline) =>
            {
                discarded = self.core.run(&trace);
            }
            Some(pipeline) if pipeline.jobs.send(Arc::clone(&trace)).is_err() => {
                let what = "its stages have ended".to_owned();
                let failure = Error::Engine { engine: self.core.engine, what }.into();
                discarded.push(self.core.fail(&trace, &failure));
            }
            Some(_) => {}
            None => discarded = self.core.run(&trace),
        }
        drop(pipeline);
        drop(discarded);
        Ok(true)
    }

    /// Whether the thread that forces runs the stages for a trace itself: if no other trace is in flight, and
    /// the work is done long before the deadline.
    fn is_worth_no_wake_up(&self, trace: &Trace, deadline: Option<Instant>) -> bool {
        let longest = Duration::from_nanos(MOST_NS as u64);
        let Some(immediate) = &self.core.immediate else { return false };
        lock(&self.core.flight).traces.len() == 1
            && deadline.is_none_or(|deadline| deadline > Instant::now() + longest)
            && self.core.trace_ns(immediate, trace) <= MOST_NS
    }

    /// Starts what a value needs and nothing else, and waits for the value, at most until `deadline`. False
    /// if the value is not computed by then.
    ///
    /// # Errors
    /// Why the value cannot be computed. Unless the value itself has failed for good, all operations are
    /// still pending and can be tried again.
    pub fn wait(&self, value: &Value, deadline: Option<Instant>) -> Result<bool> {
        let begun = self.core.timeline.begin().filter(|_| !value.has_result());
        let outcome = self.wait_unnoted(value, deadline);
        self.note_force(begun, value);
        outcome
    }

    fn wait_unnoted(&self, value: &Value, deadline: Option<Instant>) -> Result<bool> {
        if self.is_foreign() && !value.has_result() {
            return Err(Error::Fork);
        }
        let failures = if self.is_foreign() { 0 } else { lock(&self.core.flight).failures };
        loop {
            match value.wait(deadline) {
                Progress::Complete if self.core.computes => {
                    if let Some(recordings) = &self.core.recordings {
                        recordings.awaited();
                    }
                    if let Some(immediate) = &self.core.immediate {
                        immediate.note_read();
                    }
                    return Ok(true);
                }
                Progress::Complete => {
                    return Err(Error::Engine {
                        engine: self.core.engine,
                        what: "it computes no values".into(),
                    });
                }
                Progress::Failed(error) => return Err(error),
                Progress::SetAside => self.core.recorder.reclaim(value),
                Progress::InFlight => return Ok(false),
                Progress::Pending => {
                    let flight = lock(&self.core.flight);
                    if let Some(error) = flight.last.as_ref().filter(|_| flight.failures > failures) {
                        return Err(error.clone());
                    }
                    drop(flight);
                    if !self.submit(Demand::Value(value), None, deadline)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Forces a value: its matrix, computed if need be.
    ///
    /// # Errors
    /// As [`Session::wait`]; [`Error::Cancelled`] when the program is to stop ([`Session::set_interrupt`]) while the
    /// elements come from ranks. The value stays what it is, and can be forced again.
    pub fn force(&self, value: &Value) -> Result<Arc<Matrix>> {
        self.wait(value, None)?;
        let matrix = value.matrix().ok_or(Error::Closed)?;
        matrix.bring(&|| self.is_interrupted())?;
        Ok(matrix)
    }

    /// Gives up the execution of all traces in flight. Their operations are pending again, and can be forced
    /// again. They and all other pending operations no longer count towards the limits, so none of them is
    /// executed before it is needed. A thread that waits for such an operation starts it anew. The call
    /// returns at once; MEUs finish the block operations that they hold.
    ///
    /// Without overlap a trace is in flight only during a force, which cannot be given up.
    ///
    /// # Errors
    /// [`Error::Fork`]
    pub fn cancel(&self) -> Result<()> {
        if self.is_foreign() {
            return Err(Error::Fork);
        }
        self.core.cancel();
        Ok(())
    }
}
