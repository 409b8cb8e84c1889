//! What sessions and ranks send each other, and traces in files.

use std::io::Cursor;

use pmatrix::engine::Host;
use pmatrix::lang::display::Digits;
use pmatrix::lang::{RunOptions, Runner, parse, saved};
use pmatrix::lower::{MemoryLimits, ShardLimits};
use pmatrix::matrix::{Constructor, Matrix};
use pmatrix::operation::{Class, OpKind, Precision, Shape, Side, View};
use pmatrix::pool::Pool;
use pmatrix::session::{Options, Session};
use pmatrix::trace::{Limits, Recorder};
use pmatrix::wire::configuration::Configuration;
use pmatrix::wire::message::{Fault, Reply, Request};
use pmatrix::wire::saved::Saved;
use pmatrix::wire::trace;

use super::fuzz;

/// A trace with operations of all forms, as bytes.
fn recorded() -> Vec<u8> {
    let pool = Pool::new(0, false);
    let recorder = Recorder::new(Limits::default(), pool.clone());
    let shape = Shape { rows: 4, columns: 3 };
    let a =
        recorder.constant(Matrix::zeros(shape, Precision::Double, &pool).unwrap(), Class::Double).unwrap();
    let turned = recorder.view(&a, shape.transposed(), View::transpose(shape), "", 0).unwrap().value;
    let product = recorder.binary(OpKind::Multiply, &turned, &a, "", 0).unwrap().value;
    let single = recorder.convert(&product, Precision::Single, "", 0).unwrap().value;
    let sum = recorder.reduce(OpKind::Sum, &single, Side::Row, "", 0).unwrap().value;
    let sealed = recorder.seal_all().unwrap();
    let numbers: Vec<_> = (1..=sealed.operations.len() as u64).collect();
    let bytes = trace::encode(&sealed, &numbers[..sealed.constants.len()], &numbers);
    drop(sum);
    bytes
}

#[test]
fn traces_that_ranks_get() {
    fuzz(17, &[recorded()], |bytes| {
        let Ok(read) = trace::decode(bytes) else { return false };
        // What is accepted comes back as it was, and operations read what comes before them.
        let again = trace::encode(&read.trace, &read.constants, &read.results);
        let read_again = trace::decode(&again).unwrap();
        assert_eq!(trace::encode(&read_again.trace, &read_again.constants, &read_again.results), again);
        _ = (read.trace.work(), read.trace.graph_size());
        true
    });
}

#[test]
fn messages() {
    let configuration =
        Configuration::of_kernels(&Host::in_memory(2, MemoryLimits::default()), ShardLimits::USUAL);
    let shape = Shape { rows: 2, columns: 1 };
    let value = Request::Value { number: 7, shape, precision: Precision::Byte, elements: vec![1, 0] };
    let constructor = Constructor::Rand(5);
    let requests = [
        Request::Configure(Box::new(configuration.unwrap())),
        value,
        Request::Construct { number: 8, shape, precision: Precision::Single, constructor },
        Request::Release(vec![1, 2]),
        Request::Fetch(3),
    ];
    let fault = Some(Fault { operation: 3, is_domain: true, what: "negative".into() });
    let replies = [
        Reply::hello(2, 1),
        Reply::Done {
            trace: 1,
            fault,
            small: vec![(1, vec![0; 8])],
            sent_bytes: 5,
            operations: 3,
            insert_ns: 4,
            meus_lost: 1,
            losses: vec!["lost".into()],
        },
        Reply::Elements { number: 1, elements: vec![5; 16] },
        Reply::Failed("no memory".into()),
    ];
    let mut good = Vec::new();
    for request in &requests {
        let mut bytes = Vec::new();
        request.send(&mut bytes).unwrap();
        good.push(bytes);
    }
    for reply in &replies {
        let mut bytes = Vec::new();
        reply.send(&mut bytes).unwrap();
        good.push(bytes);
    }
    fuzz(19, &good, |bytes| {
        let request = Request::receive(&mut Cursor::new(bytes));
        let reply = Reply::receive(&mut Cursor::new(bytes));
        let accepts = request.is_ok() || reply.is_ok();
        if let Ok(request) = request {
            let mut again = Vec::new();
            request.send(&mut again).unwrap();
            assert_eq!(Request::receive(&mut Cursor::new(again)).unwrap(), request);
        }
        if let Ok(reply) = reply {
            let mut again = Vec::new();
            reply.send(&mut again).unwrap();
            assert_eq!(Reply::receive(&mut Cursor::new(again)).unwrap(), reply);
        }
        accepts
    });
}

/// A saved trace with values and texts.
fn saved() -> Vec<u8> {
    let session = Session::new(&small()).unwrap();
    let source = "a = rand(4, 3, 1); b = [1 0; 0 2] > 0; c = 5, print(\"text\", a' * a, vertcat(b, b), sum(b), a(2:3, 2))";
    let options = RunOptions { record_only: true, ..RunOptions::default() };
    let mut out = std::io::sink();
    let mut runner = Runner::new(&session, options, &mut out);
    runner.note_stated();
    runner.run(&parse(source.as_bytes(), "").unwrap(), |_| {}).unwrap();
    let trace = session.take_trace().unwrap();
    saved::save(trace, runner.take_stated(), false).unwrap().encode()
}

/// Options of a session that executes in the calling thread.
fn small() -> Options {
    Options { meus: 1, overlap: false, immediate: false, ..Options::default() }
}

#[test]
fn saved_traces() {
    let session = Session::new(&small()).unwrap();
    let (mut accepted, mut executed) = (0, 0);
    fuzz(23, &[saved()], |bytes| {
        let Ok(read) = Saved::decode(bytes) else { return false };
        accepted += 1;
        let again = Saved::decode(&read.encode()).unwrap();
        assert_eq!((again.given, again.shown), (read.given.clone(), read.shown.clone()));
        // What it says may be wrong, or take all memory; the first is an error, and the second is left out here.
        let shapes = read.trace.trace.operations.iter().map(|operation| operation.shape);
        let shapes = shapes.chain(read.given.iter().map(|given| given.shape));
        let are_small = shapes.map(|shape| shape.elements()).all(|elements| elements < 10_000);
        if are_small && accepted % 8 == 1 {
            let outcome = saved::run(&read, &session, "file", Digits::Short, &mut std::io::sink(), |_| {});
            executed += u32::from(outcome.is_ok());
        }
        true
    });
    assert!(executed > 0, "none of {accepted} was executed");
}
