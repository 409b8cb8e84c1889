//! Moves in the local store of an MEU: their records, and what the MEU refuses.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod spe;

use common::{Matrix, status, step_record};
use spe::{Machine, Number};
use spe_kernels::sys::{self, meu_block, meu_record};
use spe_kernels::{Opcode, Processor};
use spu_sim::mfc::Order;

const VIEW: u8 = Opcode::ALL.len() as u8;
const REPEAT: u8 = VIEW + 1;
const JOIN: u8 = VIEW + 2;

/// A move in this form, which begins behind so many elements of the columns of each input.
fn record(opcode: u8, form: u32, inputs: &[(meu_block, u8)], result: meu_block) -> meu_record {
    let mut step = sys::program_step { opcode, form: form as u8, ..Default::default() };
    step.operands.iter_mut().zip(inputs).for_each(|(to, &(_, skipped))| *to = skipped);
    let blocks: Vec<meu_block> = inputs.iter().map(|&(block, _)| block).collect();
    step_record(step, &blocks, result)
}

#[test]
fn inputs_are_moved_below_beside_and_transposed() {
    let a = Matrix::<f32>::new(7, 3, 0, |row, column| (10 * row + column) as f32);
    let b = Matrix::<f32>::new(2, 3, 0, |row, column| 1000.0 + (10 * row + column) as f32);
    // Rows 3 to 6 of a, and below them row 1 of b.
    let below = Matrix::<f32>::new(5, 3, 0, |_, _| 0.0);
    let inputs = [(a.block(), 3), (b.block(), 1)];
    assert_eq!(status(record(JOIN, sys::MEU_MOVE_BELOW, &inputs, below.block())), sys::MEU_STATUS_OK);
    let beside = Matrix::<f32>::new(6, 6, 0, |_, _| 0.0);
    let twice = [(a.block(), 1); 2];
    assert_eq!(status(record(JOIN, sys::MEU_MOVE_BESIDE, &twice, beside.block())), sys::MEU_STATUS_OK);
    let transposed = Matrix::<f32>::new(3, 5, 0, |_, _| 0.0);
    let one = [(a.block(), 2)];
    assert_eq!(status(record(VIEW, sys::MEU_MOVE_TRANSPOSED, &one, transposed.block())), sys::MEU_STATUS_OK);
    for column in 0..3 {
        for row in 0..4 {
            assert_eq!(below.get(row, column), (10 * (row + 3) + column) as f32);
            assert_eq!(beside.get(row, column + 3), (10 * (row + 1) + column) as f32);
            assert_eq!(transposed.get(column, row), (10 * (row + 2) + column) as f32);
        }
        assert_eq!(below.get(4, column), (1010 + column) as f32);
    }
}

/// A record with the two numbers of a band or of what is picked.
fn numbered(form: u32, numbers: [i32; 2], input: (meu_block, u8), result: meu_block) -> meu_record {
    let [first, second] = numbers.map(|number| u64::from(number as u32));
    let step = sys::program_step {
        opcode: VIEW,
        form: form as u8,
        operands: [input.1, 0],
        scalar: f64::from_bits(first << 32 | second),
        ..Default::default()
    };
    step_record(step, &[input.0], result)
}

#[test]
fn bands_and_picked_rows_that_do_not_fit_are_refused() {
    let a = Matrix::<f64>::new(5, 2, 0, |row, column| (10 * row + column) as f64);
    let [same, three, two] = [5, 3, 2].map(|rows| Matrix::<f64>::new(rows, 2, 0, |_, _| 0.0));
    let (band, picked) = (sys::MEU_MOVE_BAND, sys::MEU_MOVE_PICKED);
    assert_eq!(status(numbered(band, [-1, 0], (a.block(), 0), same.block())), sys::MEU_STATUS_OK);
    assert_eq!([0, 1, 2].map(|row| [same.get(row, 0), same.get(row, 1)]), [[0., 0.], [10., 11.], [0., 21.]]);
    assert_eq!(status(numbered(picked, [-2, 1], (a.block(), 0), three.block())), sys::MEU_STATUS_OK);
    assert_eq!(
        [0, 1, 2].map(|row| [three.get(row, 0), three.get(row, 1)]),
        [[41., 40.], [21., 20.], [1., 0.]]
    );
    let one = Matrix::<f64>::new(1, 2, 0, |_, _| 0.0);
    for record in [
        numbered(band, [-1, 0], (a.block(), 1), same.block()),
        numbered(band, [-1, 0], (a.block(), 0), three.block()),
        numbered(picked, [0, 0], (a.block(), 0), three.block()),
        numbered(picked, [2, 0], (a.block(), 0), two.block()),
        numbered(picked, [2, 0], (a.block(), 1), three.block()),
        numbered(picked, [3, 0], (a.block(), 0), three.block()),
        // Further apart than steps may be.
        numbered(picked, [17, 0], (meu_block { rows: 1, ..a.block() }, 0), one.block()),
    ] {
        assert_eq!(status(record), sys::MEU_STATUS_SHAPE, "{:?}", record.blocks);
    }
}

#[test]
fn records_that_do_not_fit_are_refused() {
    let a = Matrix::<f64>::new(4, 2, 0, |_, _| 1.0);
    let same = Matrix::<f64>::new(4, 2, 0, |_, _| 0.0);
    let less = Matrix::<f64>::new(3, 2, 0, |_, _| 0.0);
    let turned = Matrix::<f64>::new(2, 4, 0, |_, _| 0.0);
    let single = Matrix::<f32>::new(4, 2, 0, |_, _| 0.0);
    let (below, beside, across) = (sys::MEU_MOVE_BELOW, sys::MEU_MOVE_BESIDE, sys::MEU_MOVE_TRANSPOSED);
    let sound = record(VIEW, below, &[(a.block(), 1)], less.block());
    assert_eq!(status(sound), sys::MEU_STATUS_OK);
    for record in [
        record(VIEW, below, &[(a.block(), 0)], less.block()),
        // As many elements as a quadword has, and as a column has.
        record(VIEW, below, &[(a.block(), 2)], turned.block()),
        record(VIEW, below, &[(meu_block { rows: 1, ..a.block() }, 1)], less.block()),
        record(VIEW, across, &[(a.block(), 0)], same.block()),
        record(VIEW, across, &[(a.block(), 0); 2], turned.block()),
        record(JOIN, below, &[(a.block(), 0), (turned.block(), 0)], same.block()),
        record(JOIN, beside, &[(a.block(), 0), (turned.block(), 0)], same.block()),
        record(JOIN, beside, &[(a.block(), 0); 2], same.block()),
        record(VIEW, below, &[(a.block(), 0)], single.block()),
        record(VIEW, below, &[], same.block()),
        meu_record { strip_count: 1, ..sound },
        meu_record { result_count: 2, ..sound },
        record(VIEW, below, &[(meu_block { columns: 1 << 14, ..a.block() }, 0)], same.block()),
    ] {
        assert_eq!(status(record), sys::MEU_STATUS_SHAPE, "{:?}", record.blocks);
    }
    for record in [
        record(VIEW, sys::MEU_MOVE_PICKED + 1, &[(a.block(), 0)], same.block()),
        record(REPEAT, below, &[(a.block(), 0)], same.block()),
    ] {
        assert_eq!(status(record), sys::MEU_STATUS_OPCODE, "{:?}", record.blocks);
    }
    let unaligned = meu_block { ea: a.block().ea + 8, ..a.block() };
    assert_eq!(status(record(VIEW, below, &[(unaligned, 0)], same.block())), sys::MEU_STATUS_DMA);
}

/// Moves the block behind the first elements of its columns on an SPE, in each form.
fn moved_on_an_spe<T: Number>(processor: Processor, (rows, columns): (usize, usize), skipped: usize) {
    for form in [sys::MEU_MOVE_BELOW, sys::MEU_MOVE_BESIDE, sys::MEU_MOVE_TRANSPOSED] {
        let Some(mut machine) = Machine::new(processor, Order::Immediate) else { return };
        let number = |row: usize, column: usize| T::of((1000 * column + row) as f64);
        let a = machine.block::<T>(rows + skipped, columns, number);
        let (count, height, width) = match form {
            sys::MEU_MOVE_BELOW => (2, 2 * rows, columns),
            sys::MEU_MOVE_BESIDE => (2, rows, 2 * columns),
            _ => (1, columns, rows),
        };
        let result = machine.block::<T>(height, width, |_, _| T::of(-1.0));
        let word =
            machine.offer_lines(record(JOIN, form, &vec![(a, skipped as u8); count], result), Vec::new());
        let completion = machine.run(&[word]);
        assert_eq!(
            u32::from(completion.report.status),
            sys::MEU_STATUS_OK,
            "{rows}x{columns} {skipped} {form}"
        );
        for row in 0..height {
            for column in 0..width {
                let (from_row, from_column) = match form {
                    sys::MEU_MOVE_TRANSPOSED => (column, row),
                    _ => (row % rows, column % columns),
                };
                let (found, expected) =
                    (machine.element::<T>(&result, row, column), number(skipped + from_row, from_column));
                let place = format!("{rows}x{columns} {skipped} {form}: {row} {column}");
                assert_eq!(found.bits(), expected.bits(), "{place}");
            }
        }
    }
}

#[test]
fn an_spe_moves_blocks_of_all_sizes_from_all_places_of_a_quadword() {
    for processor in [Processor::CellBe, Processor::PowerXCell8i] {
        for sides in [(1, 1), (1, 7), (9, 1), (2, 3), (4, 4), (5, 6), (7, 5), (16, 9), (33, 14), (38, 17)] {
            (0..4).for_each(|skipped| moved_on_an_spe::<f32>(processor, sides, skipped));
            (0..2).for_each(|skipped| moved_on_an_spe::<f64>(processor, sides, skipped));
        }
    }
}

/// Rows and columns of a block that are picked on an SPE, behind the first elements of its columns.
fn picked_on_an_spe<T: Number>(
    processor: Processor,
    (rows, columns): (usize, usize),
    (apart, reversed): (i32, bool),
    skipped: usize,
) {
    let Some(mut machine) = Machine::new(processor, Order::Immediate) else { return };
    let number = |row: usize, column: usize| T::of((1000 * column + row) as f64);
    let distance = apart.unsigned_abs() as usize;
    let a = machine.block::<T>(distance * (rows - 1) + 1 + skipped, columns, number);
    let result = machine.block::<T>(rows, columns, |_, _| T::of(-1.0));
    let record = numbered(sys::MEU_MOVE_PICKED, [apart, reversed.into()], (a, skipped as u8), result);
    let word = machine.offer_lines(record, Vec::new());
    assert_eq!(u32::from(machine.run(&[word]).report.status), sys::MEU_STATUS_OK);
    for row in 0..rows {
        for column in 0..columns {
            let from_row = distance * if apart < 0 { rows - 1 - row } else { row };
            let from_column = if reversed { columns - 1 - column } else { column };
            let found = machine.element::<T>(&result, row, column);
            let expected = number(skipped + from_row, from_column);
            let place = format!("{rows}x{columns} {apart} {reversed} {skipped}: {row} {column}");
            assert_eq!(found.bits(), expected.bits(), "{place}");
        }
    }
}

/// A band of a block on an SPE. What is outside of it is +0, also where the block has a NaN.
fn band_on_an_spe<T: Number>(processor: Processor, (rows, columns): (usize, usize), (low, high): (i32, i32)) {
    let Some(mut machine) = Machine::new(processor, Order::Immediate) else { return };
    let number =
        |row: usize, column: usize| T::of(if row % 3 == 2 { f64::NAN } else { -((7 * row + column) as f64) });
    let a = machine.block::<T>(rows, columns, number);
    let result = machine.block::<T>(rows, columns, |_, _| T::of(-1.0));
    let word = machine.offer_lines(numbered(sys::MEU_MOVE_BAND, [low, high], (a, 0), result), Vec::new());
    assert_eq!(u32::from(machine.run(&[word]).report.status), sys::MEU_STATUS_OK);
    for row in 0..rows {
        for column in 0..columns {
            let kept = (low..=high).contains(&(column as i32 - row as i32));
            let expected = if kept { number(row, column) } else { T::of(0.0) };
            let found = machine.element::<T>(&result, row, column);
            assert_eq!(found.bits(), expected.bits(), "{rows}x{columns} {low} {high}: {row} {column}");
        }
    }
}

#[test]
fn an_spe_picks_rows_and_keeps_bands_of_blocks_of_all_sizes() {
    for processor in [Processor::CellBe, Processor::PowerXCell8i] {
        for sides in [(1, 1), (1, 7), (9, 1), (4, 4), (7, 5), (33, 14)] {
            for picked in [(1, true), (-1, false), (2, false), (-3, true), (7, false)] {
                (0..4).for_each(|skipped| picked_on_an_spe::<f32>(processor, sides, picked, skipped));
                (0..2).for_each(|skipped| picked_on_an_spe::<f64>(processor, sides, picked, skipped));
            }
            for band in [(-1 << 20, 0), (0, 1 << 20), (-2, 1), (3, 5), (-40, -5), (1, 0)] {
                band_on_an_spe::<f32>(processor, sides, band);
                band_on_an_spe::<f64>(processor, sides, band);
            }
        }
    }
}
