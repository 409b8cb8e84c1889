//! Matrices of one row, whose elements touch where MEUs address main memory: all kinds of operations give the
//! bits of the reference, on lengths that end within quadwords, and in blocks.

use fastrand::Rng;
use pmatrix::operation::{Class, Form, OpKind, Shape, Side, View};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

use crate::{bits, constant, same, small_blocks};

fn shape(rows: u32, columns: u32) -> Shape {
    Shape { rows, columns }
}

/// What a session computes from rows of this length and class. Each value is needed on its own (`at_once`), or
/// all are recorded first.
fn results(session: &Session, length: u32, class: Class, at_once: bool) -> Vec<Vec<u64>> {
    let mut random = Rng::with_seed(u64::from(length));
    let mut matrix = |rows, columns| {
        let element = |_, _| random.u64(..1 << 16) as f64 / 512.0 - 64.0;
        constant(session, shape(rows, columns), class, element)
    };
    let (row, other, column, one) = (matrix(1, length), matrix(1, length), matrix(length, 1), matrix(1, 1));
    let (tall, wide, turned) = (matrix(7, length), matrix(length, 3), matrix(3, length));
    let mut values = Vec::new();
    let mut keep = |value: pmatrix::error::Result<Value>| {
        let value = value.unwrap();
        if at_once {
            session.force(&value).unwrap();
        }
        values.push(value.clone());
        value
    };
    let binary = |kind, a: &Value, b: &Value| session.binary(kind, a, b, "rows", 1);
    let scalar =
        |kind, a: &Value, x| session.binary_scalar(kind, Form::ScalarRight, a, x, Class::Double, "rows", 2);
    let view = |a: &Value, shape, view| session.record(|r| r.view(a, shape, view, "rows", 3));
    let slice = |offset, step| View { offset, row_step: 1, column_step: step, ..View::reshape(1) };

    // Programs, also with a column, a number, and a matrix that the row is repeated over.
    let sum = keep(binary(OpKind::Add, &row, &other));
    let scaled = keep(scalar(OpKind::Times, &sum, 0.3));
    let squares = keep(scalar(OpKind::Power, &scaled, 2.0));
    keep(session.unary(OpKind::Exp, &scaled, "rows", 4));
    keep(binary(OpKind::Times, &squares, &one));
    let spread = keep(binary(OpKind::Subtract, &tall, &scaled));
    keep(binary(OpKind::Times, &row, &column));
    // Logical rows, of bytes where the engine has bytes.
    let above = keep(scalar(OpKind::Greater, &sum, 10.0));
    let equal = keep(binary(OpKind::LessEqual, &row, &other));
    let both = keep(binary(OpKind::And, &above, &equal));
    keep(binary(OpKind::Times, &both, &row));
    keep(binary(OpKind::Times, &both, &tall));
    keep(session.unary(OpKind::Not, &above, "rows", 5));
    // Reductions along both sides.
    for kind in OpKind::ALL.into_iter().filter(|kind| kind.is_reduction() || *kind == OpKind::CumulativeSum) {
        for side in [Side::Row, Side::Column] {
            for of in [&scaled, &both, &spread] {
                keep(session.record(|r| r.reduce(kind, of, side, "rows", 6)));
            }
        }
    }
    keep(session.record(|r| r.norm(&scaled, "rows", 7)));
    // Moves.
    let length = i64::from(length);
    let half = shape(1, (length as u32).div_ceil(2));
    for of in [&scaled, &both] {
        let transposed = keep(view(of, shape(length as u32, 1), View::transpose(of.shape())));
        keep(view(&transposed, of.shape(), View::transpose(transposed.shape())));
        keep(view(of, of.shape(), slice(length - 1, -1)));
        keep(view(of, half, slice(0, 2)));
        keep(view(of, shape(1, length as u32 - 1), slice(1, 1)));
        keep(session.record(|r| r.repeat(of, (1, 3), "rows", 8)));
        keep(session.record(|r| r.repeat(of, (2, 2), "rows", 9)));
        for side in [Side::Row, Side::Column] {
            keep(session.record(|r| r.join(of, of, side, "rows", 10)));
        }
        keep(session.record(|r| r.band(of, 0, length / 2, "rows", 11)));
    }
    keep(view(&tall, shape(1, length as u32), View { column_step: 7, ..View::reshape(1) }));
    // Products: a row with a matrix, stored as it is and transposed, with a column, and a column with a row.
    keep(binary(OpKind::Multiply, &scaled, &wide));
    keep(session.record(|r| r.product([&scaled, &turned], [false, true], "rows", 12)));
    keep(binary(OpKind::Multiply, &scaled, &column));
    if length < 100 {
        keep(binary(OpKind::Multiply, &column, &scaled));
    }
    let few = keep(session.record(|r| r.reduce(OpKind::Sum, &wide, Side::Column, "rows", 13)));
    let long = keep(binary(OpKind::Multiply, &few, &turned));
    keep(binary(OpKind::Add, &long, &scaled));
    keep(session.record(|r| r.product([&column, &wide], [true, false], "rows", 14)));
    values.iter().map(|value| bits(&session.force(value).unwrap())).collect()
}

#[test]
fn rows_have_the_reference_bits_in_every_layout() {
    let plain = |engine: &str, meus| Options {
        engine: engine.into(),
        meus,
        poison: true,
        validate: true,
        immediate: false,
        ..Options::default()
    };
    let sessions = [
        plain("host", 1),
        plain("host", 3),
        small_blocks("host", 2),
        Options { memory: None, ..plain("host", 2) },
        Options { immediate: true, ..plain("host", 2) },
    ];
    for class in [Class::Single, Class::Double] {
        for length in [2, 5, 33, 250, 4001] {
            for options in &sessions {
                // Block limits decide the bits of products.
                let reference = Options { engine: "reference".into(), ..options.clone() };
                let expected = results(&Session::new(&reference).unwrap(), length, class, false);
                let at_once = options.immediate;
                let session = Session::new(options).unwrap();
                same(
                    &results(&session, length, class, at_once),
                    &expected,
                    &format!("{length} {class:?} {options:?}"),
                );
            }
        }
    }
}

#[test]
fn sums_of_products_are_added_up_in_the_last_row_too() {
    // Blocks of 8 x 8 leave one row and one column, and one more product for each sum.
    let run = |engine: &str| {
        let session =
            Session::new(&Options { block_elements: Some(64), chain: Some(1), ..small_blocks(engine, 2) })
                .unwrap();
        let mut found = Vec::new();
        for class in [Class::Single, Class::Double] {
            for (rows, columns) in [(17, 17), (17, 1), (1, 17), (9, 40)] {
                let element = |r: usize, c: usize| (3 * r + 7 * c) as f64 / 16.0;
                let a = constant(&session, Shape { rows, columns: 33 }, class, element);
                let b = constant(&session, Shape { rows: 33, columns }, class, element);
                let product = session.binary(OpKind::Multiply, &a, &b, "", 0).unwrap();
                found.push(bits(&session.force(&product).unwrap()));
            }
        }
        found
    };
    same(&run("host"), &run("reference"), "17 x 17");
}
