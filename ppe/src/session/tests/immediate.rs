//! Little work is executed at once by the thread that forces, and everything else is handed over.

use super::*;
use crate::operation::{Part, Precision};

/// A session whose stages and engine can do nothing until the guard is dropped.
fn without_engine(immediate: bool) -> Session {
    Session::new(&Options { immediate, meus: 2, ..Options::default() }).unwrap()
}

#[test]
fn little_work_needs_neither_stages_nor_engine() {
    let session = without_engine(true);
    let v = column(&session, 10_000);
    let doubled = session.binary(OpKind::Add, &v, &v, "t.m", 1).unwrap();
    let row = View::transpose(v.shape());
    let row =
        session.record(|r| r.view(&doubled, Shape { rows: 1, columns: 10_000 }, row, "t.m", 2)).unwrap();
    let product = session.binary(OpKind::Multiply, &row, &v, "t.m", 3).unwrap();
    let norm = session.record(|r| r.norm(&product, "t.m", 4)).unwrap();
    let _gate = session.core.executor.lock().unwrap();
    assert_eq!(session.force(&norm).unwrap().value(0, 0), 2.0 * 333_283_335_000.0);
    let counts = session.statistics();
    assert_eq!((counts.operations_executed, counts.traces, counts.flushes_forced), (4, 1, 1));
    assert_eq!(session.headway().operations_in_flight, 0);
    // What reads a value in flight is no work of its own.
    // It takes longer than handing it over does on a machine where other processes have the cores.
    let large = column(&session, 4_000_000);
    let next = session.binary(OpKind::Add, &large, &large, "t.m", 5).unwrap();
    session.flush().unwrap();
    let last = session.binary(OpKind::Add, &next, &large, "t.m", 6).unwrap();
    let soon = || Some(Instant::now() + Duration::from_millis(1));
    assert!(!session.wait(&last, soon()).unwrap());
    assert_eq!(next.progress(), Progress::InFlight);
    // Traces in flight do not delay what is independent of them.
    let other = session.unary(OpKind::Negate, &large, "t.m", 7).unwrap();
    assert!(!other.has_result());
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

#[test]
fn a_short_operation_on_known_operands_is_computed_when_it_is_stated() {
    let session = without_engine(true);
    let _gate = session.core.executor.lock().unwrap();
    let v = column(&session, 10);
    let single = session.convert(&v, Precision::Single, "t.m", 1).unwrap();
    let sum = session.binary(OpKind::Add, &v, &single, "t.m", 2).unwrap();
    let larger = session.binary_scalar(OpKind::Less, Form::ScalarLeft, &sum, 5.0, Class::Double, "t.m", 3);
    let larger = larger.unwrap();
    assert!(single.has_result() && sum.has_result() && larger.has_result());
    assert_eq!((sum.class(), larger.class()), (Class::Single, Class::Logical));
    assert!(larger.matrix().unwrap().values().eq((0..10).map(|r| f64::from(u8::from(2 * r > 5)))));
    // The conversion of an operand is part of the operation.
    let counts = session.statistics();
    assert_eq!((counts.operations_recorded, counts.operations_executed, counts.traces), (3, 3, 0));

    // What reads a pending value, or is more work, is pending.
    let large = column(&session, 1_000_000);
    let large = session.binary(OpKind::Add, &large, &large, "t.m", 4).unwrap();
    let first = View { offset: 9, row_step: 0, column_step: 0, part: Part::Whole };
    let first = session.record(|r| r.view(&large, Shape { rows: 1, columns: 1 }, first, "t.m", 5)).unwrap();
    let reader = session.binary(OpKind::Times, &first, &v, "t.m", 6).unwrap();
    assert!(!large.has_result() && !reader.has_result());
    assert_eq!(session.statistics().operations_pending, 3);
    drop(_gate);
    assert_eq!(session.force(&reader).unwrap().value(2, 0), 36.0);
    assert!(session.unary(OpKind::Negate, &reader, "t.m", 7).unwrap().has_result());
}

/// Once a force was little work, more work than before is computed when it is stated, until the next force is
/// due.
#[test]
fn operations_are_computed_when_they_are_stated_while_forces_are_little_work() {
    let session = without_engine(true);
    let v = column(&session, 20_000);
    let negated = || session.unary(OpKind::Negate, &v, "t.m", 1).unwrap();
    let pending = negated();
    assert!(!pending.has_result());
    session.force(&pending).unwrap();
    let computed = |count: usize| (0..count).filter(|_| negated().has_result()).count();
    let most = computed(1000);
    assert!(0 < most && most < 1000, "{most}");
    assert_eq!(computed(10), 0);
    // An operation that was handed over is more work than one thread does at once.
    let large = column(&session, 10_000_000);
    session.force(&session.unary(OpKind::Negate, &large, "t.m", 2).unwrap()).unwrap();
    assert_eq!(computed(10), 0);
    session.force(&negated()).unwrap();
    assert!(computed(1) == 1);

    // Products may be more work, but many products that nobody asks for are recorded, and equal ones are one.
    let factor = session
        .constant(
            Matrix::zeros(Shape { rows: 80, columns: 80 }, Precision::Double, session.pool()).unwrap(),
            Class::Double,
        )
        .unwrap();
    let product = || session.binary(OpKind::Multiply, &factor, &factor, "t.m", 3).unwrap();
    let stated: Vec<_> = (0..10_000).map(|_| product()).collect();
    let most = stated.iter().filter(|product| product.has_result()).count();
    assert!(0 < most && most < stated.len(), "{most}");
    assert!(stated[..most].iter().all(Value::has_result));
    let executed = session.statistics().operations_executed;
    session.force(&stated[most]).unwrap();
    assert_eq!(session.statistics().operations_executed, executed + 1);
    assert!(stated.iter().all(Value::has_result));
}

/// However large the matrix is, `any` and `all` are computed when they are stated if the first elements of each
/// column or row decide them, and forces are little work. Else they are recorded, and all elements count.
#[test]
fn any_and_all_are_known_when_the_first_elements_decide_them() {
    let session = without_engine(true);
    let shape = Shape { rows: 1500, columns: 700 };
    let matrix = |is_true: &dyn Fn(usize, usize) -> bool, bytes: bool| {
        let matrix = match bytes {
            true => Matrix::from_fn(shape, session.pool(), |r, c| u8::from(is_true(r, c))),
            false => Matrix::from_fn(shape, session.pool(), |r, c| if is_true(r, c) { -0.5 } else { 0.0 }),
        };
        session.constant(matrix.unwrap(), if bytes { Class::Logical } else { Class::Double }).unwrap()
    };
    let v = column(&session, 20_000);
    let force_little = || {
        session.force(&session.unary(OpKind::Negate, &v, "t.m", 2).unwrap()).unwrap();
    };
    let mixed = |r: usize, c: usize| (r + c) % 2 == 1;
    let late = |r: usize, c: usize| r >= 1400 && c >= 600 && mixed(r, c);
    let early = |r: usize, c: usize| r < 1400 || c < 600 || mixed(r, c);
    for bytes in [false, true] {
        for (kind, decided, undecided) in [
            (OpKind::Any, &mixed as &dyn Fn(usize, usize) -> bool, &late as &dyn Fn(usize, usize) -> bool),
            (OpKind::All, &mixed, &early),
        ] {
            for side in [Side::Column, Side::Row] {
                for (is_true, is_decided) in [(decided, true), (undecided, false)] {
                    let a = matrix(is_true, bytes);
                    force_little();
                    let truth = session.record(|r| r.reduce(kind, &a, side, "t.m", 1)).unwrap();
                    assert_eq!(truth.has_result(), is_decided, "{kind:?} {side:?} {bytes}");
                    let length = if side == Side::Column { shape.columns } else { shape.rows };
                    let first = if side == Side::Column { 600 } else { 1400 };
                    let expected = (0..length).map(|i| match kind {
                        OpKind::Any => is_decided || i >= first,
                        _ => !is_decided && i < first,
                    });
                    let values = session.force(&truth).unwrap();
                    assert!(
                        values.values().eq(expected.map(|t| f64::from(u8::from(t)))),
                        "{kind:?} {side:?}"
                    );
                }
            }
        }
    }
}

/// The conversion of an operand is part of the operation, however long it takes by itself.
#[test]
fn a_product_of_a_large_mask_is_computed_when_it_is_stated() {
    let session = without_engine(true);
    let v = column(&session, 20_000);
    session.force(&session.unary(OpKind::Negate, &v, "t.m", 1).unwrap()).unwrap();
    let shape = Shape { rows: 500, columns: 500 };
    let mask = Matrix::from_fn(shape, session.pool(), |r, c| u8::from((r + c) % 2 == 1)).unwrap();
    let mask = session.constant(mask, Class::Logical).unwrap();
    let product = session.binary(OpKind::Multiply, &mask, &column(&session, 500), "t.m", 2).unwrap();
    assert!(product.has_result());
    assert_eq!(session.force(&product).unwrap().value(0, 0), 62_500.0);
}

#[test]
fn products_with_transposed_operands_have_the_bits_of_the_product_of_transposes() {
    for immediate in [true, false] {
        let session = without_engine(immediate);
        for (m, k, n) in
            [(1, 300, 1), (70, 33, 1), (1, 20, 65), (31, 5, 33), (40, 1, 30), (7, 5000, 3), (203, 150, 21)]
        {
            let matrix = |rows, columns| {
                let element = |r: usize, c: usize| (1.0 + r as f64 * 0.37 - c as f64 * 0.11).sin();
                let matrix = Matrix::from_fn(Shape { rows, columns }, session.pool(), element).unwrap();
                session.constant(matrix, Class::Double).unwrap()
            };
            let turned = |a: &Value| {
                let (shape, view) = (a.shape().transposed(), View::transpose(a.shape()));
                session.record(|r| r.view(a, shape, view, "t.m", 1)).unwrap()
            };
            let (a, b) = (matrix(m, k), matrix(k, n));
            let (stored_a, stored_b) = (turned(&a), turned(&b));
            let expected =
                session.force(&session.binary(OpKind::Multiply, &a, &b, "t.m", 2).unwrap()).unwrap();
            for transposed in [[true, false], [false, true], [true, true]] {
                let operands =
                    [if transposed[0] { &stored_a } else { &a }, if transposed[1] { &stored_b } else { &b }];
                let product = session.record(|r| r.product(operands, transposed, "t.m", 3)).unwrap();
                assert!(session.force(&product).unwrap().values().eq(expected.values()), "{m} {k} {n}");
            }
        }
    }
}

/// Matrices of all shapes for which lowering cuts sides, by themselves and handed over.
#[test]
fn work_executed_at_once_has_the_bits_of_the_engine() {
    let sessions = [true, false].map(without_engine);
    for (rows, inner, columns) in [
        (1, 1, 1),
        (3, 300, 5),
        (70, 33, 1),
        (1, 500, 40),
        (97, 65, 66),
        (5, 1, 7),
        (200, 300, 16),
        (203, 150, 21),
    ] {
        let results = [0, 1].map(|which: usize| {
            let session = &sessions[which];
            let matrix = |rows, columns, precision| {
                let shape = Shape { rows, columns };
                let element = |r: usize, c: usize| (1.0 + r as f64 * 0.37 - c as f64 * 0.11).sin();
                let (matrix, class) = match precision {
                    Precision::Double => (Matrix::from_fn(shape, session.pool(), element), Class::Double),
                    _ => (Matrix::from_fn(shape, session.pool(), |r, c| element(r, c) as f32), Class::Single),
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

/// In a loop that asks for a number at each step, hardly any work is left pending for the next step.
#[test]
fn a_force_of_little_work_executes_what_else_is_pending_if_that_is_little() {
    let session = without_engine(true);
    let a = column(&session, 20_000);
    let step = |large: bool| {
        let y = session.unary(OpKind::Exp, &a, "t.m", 1).unwrap();
        let norm = session.record(|r| r.norm(&y, "t.m", 2)).unwrap();
        let beside = if large { &y } else { &norm };
        let beside = session.binary(OpKind::Divide, beside, &norm, "t.m", 3).unwrap();
        let reader = session.unary(OpKind::Exp, &beside, "t.m", 4).unwrap();
        assert!(!norm.has_result() && !beside.has_result());
        session.force(&norm).unwrap();
        (beside, reader)
    };
    // The first force does what is asked for alone: nobody knows that others will follow.
    let (first, _) = step(false);
    assert!(!first.has_result());
    drop(first);
    let (second, reader) = step(false);
    assert!(second.has_result() && reader.has_result());
    assert_eq!(session.statistics().operations_pending, 0);
    // What is more work stays pending.
    let (third, reader) = step(true);
    assert!(!third.has_result() && !reader.has_result());
    // Others' failures are not the failure of what is asked for.
    let negative = session.unary(OpKind::Negate, &column(&session, 2000), "t.m", 5).unwrap();
    drop((third, reader));
    let sum = session.record(|r| r.reduce(OpKind::Sum, &negative, Side::Column, "t.m", 6)).unwrap();
    let root = session.unary(OpKind::Sqrt, &sum, "t.m", 7).unwrap();
    let asked = session.unary(OpKind::Abs, &sum, "t.m", 8).unwrap();
    assert_eq!(session.force(&asked).unwrap().value(0, 0), 1_999_000.0);
    assert!(matches!(session.force(&root), Err(Error::Domain { .. })));
}
