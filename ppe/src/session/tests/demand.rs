//! A force computes what it needs, and nothing else.

use proptest::prelude::*;

use super::*;
use crate::trace::Limits;

#[test]
fn a_force_leaves_everything_else_pending() {
    for session in every_kind_of_session() {
        let v = column(&session, 10_000);
        let mut abandoned = v.clone();
        for line in 0..8 {
            abandoned = session.binary(OpKind::Max, &abandoned, &v, "t.m", line).unwrap();
        }
        let shared = session.binary(OpKind::Add, &v, &v, "t.m", 10).unwrap();
        let reader = session.binary(OpKind::Times, &shared, &shared, "t.m", 11).unwrap();
        let wanted = session.binary(OpKind::Subtract, &shared, &v, "t.m", 12).unwrap();
        drop(shared);
        let before = session.headway().work_executed;
        assert_eq!(session.force(&wanted).unwrap().value(7, 0), 7.0);
        assert_eq!(session.headway().work_executed - before, 2 * 10_000, "{}", session.engine_name());
        assert!(!abandoned.has_result() && !reader.has_result());
        assert_eq!(session.statistics().operations_pending, 9);
        // The shared sum was kept for its reader.
        assert_eq!(session.below(&reader).operations, 1);
        assert_eq!(session.force(&reader).unwrap().value(7, 0), 196.0);
        session.cancel().unwrap();
        let next = session.binary(OpKind::Add, &reader, &v, "t.m", 13).unwrap();
        assert_eq!(session.force(&next).unwrap().value(1, 0), 5.0);
        assert!(!abandoned.has_result());
        assert_eq!(session.force(&abandoned).unwrap().value(2, 0), 2.0);
        assert_eq!(session.statistics().operations_pending, 0);
    }
}

#[test]
fn values_that_are_started_together_are_one_trace() {
    for session in every_kind_of_session() {
        let v = column(&session, 10_000);
        let left = session.binary(OpKind::Add, &v, &v, "t.m", 1).unwrap();
        let right = session.binary(OpKind::Times, &v, &v, "t.m", 2).unwrap();
        let other = session.binary(OpKind::Max, &left, &right, "t.m", 3).unwrap();
        session.start(&[&left, &right]).unwrap();
        let [left, right] = [left, right].map(|value| session.force(&value).unwrap());
        assert_eq!((left.value(7, 0), right.value(7, 0)), (14.0, 49.0));
        assert_eq!(session.statistics().traces, 1, "{}", session.engine_name());
        assert!(!other.has_result());
        // All of them are known.
        session.start(&[&v]).unwrap();
        assert_eq!(session.statistics().traces, 1);
    }
}

#[test]
fn a_limit_does_not_take_up_what_was_given_up() {
    let limits = Limits { operations: 6, ..Limits::default() };
    let session = Session::new(&Options { limits, immediate: false, ..Options::default() }).unwrap();
    let v = column(&session, 100);
    let mut abandoned = v.clone();
    for line in 0..5 {
        abandoned = session.binary(OpKind::Add, &abandoned, &v, "t.m", line).unwrap();
    }
    session.cancel().unwrap();
    let mut sum = v.clone();
    for line in 0..30 {
        sum = session.binary(OpKind::Add, &sum, &v, "t.m", line).unwrap();
    }
    assert_eq!(session.force(&sum).unwrap().value(2, 0), 62.0);
    assert!(session.statistics().flushes_operations >= 4);
    assert!(!abandoned.has_result());
    assert_eq!(session.statistics().operations_pending, 5);
    assert_eq!(session.force(&abandoned).unwrap().value(2, 0), 12.0);
}

/// Without room a recording call waits, and asks whether to give up.
#[test]
fn a_recording_call_that_waits_for_room_can_be_interrupted() {
    let limits = Limits { bytes: 3 * 8 * 1000, ..Limits::default() };
    let session = Session::new(&Options { limits, immediate: false, ..Options::default() }).unwrap();
    let a = column(&session, 1000);
    let gate = session.core.executor.lock().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let answers = Arc::clone(&asked);
    session.set_interrupt(Some(Box::new(move || answers.fetch_add(1, Ordering::Relaxed) == 1)));
    let mut sum = a.clone();
    let outcome = (0..100).find_map(|line| {
        let result = session.binary(OpKind::Add, &sum, &a, "t.m", line);
        result.map(|value| sum = value).err()
    });
    assert!(matches!(outcome, Some(Error::Cancelled)), "{outcome:?}");
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    // Everything that was recorded is pending again.
    let pending = session.statistics().operations_pending;
    assert_eq!((sum.progress(), session.below(&sum).operations), (Progress::Pending, pending));
    drop(gate);
    assert_eq!(session.force(&sum).unwrap().value(3, 0), 3.0 * (pending + 1) as f64);
}

/// What a random program does, with numbers that choose among its values.
#[derive(Debug, Clone)]
enum Line {
    Unary(usize, usize),
    Binary(usize, usize, usize),
    Sum(usize),
    Drop(usize),
    Force(usize),
    Cancel,
}

fn line() -> impl Strategy<Value = Line> {
    let number = 0usize..1000;
    prop_oneof![
        3 => (0usize..3, number.clone()).prop_map(|(kind, a)| Line::Unary(kind, a)),
        5 => (0usize..4, number.clone(), number.clone()).prop_map(|(kind, a, b)| Line::Binary(kind, a, b)),
        1 => number.clone().prop_map(Line::Sum),
        2 => number.clone().prop_map(Line::Drop),
        3 => number.prop_map(Line::Force),
        1 => Just(Line::Cancel),
    ]
}

/// The bits of all values of a program, forced in the end. With `forces`, lines that force and cancel count;
/// without, everything is executed at once.
fn run(session: &Session, lines: &[Line], forces: bool) -> Vec<Vec<u64>> {
    let shape = Shape { rows: 20, columns: 20 };
    let element = |r: usize, c: usize| (r as f64 - 0.3 * c as f64).sin();
    let square = Matrix::from_fn(shape, session.pool(), element).unwrap();
    let mut values = vec![session.constant(square, Class::Double).unwrap(), column(session, 20)];
    for line in lines {
        let at = |number: &usize| values[number % values.len()].clone();
        let made = match line {
            Line::Unary(kind, a) => {
                let kind = [OpKind::Sin, OpKind::Abs, OpKind::Negate][*kind];
                Some(session.unary(kind, &at(a), "r.m", 1).unwrap())
            }
            Line::Binary(kind, a, b) => {
                let kind = [OpKind::Add, OpKind::Times, OpKind::Subtract, OpKind::Multiply][*kind];
                session.binary(kind, &at(a), &at(b), "r.m", 2).ok()
            }
            Line::Sum(a) => {
                Some(session.record(|r| r.reduce(OpKind::Sum, &at(a), Side::Row, "r.m", 3)).unwrap())
            }
            Line::Drop(number) if values.len() > 1 => {
                drop(values.swap_remove(number % values.len()));
                None
            }
            Line::Force(number) if forces => {
                session.force(&at(number)).unwrap();
                None
            }
            Line::Cancel if forces => {
                session.cancel().unwrap();
                None
            }
            _ => None,
        };
        values.extend(made);
    }
    if !forces {
        session.flush().unwrap();
    }
    let bits = |value: &Value| session.force(value).unwrap().values().map(f64::to_bits).collect();
    values.iter().map(bits).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Values have the same bits whether they are forced one by one or all at once.
    #[test]
    fn the_order_of_forces_changes_no_bit(lines in prop::collection::vec(line(), 1..40), overlap: bool) {
        let limits = Limits { operations: 12, ..Limits::default() };
        let options = Options { overlap, meus: 2, ..Options::default() };
        let reference = Options { engine: "reference".into(), ..options.clone() };
        let expected = run(&Session::new(&reference).unwrap(), &lines, false);
        prop_assert_eq!(run(&Session::new(&options).unwrap(), &lines, false), expected.clone());
        prop_assert_eq!(run(&Session::new(&options).unwrap(), &lines, true), expected.clone());
        let limited = Options { limits, ..options };
        prop_assert_eq!(run(&Session::new(&limited).unwrap(), &lines, true), expected);
    }
}
