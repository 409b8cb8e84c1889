//! Reductions in the local store of an MEU: their records, and what the MEU refuses.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod spe;

use common::{Matrix, status, step_record};
use spe::{Machine, Number};
use spe_kernels::sys::{self, meu_block, meu_record};
use spe_kernels::{Opcode, Processor};
use spu_sim::mfc::Order;

const SUM: u8 = Opcode::ALL.len() as u8 + 5;
const MAXIMUM: u8 = SUM + 6;
const CUMULATIVE_SUM: u8 = SUM + 3;
const NORM: u8 = SUM + 8;

fn record(opcode: u8, side: u8, inputs: &[meu_block], result: meu_block) -> meu_record {
    step_record(sys::program_step { opcode, form: side, ..Default::default() }, inputs, result)
}

#[test]
fn columns_and_rows_are_reduced_from_a_result_on() {
    let a = Matrix::<f64>::new(3, 2, 4, |row, column| [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]][row][column]);
    let of_columns = Matrix::<f64>::new(1, 2, 0, |_, _| 0.0);
    assert_eq!(status(record(SUM, 0, &[a.block()], of_columns.block())), sys::MEU_STATUS_OK);
    assert_eq!([of_columns.get(0, 0), of_columns.get(0, 1)], [6.0, 60.0]);
    let more = Matrix::<f64>::new(1, 2, 0, |_, _| 0.0);
    assert_eq!(status(record(SUM, 0, &[a.block(), of_columns.block()], more.block())), sys::MEU_STATUS_OK);
    assert_eq!([more.get(0, 0), more.get(0, 1)], [12.0, 120.0]);
    let of_rows = Matrix::<f64>::new(3, 1, 0, |_, _| 0.0);
    assert_eq!(status(record(MAXIMUM, 1, &[a.block()], of_rows.block())), sys::MEU_STATUS_OK);
    assert_eq!([of_rows.get(0, 0), of_rows.get(1, 0), of_rows.get(2, 0)], [10.0, 20.0, 30.0]);
}

#[test]
fn records_that_do_not_fit_are_refused() {
    let a = Matrix::<f64>::new(3, 2, 0, |_, _| 1.0);
    let row = Matrix::<f64>::new(1, 2, 0, |_, _| 1.0);
    let single = Matrix::<f32>::new(1, 2, 0, |_, _| 1.0);
    let sound = record(SUM, 0, &[a.block()], row.block());
    let shape = [
        record(SUM, 1, &[a.block()], row.block()),
        record(SUM, 0, &[a.block(), a.block()], row.block()),
        record(SUM, 0, &[], row.block()),
        meu_record { step_count: 2, ..sound },
        meu_record { strip_count: 1, ..sound },
        meu_record { result_count: 2, ..sound },
        record(SUM, 0, &[meu_block { columns: 0, ..a.block() }], row.block()),
        record(
            SUM,
            0,
            &[meu_block { columns: 1 << 14, ..a.block() }],
            meu_block { columns: 1 << 14, ..row.block() },
        ),
    ];
    for record in shape {
        assert_eq!(status(record), sys::MEU_STATUS_SHAPE, "{:?}", record.blocks);
    }
    for record in [
        record(SUM, 2, &[a.block()], row.block()),
        record(NORM, 2, &[a.block()], row.block()),
        record(SUM, 0, &[meu_block { precision: 2, ..a.block() }], row.block()),
    ] {
        assert_eq!(status(record), sys::MEU_STATUS_OPCODE, "{:?}", record.blocks);
    }
    assert_eq!(status(record(SUM, 0, &[a.block()], single.block())), sys::MEU_STATUS_SHAPE);
    let unaligned = record(SUM, 0, &[meu_block { ea: a.block().ea + 8, ..a.block() }], row.block());
    assert_eq!(status(unaligned), sys::MEU_STATUS_DMA);
}

/// A record whose second operand is the last row of its block: the first `skip` rows come before it.
fn going_on(opcode: u8, side: u8, skip: u8, inputs: &[meu_block], result: meu_block) -> meu_record {
    let operands = [0, skip];
    step_record(sys::program_step { opcode, form: side, operands, ..Default::default() }, inputs, result)
}

#[test]
fn cumulative_sums_and_norms_go_on_from_what_came_before() {
    let a = Matrix::<f64>::new(3, 2, 0, |row, column| [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]][row][column]);
    let before = Matrix::<f64>::new(2, 2, 0, |row, column| [[5.0, 6.0], [100.0, 200.0]][row][column]);
    let below = Matrix::<f64>::new(3, 2, 0, |_, _| 0.0);
    let inputs = [a.block(), before.block()];
    assert_eq!(status(going_on(CUMULATIVE_SUM, 0, 1, &inputs, below.block())), sys::MEU_STATUS_OK);
    let column = |matrix: &Matrix<f64>, j| [0, 1, 2].map(|i| matrix.get(i, j));
    assert_eq!([column(&below, 0), column(&below, 1)], [[101.0, 103.0, 106.0], [210.0, 230.0, 260.0]]);
    let beside = Matrix::<f64>::new(3, 2, 0, |_, _| 0.0);
    assert_eq!(status(record(CUMULATIVE_SUM, 1, &[a.block()], beside.block())), sys::MEU_STATUS_OK);
    assert_eq!([column(&beside, 0), column(&beside, 1)], [[1.0, 2.0, 3.0], [11.0, 22.0, 33.0]]);
    // A scale of 10, and (5/10)^2 + 1 for what came before; then 30, 20, 10, 3, 2 and 1.
    let state = Matrix::<f64>::new(2, 1, 0, |row, _| [10.0, 1.25][row]);
    let norm = Matrix::<f64>::new(1, 1, 0, |_, _| 0.0);
    assert_eq!(status(record(NORM, 0, &[a.block(), state.block()], norm.block())), sys::MEU_STATUS_OK);
    assert!((norm.get(0, 0) - 1539_f64.sqrt()).abs() < 1e-14);
}

#[test]
fn records_of_cumulative_sums_and_norms_that_do_not_fit_are_refused() {
    let a = Matrix::<f64>::new(3, 2, 0, |_, _| 1.0);
    let [row, two, result] =
        [(1, 2), (2, 2), (3, 2)].map(|(rows, columns)| Matrix::<f64>::new(rows, columns, 0, |_, _| 1.0));
    let [one, state, column] = [1, 2, 3].map(|rows| Matrix::<f64>::new(rows, 1, 0, |_, _| 1.0));
    let sum = |side, skip, inputs: &[meu_block]| going_on(CUMULATIVE_SUM, side, skip, inputs, result.block());
    assert_eq!(status(sum(0, 0, &[a.block(), row.block()])), sys::MEU_STATUS_OK);
    assert_eq!(status(sum(1, 0, &[a.block(), column.block()])), sys::MEU_STATUS_OK);
    for record in [
        sum(0, 1, &[a.block(), row.block()]),
        sum(0, 0, &[a.block(), two.block()]),
        // As many rows as a quadword has.
        sum(0, 2, &[a.block(), result.block()]),
        sum(1, 1, &[a.block(), column.block()]),
        sum(1, 0, &[a.block(), row.block()]),
        going_on(CUMULATIVE_SUM, 0, 0, &[a.block()], row.block()),
        going_on(SUM, 0, 1, &[a.block(), two.block()], row.block()),
        record(NORM, 0, &[a.block(), one.block()], one.block()),
        record(NORM, 0, &[a.block()], column.block()),
        record(NORM, 0, &[a.block()], row.block()),
        step_record(
            sys::program_step { opcode: NORM, operands: [1, 0], ..Default::default() },
            &[a.block()],
            one.block(),
        ),
    ] {
        assert_eq!(status(record), sys::MEU_STATUS_SHAPE, "{:?}", record.blocks);
    }
    assert_eq!(status(record(NORM, 0, &[a.block(), state.block()], one.block())), sys::MEU_STATUS_OK);
}

/// The cumulative sums of a block on an SPE, along a side, alone and from the last of `skip` + 1 rows on.
fn cumulative_sums_on_an_spe<T: Number>(
    processor: Processor,
    (rows, columns): (usize, usize),
    side: u8,
    skip: Option<usize>,
) {
    let Some(mut machine) = Machine::new(processor, Order::Immediate) else { return };
    // A zero that stays negative, and numbers whose sums are rounded.
    let number = |row: usize, column: usize| match row + column {
        0 => T::of(-0.0),
        both => T::of((both * both + column) as f64 * 1.1 - 30.0),
    };
    let earlier = |row: usize, column: usize| T::of((17 * row + column) as f64 * 0.7);
    let mut inputs = vec![machine.block::<T>(rows, columns, number)];
    if let Some(skip) = skip {
        inputs.push(match side {
            0 => machine.block::<T>(skip + 1, columns, earlier),
            _ => machine.block::<T>(rows, 1, earlier),
        });
    }
    let result = machine.block::<T>(rows, columns, |_, _| T::of(-1.0));
    let skipped = if side == 0 { skip.unwrap_or(0) } else { 0 };
    let record = going_on(CUMULATIVE_SUM, side, skipped as u8, &inputs, result);
    let word = machine.offer_lines(record, Vec::new());
    assert_eq!(u32::from(machine.run(&[word]).report.status), sys::MEU_STATUS_OK);
    let (count, length) = if side == 0 { (columns, rows) } else { (rows, columns) };
    for line in 0..count {
        let mut sum = skip.map(|_| if side == 0 { earlier(skipped, line) } else { earlier(line, 0) });
        for at in 0..length {
            let (row, column) = if side == 0 { (at, line) } else { (line, at) };
            let next = number(row, column);
            let expected = sum.map_or(next, |sum| T::computed(processor, Opcode::Add, sum, next));
            let found = machine.element::<T>(&result, row, column);
            let place = format!("{rows}x{columns} {side} {skip:?}: {row} {column}");
            assert_eq!(found.bits(), expected.bits(), "{place}");
            sum = Some(expected);
        }
    }
}

/// What the norm of a block on an SPE has as its result of so many rows, from `before` on.
fn norm_result<T: Number>(
    processor: Processor,
    (rows, columns): (usize, usize),
    element: impl Fn(usize, usize) -> T,
    before: Option<&[T]>,
    count: usize,
) -> Option<Vec<T>> {
    let mut machine = Machine::new(processor, Order::Immediate)?;
    let mut inputs = vec![machine.block::<T>(rows, columns, element)];
    inputs.extend(before.map(|before| machine.block::<T>(2, 1, |row, _| before[row])));
    let result = machine.block::<T>(count, 1, |_, _| T::of(-1.0));
    let word = machine.offer_lines(record(NORM, 0, &inputs, result), Vec::new());
    assert_eq!(u32::from(machine.run(&[word]).report.status), sys::MEU_STATUS_OK);
    Some((0..count).map(|row| machine.element::<T>(&result, row, 0)).collect())
}

/// The norm of a block and of a second block behind it on an SPE.
fn norm_on_an_spe<T: Number>(processor: Processor, sides: (usize, usize)) {
    // Zeros, ones, twos and fours; the second block has them twice as large.
    let number = |row: usize, column: usize| [0.0, -1.0, 4.0, 2.0][(row + column * sides.0) % 4];
    let (a, b) = (|i, j| T::of(number(i, j)), |i, j| T::of(2.0 * number(i, j)));
    let Some(state) = norm_result(processor, sides, a, None, 2) else { return };
    let alone = norm_result(processor, sides, a, None, 1).unwrap();
    let both = norm_result(processor, sides, b, Some(&state), 1).unwrap();
    let squares: f64 = (0..sides.0 * sides.1).map(|at| number(at, 0).powi(2)).sum();
    for (found, squares) in [(alone[0], squares), (both[0], 5.0 * squares)] {
        // All ratios are powers of 2, so only the root and its product with the scale are rounded.
        let expected = T::of(squares.sqrt());
        assert!(found.bits().abs_diff(expected.bits()) <= 2, "{sides:?}: {found:?} {expected:?}");
    }
}

#[test]
fn an_spe_computes_cumulative_sums_and_norms_of_blocks_of_all_sizes() {
    for processor in [Processor::CellBe, Processor::PowerXCell8i] {
        for sides in [(1, 1), (1, 7), (9, 1), (2, 3), (4, 4), (5, 6), (16, 9), (35, 13)] {
            for side in 0..2 {
                for skip in [None, Some(0), Some(1), Some(3)] {
                    cumulative_sums_on_an_spe::<f32>(processor, sides, side, skip);
                }
                for skip in [None, Some(0), Some(1)] {
                    cumulative_sums_on_an_spe::<f64>(processor, sides, side, skip);
                }
            }
            norm_on_an_spe::<f32>(processor, sides);
            norm_on_an_spe::<f64>(processor, sides);
        }
    }
}
