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
//! | program: an element-wise program, beside its steps | a0 + a1 strips + a2 further calls |
//! | step of an element-wise program | a0 strips + a1 vectors + a2 vectors that fill no turn + a3 columns computed one by one |
//! | product, single | a0 + a1 rectangles + a2 tiles + a3 turns + a4 columns with a pad + a5 tiles that are added |
//! | product, double | a0 + a1 calls + a2 calls for a tile alone + a3 tiles + a4 steps + a5 odd tiles |
//! | move | a0 + a1 columns + a2 vectors of the result + a3 columns + a4 vectors of the operand |
//! | reduction | a0 + a1 groups of columns + a2 their vectors; or a0 + a3 groups of rows + a4 their columns |
//!
//! The paper's forms are a0 + a1 rows + a2 columns for transfers, a0 + a1 elements for element-wise execution, and
//! a0 + a1 rows + a2 rows inner columns for products. On simulated SPEs they miss the ragged edges of tiles, the
//! work between the stages, and transfers that wait for each other.
//!
//! The transfers of an MFC take the time that [`memory`] says, beside what the MEU does for them. A host has no
//! MFC: its MEUs copy, and the coefficient of lines has the time.
//!
//! An SPE takes a word, fetches the record and issues transfers between two executions, and the MFC sends the lines of
//! the result before that of the record. So the estimate of the execution stage has these times. Streams of operations
//! then take as long as the longest stage, as the pipeline does.

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
use terms::{Coefficients, Strips, evaluate, execute_terms, transfer_terms, whole_terms};

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

    /// Estimated stage times of a block operation; never less than 1 ns in all.
    #[must_use]
    pub fn estimate(&self, size: &BlockSize) -> StageTimes {
        if size.kind.is_direct() {
            // A move or reduction is executed in main memory, without fetch and write back.
            return stages(0.0, self.execution_ns(size, false), 0.0);
        }
        self.estimate_in_local_store(size)
    }

    /// As [`estimate`](Self::estimate), for moves and reductions too: in a local store they have all three
    /// stages.
    #[must_use]
    pub fn estimate_in_local_store(&self, size: &BlockSize) -> StageTimes {
        let operands = || size.operands.into_iter().filter(|operand| operand.0 > 0);
        let mut ex = self.execution_ns(size, false);
        let wraps = !size.kind.is_direct() && size.kind != OpKind::Multiply;
        if wraps {
            let strips = Strips::new(size.result, size.precision, true, 1);
            ex += self.program_ns(size.precision, &strips, 0.0);
        }
        if size.products > 1 {
            // The operands of a product are fetched while the product before it is executed.
            let columns = operands().map(|operand| f64::from(operand.1)).sum();
            let own = self.execution_ns(size, true) + self.part_ns(size.precision, columns);
            let terms = transfer_terms(operands(), size.operand_precision);
            let moved = self.moves_ns(&self.fetch, terms, size.operand_precision);
            ex += f64::from(size.products - 1) * own.max(moved);
        }
        let precisions = (size.operand_precision, size.precision);
        self.with_transfers(ex, precisions, operands(), std::iter::once(size.result))
    }

    /// Estimated stage times of a program with these steps. The block of each result has `sides`, and `inputs` are
    /// the sides of the inputs' blocks. `precisions` are the precision of the inputs and the precision of the
    /// results.
    #[must_use]
    pub fn estimate_program(
        &self,
        precisions: (Precision, Precision),
        sides: (u16, u16),
        kinds: impl ExactSizeIterator<Item = OpKind>,
        inputs: impl Iterator<Item = (u16, u16)> + Clone,
        results: usize,
    ) -> StageTimes {
        let ex = self.program_stage_ns(precisions.1, sides, kinds, inputs.clone());
        self.with_transfers(ex, precisions, inputs, std::iter::repeat_n(sides, results))
    }

    /// As [`estimate_program`](Self::estimate_program), for the epilogue of a product in one precision. What an MEU
    /// does for each operation is counted with the product.
    #[must_use]
    pub fn estimate_epilogue(
        &self,
        precision: Precision,
        sides: (u16, u16),
        kinds: impl ExactSizeIterator<Item = OpKind>,
        inputs: impl Iterator<Item = (u16, u16)> + Clone,
        results: usize,
    ) -> StageTimes {
        let ex = self.program_stage_ns(precision, sides, kinds, inputs.clone());
        let of_results = transfer_terms(std::iter::repeat_n(sides, results), precision);
        let df = self.moves_ns(&self.fetch, transfer_terms(inputs, precision), precision);
        stages(df, ex, self.moves_ns(&self.write, of_results, precision))
    }

    fn program_stage_ns(
        &self,
        precision: Precision,
        sides: (u16, u16),
        kinds: impl ExactSizeIterator<Item = OpKind>,
        inputs: impl Iterator<Item = (u16, u16)>,
    ) -> f64 {
        // Each input that is repeated along rows or columns is read by one step, so far as anyone knows here.
        let is_repeated = |input: &(u16, u16)| *input != sides && *input != (1, 1) && sides.1 > 1;
        let mut repeated = inputs.filter(is_repeated).count();
        let strips = Strips::new(sides, precision, repeated == 0, kinds.len());
        let steps = kinds.map(|kind| {
            let by_column = repeated > 0;
            repeated = repeated.saturating_sub(1);
            StepSize { kind, by_column }
        });
        self.steps_ns(precision, &strips, steps)
    }

    /// Estimated nanoseconds that one processor takes for an operation on whole matrices, with a result and a
    /// first operand of these shapes.
    #[must_use]
    pub fn estimate_whole(&self, kind: OpKind, precision: Precision, result: Shape, operand: Shape) -> f64 {
        let p = precision.of_numbers() as usize;
        let own = evaluate(&self.execute[kind as usize][p], &whole_terms(kind, precision, result, operand));
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
        evaluate(row, &execute_terms(size, accumulates)).max(0.0)
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

    /// What transfers with these terms take by themselves, of blocks whose columns lie apart.
    fn moves_ns(&self, row: &Row, [_, _, columns, lines, ..]: Coefficients, precision: Precision) -> f64 {
        let copied = row[precision.of_numbers() as usize][3] * lines;
        copied + self.memory.map_or(0.0, |memory| memory.alone_ns(columns, lines))
    }

    /// The stages of an operation that is executed in `ex` nanoseconds.
    fn with_transfers(
        &self,
        ex: f64,
        (operand_precision, precision): (Precision, Precision),
        operands: impl Iterator<Item = (u16, u16)>,
        results: impl Iterator<Item = (u16, u16)>,
    ) -> StageTimes {
        let of_operands = transfer_terms(operands, operand_precision);
        let of_results = transfer_terms(results, precision);
        let fetch = self.fetch_ns(operand_precision, of_operands[1], of_operands[2]);
        let write = self.write_ns(precision, of_results[1], of_results[2]);
        let df = self.moves_ns(&self.fetch, of_operands, operand_precision);
        let wb = self.moves_ns(&self.write, of_results, precision);
        let Some(memory) = self.memory else {
            return stages(df + fetch, ex + self.turn_ns(precision), wb + write);
        };
        // Between two executions an SPE fetches a record and issues transfers. The record waits behind the lines of
        // the result before.
        let record = memory.decode_ns + memory.latency_ns;
        let own = record + fetch + write + self.turn_ns(precision);
        stages(df, ex + own + (wb - record).max(0.0), wb.min(record))
    }
}

/// Lines of an overlay of an SPE's program.
pub const OVERLAY_LINES: f64 =
    (spe_kernels::sys::MEU_OVERLAY_BYTES / spe_kernels::sys::MEU_LINE_BYTES) as f64;

fn stages(df: f64, ex: f64, wb: f64) -> StageTimes {
    let nanoseconds = |time: f64| time.max(0.0) as u64;
    StageTimes { df: nanoseconds(df), ex: nanoseconds(ex).max(1), wb: nanoseconds(wb) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    use memory::tests::MEMORY;

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
            execute,
        }
    }

    fn product() -> BlockSize {
        BlockSize {
            kind: OpKind::Multiply,
            precision: Precision::Single,
            operand_precision: Precision::Single,
            result: (16, 8),
            operands: [(16, 8), (8, 8)],
            products: 1,
        }
    }

    #[test]
    fn stages_are_the_sums_of_their_terms() {
        let size = product();
        let multiply = 100 + 1 + 2 + 1;
        let expected = StageTimes { df: 50 + 10 + 2 * 16 + 3 * 16, ex: multiply + 7, wb: 40 + 4 + 8 + 8 };
        assert_eq!(model().estimate(&size), expected);
        // Each further product is added to the sum, and takes as long as the fetch beside it at least.
        let chain = StageTimes { ex: expected.ex + 3 * (multiply + 3 + 20 + 16), ..expected };
        assert_eq!(model().estimate(&BlockSize { products: 4, ..size }), chain);
        let size = BlockSize { kind: OpKind::Abs, operands: [(16, 8), (0, 0)], ..size };
        let times = model().estimate(&size);
        assert_eq!(times, StageTimes { df: 50 + 5 + 16 + 24, ex: 10 + 16 + 30 + 6 + 7, wb: 60 });
        let kinds = [OpKind::Abs].into_iter();
        let single = (Precision::Single, Precision::Single);
        assert_eq!(model().estimate_program(single, (16, 8), kinds, [(16, 8)].into_iter(), 1), times);
    }

    #[test]
    fn an_spe_fetches_records_and_issues_transfers_between_executions() {
        let of_spe = TimeModel { memory: Some(MEMORY), ..model() };
        let (alone, without) = (of_spe.estimate(&product()), model().estimate(&product()));
        let result = MEMORY.alone_ns(8.0, 8.0);
        let own = 159.0 + (50.0 + 10.0 + 32.0) + (40.0 + 4.0 + 8.0);
        let lines = 8.0;
        assert_eq!((alone.ex - without.ex) as f64, (own + lines + result - 159.0).floor());
        assert_eq!(alone.wb, 159);
        assert_eq!(alone.df, 48 + MEMORY.alone_ns(16.0, 16.0) as u64);
    }

    #[test]
    fn steps_of_several_overlays_fetch_code_for_each_strip() {
        let of_spe = TimeModel { memory: Some(MEMORY), ..model() };
        let strips = Strips::new((64, 64), Precision::Single, true, 3);
        let steps = |kinds: [OpKind; 3]| {
            of_spe.steps_ns(
                Precision::Single,
                &strips,
                kinds.into_iter().map(|kind| StepSize { kind, by_column: false }),
            )
        };
        let one = steps([OpKind::Sin, OpKind::Add, OpKind::Cos]);
        let two = steps([OpKind::Sin, OpKind::Add, OpKind::Exp]);
        assert!((two - one - (2.0 * strips.count - 1.0) * of_spe.overlay_ns()).abs() < 1e-6);
    }
}
