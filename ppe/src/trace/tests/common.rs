//! Common subexpressions.

use super::*;

fn common() -> (Recorder, Pool) {
    let (recorder, pool) = recorder(unlimited());
    (recorder.with_common_subexpressions(), pool)
}

fn negate(recorder: &Recorder, a: &Value) -> Value {
    recorder.unary(OpKind::Negate, a, "t.m", 1).unwrap().value
}

fn scaled(recorder: &Recorder, form: Form, a: &Value, scalar: f64) -> Value {
    recorder.binary_scalar(OpKind::Times, form, a, scalar, Class::Double, "t.m", 1).unwrap().value
}

#[test]
fn an_expression_that_is_repeated_is_recorded_once() {
    let (r, pool) = common();
    let x = ones(&r, &pool, 2, 2);
    let exp = |x: &Value| r.unary(OpKind::Exp, &negate(&r, x), "t.m", 1).unwrap().value;
    let quotient = r.binary(OpKind::Divide, &exp(&x), &add(&r, &exp(&x), &x), "t.m", 1).unwrap().value;
    let expected = "c0 = constant 2x2 double\n%0 = negate(c0) 2x2 double\n%1 = exp(%0) 2x2 double\n\
                    %2 = add(%1, c0) 2x2 double\n%3 = divide(%1, %2) 2x2 double kept\n";
    assert_eq!(r.seal_all().unwrap().to_string(), expected);
    assert_eq!((r.counts().recorded, quotient.shape().rows), (4, 2));
}

#[test]
fn operations_that_differ_in_anything_are_recorded_each() {
    let (r, pool) = common();
    let (a, b) = (ones(&r, &pool, 2, 2), ones(&r, &pool, 2, 2));
    let repeated = |down| r.repeat(&a, (down, 1), "t.m", 1).unwrap().value;
    let values = [
        add(&r, &a, &b),
        add(&r, &b, &a),
        add(&r, &a, &a),
        negate(&r, &a),
        negate(&r, &b),
        scaled(&r, Form::ScalarRight, &a, 0.0),
        scaled(&r, Form::ScalarRight, &a, -0.0),
        scaled(&r, Form::ScalarLeft, &a, 0.0),
        scaled(&r, Form::ScalarRight, &a, f64::NAN),
        repeated(2),
        repeated(3),
    ];
    assert_eq!((r.pending().operations, values.len()), (11, 11));
    let again = scaled(&r, Form::ScalarRight, &a, f64::NAN);
    assert_eq!((r.pending().operations, again.id(), repeated(3).id()), (11, values[8].id(), values[10].id()));
}

#[test]
fn numbers_of_freed_values_mean_nothing() {
    let (r, pool) = common();
    let a = ones(&r, &pool, 2, 2);
    let first = negate(&r, &a);
    let number = first.id();
    drop(first);
    // The number of the freed operation is used again, by an operation whose hash is another one.
    let other = add(&r, &a, &a);
    assert_eq!(other.id(), number);
    let second = negate(&r, &a);
    assert_ne!(second.id(), other.id());
    drop((a, other, second));
    // So is the number of the freed operand.
    let b = ones(&r, &pool, 3, 3);
    assert_eq!(negate(&r, &b).shape().rows, 3);
}

#[test]
fn a_result_in_flight_is_shared_only_if_it_is_kept() {
    let (r, pool) = common();
    let a = ones(&r, &pool, 2, 2);
    let kept = negate(&r, &a);
    let passed_on = add(&r, &a, &a);
    let sum = add(&r, &passed_on, &kept);
    drop(passed_on);
    let trace = r.seal_all().unwrap();
    assert_eq!(negate(&r, &a).id(), kept.id());
    let anew = add(&r, &a, &a);
    assert_eq!(r.pending().operations, 1);
    for operation in &trace.operations {
        if let Some(slot) = &operation.keep {
            let shape = operation.shape;
            slot.set(Arc::new(Matrix::zeros(shape, operation.precision, &pool).unwrap())).unwrap();
        }
    }
    drop(r.finish(&trace));
    // An executed operation no longer holds its operands, so it is not found any more.
    let executed = negate(&r, &a);
    assert_ne!(executed.id(), kept.id());
    assert_eq!((anew.has_result(), executed.has_result(), sum.has_result()), (false, false, true));
}
