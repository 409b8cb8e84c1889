//! Traces that take some of the pending operations.

use proptest::prelude::*;

use super::*;

/// Seals what a value needs.
fn seal_for(recorder: &Recorder, value: &Value) -> Option<Trace> {
    match recorder.seal(Demand::Value(value), u64::MAX).unwrap() {
        Sealing::Trace(trace) => Some(trace),
        _ => None,
    }
}

fn check(recorder: &Recorder) {
    recorder.shared.graph.lock().unwrap().check();
}

/// Gives the results of a trace their memory, and finishes the trace.
fn finish(recorder: &Recorder, pool: &Pool, trace: &Trace) {
    for operation in &trace.operations {
        if let Some(slot) = &operation.keep {
            slot.set(Arc::new(Matrix::zeros(operation.shape, operation.precision, pool).unwrap())).unwrap();
        }
    }
    drop(recorder.finish(trace));
}

#[test]
fn a_trace_takes_what_a_value_needs_and_keeps_what_other_operations_read() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 2, 2);
    let inner = add(&r, &a, &a);
    let shared = add(&r, &inner, &a);
    let before = add(&r, &shared, &shared);
    let wanted = r.binary(OpKind::Times, &shared, &inner, "t.m", 2).unwrap().value;
    let after = add(&r, &wanted, &before);
    drop((inner, shared));
    // Only operations that stay pending need the second sum, and nothing else needs the first one.
    let trace = seal_for(&r, &wanted).unwrap();
    let expected = "c0 = constant 2x2 double\n%0 = add(c0, c0) 2x2 double\n%1 = add(%0, c0) 2x2 double kept\n\
                    %2 = times(%1, %0) 2x2 double kept\n";
    assert_eq!(trace.to_string(), expected);
    assert_eq!(trace.bytes, 4 * 32);
    assert_eq!((before.progress(), wanted.progress()), (Progress::Pending, Progress::InFlight));
    // Two results, and the two values in flight that they read.
    assert_eq!((r.pending().operations, r.pending().bytes), (2, 4 * 32));
    check(&r);
    assert!(seal_for(&r, &wanted).is_none() && seal_for(&r, &a).is_none());
    finish(&r, &pool, &trace);
    check(&r);
    let text = seal_for(&r, &after).unwrap().to_string();
    let expected = "c0 = constant 2x2 double\nc1 = constant 2x2 double\n%0 = add(c0, c0) 2x2 double kept\n\
                    %1 = add(c1, %0) 2x2 double kept\n";
    assert_eq!(text, expected);
    assert_eq!(r.pending(), Pending::default());
    drop(before);
}

#[test]
fn a_trace_takes_what_several_values_need() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 2, 2);
    let (known, common) = (add(&r, &a, &a), add(&r, &a, &a));
    let trace = seal_for(&r, &known).unwrap();
    finish(&r, &pool, &trace);
    let first = add(&r, &common, &a);
    let other = add(&r, &a, &common);
    let second = r.binary(OpKind::Times, &common, &common, "t.m", 2).unwrap().value;
    let Ok(Sealing::Trace(trace)) = r.seal(Demand::Values(&[&second, &known, &first, &first]), u64::MAX)
    else {
        panic!("there is room")
    };
    // The value that is known is no part of the trace, and nothing reads it.
    let expected = "c0 = constant 2x2 double\n%0 = add(c0, c0) 2x2 double kept\n\
                    %1 = add(%0, c0) 2x2 double kept\n%2 = times(%0, %0) 2x2 double kept\n";
    assert_eq!(trace.to_string(), expected);
    assert_eq!(trace.bytes, 4 * 32);
    assert_eq!((other.progress(), second.progress()), (Progress::Pending, Progress::InFlight));
    check(&r);
}

#[test]
fn a_trace_without_room_changes_nothing() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 10, 10);
    let b = add(&r, &a, &a);
    let c = add(&r, &b, &a);
    let before = r.pending();
    assert!(matches!(r.seal(Demand::Value(&c), 3 * 800 - 1), Ok(Sealing::NoRoom)));
    assert_eq!((r.pending(), c.progress()), (before, Progress::Pending));
    check(&r);
    let Ok(Sealing::Trace(trace)) = r.seal(Demand::Value(&c), 3 * 800) else { panic!("there is room") };
    assert_eq!((trace.operations.len(), trace.bytes), (2, 3 * 800));
}

#[test]
fn what_was_given_up_does_not_count_towards_the_limits() {
    let (r, pool) = recorder(Limits { operations: 3, ..unlimited() });
    let a = ones(&r, &pool, 1, 1);
    let record = || r.binary(OpKind::Add, &a, &a, "t.m", 1).unwrap();
    let old: Vec<_> = (0..3).map(|_| record()).collect();
    assert_eq!(old[2].limit, Some(Limit::Operations));
    r.give_up();
    let (first, second) = (record(), record());
    let third = r.binary(OpKind::Add, &first.value, &old[1].value, "t.m", 1).unwrap();
    assert_eq!((first.limit, second.limit, third.limit), (None, None, Some(Limit::Operations)));
    // The new operations, and the one old operation that they need.
    let Ok(Sealing::Trace(trace)) = r.seal(Demand::Limit, u64::MAX) else { panic!("a limit was reached") };
    assert_eq!(trace.operations.len(), 4);
    assert_eq!((old[0].value.progress(), old[1].value.progress()), (Progress::Pending, Progress::InFlight));
    assert!(matches!(r.seal(Demand::Limit, u64::MAX), Ok(Sealing::Nothing)));
    // A force takes what was given up.
    assert_eq!(seal_for(&r, &old[2].value).unwrap().operations.len(), 1);
    assert_eq!(r.seal_all().unwrap().operations.len(), 1);
    check(&r);
}

/// A failed trace becomes pending again in front of operations that were recorded before it.
#[test]
fn a_cone_that_was_not_executed_is_pending_again_and_nothing_else_changes() {
    let (r, pool) = recorder(unlimited());
    let a = ones(&r, &pool, 1, 1);
    let other = add(&r, &a, &a);
    let operand = add(&r, &a, &a);
    let bad = r.unary(OpKind::Sqrt, &operand, "t.m", 3).unwrap().value;
    let good = add(&r, &operand, &other);
    let reader = add(&r, &bad, &other);
    let trace = Arc::new(seal_for(&r, &bad).unwrap());
    let error = Error::Domain { blame: trace.blame(1) };
    drop(r.revert(&[trace], Some((bad.id(), &error))));
    check(&r);
    assert_eq!(reader.progress(), Progress::Failed(error));
    assert_eq!((good.progress(), other.progress()), (Progress::Pending, Progress::Pending));
    let trace = seal_for(&r, &good).unwrap();
    let expected = "c0 = constant 1x1 double\n%0 = add(c0, c0) 1x1 double kept\n%1 = add(c0, c0) 1x1 double kept\n\
                    %2 = add(%1, %0) 1x1 double kept\n";
    assert_eq!(trace.to_string(), expected);
    finish(&r, &pool, &trace);
    check(&r);
}

/// What happens to a recorder, with numbers that choose values.
#[derive(Debug, Clone)]
enum Event {
    Record(usize, usize),
    Drop(usize),
    Force(usize),
    Limit,
    Finish,
    Fail(usize, bool),
    Cancel,
    Reclaim(usize),
}

fn event() -> impl Strategy<Value = Event> {
    let number = 0usize..1000;
    prop_oneof![
        6 => (number.clone(), number.clone()).prop_map(|(a, b)| Event::Record(a, b)),
        3 => number.clone().prop_map(Event::Drop),
        3 => number.clone().prop_map(Event::Force),
        1 => Just(Event::Limit),
        2 => Just(Event::Finish),
        1 => (number.clone(), any::<bool>()).prop_map(|(n, permanent)| Event::Fail(n, permanent)),
        1 => Just(Event::Cancel),
        1 => number.prop_map(Event::Reclaim),
    ]
}

proptest! {
    /// Whatever happens in whatever order, the graph counts right, no trace reads what is not there, and in
    /// the end every value is computed or has its error.
    #[test]
    fn any_order_of_events_leaves_a_sound_graph(events in prop::collection::vec(event(), 1..120)) {
        let (r, pool) = recorder(unlimited());
        let mut values = vec![ones(&r, &pool, 3, 1)];
        // In flight, oldest first.
        let mut flight: Vec<Arc<Trace>> = Vec::new();
        for event in events {
            let any = |number: usize| number % values.len();
            match event {
                Event::Record(a, b) => {
                    let value = add(&r, &values[any(a)], &values[any(b)]);
                    values.push(value);
                }
                Event::Drop(number) if values.len() > 1 => drop(values.swap_remove(any(number))),
                Event::Drop(_) => {}
                Event::Force(number) => {
                    let trace = seal_for(&r, &values[any(number)]);
                    flight.extend(trace.map(Arc::new));
                }
                Event::Limit => {
                    if let Sealing::Trace(trace) = r.seal(Demand::Limit, u64::MAX).unwrap() {
                        flight.push(Arc::new(trace));
                    }
                }
                Event::Finish if !flight.is_empty() => {
                    let trace = flight.remove(0);
                    prop_assert!(trace.constants.iter().all(|constant| constant.slot.get().is_some()));
                    finish(&r, &pool, &trace);
                }
                Event::Finish => {}
                Event::Fail(number, permanent) => {
                    if let Some(trace) = flight.first() {
                        let index = number % trace.operations.len();
                        let error = match permanent {
                            true => Error::Domain { blame: trace.blame(index as u32) },
                            false => Error::Memory { bytes: 8, purpose: "nothing".into() },
                        };
                        let failed = trace.operations[index].id;
                        drop(r.revert(&flight, Some((failed, &error))));
                        flight.clear();
                    }
                }
                Event::Cancel => {
                    drop(r.revert(&flight, None));
                    flight.clear();
                    r.give_up();
                }
                Event::Reclaim(number) => r.reclaim(&values[any(number)]),
            }
            check(&r);
        }
        for trace in flight {
            finish(&r, &pool, &trace);
        }
        for value in &values {
            r.reclaim(value);
            if let Some(trace) = seal_for(&r, value) {
                finish(&r, &pool, &trace);
            }
            check(&r);
            prop_assert!(value.matrix().is_some() || matches!(value.progress(), Progress::Failed(_)));
        }
        drop(values);
        prop_assert_eq!(r.pending(), Pending::default());
    }
}

#[test]
fn a_transpose_that_nothing_else_reads_counts_as_a_value_that_is_read() {
    let (recorder, pool) = recorder(unlimited());
    let a = ones(&recorder, &pool, 40, 30);
    let parts_of = |value: &Value| {
        let mut kinds = Vec::new();
        let sealed = recorder.seal_accepted(
            value,
            |part| {
                kinds.push(part.kind);
                kinds.len() < 3
            },
            |_| false,
        );
        assert!(sealed.unwrap().is_none(), "the third part is refused");
        kinds
    };
    let shape = Shape { rows: 40, columns: 30 };
    let transposed = recorder.view(&a, shape.transposed(), View::transpose(shape), "f", 1).unwrap().value;
    let product = recorder.binary(OpKind::Multiply, &transposed, &a, "f", 2).unwrap().value;
    assert_eq!(parts_of(&product), [Some(OpKind::Multiply), Some(OpKind::View), None], "it has a handle");
    drop(transposed);
    assert_eq!(parts_of(&product), [Some(OpKind::Multiply), None, None]);
}
