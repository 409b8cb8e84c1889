use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::engine::Null;
use crate::lower::{BlockLimits, ChunkLimits, Lowering};
use crate::matrix::Matrix;
use crate::operation::{Class, OpKind, Precision, Shape};
use crate::schedule::{Elements, estimate, schedulers};
use crate::time::TimeModel;
use crate::trace::{Limits, Recorder, Value};

/// An engine that computes nothing, checks the rules of execution control, and misbehaves as told.
#[derive(Debug)]
struct Scripted {
    limits: BlockLimits,
    offered: Vec<u64>,
    completed: Vec<u64>,
    /// Rounds that pass before an MEU completes anything.
    delay: u32,
    round: u32,
    random: u64,
    fail_at: Option<(usize, u64, bool)>,
    hang_at: Option<(usize, u64)>,
    resets: u32,
    /// Results that are in main memory, and those of operations under way: (MEU, number, address).
    written: std::collections::HashSet<u64>,
    under_way: Vec<VecDeque<u64>>,
    read: Vec<(u64, bool)>,
}

impl Scripted {
    fn new(meus: usize, seed: u64) -> Scripted {
        Scripted {
            limits: BlockLimits {
                meus,
                block_elements: [64, 64],
                divisor: [4, 2],
                chain: 1,
                stretch: false,
                product: None,
            },
            offered: vec![0; meus],
            completed: vec![0; meus],
            delay: 0,
            round: 0,
            random: seed,
            fail_at: None,
            hang_at: None,
            resets: 0,
            written: Default::default(),
            under_way: vec![VecDeque::new(); meus],
            read: Vec::new(),
        }
    }

    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.random >> 33
    }
}

impl Engine for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn limits(&self) -> BlockLimits {
        self.limits
    }

    fn room(&mut self, meu: usize) -> usize {
        QUEUE_DEPTH - (self.offered[meu] - self.completed[meu]).min(QUEUE_DEPTH as u64) as usize
    }

    fn offer(&mut self, meu: usize, command: &Command) {
        assert!(self.room(meu) > 0, "a full mailbox was written");
        for operand in command.operands.into_iter().flatten() {
            let under_way = self.under_way.iter().flatten().any(|&ea| ea == operand.ea);
            assert!(!under_way, "an operand was offered before it was acknowledged");
            self.read.push((operand.ea, self.written.contains(&operand.ea)));
        }
        self.offered[meu] += 1;
        self.under_way[meu].push_back(command.result.ea);
    }

    fn completed(&mut self, meu: usize) -> Result<u64, Fault> {
        self.round += 1;
        if let Some((failing, operation, domain)) = self.fail_at
            && meu == failing
            && self.offered[meu] > operation
        {
            return Err(Fault {
                operation: Some(operation),
                step: 0,
                domain,
                what: "a scripted fault".into(),
            });
        }
        let hangs =
            self.hang_at.is_some_and(|(hanging, number)| hanging == meu && self.completed[meu] == number);
        if self.round > self.delay
            && !hangs
            && self.offered[meu] > self.completed[meu]
            && self.random().is_multiple_of(3)
        {
            self.completed[meu] += 1;
            let ea = self.under_way[meu].pop_front().unwrap();
            self.written.insert(ea);
        }
        Ok(self.completed[meu])
    }

    fn wait(&mut self, timeout: Duration) {
        std::thread::sleep(timeout.min(Duration::from_micros(10)));
    }

    fn reset(&mut self) -> Result<()> {
        self.resets += 1;
        self.offered.fill(0);
        self.completed.fill(0);
        Ok(())
    }
}

fn power(pool: &Pool, limits: BlockLimits) -> (LoweredGraph, Value) {
    let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
    let recorder = Recorder::new(unlimited, pool.clone());
    let shape = Shape { rows: 30, columns: 30 };
    let a = recorder.constant(Matrix::zeros(shape, Precision::Double, pool).unwrap(), Class::Double).unwrap();
    let mut b = a.clone();
    for _ in 0..3 {
        b = recorder.binary(OpKind::Multiply, &b, &a, "p.m", 3).unwrap().value;
        b = recorder.binary(OpKind::Add, &b, &b, "p.m", 4).unwrap().value;
    }
    let trace = Arc::new(recorder.seal().unwrap());
    (Lowering::new(trace, limits, pool, ChunkLimits::WHOLE).next_chunk().unwrap().unwrap(), b)
}

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn any_engine_and_any_schedule_finish_with_all_temporaries_freed() {
    let pool = Pool::new(0, true);
    let model = TimeModel::built_in().unwrap();
    for scheduler in schedulers() {
        for meus in [1, 2, 3, 8, 16] {
            for seed in 0..5 {
                let mut engine = Scripted::new(meus, seed);
                engine.delay = 10 * seed as u32;
                let (graph, _value) = power(&pool, engine.limits);
                let elements = Elements::meus(meus);
                let times = estimate(&graph, &model, elements);
                let schedule = scheduler.schedule(&graph, &times, elements);
                let before = pool.used_bytes().0;
                execute(&graph, &schedule, &mut engine, &pool, PATIENCE).unwrap();
                assert_eq!(pool.used_bytes().0, before, "temporaries are given back");
                assert_eq!(engine.completed.iter().sum::<u64>(), graph.len() as u64);
                // The same engine goes on with the next graph.
                execute(&graph, &schedule, &mut engine, &pool, PATIENCE).unwrap();
                let mut null = Null::new(engine.limits);
                execute(&graph, &schedule, &mut null, &pool, PATIENCE).unwrap();
            }
        }
    }
}

#[test]
fn faults_name_the_meu_and_the_operation_and_reset_the_engine() {
    let pool = Pool::new(0, true);
    let model = TimeModel::built_in().unwrap();
    for domain in [false, true] {
        let mut engine = Scripted::new(2, 1);
        engine.fail_at = Some((1, 2, domain));
        let (graph, _value) = power(&pool, engine.limits);
        let elements = Elements::meus(2);
        let schedule = schedulers()[0].schedule(&graph, &estimate(&graph, &model, elements), elements);
        let before = pool.used_bytes().0;
        let failure = execute(&graph, &schedule, &mut engine, &pool, PATIENCE).unwrap_err();
        let text = failure.error.to_string();
        assert!(text.contains("multiply with a 30x30 result, recorded at p.m:3"), "{text}");
        assert_eq!((failure.operation.is_some(), failure.error.is_permanent()), (true, domain));
        assert_eq!(text.contains("a scripted fault (MEU 1)"), !domain, "{text}");
        assert_eq!((engine.resets, pool.used_bytes().0), (1, before));
    }
}

#[test]
fn a_stuck_engine_is_noticed() {
    let pool = Pool::new(0, true);
    let model = TimeModel::built_in().unwrap();
    let mut engine = Scripted::new(3, 1);
    engine.hang_at = Some((2, 1));
    let (graph, _value) = power(&pool, engine.limits);
    let elements = Elements::meus(3);
    let schedule = schedulers()[0].schedule(&graph, &estimate(&graph, &model, elements), elements);
    let failure = execute(&graph, &schedule, &mut engine, &pool, Duration::from_secs(1)).unwrap_err();
    let text = failure.error.to_string();
    assert!(text.starts_with("nothing has completed for 1s (MEU 2) in multiply"), "{text}");
}
