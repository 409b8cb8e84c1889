//! Recording: what the program states becomes operations of the graph.
//!
//! Recording computes nothing, unless an operation is short or a limit of pending operations is reached. A
//! limit seals all pending operations, so that they are executed while the program continues.

use std::fmt;
use std::time::{Duration, Instant};

use super::Session;
use super::stages::lock;
use crate::error::{Error, Result};
use crate::matrix::{Constructor, Matrix};
use crate::operation::{Class, Form, OpKind, Precision, Shape};
use crate::trace::{Demand, Recorder, Recording, Value};

/// How long a recording call waits for room before it asks whether to give up.
const INTERRUPT_PERIOD: Duration = Duration::from_millis(50);

/// See [`Session::set_interrupt`].
pub(super) struct Interrupt(Box<dyn Fn() -> bool + Send>);

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
}

impl Session {
    /// The precision in which a constant of this class is stored best.
    #[must_use]
    pub fn storage(&self, class: Class) -> Precision {
        self.core.recorder.storage(class)
    }

    /// A value whose elements are known.
    ///
    /// # Errors
    /// [`Error::Fork`]
    pub fn constant(&self, matrix: Matrix, class: Class) -> Result<Value> {
        self.core.recorder.constant(matrix, class)
    }

    /// Whether several ranks own parts of a matrix of this shape, so that it need not fit this machine.
    #[must_use]
    pub fn is_shared(&self, shape: Shape) -> bool {
        self.core.ranks.as_ref().is_some_and(|ranks| ranks.share(shape))
    }

    /// A value that a constructor makes, as one stores this class. With ranks, each of them makes its part of a large one.
    ///
    /// # Errors
    /// [`Error::Fork`], [`Error::Memory`]
    pub fn constructed(&self, constructor: Constructor, shape: Shape, class: Class) -> Result<Value> {
        let (pool, storage) = (&self.core.pool, self.storage(class));
        let matrix = match self.is_shared(shape) {
            true => Matrix::constructed(shape, storage, constructor, pool),
            false => constructor.matrix(shape, storage, pool)?,
        };
        self.constant(matrix, class)
    }

    /// Records an operation on one value. `file` and `line` say where the program stands, for messages.
    ///
    /// # Errors
    /// As [`Recorder::unary`], and [`Error::Fork`].
    pub fn unary(&self, kind: OpKind, a: &Value, file: &str, line: u32) -> Result<Value> {
        self.recorded(self.core.recorder.unary(kind, a, file, line)?)
    }

    /// Records an operation on two values.
    ///
    /// # Errors
    /// As [`Recorder::binary`], and [`Error::Fork`].
    pub fn binary(&self, kind: OpKind, a: &Value, b: &Value, file: &str, line: u32) -> Result<Value> {
        self.recorded(self.core.recorder.binary(kind, a, b, file, line)?)
    }

    /// Records an operation on a value and a scalar.
    ///
    /// # Errors
    /// As [`Recorder::binary_scalar`], and [`Error::Fork`].
    #[allow(clippy::too_many_arguments, reason = "each names one thing that the call site has at hand")]
    pub fn binary_scalar(
        &self,
        kind: OpKind,
        form: Form,
        a: &Value,
        scalar: f64,
        scalar_class: Class,
        file: &str,
        line: u32,
    ) -> Result<Value> {
        self.recorded(self.core.recorder.binary_scalar(kind, form, a, scalar, scalar_class, file, line)?)
    }

    /// Records a change of precision.
    ///
    /// # Errors
    /// As [`Recorder::convert`], and [`Error::Fork`].
    pub fn convert(&self, a: &Value, to: Precision, file: &str, line: u32) -> Result<Value> {
        self.recorded(self.core.recorder.convert(a, to, file, line)?)
    }

    /// Lets `record` record an operation at this line of the program. This is for moves and reductions
    /// ([`Recorder::view`], [`Recorder::reduce`] and so on), which have parameters of their own.
    ///
    /// # Errors
    /// The errors of `record`, and [`Error::Fork`].
    pub fn record(&self, record: impl FnOnce(&Recorder) -> Result<Recording>) -> Result<Value> {
        self.recorded(record(&self.core.recorder)?)
    }

    fn recorded(&self, recording: Recording) -> Result<Value> {
        if let Some(limit) = recording.limit {
            log::debug!("a trace has reached its limit of {limit:?}");
            while !self.submit(Demand::Limit, Some(limit), Some(Instant::now() + INTERRUPT_PERIOD))? {
                if self.is_interrupted() {
                    self.core.cancel();
                    return Err(Error::Cancelled);
                }
            }
        }
        Ok(recording.value)
    }

    /// Whether the program is to stop what it waits for.
    pub(super) fn is_interrupted(&self) -> bool {
        lock(&self.interrupt).as_ref().is_some_and(|interrupt| interrupt.0())
    }

    /// Sets what is asked while a recording call waits because traces in flight leave no room for more. When
    /// the answer is true, the call gives up as [`Session::cancel`] does, records nothing, and returns
    /// [`Error::Cancelled`]. It is asked as well while [`force`](Session::force) waits for elements that ranks have. The
    /// question comes about every 50 ms, in the calling thread; it must not call the session. None sets that nothing is
    /// asked.
    pub fn set_interrupt(&self, interrupt: Option<Box<dyn Fn() -> bool + Send>>) {
        *lock(&self.interrupt) = interrupt.map(Interrupt);
    }
}
