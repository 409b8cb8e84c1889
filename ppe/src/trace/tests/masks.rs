//! How logical values are stored, and which conversions are recorded for them.

use super::*;
use crate::operation::Side;

fn truths(recorder: &Recorder, pool: &Pool, rows: u32, columns: u32) -> Value {
    let matrix = Matrix::from_fn(Shape { rows, columns }, pool, |r, _| (r % 2) as u8);
    recorder.constant(matrix.unwrap(), Class::Logical).unwrap()
}

/// The precision of a value, and the number of operations that it takes.
fn stored(recorder: &Recorder, value: &Value) -> (Precision, usize) {
    (value.precision, recorder.below(value).operations as usize)
}

#[test]
fn bytes_are_read_without_a_conversion_where_they_can_be() {
    let (r, pool) = recorder(unlimited());
    let r = r.with_logical_bytes();
    let (byte, single, double) = (Precision::Byte, Precision::Single, Precision::Double);
    assert_eq!(r.storage(Class::Logical), byte);
    let (p, x) = (truths(&r, &pool, 3, 3), ones(&r, &pool, 3, 3));
    let f = r.convert(&x, single, "", 0).unwrap().value;
    let of = |recording: Result<Recording>| stored(&r, &recording.unwrap().value);
    let two = |kind, a: &Value, b: &Value| of(r.binary(kind, a, b, "", 0));
    assert_eq!(two(OpKind::Less, &x, &x), (byte, 1));
    assert_eq!(two(OpKind::Less, &x, &f), (byte, 3), "the double operand is compared in single precision");
    assert_eq!(two(OpKind::And, &p, &p), (byte, 1));
    assert_eq!(two(OpKind::Times, &p, &x), (double, 1));
    assert_eq!(two(OpKind::Times, &p, &f), (single, 2));
    assert_eq!(two(OpKind::Add, &p, &p), (double, 1));
    assert_eq!(two(OpKind::Multiply, &p, &x), (double, 2), "a product reads numbers");
    assert_eq!(
        of(r.binary_scalar(OpKind::Max, Form::ScalarRight, &p, 1.0, Class::Logical, "", 0)),
        (byte, 1)
    );
    assert_eq!(
        of(r.binary_scalar(OpKind::Max, Form::ScalarRight, &p, 1.0, Class::Single, "", 0)),
        (single, 1)
    );
    assert_eq!(of(r.unary(OpKind::Not, &p, "", 0)), (byte, 1));
    assert_eq!(of(r.unary(OpKind::Exp, &p, "", 0)), (double, 1));
    assert_eq!(of(r.convert(&p, double, "", 0)), (double, 1));
    let reduced = |kind| of(r.reduce(kind, &p, Side::Row, "", 0));
    assert_eq!(reduced(OpKind::Sum), (double, 1));
    assert_eq!(reduced(OpKind::CumulativeSum), (double, 1));
    assert_eq!(reduced(OpKind::Any), (byte, 1));
    assert_eq!(of(r.norm(&p, "", 0)), (double, 2));
    let any = r.reduce(OpKind::Any, &x, Side::Column, "", 0).unwrap().value;
    assert_eq!(stored(&r, &any), (double, 1));
    assert_eq!(of(r.view(&p, p.shape(), View::transpose(p.shape()), "", 0)), (byte, 1));
    assert_eq!(of(r.join(&p, &p, Side::Row, "", 0)), (byte, 1));
    assert_eq!(of(r.join(&p, &x, Side::Row, "", 0)), (double, 2));
    assert_eq!(of(r.join(&p, &any, Side::Column, "", 0)), (double, 3), "no number becomes a byte");
    let nothing = truths(&r, &pool, 0, 3);
    assert_eq!(of(r.reduce(OpKind::All, &nothing, Side::Column, "", 0)), (byte, 0));
    assert_eq!(of(r.reduce(OpKind::Sum, &nothing, Side::Column, "", 0)), (double, 0));
}

#[test]
fn without_bytes_logical_values_are_stored_as_numbers_are() {
    let (r, pool) = recorder(unlimited());
    let x = ones(&r, &pool, 2, 2);
    let f = r.convert(&x, Precision::Single, "", 0).unwrap().value;
    let less = |a, b| r.binary(OpKind::Less, a, b, "", 0).unwrap().value.precision;
    assert_eq!((less(&x, &x), less(&f, &f)), (Precision::Double, Precision::Single));
    assert_eq!(r.storage(Class::Logical), Precision::Double);
}

#[test]
fn operations_on_truth_values_may_be_computed_in_any_precision() {
    let (r, pool) = recorder(unlimited());
    let r = r.with_logical_bytes();
    let (p, x) = (truths(&r, &pool, 2, 2), ones(&r, &pool, 2, 2));
    let f = r.convert(&x, Precision::Single, "", 0).unwrap().value;
    let scalar = |kind, scalar| r.binary_scalar(kind, Form::ScalarRight, &p, scalar, Class::Double, "", 0);
    let computed = |value: &Value| {
        let Ok(Sealing::Trace(trace)) = r.seal(Demand::Value(value), u64::MAX) else {
            panic!("nothing is sealed")
        };
        let precision = trace.computed_in(&trace.operations[trace.operations.len() - 1]);
        drop(r.revert(&[Arc::new(trace)], None));
        precision
    };
    let two = |kind, a: &Value, b: &Value| computed(&r.binary(kind, a, b, "", 0).unwrap().value);
    assert_eq!(two(OpKind::Or, &p, &p), Precision::Byte);
    assert_eq!(two(OpKind::Equal, &p, &f), Precision::Single);
    assert_eq!(two(OpKind::Equal, &x, &p), Precision::Double);
    assert_eq!(two(OpKind::Subtract, &p, &p), Precision::Double);
    assert_eq!(computed(&scalar(OpKind::Equal, 1.0).unwrap().value), Precision::Byte);
    assert_eq!(computed(&scalar(OpKind::Equal, 1.0 + 1e-12).unwrap().value), Precision::Double);
    assert_eq!(computed(&scalar(OpKind::Times, 1.0).unwrap().value), Precision::Double);
}
