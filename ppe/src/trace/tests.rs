mod common;
mod demand;
mod masks;

use std::time::Instant;

use super::*;
use crate::operation::{Form, OpKind, Shape, View};

fn recorder(limits: Limits) -> (Recorder, Pool) {
    let pool = Pool::new(0, true);
    (Recorder::new(limits, pool.clone()), pool)
}

fn unlimited() -> Limits {
    Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX }
}

fn ones(recorder: &Recorder, pool: &Pool, rows: u32, columns: u32) -> Value {
    recorder
        .constant(Matrix::from_fn(Shape { rows, columns }, pool, |_, _| 1f64).unwrap(), Class::Double)
        .unwrap()
}

fn add(recorder: &Recorder, a: &Value, b: &Value) -> Value {
    recorder.binary(OpKind::Add, a, b, "t.m", 1).unwrap().value
}

#[test]
fn a_trace_lists_what_is_needed_in_order() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 2, 2);
    let b = add(&r, &a, &a);
    drop(add(&r, &b, &b)); // dead
    let c = r.binary(OpKind::Multiply, &b, &a, "t.m", 2).unwrap().value;
    drop(b); // still needed by c
    let trace = r.seal_all().unwrap();
    let expected =
        "c0 = constant 2x2 double\n%0 = add(c0, c0) 2x2 double\n%1 = multiply(%0, c0) 2x2 double kept\n";
    assert_eq!(trace.to_string(), expected);
    assert_eq!(trace.graph_size(), (3, 4));
    assert!(!petgraph::algo::is_cyclic_directed(&trace.to_petgraph()));
    assert_eq!(trace.blame(1).to_string(), "multiply with a 2x2 result, recorded at t.m:2");
    assert!(!c.has_result() && a.has_result());
    assert!(r.seal_all().is_none());
    assert_eq!(r.counts().dropped, 1);
}

#[test]
fn classes_mix_as_in_octave() {
    let (r, pool) = recorder(unlimited());
    let double = ones(&r, &pool, 2, 2);
    let single = r
        .constant(Matrix::from_fn(Shape { rows: 2, columns: 2 }, &pool, |_, _| 1f32).unwrap(), Class::Single)
        .unwrap();
    let sum = add(&r, &double, &single);
    assert_eq!(sum.class(), Class::Single);
    let equal = r.binary(OpKind::Equal, &single, &double, "", 0).unwrap().value;
    assert_eq!(equal.class(), Class::Logical);
    assert_eq!(add(&r, &equal, &double).class(), Class::Double);
    assert_eq!(add(&r, &equal, &equal).class(), Class::Double);
    assert_eq!(add(&r, &equal, &single).class(), Class::Single);
    let scaled =
        r.binary_scalar(OpKind::Times, Form::ScalarRight, &double, 2.0, Class::Single, "", 0).unwrap().value;
    assert_eq!(scaled.class(), Class::Single);
    let text = r.seal_all().unwrap().to_string();
    assert!(
        text.starts_with("c0 = constant 2x2 double\nc1 = constant 2x2 single\n%0 = convert(c0) 2x2 single\n"),
        "{text}"
    );
}

#[test]
fn products_over_nothing_and_empty_results_are_constants() {
    let (r, pool) = recorder(unlimited());
    let (a, b) = (ones(&r, &pool, 3, 0), ones(&r, &pool, 0, 2));
    let zeros = r.binary(OpKind::Multiply, &a, &b, "", 0).unwrap().value;
    assert_eq!(zeros.shape(), Shape { rows: 3, columns: 2 });
    assert_eq!(zeros.matrix().unwrap().values().collect::<Vec<_>>(), [0.0; 6]);
    let equal = r.binary(OpKind::Equal, &b, &b, "", 0).unwrap().value;
    assert_eq!((equal.class(), equal.shape().to_string().as_str()), (Class::Logical, "0x2"));
    assert!(r.seal_all().is_none());
}

#[test]
fn each_limit_fires_by_its_own_measure() {
    let limits = Limits { operations: 5, ..unlimited() };
    let (r, pool) = recorder(limits);
    let a = ones(&r, &pool, 1, 1);
    let mut values = Vec::new();
    for n in 1..=5 {
        let recording = r.binary(OpKind::Add, &a, &a, "", 0).unwrap();
        assert_eq!(recording.limit, (n == 5).then_some(Limit::Operations));
        values.push(recording.value);
    }
    let (r, pool) = recorder(Limits { depth: 3, ..unlimited() });
    let mut x = ones(&r, &pool, 1, 1);
    for n in 1..=3 {
        let recording = r.binary(OpKind::Add, &x, &x, "", 0).unwrap();
        assert_eq!(recording.limit, (n == 3).then_some(Limit::Depth));
        x = recording.value;
    }
    let (r, pool) = recorder(Limits { bytes: 3 * 8 * 100, ..unlimited() });
    let a = ones(&r, &pool, 10, 10);
    let first = r.binary(OpKind::Add, &a, &a, "", 0).unwrap();
    let second = r.binary(OpKind::Add, &a, &a, "", 0).unwrap();
    assert_eq!((first.limit, second.limit), (None, Some(Limit::Bytes)));
}

#[test]
fn a_long_chain_is_dropped_in_linear_time_and_bounded_memory() {
    let (r, pool) = recorder(unlimited());
    let mut x = ones(&r, &pool, 1, 1);
    for _ in 0..1_000_000 {
        x = add(&r, &x, &x);
    }
    assert_eq!(r.pending().operations, 1_000_000);
    assert_eq!(r.pending().depth, 1_000_000);
    drop(x);
    assert_eq!(r.pending(), Pending::default());
    // The arena is used again: dropping each result at once keeps it at a handful of nodes.
    let a = ones(&r, &pool, 1, 1);
    for _ in 0..1000 {
        drop(add(&r, &a, &a));
    }
    assert_eq!(r.counts().dropped, 1_001_000);
}

#[test]
fn a_reverted_trace_is_pending_again_in_order() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 1, 1);
    let b = add(&r, &a, &a);
    let c = add(&r, &b, &a);
    let trace = Arc::new(r.seal_all().unwrap());
    let d = add(&r, &c, &b);
    assert_eq!(d.progress(), Progress::Pending);
    drop(r.revert(&[trace], None));
    let trace = r.seal_all().unwrap();
    let expected = "c0 = constant 1x1 double\n%0 = add(c0, c0) 1x1 double kept\n%1 = add(%0, c0) 1x1 double kept\n\
                    %2 = add(%1, %0) 1x1 double kept\n";
    assert_eq!(trace.to_string(), expected);
    for operation in &trace.operations {
        let slot = operation.keep.as_ref().unwrap();
        slot.set(Arc::new(Matrix::zeros(operation.shape, operation.precision, &pool).unwrap())).unwrap();
    }
    drop(r.finish(&trace));
    assert!(b.has_result() && c.has_result() && d.has_result());
    assert_eq!(d.matrix().unwrap().value(0, 0), 0.0);
}

#[test]
fn a_value_in_flight_is_a_constant_of_the_next_trace_however_often_it_is_read() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 1, 1);
    let b = add(&r, &a, &a);
    let _first = r.seal_all().unwrap();
    let c = add(&r, &b, &b);
    let d = add(&r, &c, &b);
    let text = r.seal_all().unwrap().to_string();
    let expected =
        "c0 = constant 1x1 double\n%0 = add(c0, c0) 1x1 double kept\n%1 = add(%0, c0) 1x1 double kept\n";
    assert_eq!(text, expected);
    drop(d);
}

#[test]
fn what_depends_on_a_failed_operation_fails_and_the_rest_stays() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 1, 1);
    let bad =
        r.binary_scalar(OpKind::Power, Form::ScalarRight, &a, 0.5, Class::Double, "f.m", 7).unwrap().value;
    let worse = add(&r, &bad, &a);
    let good = add(&r, &a, &a);
    let trace = Arc::new(r.seal_all().unwrap());
    let later = add(&r, &worse, &good);
    let error = Error::Domain { blame: trace.blame(0) };
    drop(r.revert(&[trace], Some((bad.id(), &error))));
    for value in [&bad, &worse, &later, &add(&r, &later, &a)] {
        assert_eq!(value.progress(), Progress::Failed(error.clone()));
    }
    assert_eq!(good.progress(), Progress::Pending);
    assert_eq!(r.pending().operations, 1);
    let recorded = worse.recorded().unwrap();
    assert_eq!((recorded.kind, recorded.form), (OpKind::Add, Form::Values));
    assert_eq!(recorded.operands[0].as_ref().unwrap().recorded().unwrap().scalar, 0.5);
    assert!(error.to_string().contains("f.m:7"), "{error}");
}

#[test]
fn what_is_set_aside_is_tried_again_when_it_is_asked_for() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 1, 1);
    let operand = add(&r, &a, &a);
    let large = add(&r, &operand, &a);
    let square = r.binary(OpKind::Times, &large, &large, "t.m", 2).unwrap().value;
    let good = add(&r, &a, &a);
    drop(operand);
    let trace = Arc::new(r.seal_all().unwrap());
    let _ = square.wait(Some(Instant::now()));
    let error = Error::Memory { bytes: 8, purpose: "nothing".into() };
    drop(r.revert(&[trace], Some((large.id(), &error))));
    assert_eq!((large.progress(), good.progress()), (Progress::SetAside, Progress::Pending));
    assert_eq!((r.below(&square).operations, r.pending().operations), (3, 2));
    // A thread that has waited is told once.
    assert_eq!(square.wait(None), Progress::Failed(error.clone()));
    assert_eq!((square.wait(None), large.wait(None)), (Progress::SetAside, Progress::SetAside));
    // A trace that is executed meanwhile keeps the operand, although only a failed operation reads it.
    let expected =
        "c0 = constant 1x1 double\n%0 = add(c0, c0) 1x1 double kept\n%1 = add(c0, c0) 1x1 double kept\n";
    let trace = r.seal_all().unwrap();
    assert_eq!(trace.to_string(), expected);
    drop(r.finish(&trace));
    let later = add(&r, &square, &a);
    assert_eq!(later.progress(), Progress::SetAside);
    r.reclaim(&later);
    assert_eq!((large.progress(), r.pending().operations, r.pending().depth), (Progress::Pending, 3, 3));
    let text = r.seal_all().unwrap().to_string();
    let expected = "c0 = constant 1x1 double\nc1 = constant 1x1 double\n%0 = add(c0, c1) 1x1 double kept\n\
                    %1 = times(%0, %0) 1x1 double kept\n%2 = add(%1, c1) 1x1 double kept\n";
    assert_eq!(text, expected);
}

#[test]
fn what_reads_a_complex_result_as_well_is_not_tried_again() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 1, 1);
    let (large, bad) = (add(&r, &a, &a), r.unary(OpKind::Sqrt, &a, "t.m", 1).unwrap().value);
    let both = add(&r, &large, &bad);
    let memory = Error::Memory { bytes: 8, purpose: "nothing".into() };
    drop(r.revert(&[Arc::new(r.seal_all().unwrap())], Some((large.id(), &memory))));
    let trace = Arc::new(r.seal_all().unwrap());
    let domain = Error::Domain { blame: trace.blame(0) };
    drop(r.revert(&[trace], Some((bad.id(), &domain))));
    assert_eq!(both.progress(), Progress::SetAside);
    r.reclaim(&both);
    assert_eq!((both.progress(), large.progress()), (Progress::Failed(domain), Progress::Pending));
    drop((large, bad, both));
    assert_eq!((r.pending(), r.counts().dropped), (Pending::default(), 1));
}

#[test]
fn foreign_memory_is_released_outside_the_lock() {
    let (r, _pool) = recorder(unlimited());
    let data = Box::leak(Box::new([1f64, 2.0]));
    let inner = r.clone();
    let pointer = data.as_ptr().cast();
    // SAFETY: the array is leaked.
    let matrix = unsafe {
        let release = Box::new(move || assert_eq!(inner.pending().operations, 0));
        Matrix::foreign(Shape { rows: 2, columns: 1 }, Precision::Double, pointer, release)
    };
    drop(r.constant(matrix, Class::Double).unwrap()); // would deadlock if the lock were held
}

#[test]
fn values_of_another_session_are_refused() {
    let (r, pool) = recorder(unlimited());
    let (other, other_pool) = recorder(unlimited());
    let (a, b) = (ones(&r, &pool, 1, 1), ones(&other, &other_pool, 1, 1));
    assert!(matches!(r.binary(OpKind::Add, &a, &b, "", 0), Err(Error::Argument(_))));
    assert!(matches!(r.unary(OpKind::Add, &a, "", 0), Err(Error::Argument(_))));
    assert!(matches!(r.binary(OpKind::Sin, &a, &a, "", 0), Err(Error::Argument(_))));
}
