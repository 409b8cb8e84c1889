//! Lower bounds of makespans, at any size of the graph.
//!
//! | bound | no schedule ends before |
//! |---|---|
//! | path | the longest path of dependences |
//! | work | all operations have passed one stage, or follow each other as closely as any two of them can |
//! | bandwidth | main memory has moved what local stores fetch and write back |
//!
//! Path and work bound the estimated makespan, which [`Schedule::makespan`](super::Schedule) is. The times
//! of the model do not depend on what other MEUs transfer, so an estimated makespan may be less than the
//! bound of the bandwidth. No execution is.

use super::Processors;
use crate::lower::{BlockOperation, LoweredGraph, Place, Venue, Work};
use crate::time::StageTimes;

/// Lower bounds, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// By the longest path of dependences.
    pub path: u64,
    /// By the work of the processors.
    pub work: u64,
    /// By the bandwidth of main memory, where it is known.
    pub bandwidth: Option<u64>,
}

impl Bounds {
    /// The bounds of a graph. `bandwidth` is the number of bytes that all MEUs together can move in a
    /// nanosecond ([`Target::bandwidth`](crate::lower::Target)).
    #[must_use]
    pub fn of(
        graph: &LoweredGraph,
        times: &[StageTimes],
        processors: Processors,
        bandwidth: Option<f64>,
    ) -> Bounds {
        let (heads, levels) = (heads(graph, times), levels(graph, times));
        let mut work = 0;
        for (ppe, count) in [(false, processors.meus), (true, 1)] {
            let indices: Vec<_> = executed_by(graph, ppe).collect();
            for stage in STAGES {
                let mut passages: Vec<_> = indices
                    .iter()
                    .map(|&index| Passage::new(stage, heads[index], times[index], levels[index]))
                    .collect();
                work = work.max(stage_bound(&mut passages, count as u64));
            }
            let distances = Distances::new(indices.iter().map(|&index| times[index]));
            let passage = |&index: &usize, is_after: bool| {
                let (time, head, level) = (times[index], heads[index], levels[index]);
                let (after, before) = (distances.after(time), distances.before(time));
                match is_after {
                    true => Passage { head, duration: after, tail: level - after },
                    false => {
                        let (total, duration) = (time.total(), before);
                        Passage { head: head + total - duration, duration, tail: level - total }
                    }
                }
            };
            for is_after in [true, false] {
                let mut passages: Vec<_> = indices.iter().map(|index| passage(index, is_after)).collect();
                work = work.max(stage_bound(&mut passages, count as u64));
            }
        }
        let bytes = || graph.operations.iter().map(|operation| moved_bytes(graph, operation)).sum::<u64>();
        Bounds {
            path: levels.iter().copied().max().unwrap_or(0),
            work,
            bandwidth: bandwidth.map(|bandwidth| (bytes() as f64 / bandwidth) as u64),
        }
    }

    /// No estimated makespan is less.
    #[must_use]
    pub fn makespan(&self) -> u64 {
        self.path.max(self.work)
    }
}

/// The level of each operation: the time of the longest path that begins with it, with its own time.
#[must_use]
pub fn levels(graph: &LoweredGraph, times: &[StageTimes]) -> Vec<u64> {
    let mut levels = vec![0; graph.len()];
    // The order of the graph is topological.
    for index in (0..graph.len()).rev() {
        let behind = graph.dependants(index as u32).map(|dependant| levels[dependant as usize]).max();
        levels[index] = times[index].total() + behind.unwrap_or(0);
    }
    levels
}

/// When each operation can start at the earliest: the time of the longest path that ends before it.
pub(super) fn heads(graph: &LoweredGraph, times: &[StageTimes]) -> Vec<u64> {
    let mut heads = vec![0; graph.len()];
    for index in 0..graph.len() {
        let end = heads[index] + times[index].total();
        for dependant in graph.dependants(index as u32) {
            heads[dependant as usize] = end.max(heads[dependant as usize]);
        }
    }
    heads
}

/// The larger of the bounds by path and by work, which is taken less exactly than in [`Bounds::of`]. It takes
/// one pass through the operations, so a scheduler can afford it.
pub(super) fn quick_bound(
    graph: &LoweredGraph,
    times: &[StageTimes],
    processors: Processors,
    levels: &[u64],
) -> u64 {
    let mut bound = levels.iter().copied().max().unwrap_or(0);
    let mut sums = [[0u64; 3]; 2];
    let mut least = [StageTimes { df: u64::MAX, ex: u64::MAX, wb: u64::MAX }; 2];
    for (operation, time) in graph.operations.iter().zip(times) {
        let class = usize::from(operation.venue == Venue::Ppe);
        for (sum, stage) in sums[class].iter_mut().zip([time.df, time.ex, time.wb]) {
            *sum += stage;
        }
        let least = &mut least[class];
        *least =
            StageTimes { df: least.df.min(time.df), ex: least.ex.min(time.ex), wb: least.wb.min(time.wb) };
    }
    for ((sums, least), count) in sums.into_iter().zip(least).zip([processors.meus as u64, 1]) {
        let [df, ex, wb] = sums.map(|sum| sum.div_ceil(count));
        if ex > 0 {
            bound = bound
                .max(df + least.ex + least.wb)
                .max(least.df + ex + least.wb)
                .max(least.df + least.ex + wb);
        }
    }
    bound
}

/// Which stage of the pipeline a passage is of: a function from the stage times to the time before it within
/// the operation, and its own time.
type Stage = fn(StageTimes) -> (u64, u64);

const STAGES: [Stage; 3] =
    [|time| (0, time.df), |time| (time.df, time.ex), |time| (time.df + time.ex, time.wb)];

/// One stage of one operation, as its processor sees it.
#[derive(Debug, Clone, Copy)]
struct Passage {
    /// It cannot begin earlier.
    head: u64,
    duration: u64,
    /// From its end to the end of the schedule it takes as long at least.
    tail: u64,
}

impl Passage {
    fn new(stage: Stage, head: u64, time: StageTimes, level: u64) -> Passage {
        let (before, duration) = stage(time);
        Passage { head: head + before, duration, tail: level - before - duration }
    }
}

/// A bound by one stage, which a processor never executes twice at a time.
///
/// Take any set of passages. One of `count` processors has the `count`th part of their durations at least. It
/// begins not before the least head, and after its last one the least tail is left. The sets that are tried
/// are those of the passages with the greatest heads, and those with the greatest tails.
fn stage_bound(passages: &mut [Passage], count: u64) -> u64 {
    let mut bound = 0;
    let by: [fn(&Passage) -> u64; 2] = [|passage| passage.head, |passage| passage.tail];
    for (sorted, other) in [(by[0], by[1]), (by[1], by[0])] {
        passages.sort_unstable_by_key(|passage| std::cmp::Reverse(sorted(passage)));
        let (mut sum, mut least) = (0, u64::MAX);
        for passage in passages.iter().filter(|passage| passage.duration > 0) {
            sum += passage.duration;
            least = least.min(other(passage));
            bound = bound.max(sorted(passage) + u64::div_ceil(sum, count) + least);
        }
    }
    bound
}

/// How closely operations of one processor can follow each other. The stages of an operation have no gap
/// between them, so an operation may have to wait although its first stage is free.
#[derive(Debug)]
pub(super) struct Distances {
    /// Of the operations that may come next: the begin of their second stage and of their third.
    next: Vec<(u64, u64)>,
    /// Of the operations that may come before: the time from the end of their first stage to the end, and
    /// from the end of their second stage.
    previous: Vec<(u64, u64)>,
}

/// Most different stage times of which every pair is compared.
const MOST_DIFFERENT: usize = 64;

impl Distances {
    /// The distances of operations with these times.
    pub(super) fn new(times: impl Iterator<Item = StageTimes>) -> Distances {
        let mut different: Vec<_> = times.map(|time| (time.df, time.ex, time.wb)).collect();
        different.sort_unstable();
        different.dedup();
        let next = different.iter().map(|&(df, ex, _)| (df, df + ex)).collect();
        let previous = different.iter().map(|&(_, ex, wb)| (ex + wb, wb)).collect();
        // The largest values of all bring operations closest.
        let merged = |pairs: Vec<(u64, u64)>| match pairs.len() {
            0..=MOST_DIFFERENT => pairs,
            _ => vec![pairs.iter().fold((0, 0), |most, pair| (most.0.max(pair.0), most.1.max(pair.1)))],
        };
        Distances { next: merged(next), previous: merged(previous) }
    }

    /// The least time from the start of an operation to the start of the next.
    pub(super) fn after(&self, time: StageTimes) -> u64 {
        let to = |&(second, third): &(u64, u64)| {
            time.df.max((time.df + time.ex).saturating_sub(second)).max(time.total().saturating_sub(third))
        };
        self.next.iter().map(to).min().unwrap_or(0)
    }

    /// The least time from the end of the operation before to the end of this one.
    fn before(&self, time: StageTimes) -> u64 {
        let overlap = |&(first, second): &(u64, u64)| first.min(second + time.df).min(time.df + time.ex);
        time.total() - self.previous.iter().map(overlap).max().unwrap_or(0)
    }
}

/// The operations that the PPE executes, or the operations that MEUs execute.
fn executed_by(graph: &LoweredGraph, ppe: bool) -> impl Iterator<Item = usize> + '_ {
    (0..graph.len()).filter(move |&index| (graph.operations[index].venue == Venue::Ppe) == ppe)
}

/// Bytes that an operation fetches into a local store and writes back. What a move may or may not read does
/// not count.
fn moved_bytes(graph: &LoweredGraph, operation: &BlockOperation) -> u64 {
    if operation.venue != Venue::LocalStore {
        return 0;
    }
    let element_bytes = |place: Place| match place {
        Place::Matrix { matrix, .. } => graph.matrices[matrix as usize].precision().element_bytes() as u64,
        Place::Temporary(_) | Place::None => operation.precision.element_bytes() as u64,
    };
    let area = |(rows, columns): (u16, u16)| u64::from(rows) * u64::from(columns);
    let written: u64 = std::iter::once(operation.result)
        .chain(graph.more_results(operation))
        .map(|place| area((operation.rows, operation.columns)) * element_bytes(place))
        .sum();
    if operation.work.reads_anywhere() {
        return written;
    }
    // A product names the operands of its first part; all parts together have the whole inner side.
    let (inner, own) = match operation.work {
        Work::Product(parts, _) => (u64::from(parts.length()), operation.operands.len()),
        Work::Program(_) | Work::Move(_) | Work::Reduce(_) => (0, 0),
    };
    let product_sides = [u64::from(operation.rows) * inner, inner * u64::from(operation.columns)];
    let fetched: u64 = graph
        .inputs(operation)
        .enumerate()
        .map(|(position, (place, sides))| {
            let elements = if position < own { product_sides[position] } else { area(sides) };
            elements * element_bytes(place)
        })
        .sum();
    written + fetched
}
