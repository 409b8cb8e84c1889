//! Little work is executed at once by the thread that forces, and everything else is handed over.

use super::*;
use crate::operation::Precision;

/// A session whose stages and engine can do nothing until the guard is dropped.
fn without_engine(immediate: bool) -> Session {
    Session::new(&Options { immediate, meus: 2, ..Options::default() }).unwrap()
}

#[test]
fn little_work_needs_neither_stages_nor_engine() {
    let session = without_engine(true);
    let v = column(&session, 10);
    let doubled = session.binary(OpKind::Add, &v, &v, "t.m", 1).unwrap();
    let row = View::transpose(v.shape());
    let row = session.record(|r| r.view(&doubled, Shape { rows: 1, columns: 10 }, row, "t.m", 2)).unwrap();
    let product = session.binary(OpKind::Multiply, &row, &v, "t.m", 3).unwrap();
    let norm = session.record(|r| r.norm(&product, "t.m", 4)).unwrap();
    let _gate = session.core.executor.lock().unwrap();
    assert_eq!(session.force(&norm).unwrap().value(0, 0), 2.0 * 285.0);
    let counts = session.statistics();
    assert_eq!((counts.operations_executed, counts.traces, counts.flushes_forced), (4, 1, 1));
    assert_eq!(session.headway().operations_in_flight, 0);
    // What reads a value in flight is no work of its own.
    let next = session.binary(OpKind::Add, &norm, &norm, "t.m", 5).unwrap();
    session.flush().unwrap();
    let last = session.binary(OpKind::Add, &next, &norm, "t.m", 6).unwrap();
    let soon = || Some(Instant::now() + Duration::from_millis(1));
    assert!(!session.wait(&last, soon()).unwrap());
    assert_eq!(next.progress(), Progress::InFlight);
    // Traces in flight do not delay what is independent of them.
    let other = session.unary(OpKind::Negate, &v, "t.m", 7).unwrap();
    assert_eq!(session.force(&other).unwrap().value(9, 0), -9.0);
}

#[test]
fn nothing_is_executed_at_once_when_that_is_switched_off() {
    let session = without_engine(false);
    let v = column(&session, 10);
    let sum = session.binary(OpKind::Add, &v, &v, "t.m", 1).unwrap();
    let gate = session.core.executor.lock().unwrap();
    assert!(!session.wait(&sum, Some(Instant::now() + Duration::from_millis(1))).unwrap());
    drop(gate);
    assert_eq!(session.force(&sum).unwrap().value(9, 0), 18.0);
}

#[test]
fn an_operation_that_fails_at_once_is_named_and_the_rest_stays() {
    let session = without_engine(true);
    let v = column(&session, 10);
    let difference =
        session.binary_scalar(OpKind::Subtract, Form::ScalarRight, &v, 5.0, Class::Double, "t.m", 1);
    let root = session.unary(OpKind::Sqrt, &difference.unwrap(), "t.m", 2).unwrap();
    let reader = session.binary(OpKind::Add, &root, &v, "t.m", 3).unwrap();
    let other = session.binary(OpKind::Add, &v, &v, "t.m", 4).unwrap();
    let _gate = session.core.executor.lock().unwrap();
    let Err(Error::Domain { blame }) = session.force(&reader) else { panic!("the root is complex") };
    assert_eq!((blame.kind, blame.site.line), (OpKind::Sqrt, 2));
    assert!(matches!(session.force(&root), Err(Error::Domain { .. })));
    assert_eq!(session.force(&other).unwrap().value(2, 0), 4.0);
    let operand = root.recorded().unwrap().operands[0].clone().unwrap();
    assert_eq!(session.force(&operand).unwrap().value(0, 0), -5.0);
}

/// Matrices of all shapes for which lowering cuts sides, by themselves and handed over.
#[test]
fn work_executed_at_once_has_the_bits_of_the_engine() {
    let sessions = [true, false].map(without_engine);
    for (rows, inner, columns) in [(1, 1, 1), (3, 300, 5), (70, 33, 1), (1, 500, 40), (97, 65, 66), (5, 1, 7)]
    {
        let results = [0, 1].map(|which: usize| {
            let session = &sessions[which];
            let matrix = |rows, columns, precision| {
                let shape = Shape { rows, columns };
                let element = |r: usize, c: usize| (1.0 + r as f64 * 0.37 - c as f64 * 0.11).sin();
                let (matrix, class) = match precision {
                    Precision::Double => (Matrix::from_fn(shape, session.pool(), element), Class::Double),
                    Precision::Single => {
                        (Matrix::from_fn(shape, session.pool(), |r, c| element(r, c) as f32), Class::Single)
                    }
                };
                session.constant(matrix.unwrap(), class).unwrap()
            };
            let binary = |kind, a: &Value, b: &Value| session.binary(kind, a, b, "t.m", 1).unwrap();
            let mut bits = Vec::new();
            for precision in Precision::ALL {
                let (a, b) = (matrix(rows, inner, precision), matrix(inner, columns, precision));
                let product = binary(OpKind::Multiply, &a, &b);
                let steps = session.unary(OpKind::Exp, &binary(OpKind::Times, &product, &product), "t.m", 2);
                let steps = binary(OpKind::Subtract, &steps.unwrap(), &product);
                let along = |side| session.record(|r| r.reduce(OpKind::Sum, &steps, side, "t.m", 3)).unwrap();
                let norm = session.record(|r| r.norm(&a, "t.m", 4)).unwrap();
                for value in [along(Side::Column), along(Side::Row), norm, steps.clone(), product] {
                    let matrix = session.force(&value).unwrap();
                    bits.extend(matrix.values().map(f64::to_bits));
                }
            }
            bits
        });
        assert!(results[0] == results[1], "{rows} {inner} {columns}");
    }
}
