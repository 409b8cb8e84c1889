use std::io::Cursor;
use std::sync::Arc;

use super::configuration::{Configuration, RankEngine};
use super::message::{Fault, Reply, Request};
use super::{elements, trace};
use crate::engine::sabotage::{Manner, Sabotage};
use crate::engine::{self, Choice, Host};
use crate::lower::{MemoryLimits, ShardLimits, Target};
use crate::matrix::{Constructor, Matrix};
use crate::operation::{Class, Form, KindSet, OpKind, Precision, Shape, Side, View};
use crate::pool::Pool;
use crate::trace::{Limits, Recorder, Trace, Value};
use spe_kernels::Processor;

fn recorded() -> (Trace, Vec<Value>) {
    let pool = Pool::new(0, false);
    let recorder = Recorder::new(Limits::default(), pool.clone());
    let shape = Shape { rows: 6, columns: 4 };
    let a = Matrix::from_fn(shape, &pool, |r, c| (r + 10 * c) as f64).unwrap();
    let a = recorder.constant(a, Class::Double).unwrap();
    let turned = recorder.view(&a, shape.transposed(), View::transpose(shape), "f.m", 3).unwrap().value;
    let product = recorder.binary(OpKind::Multiply, &turned, &a, "f.m", 4).unwrap().value;
    let scaled =
        recorder.binary_scalar(OpKind::Divide, Form::ScalarLeft, &product, -0.0, Class::Single, "f.m", 5);
    let scaled = scaled.unwrap().value;
    let less = recorder.binary(OpKind::Less, &scaled, &scaled, "f.m", 6).unwrap().value;
    let sum = recorder.reduce(OpKind::Sum, &less, Side::Row, "f.m", 7).unwrap().value;
    let held = vec![product, sum];
    drop((turned, scaled, less));
    (recorder.seal_all().unwrap(), held)
}

/// An engine with MEUs in local stores, all of whose choices differ from the usual.
fn rank_engine() -> RankEngine {
    let sabotage = Some(Sabotage { meu: Some(1), step: 7, manner: Manner::Hang });
    let choice = Choice {
        meus: 6,
        cells: 2,
        kinds: KindSet::PAPER,
        memory: Some(MemoryLimits::default()),
        chaos: Some(5),
        processor: Processor::CellBe,
        timing: true,
        ppe_factor: 1.0,
        compute: false,
        sabotage,
    };
    RankEngine::new("sim", &choice)
}

fn engine_target() -> Target {
    engine::target("sim", &rank_engine().choice).unwrap()
}

fn encoded(recorded: &Trace) -> Vec<u8> {
    let constants: Vec<_> = (0..recorded.constants.len() as u64).map(|index| 100 + index).collect();
    let results: Vec<_> = recorded
        .operations
        .iter()
        .zip(1..)
        .map(|(o, number)| if o.keep.is_some() { number } else { 0 })
        .collect();
    trace::encode(recorded, &constants, &results)
}

#[test]
fn a_trace_comes_back_as_it_was() {
    let (before, _held) = recorded();
    let bytes = encoded(&before);
    let trace::Numbered { trace: after, constants, results } = trace::decode(&bytes).unwrap();
    assert_eq!((after.id, constants.len()), (before.id, before.constants.len()));
    assert!(constants.iter().eq(&[100]));
    assert_eq!(after.operations.len(), before.operations.len());
    for ((found, expected), number) in after.operations.iter().zip(&before.operations).zip(results) {
        let what = |o: &crate::trace::TraceOperation| {
            (o.kind, o.form, o.precision, o.class, o.shape, o.operands, o.scalar.to_bits(), o.parameters())
        };
        assert_eq!(what(found), what(expected));
        assert_eq!((found.keep.is_some(), number != 0), (expected.keep.is_some(), expected.keep.is_some()));
    }
    assert_eq!(encoded(&after), bytes);
}

#[test]
fn damaged_traces_are_errors() {
    let (before, _held) = recorded();
    let bytes = encoded(&before);
    for length in 0..bytes.len() {
        let error = trace::decode(&bytes[..length]).unwrap_err().to_string();
        assert!(error.starts_with("a trace is damaged: "), "{error}");
    }
    for at in 0..bytes.len() {
        for value in [0, 1, 3, 0x7f, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            // Any outcome but a panic, and memory for what is there alone.
            if let Ok(found) = trace::decode(&changed) {
                assert!(found.trace.operations.len() <= before.operations.len());
            }
        }
    }
    let longer = [bytes, vec![0]].concat();
    assert_eq!(trace::decode(&longer).unwrap_err().to_string(), "a trace is damaged: 1 bytes too many");
    let other = trace::decode(&[9, 0, 0, 0]).unwrap_err().to_string();
    assert_eq!(other, "a trace is damaged: it has version 9, and this program has version 4");
}

#[test]
fn elements_come_back_with_their_bits() {
    let pool = Pool::new(0, true);
    for precision in [Precision::Single, Precision::Double, Precision::Byte] {
        for (rows, columns) in [(1, 1), (1, 7), (7, 1), (5, 3), (0, 4), (16, 2)] {
            let shape = Shape { rows, columns };
            let value = |r: usize, c: usize| (r as f64 + 1.0) / (c as f64 - 2.0);
            let before = match precision {
                Precision::Single => Matrix::from_fn(shape, &pool, |r, c| value(r, c) as f32),
                Precision::Double => Matrix::from_fn(shape, &pool, value),
                Precision::Byte => Matrix::from_fn(shape, &pool, |r, c| ((r + c) % 2) as u8),
            };
            let before = before.unwrap();
            let bytes = elements::encode(&before);
            let after = elements::decode(shape, precision, &bytes, &pool).unwrap();
            assert!(after.values().map(f64::to_bits).eq(before.values().map(f64::to_bits)));
            assert!(elements::decode(shape, precision, &[bytes, vec![1]].concat(), &pool).is_err());
        }
    }
}

#[test]
fn messages_come_back_and_damaged_ones_are_errors() {
    let target = Host::in_memory(3, MemoryLimits::default());
    let configuration = Configuration::of_kernels(&target, ShardLimits::USUAL).unwrap();
    let on_shards = configuration.target().unwrap();
    assert_eq!(on_shards.blocks, target.blocks);
    assert_eq!(Configuration::of_kernels(&on_shards, ShardLimits::USUAL), Some(configuration));
    let with_engine = Configuration::of(&engine_target(), ShardLimits::USUAL, rank_engine()).unwrap();
    let shape = Shape { rows: 2, columns: 1 };
    let precision = Precision::Single;
    let constructed = |constructor| Request::Construct { number: 8, shape, precision, constructor };
    let requests = [
        Request::Configure(Box::new(configuration)),
        Request::Configure(Box::new(with_engine)),
        Request::Value { number: 7, shape, precision: Precision::Byte, elements: vec![1, 0] },
        constructed(Constructor::Eye),
        constructed(Constructor::Range(-0.5)),
        constructed(Constructor::Rand(u32::MAX)),
        Request::Trace(vec![1, 2, 3]),
        Request::Release(vec![1, u64::MAX]),
        Request::Fetch(9),
        Request::Stop,
    ];
    let fault = Fault { operation: 3, is_domain: true, what: "a negative number".into() };
    let replies = [
        Reply::hello(4, 2),
        Reply::Done {
            trace: 5,
            fault: None,
            small: vec![(1, vec![0; 8]), (2, Vec::new())],
            sent_bytes: 99,
            operations: 7,
            insert_ns: 8,
            meus_lost: 2,
            losses: vec!["MEU 0 is lost".into(), String::new()],
        },
        Reply::Done {
            trace: 5,
            fault: Some(fault),
            small: Vec::new(),
            sent_bytes: 0,
            operations: 0,
            insert_ns: 0,
            meus_lost: 0,
            losses: Vec::new(),
        },
        Reply::Elements { number: 1, elements: vec![5; 16] },
        Reply::Failed("no memory".into()),
    ];
    let mut sent = Vec::new();
    for request in &requests {
        let mut bytes = Vec::new();
        request.send(&mut bytes).unwrap();
        assert_eq!(&Request::receive(&mut Cursor::new(&bytes)).unwrap(), request);
        sent.push(bytes);
    }
    for reply in &replies {
        let mut bytes = Vec::new();
        reply.send(&mut bytes).unwrap();
        assert_eq!(&Reply::receive(&mut Cursor::new(&bytes)).unwrap(), reply);
        sent.push(bytes);
    }
    for bytes in &sent {
        for length in 0..bytes.len() {
            assert!(Request::receive(&mut Cursor::new(&bytes[..length])).is_err());
            assert!(Reply::receive(&mut Cursor::new(&bytes[..length])).is_err());
        }
        let at = |at: usize, value: u8| {
            let mut changed = bytes.clone();
            changed[at] = value;
            changed
        };
        for changed in (0..bytes.len()).flat_map(|index| [at(index, 0xff), at(index, 6)]) {
            // Any outcome but a panic.
            _ = (Request::receive(&mut Cursor::new(&changed)), Reply::receive(&mut Cursor::new(&changed)));
        }
    }
}

#[test]
fn values_elsewhere_are_fetched_once() {
    #[derive(Debug)]
    struct Counted(Arc<std::sync::atomic::AtomicU32>);
    impl crate::matrix::Home for Counted {
        fn fetch(&self, _: &dyn Fn() -> bool) -> crate::error::Result<Matrix> {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Matrix::from_fn(Shape { rows: 1, columns: 3 }, &Pool::new(0, false), |_, c| c as f64)
        }
    }
    let count = Arc::default();
    let layout = crate::matrix::Layout::Touching;
    let matrix = Matrix::elsewhere(Shape { rows: 1, columns: 3 }, Precision::Double, layout);
    assert!(!matrix.is_here() && matrix.bring(&|| false).is_err());
    matrix.settle(|| Box::new(Counted(Arc::clone(&count))));
    matrix.publish();
    for _ in 0..2 {
        matrix.bring(&|| false).unwrap();
        assert!(matrix.is_here() && matrix.values().eq([0.0, 1.0, 2.0]));
    }
    assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), 1);
}
