//! Schedules and bounds of random graphs.

use super::*;
use crate::schedule::bounds::{Bounds, levels, quick_bound};

/// A random graph of `operations` block operations on blocks of 4x4, with random stage times. Addition is
/// executed by MEUs; subtraction by the PPE if there is one.
pub(in crate::schedule) fn random_graph(
    random: &mut fastrand::Rng,
    operations: usize,
    ppe: bool,
) -> (LoweredGraph, Vec<StageTimes>) {
    let pool = Pool::new(0, false);
    let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
    let recorder = Recorder::new(unlimited, pool.clone());
    let shape = Shape { rows: 4, columns: 4 };
    let constant =
        || recorder.constant(Matrix::zeros(shape, Precision::Double, &pool).unwrap(), Class::Double).unwrap();
    // Many constants make a broad graph, few a deep one.
    let mut values: Vec<_> = (0..random.usize(1..=operations)).map(|_| constant()).collect();
    for _ in 0..operations {
        let kind = if ppe && random.u8(0..4) == 0 { OpKind::Subtract } else { OpKind::Add };
        let [a, b] = [0; 2].map(|_| random.usize(0..values.len()));
        values.push(recorder.binary(kind, &values[a], &values[b], "", 0).unwrap().value);
    }
    let kinds = if ppe { KindSet::from_iter([OpKind::Add]) } else { KindSet::ALL };
    let target = Target { kinds, ..Target::paper(1) };
    let model = TimeModel::of_host().unwrap();
    let trace = Arc::new(recorder.seal_all().unwrap());
    let graph =
        Lowering::new(trace, &target, &model, &pool, ChunkLimits::WHOLE).next_chunk().unwrap().unwrap();
    assert_eq!(graph.len(), operations);
    // Few different times make many operations alike, as in real traces.
    let longest = random.u64(1..=12);
    let times = graph
        .operations
        .iter()
        .map(|operation| {
            let mut stage = |least| random.u64(least..=longest);
            let time = StageTimes { df: stage(0), ex: stage(1), wb: stage(0) };
            if operation.venue == Venue::Ppe {
                StageTimes { ex: time.total(), ..StageTimes::default() }
            } else {
                time
            }
        })
        .collect();
    (graph, times)
}

/// The least makespan of all schedules, by trying every order on every stream.
pub(in crate::schedule) fn least_makespan(
    graph: &LoweredGraph,
    times: &[StageTimes],
    processors: Processors,
) -> u64 {
    struct Search<'a> {
        graph: &'a LoweredGraph,
        times: &'a [StageTimes],
        processors: Processors,
        best: u64,
    }
    impl Search<'_> {
        fn go(&mut self, streams: &[Stream], ends: &mut [Option<u64>], makespan: u64) {
            if ends.iter().all(Option::is_some) {
                self.best = self.best.min(makespan);
                return;
            }
            for index in 0..ends.len() {
                let operands: Option<Vec<u64>> = (0..ends.len())
                    .filter(|&source| self.graph.dependants(source as u32).any(|d| d == index as u32))
                    .map(|source| ends[source])
                    .collect();
                let (None, Some(operands)) = (ends[index], operands) else { continue };
                let (earliest, time) = (operands.into_iter().max().unwrap_or(0), self.times[index]);
                for number in self.processors.streams_for(self.graph.operations[index].venue) {
                    let mut streams = streams.to_vec();
                    let start = streams[number].slot(earliest, time);
                    let end = streams[number].append(start, time);
                    ends[index] = Some(end);
                    if end < self.best {
                        self.go(&streams, ends, makespan.max(end));
                    }
                    ends[index] = None;
                }
            }
        }
    }
    let mut search = Search { graph, times, processors, best: u64::MAX };
    let streams = vec![Stream::default(); processors.streams()];
    search.go(&streams, &mut vec![None; graph.len()], 0);
    search.best
}

#[test]
fn schedules_of_random_graphs_are_valid_and_respect_the_bounds() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let operations = random.usize(1..=60);
        let ppe = random.bool();
        let (graph, times) = random_graph(&mut random, operations, ppe);
        let processors = Processors { meus: random.usize(1..=8), ppe };
        let bounds = Bounds::of(&graph, &times, processors, None);
        let quick = quick_bound(&graph, &times, processors, &levels(&graph, &times));
        assert!(quick <= bounds.makespan(), "seed {seed}: {quick}, {bounds:?}");
        for each in schedulers() {
            let schedule = each.schedule(&graph, &times, processors);
            schedule.validate(&graph, &times).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let (name, makespan) = (each.name(), schedule.makespan);
            assert!(makespan >= bounds.makespan(), "seed {seed}, {name}: {makespan}, {bounds:?}");
            assert_eq!(schedule, each.schedule(&graph, &times, processors), "seed {seed}, {name}");
        }
        let portfolio = Portfolio.schedule(&graph, &times, processors).makespan;
        let orders: [&dyn Scheduler; 2] = [&Heuristic, &Hlfet];
        for order in orders {
            assert!(portfolio <= order.schedule(&graph, &times, processors).makespan, "seed {seed}");
        }
    }
}

#[test]
fn bounds_of_tiny_graphs_are_at_most_the_least_makespan() {
    let (mut sharp, runs) = (0, 100);
    for seed in 0..runs {
        let mut random = fastrand::Rng::with_seed(seed);
        let operations = random.usize(1..=5);
        let ppe = random.bool();
        let (graph, times) = random_graph(&mut random, operations, ppe);
        let processors = Processors { meus: random.usize(1..=3), ppe };
        let least = least_makespan(&graph, &times, processors);
        let bounds = Bounds::of(&graph, &times, processors, None);
        assert!(bounds.makespan() <= least, "seed {seed}: {bounds:?}, {least}");
        assert!(Portfolio.schedule(&graph, &times, processors).makespan >= least, "seed {seed}");
        sharp += u64::from(bounds.makespan() == least);
    }
    // A bound of zero would pass all of the above.
    assert!(sharp > runs / 2, "{sharp} of {runs}");
}
