//! Engines: what executes block operations.
//!
//! An [`Engine`] has one or more MEUs.  An MEU executes block operations in the order in which they are
//! offered, and reports how many it has completed.  The result of a completed operation is in main memory.
//! No module above this one knows which engine runs.
//!
//! Some engines have MEUs that do not execute all kinds of operations.  The PPE executes the remaining kinds,
//! in a thread of its own.  Callers address the PPE as one more MEU, whose number follows the numbers of the
//! MEUs (`engine/with_ppe.rs`).
//!
//! [`make`] makes an engine from its name and a [`Choice`].  No other function knows engines by their names.
//!
//! [`Caller`] is no engine: it executes operations in the thread that calls it, for work that is too little
//! to be handed over. A [`Team`] is the calling thread with helpers.
//!
//! The module [`reference`](mod@crate::reference) defines what every engine must compute.

mod caller;
mod cell;
mod clock;
mod direct;
mod homes;
mod host;
mod link;
mod local_store;
mod mailbox;
mod make;
mod null;
mod record;
mod report;
pub mod sabotage;
mod sim;
mod spans;
mod stand_in;
mod stopping;
mod team;
mod with_ppe;

pub use caller::Caller;
pub use host::Host;
pub use make::{Choice, NAMES, default_meus, make, model, names_for_ranks, target};
pub use null::Null;
pub use record::chain;
pub use report::{MeuReport, PipelineReport, Waits};
pub use team::{Shared, Team, wait_while};

use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::lower::{Axis, LoweredGraph, Program, Target, Venue, Work};
use crate::operation::{OpKind, Parameters, Precision};
use crate::time::StageTimes;
use crate::time::ppe::PpeClock;
use crate::timeline::Span;
use spe_kernels::Status;

/// A block in main memory, or a whole matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockAddress {
    /// Address of the first element.
    pub ea: u64,
    /// Distance between columns, in bytes.
    pub stride_bytes: u32,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
    /// Precision of the elements.
    pub precision: Precision,
    /// Whether this is the operand of a product in memory, stored transposed: rows and columns are the stored
    /// block's.
    pub transposed: bool,
}

impl BlockAddress {
    /// The part with these rows; of a block that is stored transposed, the rows that it stands for.
    pub(crate) fn rows_from(self, start: u32, rows: u32) -> BlockAddress {
        match self.transposed {
            true => self.stored_columns(start, rows),
            false => self.stored_rows(start, rows),
        }
    }

    /// The part with these columns; of a block that is stored transposed, the columns that it stands for.
    pub(crate) fn columns_from(self, start: u32, columns: u32) -> BlockAddress {
        match self.transposed {
            true => self.stored_rows(start, columns),
            false => self.stored_columns(start, columns),
        }
    }

    fn stored_rows(self, start: u32, rows: u32) -> BlockAddress {
        let ea = self.ea + u64::from(start) * self.precision.element_bytes() as u64;
        BlockAddress { ea, rows, ..self }
    }

    fn stored_columns(self, start: u32, columns: u32) -> BlockAddress {
        let ea = self.ea + u64::from(start) * u64::from(self.stride_bytes);
        BlockAddress { ea, columns, ..self }
    }
}

/// What a command computes.
#[derive(Debug, Clone, Copy)]
pub enum Task<P> {
    /// The sum of the products of these parts of the inner side.  The command names the operands of the first
    /// part.  The operands of the next parts follow in their matrices: along the columns of the first matrix,
    /// along the rows of the second.
    ///
    /// The sum may have an epilogue: a program that reads it while it is in the local store.  The further
    /// inputs of the program are the operands behind the first two.
    Product(Axis, Option<P>),
    /// The steps of a program.
    Program(P),
    /// Elements of the operands, moved or reduced.  An operand may be a whole matrix, and may have an
    /// alignment that DMA cannot transfer.
    Direct {
        /// Which move or reduction.
        kind: OpKind,
        /// Which elements a move takes, or along which side a reduction goes.
        parameters: Parameters,
        /// Row and column of the result's first element in the whole result.
        origin: (u32, u32),
    },
}

impl<'g> Task<&'g Arc<Program>> {
    /// What a block operation computes.
    #[must_use]
    pub fn of(graph: &'g LoweredGraph, index: u32) -> Task<&'g Arc<Program>> {
        let operation = &graph.operations[index as usize];
        match (operation.work, graph.program(operation)) {
            (Work::Product(parts, _), epilogue) => Task::Product(parts, epilogue),
            (Work::Program(_), Some(program)) => Task::Program(program),
            (Work::Program(_), None) => unreachable!("the graph has its programs"),
            (Work::Move(kind) | Work::Reduce(kind), _) => {
                let (parameters, origin) = graph.parameters(index);
                Task::Direct { kind, parameters, origin }
            }
        }
    }
}

impl<P> Task<P> {
    /// This task with its program held in another way: a command borrows it, and a thread or a rank shares it.
    pub fn map<'a, Q>(&'a self, hold: impl FnOnce(&'a P) -> Q) -> Task<Q> {
        match self {
            Task::Product(parts, epilogue) => Task::Product(*parts, epilogue.as_ref().map(hold)),
            Task::Program(program) => Task::Program(hold(program)),
            &Task::Direct { kind, parameters, origin } => Task::Direct { kind, parameters, origin },
        }
    }
}

/// A block operation with the addresses of its blocks.
#[derive(Debug, Clone, Copy)]
pub struct Command<'g> {
    /// What it computes.
    pub task: Task<&'g Arc<Program>>,
    /// Where it is computed.
    pub venue: Venue,
    /// Where the results go: one result, or all results of a program.
    pub results: &'g [BlockAddress],
    /// The operands, or the inputs of a program.
    pub operands: &'g [BlockAddress],
}

/// Why an MEU executes nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The result would be complex.  Executing the operation again would change nothing.
    Domain,
    /// The MEU works, and says that the operation cannot be executed.
    Refused,
    /// The MEU has stopped, hangs, or reports what cannot be.  Another processor may execute what it has not
    /// completed.
    Lost,
}

/// An MEU has failed: it executes nothing more until the engine is reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which of the operations offered to this MEU failed, counted from 0: all operations before it have been
    /// completed.  None when that is not known.
    pub operation: Option<u64>,
    /// The step that failed, when the operation is a program.
    pub step: u32,
    /// Whose fault it is.
    pub cause: Cause,
    /// What happened, in words.
    pub what: String,
}

impl Fault {
    /// The fault of a processor that executes operations in memory: what a kernel has returned, at a step.
    fn in_memory(operation: Option<u64>, (status, step): (Status, u32)) -> Fault {
        let cause = if status == Status::Domain { Cause::Domain } else { Cause::Refused };
        Fault { operation, step, cause, what: status.to_string() }
    }
}

/// Something that executes block operations.
pub trait Engine: Send + std::fmt::Debug {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What lowering and scheduling need to know about the engine.  When there are kinds that its MEUs do not
    /// execute, the MEU with number `target().meus` is the PPE. The PPE takes the operations of its venue,
    /// [`Venue::Ppe`].
    fn target(&self) -> &Target;

    /// All operations that are offered from now on are those of this graph.
    fn begin(&mut self, _graph: &LoweredGraph) {}

    /// How many operations the MEU can be offered now: free entries of its mailbox.
    fn room(&mut self, meu: usize) -> usize;

    /// Offers an operation to an MEU that has room.  All operands are in main memory.
    fn offer(&mut self, meu: usize, command: &Command<'_>);

    /// How many operations the MEU has completed since the engine was made or reset.  The results of these
    /// operations are visible to this thread.
    ///
    /// # Errors
    /// A [`Fault`] once the MEU has failed.
    fn completed(&mut self, meu: usize) -> Result<u64, Fault>;

    /// Waits until an MEU may have completed an operation or may have failed, at most this long.
    fn wait(&mut self, timeout: Duration);

    /// Gives up all operations that were offered.  Afterwards no MEU touches memory of earlier operations, if the
    /// result is true.  An MEU that does not stop is taken out: then the result is false.  The engine has to be started
    /// before it is offered anything.
    fn stop(&mut self) -> bool;

    /// Begins anew after [`stop`](Self::stop).  An MEU that has been taken out stays out.
    ///
    /// # Errors
    /// When the engine cannot be brought back.
    fn start(&mut self) -> Result<()>;

    /// Stops the engine, and starts it again.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    fn reset(&mut self) -> Result<bool> {
        let have_stopped = self.stop();
        self.start()?;
        Ok(have_stopped)
    }

    /// Whether it has been stopped, and has not been started since. Then MEUs are missing that have not been taken out,
    /// and the engine has to be reset before it is offered anything.
    fn is_incomplete(&self) -> bool {
        false
    }

    /// Takes a processor out for good, because it is lost: an MEU, or the PPE.  It is offered nothing more,
    /// and what it was offered is given up.  Waits for its end, at most this long.  True if it has ended:
    /// then it touches no memory any more.
    fn take_out(&mut self, _processor: usize, _patience: Duration) -> bool {
        true
    }

    /// Whether a processor has been taken out.
    fn is_out(&self, _processor: usize) -> bool {
        false
    }

    /// Executes an operation in place of processors that have been taken out, and waits for its end.  The
    /// result has the bits that they would have given.  All operands are in main memory.
    ///
    /// # Errors
    /// When the engine has nothing in their place; inside the [`Fault`] of the operation.
    fn stand_in(&mut self, _command: &Command<'_>) -> Result<Result<(), Fault>> {
        Err(Error::Engine { engine: self.name(), what: "nothing takes the place of its MEUs".into() })
    }

    /// Asks its MEUs to measure the stages of every further operation; false when they cannot.
    fn profile(&mut self) -> bool {
        false
    }

    /// Stage times of the last operation of an MEU that has completed all it was offered, when they are
    /// measured.
    fn last_times(&mut self, _meu: usize) -> Option<StageTimes> {
        None
    }

    /// Lets MEUs note when they execute each further operation, or ends that, while nothing is outstanding. False
    /// when they do not note it.
    fn note_spans(&mut self, _on: bool) -> bool {
        false
    }

    /// When an MEU has executed operations, for all that it has noted since the last call, oldest first. A span
    /// may come a moment after its operation counts as completed.
    fn take_spans(&mut self, _meu: usize) -> Vec<Span> {
        Vec::new()
    }

    /// What its MEUs have done, if it counts that.
    fn reports(&self) -> Vec<MeuReport> {
        Vec::new()
    }

    /// True when other work may take the processors of its MEUs away, so that an MEU may fall behind the
    /// schedule. Execution control then lets MEUs that have nothing to execute take operations over.
    fn may_fall_behind(&self) -> bool {
        false
    }

    /// The PPE in the engine's virtual time. None when time is real.
    fn ppe_clock(&mut self) -> Option<&mut PpeClock> {
        None
    }

    /// Virtual time since the engine was made, in nanoseconds; 0 when time is real.
    fn now(&self) -> u64 {
        0
    }

    /// Lets MEUs work until this moment of virtual time.  The PPE does something else meanwhile.
    fn pass(&mut self, _until: u64) {}

    /// False when the engine only pretends to execute.  Results are then without meaning.
    fn computes(&self) -> bool {
        true
    }
}

#[cfg(all(test, feature = "models"))]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
