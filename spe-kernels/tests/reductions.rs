//! Reductions in the local store of an MEU: their records, and what the MEU refuses.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Matrix, status, step_record};
use spe_kernels::Opcode;
use spe_kernels::sys::{self, meu_block, meu_record};

const SUM: u8 = Opcode::ALL.len() as u8 + 5;
const MAXIMUM: u8 = SUM + 6;
const CUMULATIVE_SUM: u8 = SUM + 3;

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
        record(CUMULATIVE_SUM, 0, &[a.block()], row.block()),
        record(SUM, 0, &[meu_block { precision: 2, ..a.block() }], row.block()),
    ] {
        assert_eq!(status(record), sys::MEU_STATUS_OPCODE, "{:?}", record.blocks);
    }
    assert_eq!(status(record(SUM, 0, &[a.block()], single.block())), sys::MEU_STATUS_SHAPE);
    let unaligned = record(SUM, 0, &[meu_block { ea: a.block().ea + 8, ..a.block() }], row.block());
    assert_eq!(status(unaligned), sys::MEU_STATUS_DMA);
}
