//! Models of a session: the interleavings of the program's thread and the three stages, joined by channels, the
//! room for results, and the list of traces in flight (`sync.rs` says how).
//!
//! Nothing is computed: the engine has no threads, because loom has five at most. The program's thread, the model's
//! first thread and three stages are five.

use std::time::Duration;

use super::super::{Options, Session};
use crate::error::Error;
use crate::matrix::Matrix;
use crate::operation::{Class, OpKind, Shape};
use crate::sync::{check, thread};
use crate::trace::{Limits, Value};

fn options() -> Options {
    let patience = Duration::from_secs(3600);
    Options { engine: "null".into(), meus: 1, immediate: false, patience, ..Options::default() }
}

/// A value that takes so many operations.
fn sum(session: &Session, operations: usize) -> Value {
    let one = Matrix::from_fn(Shape { rows: 1, columns: 1 }, session.pool(), |_, _| 1.0).unwrap();
    let one = session.constant(one, Class::Double).unwrap();
    let mut sum = one.clone();
    for _ in 0..operations {
        sum = session.binary(OpKind::Add, &sum, &one, "model.m", 1).unwrap();
    }
    sum
}

/// The value is waited for, and is what the engine left in memory.
fn wait(session: &Session, value: &Value) {
    let Err(Error::Engine { what, .. }) = session.wait(value, None) else { panic!("it is computed") };
    assert!(what.contains("computes no values"), "{what}");
}

#[test]
fn a_force_ends_and_a_session_closes() {
    check("force", 2, || {
        let session = Session::new(&options()).unwrap();
        let value = sum(&session, 1);
        wait(&session, &value);
    });
}

#[test]
fn a_session_closes_while_its_stages_work() {
    check("close", 2, || {
        let session = Session::new(&options()).unwrap();
        let value = sum(&session, 1);
        session.flush().unwrap();
        drop(session);
        assert!(value.has_result());
    });
}

#[test]
fn what_was_given_up_can_be_forced() {
    check("cancel", 2, || {
        let session = Session::new(&options()).unwrap();
        let value = sum(&session, 1);
        session.flush().unwrap();
        session.cancel().unwrap();
        wait(&session, &value);
    });
}

/// A limit seals a trace for each operation, and there is room for one trace at a time.
#[test]
fn a_program_waits_for_room_and_goes_on() {
    check("room for traces", 1, || {
        let limits = Limits { operations: 1, bytes: 1, ..Limits::default() };
        let session = Session::new(&Options { limits, ..options() }).unwrap();
        let value = sum(&session, 2);
        wait(&session, &value);
    });
}

/// Each block operation is a chunk, and there is room for the results of one chunk at a time.
#[test]
fn lowering_waits_for_room_and_goes_on() {
    check("room for chunks", 1, || {
        // Neither of the two sums reaches the limit; the room is half of it.
        let limits = Limits { bytes: 40, ..Limits::default() };
        let options = Options { limits, chunk_operations: 1, steps: 1, ..options() };
        let session = Session::new(&options).unwrap();
        let value = sum(&session, 2);
        wait(&session, &value);
    });
}

/// Without overlap the threads that force run the stages.
#[test]
fn two_threads_force_one_value() {
    check("two threads", 3, || {
        let session = Session::new(&Options { overlap: false, ..options() }).unwrap();
        let session = std::sync::Arc::new(session);
        let value = sum(&session, 1);
        let (second, same) = (std::sync::Arc::clone(&session), value.clone());
        let second = thread::Builder::new().stack_size(1 << 20).spawn(move || wait(&second, &same));
        wait(&session, &value);
        second.unwrap().join().unwrap();
    });
}
