//! Memory that the system refuses, at every allocation: never the end of the process, an error where it is wanted, and the
//! right bits afterwards.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod calls;
mod programs;

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pmatrix::engine::{Engine, Host};
use pmatrix::error::{Error, Result};
use pmatrix::lower::MemoryLimits;
use pmatrix::matrix::Matrix;
use pmatrix::memory::injection;
use pmatrix::operation::{Class, Form, KindSet, OpKind, Precision, Shape, Side, View};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

const SIDE: u32 = 40;

/// Each test speaks of all memory of the process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes an attempt for each of its allocations twice: this one is refused with all that follow, or alone. The attempt is told
/// the numbers of what it has to refuse, and says how many were.
fn refuse_every_allocation(name: &str, mut attempt: impl FnMut(Range<u64>) -> u64) {
    for ends_after in [u64::MAX, 1] {
        for first in 0.. {
            assert!(first < 20_000, "{name} has no end");
            if attempt(first..first.saturating_add(ends_after)) == 0 {
                break;
            }
        }
    }
}

fn operand(session: &Session) -> Value {
    let element = |r: usize, c: usize| (3 * r + 7 * c) as f64 / 16.0;
    let matrix = Matrix::from_fn(Shape { rows: SIDE, columns: SIDE }, session.pool(), element).unwrap();
    session.constant(matrix, Class::Double).unwrap()
}

/// Products, fusions, a conversion, a view, a reduction, and what nobody needs.
fn record(session: &Session, a: &Value) -> Result<Value> {
    let square = session.binary(OpKind::Multiply, a, a, "t.m", 1)?;
    let scaled =
        session.binary_scalar(OpKind::Times, Form::ScalarRight, &square, 0.5, Class::Double, "t.m", 2)?;
    drop(session.unary(OpKind::Sin, &scaled, "t.m", 3)?);
    let sum = session.binary(OpKind::Add, &session.unary(OpKind::Cos, &scaled, "t.m", 4)?, a, "t.m", 4)?;
    let shape = sum.shape();
    let turned = session.record(|r| r.view(&sum, shape, View::transpose(shape), "t.m", 5))?;
    let product = session.binary(OpKind::Multiply, &turned, &sum, "t.m", 6)?;
    let total = session.record(|r| r.reduce(OpKind::Sum, &product, Side::Column, "t.m", 7))?;
    let single = session.convert(&total, Precision::Single, "t.m", 8)?;
    session.binary(OpKind::Times, &single, &total, "t.m", 8)
}

fn bits(matrix: &Matrix) -> Vec<u64> {
    matrix.values().map(f64::to_bits).collect()
}

/// Recording and forcing with each allocation refused.
fn refuse_each(session: &Session, expected: &[u64], name: &str) {
    let a = operand(session);
    let mut failures = 0;
    refuse_every_allocation(name, |numbers| {
        injection::refuse(numbers.clone());
        let recorded = record(session, &a);
        let forced = recorded.as_ref().map_err(Error::clone).and_then(|value| session.force(value));
        let refused = injection::end();
        match &forced {
            Ok(matrix) => assert_eq!(bits(matrix), expected, "{name}, {numbers:?}"),
            Err(error) => {
                assert!(matches!(error, Error::Memory { .. }), "{name}, {numbers:?}: {error}");
                failures += 1;
            }
        }
        // What has been recorded is there still, and so is room for more.
        if let Ok(value) = &recorded {
            assert_eq!(bits(&session.force(value).unwrap()), expected, "{name}, again after {numbers:?}");
        }
        drop((recorded, forced));
        if numbers.start % 16 == 0 {
            let value = record(session, &a).unwrap();
            assert_eq!(bits(&session.force(&value).unwrap()), expected, "{name}, anew after {numbers:?}");
        }
        refused
    });
    assert!(failures > 10, "{name}: {failures} failures");
    // What had no memory to start again is started once there is some.
    assert_eq!(session.take_losses(), Vec::<String>::new(), "{name}");
}

/// A session that cannot be made says why.
fn refuse_making(options: &Options, name: &str) {
    let mut failures = 0;
    refuse_every_allocation(name, |numbers| {
        injection::refuse(numbers.clone());
        let made = Session::new(options);
        let refused = injection::end();
        if let Err(error) = made {
            assert!(matches!(error, Error::Memory { .. }), "making {name}, {numbers:?}: {error}");
            failures += 1;
        }
        refused
    });
    assert!(failures > 0 || options.engine == "reference", "{name} was made without memory");
}

/// Refuses the memory that MEUs need to start again after a failure. They start once there is memory.
fn refuse_reset(local_store: bool, expected: &[u64], name: &str) {
    let memory = MemoryLimits::default();
    let target =
        if local_store { Host::in_local_stores(2, KindSet::ALL) } else { Host::in_memory(2, memory) };
    let mut failures = 0;
    refuse_every_allocation(name, |numbers| {
        let mut host = Host::new(target, None).unwrap();
        injection::refuse(numbers.clone());
        let reset = host.reset();
        let refused = injection::end();
        failures += u32::from(reset.is_err());
        assert_eq!(host.is_incomplete(), reset.is_err(), "{name}, {numbers:?}");
        let options = Options { immediate: false, ..Options::default() };
        let session = Session::with_engine(Box::new(host), &options).unwrap();
        let value = record(&session, &operand(&session)).unwrap();
        assert_eq!(bits(&session.force(&value).unwrap()), expected, "{name}, reset after {numbers:?}");
        assert_eq!(session.take_losses(), Vec::<String>::new(), "{name}, reset after {numbers:?}");
        refused
    });
    assert!(failures > 1, "{name}: {failures} failures");
}

#[test]
fn refused_memory_is_an_error_and_loses_nothing() {
    let _alone = alone();
    let settings = [
        ("host", true, false),
        ("host", false, false),
        ("host", true, true),
        ("reference", true, false),
        ("sim", true, true),
        ("sim", false, true),
    ];
    for (engine, overlap, local_store) in settings {
        let mut options = Options { engine: engine.into(), overlap, meus: 2, ..Options::default() };
        if let Err(error) = Session::new(&options) {
            assert!(engine == "sim" && std::env::var("REQUIRE_ALL").is_err(), "{error}");
            println!("skipped: {error}");
            continue;
        }
        // No memory is kept, so that matrices ask for theirs each time.
        options.keep_bytes = 0;
        if local_store {
            options.memory = None;
        }
        let name = format!("{engine}, overlap {overlap}, local stores {local_store}");
        let session = Session::new(&options).unwrap();
        let a = operand(&session);
        let expected = bits(&session.force(&record(&session, &a).unwrap()).unwrap());
        drop(a);
        refuse_each(&session, &expected, &name);
        refuse_making(&options, &name);
        if engine == "host" {
            refuse_reset(local_store, &expected, &name);
        }
    }
}

/// Bytes of this process that are in memory.
fn resident_bytes() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn what_a_session_held_is_the_systems_when_it_is_closed() {
    let _alone = alone();
    let session = Session::new(&Options { engine: "host".into(), meus: 2, ..Options::default() }).unwrap();
    // So small that the C library takes them from its heap.
    let shape = Shape { rows: 100, columns: 100 };
    let matrix = |_| Matrix::from_fn(shape, session.pool(), |r, c| (r + c) as f64).unwrap();
    let matrices: Vec<_> = (0..500).map(matrix).collect();
    // The heap cannot simply end where they begin.
    let behind = vec![1u8; shape.rows as usize * 1000];
    let before = resident_bytes();
    drop(matrices);
    drop(session);
    let given_back = before.saturating_sub(resident_bytes());
    assert!(given_back > 30 << 20, "{given_back} of {before} bytes");
    drop(behind);
}
