#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::time::{Duration, Instant};

use super::{Options, Session};
use crate::matrix::Matrix;
use crate::trace::{Class, Limits, OpKind, Recorder, Shape, Side, Value, View};

/// A chain of products that takes far longer than a test may.
fn long_chain(session: &Session, products: usize) -> (Value, Value) {
    let shape = Shape { rows: 768, columns: 768 };
    let ones = Matrix::from_fn(shape, session.pool(), |r, c| f64::from(u8::from(r == c))).unwrap();
    let a = session.constant(ones, Class::Double).unwrap();
    let mut product = a.clone();
    for _ in 0..products {
        product = session.binary(OpKind::Multiply, &product, &a, "chain.m", 7).unwrap();
    }
    (a, product)
}

#[test]
fn a_cancelled_force_can_be_repeated() {
    let session = Session::new(&Options::default()).unwrap();
    let (a, product) = long_chain(&session, 40);
    assert!(!session.wait(&product, Some(Instant::now() + Duration::from_millis(30))).unwrap());
    let start = Instant::now();
    session.cancel().unwrap();
    let (_, short) = long_chain(&session, 1);
    assert!(start.elapsed() < Duration::from_secs(5));
    let below = session.below(&product);
    assert_eq!((below.operations, below.site.line), (40, 7));
    drop(product);
    assert_eq!(session.force(&short).unwrap().value(5, 5), 1.0);
    drop(short);
    let next = session.binary(OpKind::Add, &a, &a, "chain.m", 8).unwrap();
    assert_eq!(session.force(&next).unwrap().value(5, 5), 2.0);
    assert_eq!(session.below(&next).operations, 0);
    let (_, product) = long_chain(&session, 3);
    assert!(!session.wait(&product, Some(Instant::now())).unwrap());
    session.cancel().unwrap();
    assert_eq!(session.force(&product).unwrap().value(7, 7), 1.0);
}

#[test]
fn nothing_to_cancel() {
    let session = Session::new(&Options { overlap: false, ..Options::default() }).unwrap();
    session.cancel().unwrap();
    let (_, product) = long_chain(&session, 1);
    session.cancel().unwrap();
    assert_eq!(session.force(&product).unwrap().value(7, 7), 1.0);
}

/// However many results a program makes, those on their way through the stages stay within the limit, and so do those that wait
/// to be sealed.
#[test]
fn memory_is_bounded_while_a_program_runs_ahead() {
    let bytes = 1 << 24;
    let options = Options { limits: Limits { bytes, ..Limits::default() }, ..Options::default() };
    let session = Session::new(&options).unwrap();
    let shape = Shape { rows: 256, columns: 256 };
    let one = Matrix::from_fn(shape, session.pool(), |_, _| 1.0).unwrap();
    let one = session.constant(one, Class::Double).unwrap();
    let mut sum = one.clone();
    for _ in 0..1000 {
        sum = session.binary(OpKind::Add, &sum, &one, "sum.m", 1).unwrap();
    }
    assert_eq!(session.force(&sum).unwrap().value(255, 255), 1001.0);
    let (_, peak) = session.pool().used_bytes();
    assert!(peak as u64 <= 2 * bytes, "{peak} bytes");
}

/// What is executed is what there was to compute, whatever it was lowered to.
#[test]
fn the_work_that_is_executed_is_that_of_the_trace() {
    for (engine, overlap) in [("host", true), ("host", false), ("reference", true)] {
        let session =
            Session::new(&Options { engine: engine.into(), overlap, meus: 2, ..Options::default() }).unwrap();
        let shape = Shape { rows: 300, columns: 200 };
        let ones = Matrix::from_fn(shape, session.pool(), |_, _| 1.0).unwrap();
        let a = session.constant(ones, Class::Double).unwrap();
        let view =
            |r: &Recorder| r.view(&a, Shape { rows: 200, columns: 300 }, View::transpose(shape), "", 0);
        let transposed = session.record(view).unwrap();
        let product = session.binary(OpKind::Multiply, &a, &transposed, "", 0).unwrap();
        let sine = session.unary(OpKind::Sin, &product, "", 0).unwrap();
        let steps = session.binary(OpKind::Times, &sine, &product, "", 0).unwrap();
        drop(sine);
        let sum = session.record(|r| r.reduce(OpKind::Sum, &steps, Side::Column, "", 0)).unwrap();
        let norm = session.record(|r| r.norm(&steps, "", 0)).unwrap();
        let waiting = session.headway();
        assert_eq!((waiting.operations_pending, waiting.work_executed, waiting.work_in_flight), (6, 0, 0));
        session.force(&sum).unwrap();
        session.force(&norm).unwrap();
        let done = session.headway();
        assert_eq!(
            (done.operations_pending, done.block_operations_executed),
            (0, done.block_operations_lowered)
        );
        // The transpose, the product, the sine, the products of elements, and what the sum and the norm read.
        let square = 300 * 300;
        assert_eq!(done.work_executed, 200 * 300 + square * 200 + 4 * square, "{engine} {overlap}");
    }
}
