//! The time model: how long each pipeline stage of a block operation takes (paper, "Time Model").
//!
//! A stage's time is a polynomial in the sizes of the blocks. Its coefficients, in nanoseconds, are measured
//! ([`profile`]) and fitted ([`fit`]). Each kind of machine has a file of coefficients in `ppe/models`. The
//! polynomials are:
//!
//! | stage | polynomial |
//! |---|---|
//! | data fetch, each operand; write back | a0 + a1 rows + a2 columns + a3 lines |
//! | element-wise execution | a0 + a1 rows columns |
//! | matrix product execution | a0 + a1 rows + a2 rows inner columns + a3 elements of whole tiles |
//! | execution of a move or reduction (its only stage) | a0 + a1 elements of the larger of operand and result |

mod file;
pub mod fit;
pub mod ppe;
pub mod profile;

use crate::error::Result;
use crate::operation::{OpKind, Precision, Shape};
use spe_kernels::Processor;

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

    /// The stages of an operation in main memory, where operands and results are accessed during the
    /// execution: there is one stage, execution, which takes the time of all three.
    #[must_use]
    pub fn in_memory(self) -> StageTimes {
        StageTimes { ex: self.total(), ..StageTimes::default() }
    }

    /// The stages of a product with an epilogue, whose own stages are given. The epilogue's further inputs
    /// are fetched while the product is executed, and the epilogue's results take the place of the product.
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

/// Number of coefficients of a polynomial.
pub const TERMS: usize = 4;

/// A polynomial's coefficients, in nanoseconds; 0 for a term that the polynomial does not have.
pub type Coefficients = [f64; TERMS];

/// Bytes of a line, the unit of memory and of DMA.
const LINE_BYTES: usize = 128;

/// Values of the polynomial's terms for data fetch and write back. The term of lines is not in the paper's
/// polynomial: the memory of a Cell moves a line at a time, so each column takes a whole number of lines.
#[must_use]
pub fn transfer_terms((rows, columns): (u16, u16), precision: Precision) -> [f64; TERMS] {
    let lines = (usize::from(rows) * precision.element_bytes()).div_ceil(LINE_BYTES) * usize::from(columns);
    [1.0, f64::from(rows), f64::from(columns), lines as f64]
}

/// A tile is the part of a block that an SPE's product (spe-kernels/kernels/spu/product) computes at a time: bytes
/// of its columns, number of its columns, and steps along the inner side.
const TILE_BYTES: usize = 64;
const TILE_COLUMNS: usize = 8;
const TILE_STEPS: usize = 4;

/// Values of the polynomial's terms for execution. The term of whole tiles of a product is not in the paper's
/// polynomial.
#[must_use]
pub fn execute_terms(size: &BlockSize) -> [f64; TERMS] {
    let shape = |(rows, columns): (u16, u16)| Shape { rows: rows.into(), columns: columns.into() };
    terms(size.kind, size.precision, shape(size.result), shape(size.operands[0]))
}

/// As [`execute_terms`], for blocks and for whole matrices.
fn terms(kind: OpKind, precision: Precision, result: Shape, operand: Shape) -> [f64; TERMS] {
    let (rows, columns) = (f64::from(result.rows), f64::from(result.columns));
    match kind {
        OpKind::Multiply => {
            let inner = operand.columns;
            let whole = |side: u32, tile: usize| (side as usize).next_multiple_of(tile) as f64;
            let tile_rows = TILE_BYTES / precision.element_bytes();
            let in_tiles = whole(result.rows, tile_rows)
                * whole(inner, TILE_STEPS)
                * whole(result.columns, TILE_COLUMNS);
            [1.0, rows, rows * f64::from(inner) * columns, in_tiles]
        }
        kind if kind.is_direct() => {
            let operand = f64::from(operand.rows) * f64::from(operand.columns);
            [1.0, operand.max(rows * columns), 0.0, 0.0]
        }
        _ => [1.0, rows * columns, 0.0, 0.0],
    }
}

fn evaluate(coefficients: &Coefficients, terms: [f64; TERMS]) -> f64 {
    coefficients.iter().zip(terms).map(|(a, g)| a * g).sum()
}

/// Coefficients for every stage.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeModel {
    /// Data fetch of one operand, by precision.
    pub fetch: [Coefficients; 2],
    /// Write back, by precision.
    pub write: [Coefficients; 2],
    /// Execution, by kind and precision of the result.
    pub execute: [[Coefficients; 2]; OpKind::ALL.len()],
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

    /// Estimated stage times of a block operation; never less than 1 ns in all.
    #[must_use]
    pub fn estimate(&self, size: &BlockSize) -> StageTimes {
        if size.kind.is_direct() {
            // A move or reduction is executed in main memory, without fetch and write back.
            return stages(0.0, self.execution(size), 0.0);
        }
        self.estimate_in_local_store(size)
    }

    /// As [`estimate`](Self::estimate), for moves and reductions too: in a local store they have all three
    /// stages.
    #[must_use]
    pub fn estimate_in_local_store(&self, size: &BlockSize) -> StageTimes {
        let operands = size.operands.into_iter().filter(|operand| operand.0 > 0);
        let precisions = (size.operand_precision, size.precision);
        let ex = self.execution(size);
        let (df, wb) = self.transfers(precisions, size.result, operands, 1);
        // In a chain the operands of a product are fetched while the product before it is executed.
        stages(df, ex + (f64::from(size.products) - 1.0) * ex.max(df), wb)
    }

    /// Estimated stage times of a program whose steps have the given `kinds`. The block of each result has
    /// `sides`, and `inputs` are the sides of the inputs' blocks. `precisions` are the precision of the
    /// inputs and the precision of the results.
    #[must_use]
    pub fn estimate_program(
        &self,
        precisions: (Precision, Precision),
        sides: (u16, u16),
        kinds: impl Iterator<Item = OpKind>,
        inputs: impl Iterator<Item = (u16, u16)>,
        results: usize,
    ) -> StageTimes {
        let (operand_precision, precision) = precisions;
        let size = |kind| BlockSize {
            kind,
            precision,
            operand_precision,
            result: sides,
            operands: [(0, 0); 2],
            products: 1,
        };
        let ex = kinds.map(|kind| self.execution(&size(kind))).sum();
        let (df, wb) = self.transfers(precisions, sides, inputs, results);
        stages(df, ex, wb)
    }

    /// Estimated nanoseconds that one processor takes for an operation on whole matrices, with a result and a
    /// first operand of these shapes.
    #[must_use]
    pub fn estimate_whole(&self, kind: OpKind, precision: Precision, result: Shape, operand: Shape) -> f64 {
        let coefficients = &self.execute[kind as usize][precision.of_numbers() as usize];
        evaluate(coefficients, terms(kind, precision, result, operand)).max(0.0)
    }

    /// Estimated nanoseconds of fetching a block with these sides.
    #[must_use]
    pub fn fetch_ns(&self, sides: (u16, u16), precision: Precision) -> f64 {
        let coefficients = &self.fetch[precision.of_numbers() as usize];
        evaluate(coefficients, transfer_terms(sides, precision)).max(0.0)
    }

    /// Estimated nanoseconds of writing back a block with these sides.
    #[must_use]
    pub fn write_ns(&self, sides: (u16, u16), precision: Precision) -> f64 {
        let coefficients = &self.write[precision.of_numbers() as usize];
        evaluate(coefficients, transfer_terms(sides, precision)).max(0.0)
    }

    /// Estimated nanoseconds of executing an operation on blocks in a local store; of a chain, one product.
    #[must_use]
    pub fn execution_ns(&self, size: &BlockSize) -> f64 {
        self.execution(size).max(0.0)
    }

    fn execution(&self, size: &BlockSize) -> f64 {
        let precision = size.precision.of_numbers() as usize;
        evaluate(&self.execute[size.kind as usize][precision], execute_terms(size))
    }

    /// Times of fetching blocks with the sides `operands`, and of writing back `results` blocks with the
    /// sides `result`.
    fn transfers(
        &self,
        (operand_precision, precision): (Precision, Precision),
        result: (u16, u16),
        operands: impl Iterator<Item = (u16, u16)>,
        results: usize,
    ) -> (f64, f64) {
        let [fetch, write] = [(&self.fetch, operand_precision), (&self.write, precision)]
            .map(|(table, precision)| &table[precision.of_numbers() as usize]);
        let df = operands.map(|operand| evaluate(fetch, transfer_terms(operand, operand_precision))).sum();
        (df, results as f64 * evaluate(write, transfer_terms(result, precision)))
    }
}

fn stages(df: f64, ex: f64, wb: f64) -> StageTimes {
    let nanoseconds = |time: f64| time.max(0.0) as u64;
    StageTimes { df: nanoseconds(df), ex: nanoseconds(ex).max(1), wb: nanoseconds(wb) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(super) fn model() -> TimeModel {
        let mut execute = [[[10.0, 0.5, 0.0, 0.0]; 2]; OpKind::ALL.len()];
        execute[OpKind::Multiply as usize] = [[100.0, 1.0, 0.25, 0.0]; 2];
        TimeModel { fetch: [[50.0, 2.0, 3.0, 0.0]; 2], write: [[40.0, 1.0, 1.0, 0.0]; 2], execute }
    }

    #[test]
    fn polynomials_are_the_papers() {
        let size = BlockSize {
            kind: OpKind::Multiply,
            precision: Precision::Single,
            operand_precision: Precision::Single,
            result: (8, 4),
            operands: [(8, 16), (16, 4)],
            products: 1,
        };
        let expected = StageTimes { df: 50 + 16 + 48 + 50 + 32 + 12, ex: 100 + 8 + 128, wb: 40 + 8 + 4 };
        assert_eq!(model().estimate(&size), expected);
        let chain = StageTimes { ex: 4 * expected.ex, ..expected };
        assert_eq!(model().estimate(&BlockSize { products: 4, ..size }), chain);
        let size = BlockSize { kind: OpKind::Sin, operands: [(8, 4), (0, 0)], ..size };
        assert_eq!(model().estimate(&size), StageTimes { df: 50 + 16 + 12, ex: 10 + 16, wb: 52 });
        assert_eq!(model().estimate(&size).total(), 78 + 26 + 52);
    }
}
