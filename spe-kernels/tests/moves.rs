//! Moves in the local store of an MEU: their records, and what the MEU refuses.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod spe;

use common::{Matrix, status, status_of_lines, step_record};
use spe::{Machine, Number};
use spe_kernels::program::FurtherLine;
use spe_kernels::sys::{self, meu_block, meu_gather, meu_record};
use spe_kernels::{Opcode, Processor, big_endian};
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
        // A move that gathers has no inputs and two lines.
        record(REPEAT, below, &[(a.block(), 0)], same.block()),
        record(REPEAT, below, &[], same.block()),
        meu_record { strip_count: 1, ..sound },
        meu_record { result_count: 2, ..sound },
        record(VIEW, below, &[(meu_block { columns: 1 << 14, ..a.block() }, 0)], same.block()),
    ] {
        assert_eq!(status(record), sys::MEU_STATUS_SHAPE, "{:?}", record.blocks);
    }
    for record in [
        record(VIEW, sys::MEU_MOVE_PICKED + 1, &[(a.block(), 0)], same.block()),
        record(VIEW, 255, &[(a.block(), 0)], same.block()),
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

/// The elements of a matrix in main memory that a move gathers.
fn gathered(result: meu_block) -> meu_record {
    meu_record { input_count: 0, ..record(REPEAT, 0, &[], result) }
}

/// Element number `first`, then every `down`th below it, and from column to column every `right`th.
fn view(
    a: meu_block,
    element_bytes: i64,
    (first, down, right): (u32, u32, u32),
    sides: (u32, u32),
) -> meu_gather {
    let (height, stride) = (a.rows, i64::from(a.stride_bytes));
    let bytes =
        |number: u32| i64::from(number / height) * stride + i64::from(number % height) * element_bytes;
    meu_gather {
        ea: a.ea + bytes(first) as u64,
        down_bytes: bytes(down),
        right_bytes: bytes(right),
        wrap_bytes: stride - i64::from(height) * element_bytes,
        row: first % height,
        height,
        down: down % height,
        right: right % height,
        width: u32::MAX,
        rows: sides.0,
        columns: sides.1,
        ..Default::default()
    }
}

/// A view, gathered by an SPE: number `first`, and the steps between rows and columns.
fn gathered_on_an_spe<T: Number>(
    processor: Processor,
    order: Order,
    (rows, columns): (usize, usize),
    steps @ (first, down, right): (u32, u32, u32),
) {
    let Some(mut machine) = Machine::new(processor, order) else { return };
    let height = 37;
    let number = |row: usize, column: usize| T::of((height * column + row) as f64);
    let a = machine.block::<T>(height, 90, number);
    let result = machine.block::<T>(rows, columns, |_, _| T::of(-1.0));
    let line = view(a, size_of::<T>() as i64, steps, (rows as u32, columns as u32));
    let word = machine.offer_lines(gathered(result), vec![big_endian::further(&FurtherLine::Gather(line))]);
    assert_eq!(u32::from(machine.run(&[word]).report.status), sys::MEU_STATUS_OK);
    for row in 0..rows {
        for column in 0..columns {
            let found = machine.element::<T>(&result, row, column);
            let expected = T::of((first as usize + down as usize * row + right as usize * column) as f64);
            assert_eq!(found.bits(), expected.bits(), "{rows}x{columns} {steps:?}: {row} {column}");
        }
    }
}

#[test]
fn an_spe_gathers_elements_in_one_batch_and_in_many() {
    for processor in [Processor::CellBe, Processor::PowerXCell8i] {
        for order in [Order::Immediate, Order::Reordered(1), Order::Reordered(2)] {
            // Reshaped, with long and short steps, and one element.
            for (sides, steps) in [
                ((1, 1), (5, 1, 1)),
                ((90, 37), (0, 1, 90)),
                ((3, 1000), (1, 1, 3)),
                ((3000, 1), (2, 1, 0)),
                ((40, 70), (3, 46, 17)),
                ((1500, 2), (0, 2, 1)),
            ] {
                gathered_on_an_spe::<f32>(processor, order, sides, steps);
                gathered_on_an_spe::<f64>(processor, order, sides, steps);
            }
        }
    }
}

#[test]
fn moves_that_gather_what_cannot_be_are_refused() {
    let a = Matrix::<f64>::new(5, 7, 0, |row, column| (5 * column + row) as f64);
    let result = Matrix::<f64>::new(4, 3, 0, |_, _| 0.0);
    let sound = view(a.block(), 8, (1, 2, 9), (4, 3));
    let status = |record: meu_record, line: meu_gather| status_of_lines(record, &[FurtherLine::Gather(line)]);
    assert_eq!(status(gathered(result.block()), sound), sys::MEU_STATUS_OK);
    for column in 0..3 {
        assert_eq!(
            [0, 1, 2, 3].map(|row| result.get(row, column)),
            [1., 3., 5., 7.].map(|x| x + 9. * column as f64)
        );
    }
    let on_a_diagonal = meu_gather { rows: 1, diagonal: 1, ..sound };
    assert_eq!(status(gathered(result.block()), on_a_diagonal), sys::MEU_STATUS_OK);
    assert_eq!([0, 1, 2].map(|column| result.get(column, column)), [1., 10., 19.]);
    assert_eq!([result.get(1, 0), result.get(3, 0), result.get(0, 2)], [0.; 3]);
    for line in [
        meu_gather { ea: 0, ..sound },
        meu_gather { row: 5, ..sound },
        meu_gather { down: 5, ..sound },
        meu_gather { right: 5, ..sound },
        meu_gather { width: 0, ..sound },
        meu_gather { rows: 0, ..sound },
        meu_gather { rows: 5, ..sound },
        meu_gather { columns: 0, ..sound },
        meu_gather { columns: 4, ..sound },
        meu_gather { rows: 2, ..on_a_diagonal },
        meu_gather { to_row: 2, ..on_a_diagonal },
        meu_gather { to_column: 1, ..on_a_diagonal },
        meu_gather { to_row: u32::MAX, ..on_a_diagonal },
    ] {
        assert_eq!(status(gathered(result.block()), line), sys::MEU_STATUS_SHAPE, "{line:?}");
    }
    for record in [
        meu_record { input_count: 1, ..gathered(result.block()) },
        meu_record { result_count: 2, ..gathered(result.block()) },
        record(VIEW, 0, &[], result.block()),
    ] {
        assert_eq!(status(record, sound), sys::MEU_STATUS_SHAPE, "{:?}", record.blocks);
    }
    let beyond = meu_gather { ea: sound.ea + 4, ..sound };
    assert_eq!(status(gathered(result.block()), beyond), sys::MEU_STATUS_SHAPE);
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
