use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::engine::{BlockAddress, Command, Null};
use crate::lower::{BlockLimits, ChunkLimits, Lowering, Target};
use crate::matrix::Matrix;
use crate::operation::{Class, OpKind, Precision, Shape};
use crate::schedule::{Processors, RoundRobin, Scheduler, estimate, schedulers};
use crate::time::TimeModel;
use crate::trace::{Limits, Recorder, Value};

/// An engine that computes nothing, checks the rules of execution control, and misbehaves on demand.
#[derive(Debug)]
struct Scripted {
    target: Target,
    offered: Vec<u64>,
    completed: Vec<u64>,
    /// Rounds that pass before an MEU completes anything.
    delay: u32,
    round: u32,
    random: fastrand::Rng,
    fail_at: Option<(usize, u64, bool)>,
    hang_at: Option<(usize, u64)>,
    /// The chance of each MEU to complete an operation in a round is one in this many.
    slowness: Vec<u32>,
    may_fall_behind: bool,
    resets: u32,
    /// Results of outstanding operations.
    under_way: Vec<VecDeque<Vec<BlockAddress>>>,
}

impl Scripted {
    fn new(meus: usize, seed: u64) -> Scripted {
        Scripted {
            target: Target {
                blocks: BlockLimits { block_elements: [64; 2], ..BlockLimits::paper() },
                ..Target::paper(meus)
            },
            offered: vec![0; meus],
            completed: vec![0; meus],
            delay: 0,
            round: 0,
            random: fastrand::Rng::with_seed(seed),
            fail_at: None,
            hang_at: None,
            slowness: vec![3; meus],
            may_fall_behind: false,
            resets: 0,
            under_way: vec![VecDeque::new(); meus],
        }
    }
}

/// Whether two blocks share an element.
fn meet(a: &BlockAddress, b: &BlockAddress) -> bool {
    let columns = |block: &BlockAddress| {
        let block = *block;
        let bytes = u64::from(block.rows) * block.precision.element_bytes() as u64;
        (0..u64::from(block.columns)).map(move |column| {
            let first = block.ea + column * u64::from(block.stride_bytes);
            (first, first + bytes)
        })
    };
    columns(a).any(|a| columns(b).any(|b| a.0 < b.1 && b.0 < a.1))
}

impl Engine for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn room(&mut self, meu: usize) -> usize {
        QUEUE_DEPTH - (self.offered[meu] - self.completed[meu]).min(QUEUE_DEPTH as u64) as usize
    }

    fn offer(&mut self, meu: usize, command: &Command<'_>) {
        assert!(self.room(meu) > 0, "a full mailbox was written");
        for block in command.operands.iter().chain(command.results) {
            let is_under_way = self.under_way.iter().flatten().flatten().any(|other| meet(other, block));
            assert!(!is_under_way, "a block was offered before what writes it was acknowledged");
        }
        self.offered[meu] += 1;
        self.under_way[meu].push_back(command.results.to_vec());
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
            && self.random.u32(..self.slowness[meu]) == 0
        {
            self.completed[meu] += 1;
            self.under_way[meu].pop_front().unwrap();
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
        self.under_way.iter_mut().for_each(VecDeque::clear);
        Ok(())
    }

    fn may_fall_behind(&self) -> bool {
        self.may_fall_behind
    }
}

/// A lowered program, and the values that it computes.
fn lowered(
    pool: &Pool,
    model: &TimeModel,
    target: &Target,
    program: impl FnOnce(&Recorder, &Value) -> Vec<Value>,
) -> (LoweredGraph, Vec<Value>) {
    let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
    let recorder = Recorder::new(unlimited, pool.clone());
    let shape = Shape { rows: 30, columns: 30 };
    let a = recorder.constant(Matrix::zeros(shape, Precision::Double, pool).unwrap(), Class::Double).unwrap();
    let values = program(&recorder, &a);
    let trace = Arc::new(recorder.seal_all().unwrap());
    let graph = Lowering::new(trace, target, model, pool, ChunkLimits::WHOLE).next_chunk().unwrap().unwrap();
    (graph, values)
}

fn power(pool: &Pool, model: &TimeModel, target: &Target) -> (LoweredGraph, Vec<Value>) {
    lowered(pool, model, target, |recorder, a| {
        let mut b = a.clone();
        for _ in 0..3 {
            b = recorder.binary(OpKind::Multiply, &b, a, "p.m", 3).unwrap().value;
            b = recorder.binary(OpKind::Add, &b, &b, "p.m", 4).unwrap().value;
        }
        vec![b]
    })
}

fn independent_sums(pool: &Pool, model: &TimeModel, target: &Target) -> (LoweredGraph, Vec<Value>) {
    lowered(pool, model, target, |recorder, a| {
        (0..30).map(|line| recorder.binary(OpKind::Add, a, a, "s.m", line).unwrap().value).collect()
    })
}

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn any_engine_and_any_schedule_finish_with_all_temporaries_freed() {
    let pool = Pool::new(0, true);
    let model = TimeModel::of_host().unwrap();
    for scheduler in schedulers() {
        for meus in [1, 2, 3, 8, 16] {
            for seed in 0..5 {
                let mut engine = Scripted::new(meus, seed);
                engine.delay = 10 * seed as u32;
                engine.may_fall_behind = seed % 2 == 1;
                let (graph, _values) = power(&pool, &model, &engine.target);
                let processors = Processors::meus(meus);
                let times = estimate(&graph, &model);
                let schedule = scheduler.schedule(&graph, &times, processors);
                let before = pool.used_bytes().0;
                execute(&graph, &schedule, &mut engine, &pool, PATIENCE).unwrap();
                assert_eq!(pool.used_bytes().0, before, "temporaries are given back");
                assert_eq!(engine.completed.iter().sum::<u64>(), graph.len() as u64);
                // The engine continues with the next graph.
                execute(&graph, &schedule, &mut engine, &pool, PATIENCE).unwrap();
                let mut null = Null::new(engine.target);
                execute(&graph, &schedule, &mut null, &pool, PATIENCE).unwrap();
            }
        }
    }
}

#[test]
fn meus_with_nothing_to_execute_take_over_from_an_meu_that_falls_behind() {
    let pool = Pool::new(0, true);
    let model = TimeModel::of_host().unwrap();
    for may_fall_behind in [false, true] {
        let mut engine = Scripted::new(3, 7);
        engine.may_fall_behind = may_fall_behind;
        engine.slowness[1] = 300;
        let (graph, _values) = independent_sums(&pool, &model, &engine.target);
        let schedule = RoundRobin.schedule(&graph, &estimate(&graph, &model), Processors::meus(3));
        execute(&graph, &schedule, &mut engine, &pool, PATIENCE).unwrap();
        assert_eq!(engine.completed.iter().sum::<u64>(), graph.len() as u64);
        let scheduled: Vec<_> = schedule.streams.iter().map(|stream| stream.len() as u64).collect();
        if may_fall_behind {
            assert!(2 * engine.completed[1] < scheduled[1], "{:?} of {scheduled:?}", engine.completed);
        } else {
            assert_eq!(engine.completed, scheduled);
        }
    }
}

#[test]
fn long_operations_are_offered_late_to_meus_that_may_fall_behind() {
    let schedule = |makespan| Schedule {
        processors: Processors::meus(2),
        streams: vec![vec![0, 1], vec![2, 3]],
        starts: vec![0; 4],
        makespan,
    };
    let depth = |may_fall_behind, makespan| Distribution::new(may_fall_behind, &schedule(makespan)).depth;
    assert_eq!((depth(true, 1_000), depth(true, 1_000_000)), (QUEUE_DEPTH, 2));
    assert_eq!((depth(false, 1_000), depth(false, 1_000_000)), (QUEUE_DEPTH, QUEUE_DEPTH));
}

#[test]
fn faults_name_the_meu_and_the_operation_and_reset_the_engine() {
    let pool = Pool::new(0, true);
    let model = TimeModel::of_host().unwrap();
    for domain in [false, true] {
        let mut engine = Scripted::new(2, 1);
        engine.fail_at = Some((1, 2, domain));
        let (graph, _values) = power(&pool, &model, &engine.target);
        let processors = Processors::meus(2);
        let schedule = schedulers()[0].schedule(&graph, &estimate(&graph, &model), processors);
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
    let model = TimeModel::of_host().unwrap();
    let mut engine = Scripted::new(3, 1);
    engine.hang_at = Some((2, 1));
    let (graph, _values) = power(&pool, &model, &engine.target);
    let processors = Processors::meus(3);
    let schedule = schedulers()[0].schedule(&graph, &estimate(&graph, &model), processors);
    let failure = execute(&graph, &schedule, &mut engine, &pool, Duration::from_secs(1)).unwrap_err();
    let text = failure.error.to_string();
    assert!(text.starts_with("nothing has completed for 1s (MEU 2) in multiply"), "{text}");
}
