#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod demand;
mod immediate;
#[cfg(feature = "models")]
mod models;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{Options, Session};
use crate::engine::{Command, Engine, Fault, Host};
use crate::error::{Error, Result};
use crate::lower::{MemoryLimits, Target};
use crate::matrix::Matrix;
use crate::operation::{Class, Form, OpKind, Shape, Side, View};
use crate::trace::{Limits, Progress, Recorder, Value};

/// The host engine behind a gate, which limits how many block operations it takes.
#[derive(Debug)]
struct Gated {
    host: Host,
    allowed: Arc<AtomicUsize>,
}

impl Engine for Gated {
    fn name(&self) -> &'static str {
        "gated"
    }

    fn target(&self) -> &Target {
        self.host.target()
    }

    fn room(&mut self, meu: usize) -> usize {
        self.host.room(meu).min(self.allowed.load(Ordering::Relaxed))
    }

    fn offer(&mut self, meu: usize, command: &Command<'_>) {
        self.allowed.fetch_sub(1, Ordering::Relaxed);
        self.host.offer(meu, command);
    }

    fn completed(&mut self, meu: usize) -> std::result::Result<u64, Fault> {
        self.host.completed(meu)
    }

    fn wait(&mut self, timeout: Duration) {
        self.host.wait(timeout.min(Duration::from_millis(1)));
    }

    fn stop(&mut self) -> bool {
        self.host.stop()
    }

    fn start(&mut self) -> Result<()> {
        self.host.start()
    }
}

/// Rows and columns of the matrices in chains.
const SIDE: u32 = 96;

/// A chain of products, each of which equals the first matrix.
fn chain(session: &Session, products: usize) -> (Value, Value) {
    let shape = Shape { rows: SIDE, columns: SIDE };
    let identity = Matrix::from_fn(shape, session.pool(), |r, c| f64::from(u8::from(r == c))).unwrap();
    let a = session.constant(identity, Class::Double).unwrap();
    let mut product = a.clone();
    for _ in 0..products {
        product = session.binary(OpKind::Multiply, &product, &a, "chain.m", 7).unwrap();
    }
    (a, product)
}

#[test]
fn a_cancelled_force_can_be_repeated() {
    let allowed = Arc::new(AtomicUsize::new(3));
    let host = Host::new(Host::in_memory(2, MemoryLimits::default()), None).unwrap();
    let engine = Box::new(Gated { host, allowed: Arc::clone(&allowed) });
    let session = Session::with_engine(engine, &Options { immediate: false, ..Options::default() }).unwrap();
    let (a, product) = chain(&session, 40);
    // The gate stops the force in the midst of the chain.
    while session.headway().block_operations_executed < 3 {
        assert!(!session.wait(&product, Some(Instant::now() + Duration::from_millis(1))).unwrap());
    }
    session.cancel().unwrap();
    allowed.store(usize::MAX, Ordering::Relaxed);
    let below = session.below(&product);
    assert_eq!((below.operations, below.site.line), (40, 7));
    drop(product);
    let before = session.headway().work_executed;
    let (_, short) = chain(&session, 1);
    assert_eq!(session.force(&short).unwrap().value(5, 5), 1.0);
    // Nothing of the chain is executed any more.
    assert_eq!(session.headway().work_executed - before, u64::from(SIDE).pow(3));
    drop(short);
    let next = session.binary(OpKind::Add, &a, &a, "chain.m", 8).unwrap();
    assert_eq!(session.force(&next).unwrap().value(5, 5), 2.0);
    assert_eq!(session.below(&next).operations, 0);

    allowed.store(0, Ordering::Relaxed);
    let (_, product) = chain(&session, 3);
    assert!(!session.wait(&product, Some(Instant::now())).unwrap());
    session.cancel().unwrap();
    allowed.store(usize::MAX, Ordering::Relaxed);
    assert_eq!(session.force(&product).unwrap().value(7, 7), 1.0);
}

#[test]
fn nothing_to_cancel() {
    let session = Session::new(&Options { overlap: false, ..Options::default() }).unwrap();
    session.cancel().unwrap();
    let (_, product) = chain(&session, 1);
    session.cancel().unwrap();
    assert_eq!(session.force(&product).unwrap().value(7, 7), 1.0);
}

/// However many results a program makes, results in the stages stay within the limit, and so do results that
/// wait to be sealed.
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

/// The work executed equals the work recorded, whatever it was lowered to.
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

/// Sizes of lowered graphs are known as soon as a value is, with overlap and without.
#[test]
fn graphs_are_counted_whenever_they_are_executed() {
    let sizes = |overlap| {
        let options = Options { overlap, meus: 2, immediate: false, ..Options::default() };
        let session = Session::new(&options).unwrap();
        let (_held, product) = chain(&session, 3);
        session.force(&product).unwrap();
        let counts = session.statistics();
        assert!(counts.block_nodes > counts.block_operations, "{counts:?}");
        (counts.block_nodes, counts.block_edges)
    };
    assert_eq!(sizes(true), sizes(false));
}

fn every_kind_of_session() -> Vec<Session> {
    let mut sessions = Vec::new();
    for engine in ["host", "reference"] {
        for overlap in [true, false] {
            for memory in [Options::default().memory, None] {
                let engine = engine.to_owned();
                sessions
                    .push(Session::new(&Options { engine, overlap, memory, ..Options::default() }).unwrap());
            }
        }
    }
    sessions
}

fn column(session: &Session, rows: u32) -> Value {
    let shape = Shape { rows, columns: 1 };
    session
        .constant(Matrix::from_fn(shape, session.pool(), |r, _| f64::from(r as u32)).unwrap(), Class::Double)
        .unwrap()
}

/// Operations for which no machine has the memory, each with an operation that only reads its result.
fn too_large(session: &Session, v: &Value) -> Vec<(Value, Value)> {
    let row = session.record(|r| r.view(v, Shape { rows: 1, columns: 1 << 20 }, View::reshape(1), "t.m", 2));
    let row = row.unwrap();
    let binary = |kind, a: &Value, b: &Value| session.binary(kind, a, b, "t.m", 3).unwrap();
    let mut pairs = Vec::new();
    // A product, a fusion's broadcast, a repetition, a diagonal matrix, and what is handed on in panels.
    let product = binary(OpKind::Multiply, v, &row);
    let broadcast = session.unary(OpKind::Negate, &binary(OpKind::Add, v, &row), "t.m", 3).unwrap();
    let repeated = session.record(|r| r.repeat(v, (1, 1 << 24), "t.m", 3)).unwrap();
    let diagonal = session.record(|r| r.diagonal(v, 0, "t.m", 3)).unwrap();
    let joined = session.record(|r| r.join(&repeated, &repeated, Side::Row, "t.m", 3)).unwrap();
    for value in [product, broadcast, repeated, diagonal, joined] {
        let dependant = session.unary(OpKind::Abs, &value, "t.m", 4).unwrap();
        pairs.push((value, dependant));
    }
    pairs
}

fn is_memory(error: &Error) -> bool {
    matches!(error, Error::Memory { purpose, .. } if purpose.contains("t.m:"))
}

#[test]
fn a_result_that_is_too_large_fails_when_it_is_needed_and_nothing_else_does() {
    for session in every_kind_of_session() {
        let v = column(&session, 1 << 20);
        let before = session.binary(OpKind::Add, &v, &v, "t.m", 1).unwrap();
        let pairs = too_large(&session, &v);
        let after = session.binary(OpKind::Subtract, &before, &v, "t.m", 5).unwrap();
        assert_eq!(session.force(&after).unwrap().value(7, 0), 7.0, "{}", session.engine_name());
        assert!(before.has_result());
        for (value, dependant) in &pairs {
            for _ in 0..2 {
                assert!(is_memory(&session.force(dependant).unwrap_err()));
                assert!(is_memory(&session.force(value).unwrap_err()));
            }
            assert!(!value.has_result() && session.below(dependant).operations >= 2);
        }
        // An operation that reads one of them later fails with it; all other operations are computed.
        let later = session.unary(OpKind::Sin, &pairs[0].0, "t.m", 6).unwrap();
        let good = session.binary(OpKind::Times, &after, &v, "t.m", 6).unwrap();
        assert_eq!(session.force(&good).unwrap().value(3, 0), 9.0);
        assert!(is_memory(&session.force(&later).unwrap_err()));
        drop((pairs, later));
        assert_eq!(session.statistics().operations_pending, 0);
        let last = session.binary(OpKind::Add, &good, &v, "t.m", 7).unwrap();
        assert_eq!(session.force(&last).unwrap().value(3, 0), 12.0);
    }
}

#[test]
fn a_trace_whose_results_cannot_be_had_fails_before_anything_is_executed() {
    for engine in ["host", "reference"] {
        for overlap in [true, false] {
            let engine = engine.to_owned();
            // A limit would execute what is small first.
            let limits = Limits { bytes: u64::MAX, ..Limits::default() };
            let options = Options { engine, overlap, limits, immediate: false, ..Options::default() };
            let session = Session::new(&options).unwrap();
            let v = column(&session, 1 << 20);
            let view =
                |r: &Recorder| r.view(&v, Shape { rows: 1, columns: 1 << 20 }, View::reshape(1), "t.m", 2);
            let row = session.record(view).unwrap();
            let small = session.binary(OpKind::Add, &v, &v, "t.m", 1).unwrap();
            let large = session.binary(OpKind::Multiply, &small, &row, "t.m", 3).unwrap();
            let negated = session.unary(OpKind::Negate, &large, "t.m", 4).unwrap();
            let error = session.force(&negated).unwrap_err();
            let text = error.to_string();
            assert!(is_memory(&error) && text.contains("recorded at t.m:3 and"), "{text}");
            assert!(text.contains("max_bytes (PMATRIX_MAX_BYTES)"), "{text}");
            assert_eq!(session.headway().work_executed, 0);
            assert_eq!(session.force(&small).unwrap().value(3, 0), 6.0);
        }
    }
}

#[test]
fn a_limit_that_executes_what_is_too_large_loses_nothing() {
    for overlap in [true, false] {
        let limits = Limits { operations: 3, ..Limits::default() };
        let session = Session::new(&Options { limits, overlap, ..Options::default() }).unwrap();
        let v = column(&session, 1 << 20);
        let pairs = too_large(&session, &v);
        let mut sum = v.clone();
        for line in 0..20 {
            sum = session.binary(OpKind::Add, &sum, &v, "t.m", line).unwrap();
        }
        assert_eq!(session.force(&sum).unwrap().value(2, 0), 42.0);
        for (_, dependant) in &pairs {
            assert!(is_memory(&session.force(dependant).unwrap_err()));
        }
        assert_eq!(session.force(&v).unwrap().value(2, 0), 2.0);
    }
}

/// A complex result is found first. Its operand is computed only afterwards, and no handle holds the operand.
#[test]
fn operands_of_a_failed_operation_are_there_for_who_computes_it_otherwise() {
    for session in every_kind_of_session() {
        let v = column(&session, 100);
        let root = {
            let difference =
                session.binary_scalar(OpKind::Subtract, Form::ScalarLeft, &v, 50.0, Class::Double, "t.m", 1);
            session.unary(OpKind::Sqrt, &difference.unwrap(), "t.m", 1).unwrap()
        };
        let other = session.binary(OpKind::Add, &v, &v, "t.m", 2).unwrap();
        assert_eq!(session.force(&other).unwrap().value(4, 0), 8.0);
        assert!(matches!(session.force(&root), Err(Error::Domain { .. })));
        assert_eq!(session.force(&other).unwrap().value(4, 0), 8.0);
        let next = session.binary(OpKind::Add, &other, &v, "t.m", 3).unwrap();
        assert_eq!(session.force(&next).unwrap().value(4, 0), 12.0);
        let operand = root.recorded().unwrap().operands[0].clone().unwrap();
        assert_eq!(session.force(&operand).unwrap().value(60, 0), -10.0);
    }
}

/// A force returns by its deadline even when traces in flight leave no room for the value.
#[test]
fn a_wait_for_room_ends_at_the_deadline() {
    let bytes = 3 * 8 * 1000 + 1;
    let limits = Limits { bytes, ..Limits::default() };
    let session = Session::new(&Options { limits, immediate: false, ..Options::default() }).unwrap();
    let a = column(&session, 1000);
    let sum = session.binary(OpKind::Add, &a, &a, "t.m", 1).unwrap();
    let gate = session.core.executor.lock().unwrap();
    // In flight, and held there by the gate; the next trace has no room beside it.
    session.flush().unwrap();
    let next = session.binary(OpKind::Add, &sum, &a, "t.m", 2).unwrap();
    assert!(!session.wait(&next, Some(Instant::now())).unwrap());
    assert_eq!(next.progress(), Progress::Pending);
    drop(gate);
    assert_eq!(session.force(&next).unwrap().value(3, 0), 9.0);
}
