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
    fail_at: Vec<(usize, u64, Cause)>,
    hang_at: Option<(usize, u64)>,
    /// MEUs that have been taken out.
    out: Vec<usize>,
    /// Whether an MEU ends when it is taken out.
    ends: bool,
    /// Operations that were executed in place of lost MEUs.
    stood_in: u64,
    /// The chance of each MEU to complete an operation in a round is one in this many.
    slowness: Vec<u32>,
    may_fall_behind: bool,
    resets: u32,
    /// Whether its MEUs stop, and whether they start again.
    stops: bool,
    starts: bool,
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
            fail_at: Vec::new(),
            hang_at: None,
            out: Vec::new(),
            ends: true,
            stood_in: 0,
            slowness: vec![3; meus],
            may_fall_behind: false,
            resets: 0,
            stops: true,
            starts: true,
            under_way: vec![VecDeque::new(); meus],
        }
    }
}

impl Scripted {
    fn check(&self, command: &Command<'_>) {
        for block in command.operands.iter().chain(command.results) {
            let is_under_way = self.under_way.iter().flatten().flatten().any(|other| meet(other, block));
            assert!(!is_under_way, "a block was offered before what writes it was acknowledged");
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
        assert!(!self.out.contains(&meu), "an MEU that is out was offered an operation");
        self.check(command);
        self.offered[meu] += 1;
        self.under_way[meu].push_back(command.results.to_vec());
    }

    fn completed(&mut self, meu: usize) -> Result<u64, Fault> {
        self.round += 1;
        let failure =
            self.fail_at.iter().find(|(failing, at, _)| (*failing, self.completed[meu]) == (meu, *at));
        if let Some(&(_, operation, cause)) = failure
            && self.offered[meu] > operation
        {
            let (operation, what) = (Some(operation), "a scripted fault".into());
            return Err(Fault { operation, step: 0, cause, what });
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

    fn stop(&mut self) -> bool {
        self.under_way.iter_mut().for_each(VecDeque::clear);
        self.stops
    }

    fn start(&mut self) -> Result<()> {
        if !self.starts {
            return Err(Error::Memory { bytes: 1, purpose: "an MEU".into() });
        }
        self.resets += 1;
        self.offered.fill(0);
        self.completed.fill(0);
        Ok(())
    }

    fn may_fall_behind(&self) -> bool {
        self.may_fall_behind
    }

    fn take_out(&mut self, meu: usize, _patience: Duration) -> bool {
        assert!(!self.is_out(meu), "an MEU is taken out once");
        self.out.push(meu);
        self.under_way[meu].clear();
        self.ends
    }

    fn is_out(&self, meu: usize) -> bool {
        self.out.contains(&meu)
    }

    fn stand_in(&mut self, command: &Command<'_>) -> Result<std::result::Result<(), Fault>> {
        self.check(command);
        self.stood_in += 1;
        Ok(Ok(()))
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
    let makespans = [1_000, 1_000_000, 100_000_000];
    assert_eq!(makespans.map(|makespan| depth(true, makespan)), [QUEUE_DEPTH, 2, 1]);
    assert_eq!(makespans.map(|makespan| depth(false, makespan)), [QUEUE_DEPTH; 3]);
}

#[test]
fn faults_name_the_meu_and_the_operation_and_reset_the_engine() {
    let pool = Pool::new(0, true);
    let model = TimeModel::of_host().unwrap();
    for domain in [false, true] {
        let mut engine = Scripted::new(2, 1);
        engine.fail_at = vec![(1, 2, if domain { Cause::Domain } else { Cause::Refused })];
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
fn memory_of_a_failed_graph_stays_only_where_an_meu_may_still_use_it() {
    let model = TimeModel::of_host().unwrap();
    for (stops, starts) in [(true, true), (true, false), (false, true), (false, false)] {
        let pool = Pool::new(0, true);
        let mut engine = Scripted::new(2, 1);
        (engine.fail_at, engine.stops, engine.starts) = (vec![(1, 2, Cause::Refused)], stops, starts);
        let (graph, values) = power(&pool, &model, &engine.target);
        let schedule = RoundRobin.schedule(&graph, &estimate(&graph, &model), Processors::meus(2));
        let failure = execute(&graph, &schedule, &mut engine, &pool, PATIENCE).unwrap_err();
        assert_eq!(matches!(failure.error, Error::Memory { .. }), !starts, "{}", failure.error);
        drop((graph, values, failure));
        assert_eq!(pool.used_bytes().0 == 0, stops, "stops {stops}, starts {starts}");
    }
}

/// Executes the power program with a schedule for so many MEUs. Returns how it ended, the text of each loss, and
/// the number of its block operations.
fn execute_power(engine: &mut Scripted, meus: usize, patience: Duration) -> (Outcome, Vec<String>, u64) {
    let pool = Pool::new(0, true);
    let model = TimeModel::of_host().unwrap();
    let (graph, _values) = power(&pool, &model, &engine.target);
    let schedule = RoundRobin.schedule(&graph, &estimate(&graph, &model), Processors::meus(meus));
    let (before, executed) = (pool.used_bytes().0, Executed::default());
    let witness = Witness { executed: &executed, timeline: None };
    let outcome = execute_until(&graph, &schedule, engine, &pool, patience, witness, &|| false).unwrap();
    if outcome == Outcome::Complete {
        assert_eq!(pool.used_bytes().0, before, "temporaries are given back");
    }
    (outcome, executed.take_losses(), graph.len() as u64)
}

#[test]
fn what_a_lost_meu_has_not_completed_is_executed_by_the_others() {
    for meus in [1, 2, 3] {
        for step in 0..40 {
            for may_fall_behind in [false, true] {
                let mut engine = Scripted::new(meus, step);
                engine.may_fall_behind = may_fall_behind;
                engine.fail_at = vec![(meus - 1, step, Cause::Lost)];
                let (outcome, losses, count) = execute_power(&mut engine, meus, PATIENCE);
                assert_eq!(outcome, Outcome::Complete);
                assert_eq!(engine.completed.iter().sum::<u64>() + engine.stood_in, count);
                if losses.is_empty() {
                    assert!(engine.out.is_empty() && engine.completed[meus - 1] <= step);
                    continue;
                }
                let text = format!("MEU {} is lost: a scripted fault in ", meus - 1);
                assert!(losses.len() == 1 && losses[0].starts_with(&text), "{losses:?}");
                let left =
                    if meus == 1 { "no MEU is left".into() } else { format!("{} of {meus}", meus - 1) };
                assert!(losses[0].contains(&left), "{losses:?}");
                assert_eq!((engine.completed[meus - 1], engine.stood_in > 0), (step, meus == 1));
                // Schedules for all MEUs and for the MEUs that are left.
                for streams in [meus, (meus - 1).max(1)] {
                    let before = engine.completed.iter().sum::<u64>() + engine.stood_in;
                    let (_, losses, count) = execute_power(&mut engine, streams, PATIENCE);
                    assert!(losses.is_empty(), "{losses:?}");
                    assert_eq!(engine.completed.iter().sum::<u64>() + engine.stood_in - before, count);
                }
                assert_eq!((engine.completed[meus - 1], engine.resets), (step, 0));
            }
        }
    }
}

#[test]
fn with_the_last_meu_gone_everything_is_executed_in_its_place() {
    let mut engine = Scripted::new(3, 5);
    engine.fail_at = vec![(0, 3, Cause::Lost), (1, 0, Cause::Lost), (2, 7, Cause::Lost)];
    let (outcome, losses, count) = execute_power(&mut engine, 3, PATIENCE);
    assert_eq!((outcome, losses.len()), (Outcome::Complete, 3));
    assert_eq!((&engine.completed[..], engine.stood_in), (&[3, 0, 7][..], count - 10));
}

#[test]
fn an_operation_at_which_two_meus_are_lost_is_offered_to_no_third() {
    let pool = Pool::new(0, true);
    let model = TimeModel::of_host().unwrap();
    let mut engine = Scripted::new(4, 5);
    engine.fail_at = (0..4).map(|meu| (meu, 0, Cause::Lost)).collect();
    let (graph, _values) = lowered(&pool, &model, &engine.target, |recorder, a| {
        let small = recorder.reduce(OpKind::Sum, a, crate::operation::Side::Column, "t.m", 1).unwrap().value;
        vec![recorder.norm(&small, "t.m", 2).unwrap().value]
    });
    let schedule = RoundRobin.schedule(&graph, &estimate(&graph, &model), Processors::meus(4));
    execute(&graph, &schedule, &mut engine, &pool, PATIENCE).unwrap();
    assert!(engine.stood_in > 0 && engine.out.len() <= 2 * graph.len(), "{:?}", engine.out);
}

#[test]
fn an_meu_that_hangs_is_lost_and_if_it_does_not_end_the_trace_begins_anew() {
    let short = Duration::from_millis(300);
    for ends in [true, false] {
        let mut engine = Scripted::new(3, 1);
        (engine.hang_at, engine.ends) = (Some((2, 1)), ends);
        let (outcome, losses, count) = execute_power(&mut engine, 3, short);
        assert!(losses[0].starts_with("MEU 2 is lost: nothing has completed for 300ms in "), "{losses:?}");
        if ends {
            assert_eq!((outcome, engine.completed.iter().sum()), (Outcome::Complete, count));
            continue;
        }
        assert_eq!((outcome, engine.resets), (Outcome::Anew, 1));
        let (outcome, losses, count) = execute_power(&mut engine, 3, short);
        assert_eq!((outcome, losses.len()), (Outcome::Complete, 0));
        assert_eq!(engine.completed, [engine.completed[0], count - engine.completed[0], 0]);
    }
}
