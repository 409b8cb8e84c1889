//! Sessions with every engine, scheduler, overlap and number of MEUs: the results have the reference engine's
//! bits. Random programs stand in `programs`, chains of element-wise operations in `chains`, logical values
//! in `masks`, and the numbers of single operations and the life of a session here.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod chains;
mod clock;
mod masks;
mod programs;
mod rows;

use std::sync::Arc;

use fastrand::Rng;
use pmatrix::error::Error;
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, Form, OpKind, Shape, Side, View};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

pub(crate) fn constant(
    session: &Session,
    shape: Shape,
    class: Class,
    mut element: impl FnMut(usize, usize) -> f64,
) -> Value {
    let matrix = match class {
        Class::Single => Matrix::from_fn(shape, session.pool(), |r, c| element(r, c) as f32),
        _ => Matrix::from_fn(shape, session.pool(), element),
    };
    session.constant(matrix.unwrap(), class).unwrap()
}

/// Bits of a result; all NaN are alike.
pub(crate) fn bits(matrix: &Matrix) -> Vec<u64> {
    matrix.values().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect()
}

/// Compares the bits of two runs, and says which value differs.
pub(crate) fn same(found: &[Vec<u64>], expected: &[Vec<u64>], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let first = found.iter().zip(expected).position(|(a, b)| a != b);
        let show = |bits: &[u64]| first.and_then(|i| bits.get(i)).map(|&bits| f64::from_bits(bits));
        let (sizes, values) = ((found.len(), expected.len()), (show(found), show(expected)));
        assert!(
            found == expected,
            "{what}: value {index} of sizes {sizes:?} differs at {first:?}: {values:?}"
        );
    }
}

/// Options with small blocks, so that small matrices have many.
pub(crate) fn small_blocks(engine: &str, meus: usize) -> Options {
    let elements = Some(16 * 16);
    Options {
        engine: engine.into(),
        meus,
        block_elements: elements,
        divisor: Some(4),
        chain: Some(2),
        stretch: Some(false),
        poison: true,
        validate: true,
        // Otherwise little work would not reach the engine.
        immediate: false,
        chunk_operations: 100,
        ..Options::default()
    }
}

#[test]
fn products_in_main_memory_give_the_reference_bits_on_any_number_of_meus() {
    let run = |engine: &str, meus| {
        let options =
            Options { engine: engine.into(), meus, poison: true, validate: true, ..Options::default() };
        let session = Session::new(&options).unwrap();
        let mut found = Vec::new();
        for class in [Class::Single, Class::Double] {
            // Blocks and parts of two lengths, thin operands, and an inner side longer than a chain.
            for (rows, inner, columns) in
                [(500, 257, 60), (50, 530, 800), (1, 700, 300), (600, 520, 1), (9, 9000, 5)]
            {
                let mut random = Rng::with_seed(u64::from(rows + inner + columns));
                let mut matrix = |rows, columns| {
                    constant(&session, Shape { rows, columns }, class, |_, _| {
                        random.u64(..1 << 20) as f64 / 3.0
                    })
                };
                let (a, b) = (matrix(rows, inner), matrix(inner, columns));
                let (a_stored, b_stored) = (matrix(inner, rows), matrix(columns, inner));
                let turned = |a: &Value| {
                    let shape = Shape { rows: a.shape().columns, columns: a.shape().rows };
                    session.record(|r| r.view(a, shape, View::transpose(a.shape()), "", 0)).unwrap()
                };
                // Operands that are stored transposed are read in place.
                for (left, right) in [
                    (&a, &b),
                    (&turned(&a_stored), &b),
                    (&a, &turned(&b_stored)),
                    (&turned(&a_stored), &turned(&b_stored)),
                ] {
                    let product = session.binary(OpKind::Multiply, left, right, "", 0).unwrap();
                    found.push(bits(&session.force(&product).unwrap()));
                }
            }
        }
        found
    };
    let expected = run("reference", 1);
    for meus in [1, 2, 3, 8] {
        same(&run("host", meus), &expected, &format!("{meus} MEUs"));
    }
}

#[test]
fn long_columns_and_rows_are_reduced_in_order() {
    // Longer than blocks can count, so that reductions become chains.
    let session = |engine: &str| {
        Session::new(&Options { engine: engine.into(), meus: 2, poison: true, ..Options::default() }).unwrap()
    };
    let run = |session: &Session| {
        let mut found = Vec::new();
        for class in [Class::Single, Class::Double] {
            for (shape, side) in [((70_001, 3), Side::Column), ((2, 66_000), Side::Row)] {
                let shape = Shape { rows: shape.0, columns: shape.1 };
                let mut random = Rng::with_seed(7);
                let a = constant(session, shape, class, |_, _| random.u64(..1 << 20) as f64 / 1024.0 - 300.0);
                for kind in OpKind::ALL {
                    let result = match kind {
                        OpKind::Norm => session.record(|recorder| recorder.norm(&a, "", 0)),
                        OpKind::CumulativeSum => session.record(|r| r.reduce(kind, &a, side, "", 0)),
                        kind if kind.is_reduction() => session.record(|r| r.reduce(kind, &a, side, "", 0)),
                        _ => continue,
                    };
                    found.push(bits(&session.force(&result.unwrap()).unwrap()));
                }
            }
        }
        found
    };
    same(&run(&session("host")), &run(&session("reference")), "long sides");
}

#[test]
fn extrema_and_truth_know_nan_and_zeros() {
    let run = |engine: &str| {
        let session = Session::new(&Options { meus: 2, ..small_blocks(engine, 2) }).unwrap();
        let mut found = Vec::new();
        for (seed, among) in [
            &[-0.0, 0.0, f64::NAN, -1.0][..],
            &[0.0, -0.0, 1.0],
            &[-0.0, f64::NAN],
            &[0.0, 0.0, -0.0, f64::NAN, f64::INFINITY, -2.0],
            &[f64::NAN],
            &[-0.0, -0.0, -0.0, -0.0, 0.0],
            &[f64::NEG_INFINITY, f64::NAN],
            &[f64::INFINITY, f64::NAN, f64::NAN, f64::NAN],
        ]
        .into_iter()
        .enumerate()
        {
            for class in [Class::Single, Class::Double] {
                for (rows, columns) in [(1, 3), (63, 2), (64, 9), (150, 17), (300, 5), (517, 3)] {
                    let mut random = Rng::with_seed(seed as u64);
                    let shape = Shape { rows, columns };
                    let a = constant(&session, shape, class, |_, _| {
                        among[random.u64(..among.len() as u64) as usize]
                    });
                    for kind in [OpKind::Maximum, OpKind::Minimum, OpKind::Any, OpKind::All] {
                        for side in [Side::Column, Side::Row] {
                            let value = session.record(|r| r.reduce(kind, &a, side, "", 0)).unwrap();
                            found.push(bits(&session.force(&value).unwrap()));
                        }
                    }
                }
            }
        }
        found
    };
    same(&run("host"), &run("reference"), "special values");
}

#[test]
fn pads_never_influence_a_product() {
    // Padding is not neutral: cos, ==, + and .^ make something of it that a product must not see.
    let shape = |n| Shape { rows: n, columns: n };
    for engine in ["reference", "host"] {
        let session =
            Session::new(&Options { engine: engine.into(), poison: true, ..Options::default() }).unwrap();
        for n in [1, 2, 3, 5, 67, 68, 69, 95, 96, 97, 136, 137] {
            let ones = constant(&session, shape(n), Class::Double, |_, _| 1.0);
            let cos = session.unary(OpKind::Cos, &ones, "", 0).unwrap();
            let product =
                session.force(&session.binary(OpKind::Multiply, &cos, &cos, "", 0).unwrap()).unwrap();
            if n == 5 {
                assert!(
                    product.values().all(|x| x == 1.4596329086321445),
                    "{engine} {:?}",
                    product.value(0, 0)
                );
            }
            let equal = session.binary(OpKind::Equal, &ones, &ones, "", 0).unwrap();
            let more = session
                .binary_scalar(OpKind::Add, Form::ScalarRight, &ones, 1.0, Class::Double, "", 0)
                .unwrap();
            let power = session
                .binary_scalar(OpKind::Power, Form::ScalarRight, &ones, 0.0, Class::Double, "", 0)
                .unwrap();
            for (value, square) in [(equal, 1), (more, 4), (power, 1)] {
                let product =
                    session.force(&session.binary(OpKind::Multiply, &value, &value, "", 0).unwrap()).unwrap();
                assert!(product.values().all(|x| x == f64::from(square * n)), "{engine} {n}");
            }
        }
    }
}

#[test]
fn special_values_are_octaves() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for engine in ["reference", "host"] {
        let session =
            Session::new(&Options { engine: engine.into(), poison: true, ..Options::default() }).unwrap();
        let row = |values: &[f64]| {
            let shape = Shape { rows: 1, columns: values.len() as u32 };
            constant(&session, shape, Class::Double, |_, c| values[c])
        };
        let check = |result: Value, expected: &[f64]| {
            let found = bits(&session.force(&result).unwrap());
            let expected: Vec<u64> =
                expected.iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect();
            assert_eq!(found, expected, "{engine}");
        };
        let two = |kind, a: &[f64], b: &[f64]| session.binary(kind, &row(a), &row(b), "", 0).unwrap();
        let one = |kind, a: &[f64]| session.unary(kind, &row(a), "", 0).unwrap();
        check(two(OpKind::Mod, &[-1., -4., 0., 4.], &[1., 2., -3., -2.]), &[0., 0., -0., -0.]);
        check(
            two(OpKind::Mod, &[-0., -135., 5., -5., nan, inf, -inf], &[0., 360., 0., 0., 0., 0., 0.]),
            &[-0., 225., 5., -5., nan, inf, -inf],
        );
        let x = [0.49999999999999994, -0.49999999999999994, 4503599627370497., 0.5, -0.5, 2.5, -2.5];
        check(one(OpKind::Round, &x), &[0., -0., 4503599627370497., 1., -1., 3., -3.]);
        check(one(OpKind::Sign, &[nan, -0., 0., -inf, 5e-324]), &[nan, 0., 0., -1., 1.]);
        check(two(OpKind::Power, &[-5., -7., -3.], &[2., 2., 3.]), &[25., 49., -27.]);
        let tens = session.binary_scalar(
            OpKind::Power,
            Form::ScalarLeft,
            &row(&[-3., -2., -1., 0., 1., 2., 3.]),
            10.0,
            Class::Double,
            "",
            0,
        );
        check(tens.unwrap(), &[1e-3, 1e-2, 1e-1, 1., 10., 100., 1000.]);
        check(two(OpKind::Equal, &[nan, 0., inf], &[nan, -0., inf]), &[0., 1., 1.]);
        check(two(OpKind::Divide, &[0., inf, 2.], &[0., inf, 2.]), &[nan, nan, 1.]);
        let zeros = session.binary_scalar(
            OpKind::Multiply,
            Form::ScalarRight,
            &row(&[nan, inf, 1.]),
            0.0,
            Class::Double,
            "",
            0,
        );
        check(zeros.unwrap(), &[nan, nan, 0.]);
        let column = constant(&session, Shape { rows: 2, columns: 1 }, Class::Double, |r, _| [inf, nan][r]);
        check(session.binary(OpKind::Multiply, &column, &row(&[0., 0.]), "", 0).unwrap(), &[nan; 4]);
        let square = |values: [f64; 4]| {
            constant(&session, Shape { rows: 2, columns: 2 }, Class::Double, |r, c| values[2 * c + r])
        };
        check(
            session.binary(OpKind::Multiply, &square([0.; 4]), &square([inf, 1., 1., 1.]), "", 0).unwrap(),
            &[nan, nan, 0., 0.],
        );
        // single (0.1) == 0.1 is true: the comparison is made in single precision.
        let tenth = constant(&session, Shape { rows: 1, columns: 1 }, Class::Single, |_, _| 0.1);
        check(session.binary(OpKind::Equal, &tenth, &row(&[0.1]), "", 0).unwrap(), &[1.]);
        let small =
            constant(&session, Shape { rows: 1, columns: 1 }, Class::Single, |_, _| f64::from(0.49999997f32));
        check(session.unary(OpKind::Round, &small, "", 0).unwrap(), &[0.]);
        let a = square([1.5, 2., -3., 1e300]);
        let product = session.binary(OpKind::Times, &a, &a, "", 0).unwrap();
        check(session.binary(OpKind::Subtract, &product, &product, "", 0).unwrap(), &[0., 0., 0., nan]);
    }
}

#[test]
fn a_domain_error_fails_what_depends_on_it_and_nothing_else() {
    for overlap in [false, true] {
        let session = Session::new(&Options { overlap, ..small_blocks("host", 2) }).unwrap();
        let shape = Shape { rows: 40, columns: 40 };
        let a = constant(&session, shape, Class::Double, |r, c| if (r, c) == (39, 39) { -8.0 } else { 8.0 });
        let good = session.binary(OpKind::Add, &a, &a, "s.m", 1).unwrap();
        let root = session
            .binary_scalar(OpKind::Power, Form::ScalarRight, &a, 1.0 / 3.0, Class::Double, "s.m", 2)
            .unwrap();
        let sum = session.binary(OpKind::Add, &root, &good, "s.m", 3).unwrap();
        assert_eq!(session.force(&good).unwrap().value(0, 0), 16.0);
        let error = session.force(&sum).unwrap_err();
        assert!(matches!(&error, Error::Domain { .. }) && error.to_string().contains("s.m:2"), "{error}");
        assert!(sum.recorded().is_some() && root.recorded().is_some());
        let more = session.binary(OpKind::Multiply, &good, &good, "s.m", 4).unwrap();
        assert_eq!(session.force(&more).unwrap().value(3, 3), 16.0 * 16.0 * 40.0);
    }
}

#[test]
fn a_domain_error_on_the_ppe_leaves_the_session_usable() {
    for overlap in [false, true] {
        let kinds = "multiply,add,times".parse().unwrap();
        let session =
            Session::new(&Options { overlap, meu_kinds: kinds, ..small_blocks("host", 2) }).unwrap();
        let shape = Shape { rows: 40, columns: 40 };
        let a = constant(&session, shape, Class::Double, |r, c| if (r, c) == (39, 39) { -8.0 } else { 8.0 });
        let root = session
            .binary_scalar(OpKind::Power, Form::ScalarRight, &a, 1.0 / 3.0, Class::Double, "s.m", 2)
            .unwrap();
        let cos = session.unary(OpKind::Cos, &a, "s.m", 3).unwrap();
        let sum = session.binary(OpKind::Add, &root, &cos, "s.m", 4).unwrap();
        let error = session.force(&sum).unwrap_err();
        assert!(matches!(&error, Error::Domain { .. }) && error.to_string().contains("s.m:2"), "{error}");
        assert_eq!(session.force(&cos).unwrap().value(0, 0), 8f64.cos());
    }
}

#[test]
fn long_dependent_chains_and_shared_operands_do_not_deadlock() {
    for meus in [1, 4] {
        for overlap in [false, true] {
            let session = Session::new(&Options { overlap, meus, ..Options::default() }).unwrap();
            let mut a = constant(&session, Shape { rows: 3, columns: 3 }, Class::Double, |_, _| 1.0);
            for line in 0..100 {
                a = session.binary(OpKind::Add, &a, &a, "", line).unwrap();
            }
            assert!(session.force(&a).unwrap().values().all(|x| x == 2f64.powi(100)));
            // 300000 operations that are never read: limits execute them on the way, memory stays bounded.
            let mut b = constant(&session, Shape { rows: 1, columns: 1 }, Class::Double, |_, _| 0.0);
            for line in 0..30_000 {
                b = session
                    .binary_scalar(OpKind::Add, Form::ScalarRight, &b, 1.0, Class::Double, "", line)
                    .unwrap();
            }
            assert_eq!(session.force(&b).unwrap().value(0, 0), 30_000.0);
        }
    }
}

#[test]
fn sessions_end_with_work_pending_and_in_flight() {
    for engine in ["host", "reference", "null"] {
        let session =
            Arc::new(Session::new(&Options { engine: engine.into(), ..Options::default() }).unwrap());
        let a = constant(&session, Shape { rows: 500, columns: 500 }, Class::Double, |_, _| 1.0);
        let b = session.binary(OpKind::Multiply, &a, &a, "", 0).unwrap();
        session.flush().unwrap();
        let c = session.binary(OpKind::Multiply, &b, &a, "", 0).unwrap();
        session.close();
        assert!(matches!(session.force(&c), Err(Error::Closed)));
        drop(session);
        assert!(a.has_result() && b.has_result() && !c.has_result());
    }
}

#[test]
fn a_trace_is_taken_when_what_it_reads_has_been_computed() {
    for engine in ["null", "host", "reference"] {
        let session = Session::new(&Options { engine: engine.into(), ..Options::default() }).unwrap();
        let mut a = constant(&session, Shape { rows: 300, columns: 300 }, Class::Double, |_, _| 1.0);
        for line in 0..20 {
            a = session.binary(OpKind::Add, &a, &a, "", line).unwrap();
            session.flush().unwrap();
        }
        let b = session.binary(OpKind::Multiply, &a, &a, "", 20).unwrap();
        let graph = session.lower(session.take_trace().unwrap()).unwrap();
        assert!(!graph.is_empty() && !b.has_result(), "{engine}");
    }
}

#[test]
fn the_null_engine_gives_no_numbers() {
    let session = Session::new(&Options { engine: "null".into(), ..Options::default() }).unwrap();
    let a = constant(&session, Shape { rows: 2, columns: 2 }, Class::Double, |_, _| 1.0);
    let b = session.binary(OpKind::Add, &a, &a, "", 0).unwrap();
    assert!(session.force(&b).unwrap_err().to_string().contains("computes no values"));
}

#[test]
fn senseless_options_are_refused() {
    let check = |options: Options, expected: &str| {
        let error = Session::new(&options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(Options { meus: 0, ..Options::default() }, "meus is '0': it must be a whole number from 1 to 4096");
    check(
        Options { engine: "gpu".into(), ..Options::default() },
        "engine is 'gpu': it must be one of host, cell, sim, reference, null",
    );
    check(
        Options { scheduler: "magic".into(), ..Options::default() },
        "scheduler is 'magic': it must be one of",
    );
    check(Options { block_elements: Some(10_000), ..Options::default() }, "local store");
    check(Options { block_elements: Some(1024), divisor: Some(1), ..Options::default() }, "multiples of 16");
    check(Options { meu_kinds: "add,equal".parse().unwrap(), ..Options::default() }, "lack multiply");
    check(Options { model: Some("/nonexistent".into()), ..Options::default() }, "/nonexistent");
}
