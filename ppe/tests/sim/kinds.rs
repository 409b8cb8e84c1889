//! Every kind of operation that can be recorded is executed by SPEs, when its operands are larger than a block.

use pmatrix::error::Result;
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, OpKind, Precision, Shape, Side, View};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

use crate::{PROCESSORS, can_run, reference};

/// Sides of the operands. No side is a multiple of a quadword or of a block, and blocks have 256 elements.
const SHAPE: Shape = Shape { rows: 79, columns: 75 };

/// A matrix of whole numbers from `least` on; truth values where the class is logical.
fn constant(session: &Session, shape: Shape, class: Class, least: f64) -> Value {
    let element = |row: usize, column: usize| match class {
        Class::Logical => f64::from(u8::from((row * 7 + column * 3) % 5 < 2 || least > 0.0)),
        _ => least + ((row * 7 + column * 3) % 11) as f64 / 16.0,
    };
    let matrix = match class {
        Class::Single => Matrix::from_fn(shape, session.pool(), |row, column| element(row, column) as f32),
        _ => Matrix::from_fn(shape, session.pool(), element),
    };
    session.constant(matrix.unwrap(), class).unwrap()
}

/// Each element-wise operation, product and reduction of the kind, and each move.
fn of_kind(session: &Session, kind: OpKind, class: Class) -> Result<Vec<Value>> {
    let Shape { rows, columns } = SHAPE;
    let least = if matches!(kind, OpKind::Acosh) { 1.0 } else { 0.0 };
    let a = constant(session, SHAPE, class, least);
    let b = constant(session, SHAPE, class, 1.0);
    let [column, row] = [Shape { rows, columns: 1 }, Shape { rows: 1, columns }];
    let [column, row] = [column, row].map(|shape| constant(session, shape, class, 0.0));
    let view = |shape: (u32, u32), [offset, row_step, column_step]: [i64; 3]| {
        let shape = Shape { rows: shape.0, columns: shape.1 };
        let view = View { offset, row_step, column_step, ..View::transpose(SHAPE) };
        session.record(|r| r.view(&a, shape, view, "", 0))
    };
    let height = i64::from(rows);
    match kind {
        OpKind::Convert => {
            let to = if class == Class::Single { Precision::Double } else { Precision::Single };
            Ok(vec![session.convert(&a, to, "", 0)?])
        }
        OpKind::View => [
            // Transposed, reshaped into longer and shorter columns, and into one.
            view((columns, rows), [0, height, 1])?,
            view((90, 35), [0, 1, 90])?,
            view((3, 1050), [0, 1, 3])?,
            view((rows * columns, 1), [0, 1, 0])?,
            view((1, rows * columns), [0, 0, 1])?,
            // Long steps, forwards and backwards, with and without a place within a column of the operand.
            view((4, columns), [2, 17, height])?,
            view((4, columns), [78, -19, height])?,
            view((30, 90), [3, 97, 2])?,
            view((90, 30), [3149, -3, -97])?,
            // Diagonals, and steps of 0.
            view((columns, 1), [0, height + 1, 0])?,
            view((100, columns), [5, 0, height])?,
            view((rows, 100), [height * 3, 1, 0])?,
            view((90, 90), [1234, 0, 0])?,
        ]
        .map(Ok)
        .into_iter()
        .collect(),
        OpKind::Repeat => {
            let repeated = |a: &Value, times| session.record(|r| r.repeat(a, times, "", 0));
            let one = constant(session, Shape { rows: 1, columns: 1 }, class, 0.0);
            let small = constant(session, Shape { rows: 3, columns: 2 }, class, 0.0);
            Ok(vec![
                repeated(&a, (2, 3))?,
                repeated(&column, (1, 40))?,
                repeated(&column, (3, 2))?,
                repeated(&row, (40, 1))?,
                repeated(&row, (2, 3))?,
                repeated(&small, (30, 50))?,
                repeated(&one, (77, 33))?,
            ])
        }
        OpKind::Diagonal => {
            let diagonal = |a: &Value, shift| session.record(|r| r.diagonal(a, shift, "", 0));
            let shifted =
                [&column, &row].into_iter().flat_map(|a| [0, 3, -6].map(|shift| diagonal(a, shift)));
            shifted.collect()
        }
        OpKind::Join => [Side::Column, Side::Row]
            .map(|side| session.record(|r| r.join(&a, &b, side, "", 0)))
            .into_iter()
            .collect(),
        OpKind::Band => Ok(vec![session.record(|r| r.band(&a, -7, 3, "", 0))?]),
        OpKind::Norm => Ok(vec![session.record(|r| r.norm(&a, "", 0))?]),
        kind if kind.is_direct() => [Side::Column, Side::Row]
            .map(|side| session.record(|r| r.reduce(kind, &b, side, "", 0)))
            .into_iter()
            .collect(),
        OpKind::Multiply => {
            let turned = constant(session, Shape { rows: columns, columns: rows }, class, 0.0);
            Ok(vec![session.binary(kind, &a, &turned, "", 0)?])
        }
        kind if kind.is_unary() => Ok(vec![session.unary(kind, &a, "", 0)?]),
        kind => Ok(vec![session.binary(kind, &a, &b, "", 0)?]),
    }
}

/// The bits of the results of all kinds, and how many block operations the PPE has executed.
fn run(options: &Options, class: Class) -> (Vec<(OpKind, Vec<u64>)>, u64) {
    let options = Options { block_elements: Some(256), divisor: Some(4), chain: Some(3), ..options.clone() };
    let session = Session::new(&options).unwrap();
    let mut found = Vec::new();
    for kind in OpKind::ALL {
        for value in of_kind(&session, kind, class).unwrap() {
            let matrix = session.force(&value).unwrap();
            found.push((kind, matrix.values().map(f64::to_bits).collect()));
        }
    }
    let reports = session.reports();
    let on_the_ppe =
        reports.iter().filter(|report| report.meu.is_none()).map(|report| report.operations).sum();
    (found, on_the_ppe)
}

#[test]
fn spes_execute_every_kind_on_operands_that_are_larger_than_a_block() {
    if !can_run() {
        return;
    }
    for processor in PROCESSORS {
        for (class, chaos) in [(Class::Single, None), (Class::Double, Some(3)), (Class::Logical, None)] {
            let options = Options {
                engine: "sim".into(),
                processor,
                meus: 2,
                poison: true,
                chaos,
                validate: true,
                ..Options::default()
            };
            let (expected, _) = run(&reference(&options), class);
            let (found, on_the_ppe) = run(&options, class);
            assert_eq!(found.len(), expected.len());
            for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let first = found.1.iter().zip(&expected.1).position(|(found, expected)| found != expected);
                assert_eq!(first, None, "{class:?} on {processor:?}: {} (value {number})", found.0.name());
            }
            assert_eq!(on_the_ppe, 0, "{class:?} on {processor:?}");
        }
    }
}
