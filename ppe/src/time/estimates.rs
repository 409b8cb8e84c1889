//! Stage times of block operations, from the rows of a model: what an MEU does for an operation in a local store, in
//! main memory, and beside its stages.

use super::terms::{Coefficients, Strips, Transfers, evaluate};
use super::{BlockSize, Row, StageTimes, StepSize, TimeModel};
use crate::operation::{OpKind, Precision};

impl TimeModel {
    /// Estimated stage times of a block operation in a local store; never less than 1 ns in all.
    #[must_use]
    pub fn estimate(&self, size: &BlockSize) -> StageTimes {
        let operands = size.operands.into_iter().filter(|operand| operand.0 > 0);
        let fetched = (operands, size.operand_precision);
        let written = (std::iter::once(size.result), size.precision);
        self.estimate_moving(size, &Transfers::of_blocks(fetched, written))
    }

    /// As [`estimate`](Self::estimate), with these transfers.
    #[must_use]
    pub fn estimate_moving(&self, size: &BlockSize, transfers: &Transfers) -> StageTimes {
        let mut ex = self.execution_ns(size, false);
        let wraps = !size.kind.is_direct() && size.kind != OpKind::Multiply;
        if wraps {
            let strips = Strips::new(size.result, size.precision, true, 1);
            ex += self.program_ns(size.precision, &strips, 0.0);
        }
        if size.products > 1 {
            // The operands of a product are fetched while the product before it is executed.
            let fetched = transfers.fetched;
            let own = self.execution_ns(size, true) + self.part_ns(size.precision, fetched[2]);
            let moved = self.moves_ns(&self.fetch, fetched, size.operand_precision);
            ex += f64::from(size.products - 1) * own.max(moved);
        }
        self.with_transfers(ex, (size.operand_precision, size.precision), transfers)
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
        let written = (std::iter::repeat_n(sides, results), precisions.1);
        let transfers = Transfers::of_blocks((inputs.clone(), precisions.0), written);
        self.estimate_program_moving(precisions, sides, kinds, inputs, &transfers)
    }

    /// As [`estimate_program`](Self::estimate_program), with these transfers.
    #[must_use]
    pub fn estimate_program_moving(
        &self,
        precisions: (Precision, Precision),
        sides: (u16, u16),
        kinds: impl ExactSizeIterator<Item = OpKind>,
        inputs: impl Iterator<Item = (u16, u16)>,
        transfers: &Transfers,
    ) -> StageTimes {
        let ex = self.program_stage_ns(precisions.1, sides, kinds, inputs);
        self.with_transfers(ex, precisions, transfers)
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
        let written = (std::iter::repeat_n(sides, results), precision);
        let transfers = Transfers::of_blocks((inputs.clone(), precision), written);
        self.estimate_epilogue_moving(precision, sides, kinds, inputs, &transfers)
    }

    /// As [`estimate_epilogue`](Self::estimate_epilogue), with these transfers.
    #[must_use]
    pub fn estimate_epilogue_moving(
        &self,
        precision: Precision,
        sides: (u16, u16),
        kinds: impl ExactSizeIterator<Item = OpKind>,
        inputs: impl Iterator<Item = (u16, u16)>,
        transfers: &Transfers,
    ) -> StageTimes {
        let ex = self.program_stage_ns(precision, sides, kinds, inputs);
        let df = self.moves_ns(&self.fetch, transfers.fetched, precision);
        stages(df, ex, self.moves_ns(&self.write, transfers.written, precision))
    }

    /// Estimated stage times of a product, a move or a reduction in main memory, where operands and results are
    /// accessed during the execution: there is one stage. A chain of products has one inner side.
    #[must_use]
    pub fn estimate_in_memory(&self, size: &BlockSize) -> StageTimes {
        stages(0.0, self.execution_ns(size, false) + self.turn_ns(size.precision), 0.0)
    }

    /// As [`estimate_program`](Self::estimate_program), for a program in main memory.
    #[must_use]
    pub fn estimate_program_in_memory(
        &self,
        precisions: (Precision, Precision),
        sides: (u16, u16),
        kinds: impl ExactSizeIterator<Item = OpKind>,
        inputs: impl Iterator<Item = (u16, u16)> + Clone,
        results: usize,
    ) -> StageTimes {
        let (of_inputs, precision) = precisions;
        let ex = self.program_stage_ns(precision, sides, kinds, inputs.clone());
        let around =
            self.blocks_in_memory_ns((inputs, of_inputs), (std::iter::repeat_n(sides, results), precision));
        stages(0.0, ex + around + self.turn_ns(precision), 0.0)
    }

    /// What the inputs and the results of a program take beside its execution where they stay in main memory.
    pub(super) fn blocks_in_memory_ns(
        &self,
        (inputs, of_inputs): (impl Iterator<Item = (u16, u16)>, Precision),
        (results, precision): (impl Iterator<Item = (u16, u16)>, Precision),
    ) -> f64 {
        let row = &self.in_memory[precision.of_numbers() as usize];
        let Transfers { fetched: mut terms, written } =
            Transfers::of_blocks((inputs, of_inputs), (results, precision));
        (1..terms.len()).for_each(|term| terms[term] += written[term]);
        evaluate(row, &terms).max(0.0)
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

    /// What transfers with these terms take by themselves.
    fn moves_ns(&self, row: &Row, [_, _, columns, lines, ..]: Coefficients, precision: Precision) -> f64 {
        let copied = row[precision.of_numbers() as usize][3] * lines;
        copied + self.memory.map_or(0.0, |memory| memory.alone_ns(columns, lines))
    }

    /// The stages of an operation that is executed in `ex` nanoseconds.
    fn with_transfers(
        &self,
        ex: f64,
        (operand_precision, precision): (Precision, Precision),
        &Transfers { fetched, written }: &Transfers,
    ) -> StageTimes {
        let fetch = self.fetch_ns(operand_precision, fetched[1], fetched[2]);
        let write = self.write_ns(precision, written[1], written[2]);
        let df = self.moves_ns(&self.fetch, fetched, operand_precision);
        let wb = self.moves_ns(&self.write, written, precision);
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

fn stages(df: f64, ex: f64, wb: f64) -> StageTimes {
    let nanoseconds = |time: f64| time.max(0.0) as u64;
    StageTimes { df: nanoseconds(df), ex: nanoseconds(ex).max(1), wb: nanoseconds(wb) }
}

#[cfg(test)]
mod tests {
    use super::super::memory::tests::MEMORY;
    use super::super::tests::model;
    use super::*;

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
        // Thin, in the terms of a host.
        let multiply = 100 + 8 + 2 * 64;
        let expected = StageTimes { df: 50 + 10 + 2 * 16 + 3 * 16, ex: multiply + 7, wb: 40 + 4 + 8 + 8 };
        assert_eq!(model().estimate(&size), expected);
        // Each further product is added to the sum, and takes as long as the fetch beside it at least.
        let chain = StageTimes { ex: expected.ex + 3 * (multiply + 20 + 16), ..expected };
        assert_eq!(model().estimate(&BlockSize { products: 4, ..size }), chain);
        let size = BlockSize { kind: OpKind::Abs, operands: [(16, 8), (0, 0)], ..size };
        let times = model().estimate(&size);
        assert_eq!(times, StageTimes { df: 50 + 5 + 16 + 24, ex: 10 + 16 + 30 + 6 + 7, wb: 60 });
        let kinds = [OpKind::Abs].into_iter();
        let single = (Precision::Single, Precision::Single);
        let inputs = [(16, 8)].into_iter();
        assert_eq!(model().estimate_program(single, (16, 8), kinds.clone(), inputs.clone(), 1), times);
        // In memory there is one stage, and nothing is fetched.
        let times = model().estimate_program_in_memory(single, (16, 8), kinds, inputs, 1);
        let around = 11 + 2 * 3 + 2 * 16 + 16;
        assert_eq!(times, StageTimes { ex: 10 + 16 + 30 + 6 + around + 7, ..StageTimes::default() });
        let times = model().estimate_in_memory(&product());
        assert_eq!(times, StageTimes { ex: multiply + 7, ..StageTimes::default() });
    }

    #[test]
    fn an_spe_fetches_records_and_issues_transfers_between_executions() {
        let of_spe = TimeModel { memory: Some(MEMORY), ..model() };
        let (alone, multiply) = (of_spe.estimate(&product()), 100 + 1 + 2 + 1);
        let result = MEMORY.alone_ns(8.0, 8.0);
        let own = 159.0 + (50.0 + 10.0 + 32.0) + (40.0 + 4.0 + 8.0);
        let lines = 8.0;
        assert_eq!((alone.ex - multiply - 7) as f64, (own + lines + result - 159.0).floor());
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
