//! Engines: what executes block operations.
//!
//! An [`Engine`] has one or more MEUs.  Each takes operations in the order in which they are offered, and reports how many
//! it has completed; a completed operation's result is in main memory.  Nothing above this trait knows which engine runs.
//!
//! An engine whose MEUs do not execute every kind of operation executes the others on the PPE, by an element that is
//! addressed as one more MEU, behind the others (`engine/with_ppe.rs`).  [`make`] makes an engine from a choice; no other place
//! knows engines by their names.
//!
//! What every engine must compute is defined apart, in [`reference`](mod@crate::reference).

mod cell;
mod direct;
mod host;
mod link;
mod local_store;
mod mailbox;
mod make;
mod null;
mod ppe;
mod record;
mod report;
mod sim;
mod with_ppe;

pub use host::Host;
pub use make::{Choice, NAMES, default_meus, make, target};
pub use null::Null;
pub use report::{MeuReport, PipelineReport};

use std::sync::Arc;
use std::time::Duration;

use crate::error::Result;
use crate::lower::{Axis, Program, Target, Venue};
use crate::operation::{OpKind, Parameters, Precision};

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
}

/// What a command computes.
#[derive(Debug, Clone, Copy)]
pub enum Task<'g> {
    /// The sum of the products of these parts of the inner side.  The operands are those of the first part; those of the next
    /// parts follow them in their matrices, along the columns of the first and along the rows of the second.
    Product(Axis),
    /// The steps of a program.
    Program(&'g Arc<Program>),
    /// Elements of the operands, moved or reduced.  The operands may be whole matrices that DMA could not transfer.
    Direct {
        /// How.
        kind: OpKind,
        /// Which elements, or along which side.
        parameters: Parameters,
        /// Row and column of the result's first element in the whole result.
        origin: (u32, u32),
    },
}

/// A block operation with the addresses of its blocks.
#[derive(Debug, Clone, Copy)]
pub struct Command<'g> {
    /// What it computes.
    pub task: Task<'g>,
    /// Where.
    pub venue: Venue,
    /// Where the results go: one, or those of a program.
    pub results: &'g [BlockAddress],
    /// The operands, or the inputs of a program.
    pub operands: &'g [BlockAddress],
}

/// An MEU has failed: it executes nothing more until the engine is reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which of the operations offered to this MEU failed, counted from 0; None when it is not known.
    pub operation: Option<u64>,
    /// The step of it, when it is a program.
    pub step: u32,
    /// True when the result would be complex, which no repetition changes.
    pub domain: bool,
    /// What happened, in words.
    pub what: String,
}

/// Something that executes block operations.
pub trait Engine: Send + std::fmt::Debug {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What lowering and scheduling need to know about it.  When there are kinds of operations that its MEUs do not execute,
    /// the MEU with number `target().meus` is the PPE, and takes what has that venue.
    fn target(&self) -> &Target;

    /// How many operations the MEU can be offered now: free entries of its mailbox.
    fn room(&mut self, meu: usize) -> usize;

    /// Offers an operation to an MEU with room for one.  All its operands are in main memory.
    fn offer(&mut self, meu: usize, command: &Command<'_>);

    /// How many operations the MEU has completed since the engine was made or reset.  Their results are visible to this thread.
    ///
    /// # Errors
    /// A [`Fault`] once the MEU has failed.
    fn completed(&mut self, meu: usize) -> Result<u64, Fault>;

    /// Waits until an MEU may need attention, at most this long.
    fn wait(&mut self, timeout: Duration);

    /// Gives up all that was offered and begins anew; afterwards no MEU touches memory of earlier operations.
    ///
    /// # Errors
    /// When the engine cannot be brought back.
    fn reset(&mut self) -> Result<()>;

    /// What its MEUs have done, if it counts that.
    fn reports(&self) -> Vec<MeuReport> {
        Vec::new()
    }

    /// False when it only pretends to execute: results are then without meaning.
    fn computes(&self) -> bool {
        true
    }
}
