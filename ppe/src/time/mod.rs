//! The time model: how long each pipeline stage of a block operation takes (paper, "Time Model").
//!
//! A stage's time is a sum of terms in the sizes of the blocks ([`terms`]). Its coefficients, in nanoseconds, are
//! measured ([`profile`]) and fitted ([`fit`]). Each kind of machine has a file of coefficients in `ppe/models`.
//! The forms are:
//!
//! | row of the file | form |
//! |---|---|
//! | fetch, write: what an MEU does for a transfer | a0 + a1 blocks + a2 columns + a3 lines |
//! | turn: what it does for each operation beside its stages | a0 |
//! | part: for each further part of a chain of products, beside its transfer | a0 + a1 columns |
//! | in-memory: a program whose blocks stay in main memory, beside its execution | a0 + a1 blocks + a2 columns + a3 lines |
//! | program: an element-wise program, beside its steps | a0 + a1 strips + a2 further calls |
//! | step of an element-wise program | a0 strips + a1 vectors + a2 vectors that fill no turn + a3 columns computed one by one |
//! | product, single | a0 + a1 rectangles + a2 tiles + a3 turns + a4 columns with a pad + a5 tiles that are added |
//! | product, double | a0 + a1 calls + a2 calls for a tile alone + a3 tiles + a4 steps + a5 odd tiles |
//! | product of a host | a0 + a1 vectors of A + a2 multiply-adds, of a thin product; a0 + a3 steps of dot products, of one row; else a0 + a4 multiply-adds + a5 vectors of the result |
//! | move | a0 + a1 columns + a2 vectors of the result + a3 columns + a4 vectors of the operand |
//! | reduction | a0 + a1 groups of columns + a2 their vectors; or a0 + a3 groups of rows + a4 their columns |
//!
//! The paper's forms are a0 + a1 rows + a2 columns for transfers, a0 + a1 elements for element-wise execution, and
//! a0 + a1 rows + a2 rows inner columns for products. On simulated SPEs they miss the ragged edges of tiles, the
//! work between the stages, and transfers that wait for each other.
//!
//! A host executes products, moves and reductions in main memory, and is measured there. Its times are those of
//! operands that are in a cache.
//!
//! The transfers of an MFC take the time that [`memory`] says, beside what the MEU does for them. A host has no
//! MFC: its MEUs copy, and the coefficient of lines has the time.
//!
//! An SPE takes a word, fetches the record and issues transfers between two executions, and the MFC sends the lines of
//! the result before that of the record. So the estimate of the execution stage has these times. Streams of operations
//! then take as long as the longest stage, as the pipeline does.

mod estimates;
mod file;
pub mod fit;
pub mod fitted;
pub mod memory;
pub mod ppe;
pub mod profile;
pub mod terms;
pub mod trials;

use crate::error::Result;
use crate::operation::{OpKind, Precision, Shape};
use memory::Memory;
use spe_kernels::Processor;
use terms::{Coefficients, Machine, Strips, evaluate, execute_terms, whole_terms};

/// Estimated times of the three pipeline stages, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Data fetch.
    pub df: u64,
    /// Execution.
    pub ex: u64,
    /// Write back.
    pub wb: u64,
}

impl StageTimes {
    /// The sum of the three stages.
    #[must_use]
    pub fn total(self) -> u64 {
        self.df + self.ex + self.wb
    }

    /// The stages of a product with an epilogue, whose own stages are given
    /// ([`TimeModel::estimate_epilogue`]). The epilogue's further inputs are fetched while the product is executed,
    /// and the epilogue's results take the place of the product.
    #[must_use]
    pub fn with_epilogue(self, epilogue: StageTimes) -> StageTimes {
        StageTimes { df: self.df, ex: self.ex.max(epilogue.df) + epilogue.ex, wb: epilogue.wb }
    }
}

/// The properties of a block operation that its times depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSize {
    /// What is computed.
    pub kind: OpKind,
    /// Precision of the result.
    pub precision: Precision,
    /// Precision of the operands.
    pub operand_precision: Precision,
    /// Rows and columns of the result.
    pub result: (u16, u16),
    /// Rows and columns of the operands; (0, 0) for none.
    pub operands: [(u16, u16); 2],
    /// Products that are summed up: 1, or the length of a chain. `operands` are the blocks of the first
    /// product.
    pub products: u32,
}

/// Nanoseconds of recording an operation on a host, lowering, scheduling and executing it alone, about, without the
/// time of its kernel. It is better to compute an operation that takes no longer when it is stated.
pub const RECORDED_NS: f64 = 1000.0;

/// What a row of a model file holds beside the kinds of operations: coefficients by precision.
pub type Row = [Coefficients; 2];

/// Coefficients for every form, and the figures of the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeModel {
    /// What an MFC and the memory take for transfers; None where MEUs copy.
    pub memory: Option<Memory>,
    /// What an MEU does to take an operation and to fetch operands, by the precision of the operands.
    pub fetch: Row,
    /// What it does to write results back.
    pub write: Row,
    /// What it does for each operation beside its stages.
    pub turn: Row,
    /// What it does for each further part of a chain.
    pub part: Row,
    /// What it does for an element-wise program beside its steps.
    pub program: Row,
    /// What an element-wise program takes beside its execution where its blocks stay in main memory.
    pub in_memory: Row,
    /// Execution, by kind and precision of the result.
    pub execute: [Row; OpKind::ALL.len()],
}

/// One step of an element-wise program, as its time depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepSize {
    /// What it computes.
    pub kind: OpKind,
    /// Whether it goes column by column, since an operand is repeated along rows or columns.
    pub by_column: bool,
}

impl TimeModel {
    /// The model that comes with pmatrix, measured on a host engine.
    ///
    /// # Errors
    /// [`Error::File`](crate::error::Error::File) when it is malformed: a mistake of ours.
    pub fn of_host() -> Result<TimeModel> {
        TimeModel::parse(include_str!("../../models/host.model"), "the built-in model")
    }

    /// The model that comes with pmatrix for SPEs of this processor, measured on simulated SPEs. A kind of
    /// operation that SPEs do not execute has the times of the host.
    ///
    /// # Errors
    /// [`Error::File`](crate::error::Error::File) when it is malformed: a mistake of ours.
    pub fn of_cell(processor: Processor) -> Result<TimeModel> {
        let text = match processor {
            Processor::CellBe => include_str!("../../models/cell.model"),
            Processor::PowerXCell8i => include_str!("../../models/celledp.model"),
        };
        TimeModel::parse(text, "the built-in model of a Cell")
    }

    fn machine(&self) -> Machine {
        Machine::of(self.memory.as_ref())
    }

    /// Estimated nanoseconds that one processor takes for an operation on whole matrices, with a result and a
    /// first operand of these shapes.
    #[must_use]
    pub fn estimate_whole(&self, kind: OpKind, precision: Precision, result: Shape, operand: Shape) -> f64 {
        let p = precision.of_numbers() as usize;
        let own = evaluate(
            &self.execute[kind as usize][p],
            &whole_terms(self.machine(), kind, precision, result, operand),
        );
        let wraps = !kind.is_direct() && kind != OpKind::Multiply;
        (own + if wraps { self.program[p][0] + self.program[p][1] } else { 0.0 }).max(0.0)
    }

    /// What an MEU does to take an operation whose operands are so many blocks with so many columns.
    #[must_use]
    pub fn fetch_ns(&self, precision: Precision, blocks: f64, columns: f64) -> f64 {
        let row = &self.fetch[precision.of_numbers() as usize];
        evaluate(row, &[1.0, blocks, columns, 0.0, 0.0, 0.0]).max(0.0)
    }

    /// What it does to write results back.
    #[must_use]
    pub fn write_ns(&self, precision: Precision, blocks: f64, columns: f64) -> f64 {
        let row = &self.write[precision.of_numbers() as usize];
        evaluate(row, &[1.0, blocks, columns, 0.0, 0.0, 0.0]).max(0.0)
    }

    /// What it does for each operation beside its stages.
    #[must_use]
    pub fn turn_ns(&self, precision: Precision) -> f64 {
        self.turn[precision.of_numbers() as usize][0].max(0.0)
    }

    /// What it does for a further part of a chain whose operands have so many columns.
    #[must_use]
    pub fn part_ns(&self, precision: Precision, columns: f64) -> f64 {
        let row = &self.part[precision.of_numbers() as usize];
        evaluate(row, &[1.0, columns, 0.0, 0.0, 0.0, 0.0]).max(0.0)
    }

    /// Estimated nanoseconds of executing an operation on blocks in a local store; of a chain, one product. A step
    /// of a program has these nanoseconds beside those of the program ([`steps_ns`](Self::steps_ns)).
    /// `accumulates`: the product is added to an earlier one.
    #[must_use]
    pub fn execution_ns(&self, size: &BlockSize, accumulates: bool) -> f64 {
        let row = &self.execute[size.kind as usize][size.precision.of_numbers() as usize];
        evaluate(row, &execute_terms(self.machine(), size, accumulates)).max(0.0)
    }

    /// The program's own work, for steps of which `by_column` go column by column.
    #[must_use]
    pub fn program_ns(&self, precision: Precision, strips: &Strips, by_column: f64) -> f64 {
        let row = &self.program[precision.of_numbers() as usize];
        evaluate(row, &strips.program_terms(by_column)).max(0.0)
    }

    /// One step of a program on all strips.
    #[must_use]
    pub fn step_ns(&self, precision: Precision, strips: &Strips, kind: OpKind) -> f64 {
        let row = &self.execute[kind as usize][precision.of_numbers() as usize];
        evaluate(row, &strips.step_terms(kind)).max(0.0)
    }

    /// Estimated nanoseconds of executing a program: its steps, what is around them, and the code that steps of
    /// several overlays fetch in turn for each strip.
    #[must_use]
    pub fn steps_ns(
        &self,
        precision: Precision,
        strips: &Strips,
        steps: impl Iterator<Item = StepSize>,
    ) -> f64 {
        let (mut ns, mut by_column, mut changes) = (0.0, 0.0, 0.0);
        let (mut first, mut present) = (None, None);
        for step in steps {
            ns += self.step_ns(precision, strips, step.kind);
            by_column += f64::from(u8::from(step.by_column));
            if let Some(overlay) = step.kind.overlay() {
                first = first.or(Some(overlay));
                changes += f64::from(u8::from(present.is_some_and(|present| present != overlay)));
                present = Some(overlay);
            }
        }
        // The next strip begins with the overlay that the first strip began with.
        let back = if first == present { 0.0 } else { strips.count - 1.0 };
        ns + self.program_ns(precision, strips, by_column)
            + (changes * strips.count + back) * self.overlay_ns()
    }

    /// Estimated nanoseconds of fetching an overlay of an SPE's program.
    #[must_use]
    pub fn overlay_ns(&self) -> f64 {
        self.memory.map_or(0.0, |memory| memory.alone_ns(0.0, OVERLAY_LINES))
    }
}

/// Lines of an overlay of an SPE's program.
pub const OVERLAY_LINES: f64 =
    (spe_kernels::sys::MEU_OVERLAY_BYTES / spe_kernels::sys::MEU_LINE_BYTES) as f64;

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A model without an MFC, whose coefficients are easy to add up.
    pub(super) fn model() -> TimeModel {
        let mut execute = [[[10.0, 0.5, 0.0, 0.0, 0.0, 0.0]; 2]; OpKind::ALL.len()];
        execute[OpKind::Multiply as usize] = [[100.0, 1.0, 2.0, 0.5, 0.0, 3.0]; 2];
        TimeModel {
            memory: None,
            fetch: [[50.0, 5.0, 2.0, 3.0, 0.0, 0.0]; 2],
            write: [[40.0, 4.0, 1.0, 1.0, 0.0, 0.0]; 2],
            turn: [[7.0, 0.0, 0.0, 0.0, 0.0, 0.0]; 2],
            part: [[20.0, 1.0, 0.0, 0.0, 0.0, 0.0]; 2],
            program: [[30.0, 6.0, 2.0, 0.0, 0.0, 0.0]; 2],
            in_memory: [[11.0, 3.0, 2.0, 1.0, 0.0, 0.0]; 2],
            execute,
        }
    }
}
