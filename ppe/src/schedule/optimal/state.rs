//! A partial schedule: what has been placed, and what can come next.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::super::bounds::Distances;
use super::super::{Processors, Schedule, Stream};
use crate::lower::{LoweredGraph, Venue};
use crate::time::StageTimes;

/// What does not change during a search.
pub(super) struct Problem<'a> {
    graph: &'a LoweredGraph,
    times: &'a [StageTimes],
    processors: Processors,
    /// Time from the start of each operation to the end of the schedule, at least.
    levels: Vec<u64>,
    /// The least time from the start of each operation to the start of the next one of its stream.
    after: Vec<u64>,
    /// Equal for operations with equal stage times, venues and dependants.
    alike: Vec<u32>,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        graph: &'a LoweredGraph,
        times: &'a [StageTimes],
        processors: Processors,
        levels: Vec<u64>,
    ) -> Problem<'a> {
        let mut classes = HashMap::new();
        let alike = (0..graph.len() as u32)
            .map(|index| {
                let mut dependants: Vec<_> = graph.dependants(index).collect();
                dependants.sort_unstable();
                let time = times[index as usize];
                let venue = graph.operations[index as usize].venue;
                let next = classes.len() as u32;
                *classes.entry((time.df, time.ex, time.wb, venue, dependants)).or_insert(next)
            })
            .collect();
        let of_class = |ppe: bool| {
            let operations = graph.operations.iter().zip(times);
            operations.filter(move |(operation, _)| (operation.venue == Venue::Ppe) == ppe)
        };
        let distances = [false, true].map(|ppe| Distances::new(of_class(ppe).map(|(_, &time)| time)));
        let after = graph.operations.iter().zip(times);
        let after = after
            .map(|(operation, &time)| distances[usize::from(operation.venue == Venue::Ppe)].after(time))
            .collect();
        Problem { graph, times, processors, levels, after, alike }
    }

    /// The streams of the MEUs, and the stream of the PPE.
    fn classes(&self) -> [std::ops::Range<usize>; 2] {
        [Venue::Memory, Venue::Ppe].map(|venue| self.processors.streams_for(venue))
    }
}

/// An operation that may come next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// No schedule that follows has a lower makespan.
    pub(super) bound: u64,
    index: u32,
    stream: usize,
    start: u64,
}

/// What takes a move back.
pub(super) struct Undo {
    index: u32,
    stream: usize,
    before: Stream,
    next_start: u64,
    last: u64,
    /// Dependants, and when their operands were computed as far as it was known.
    earliest: Vec<(u32, u64)>,
}

/// What decides which schedules can follow: for each class of processors the ends of stages in each stream,
/// sorted; the last start; and for each operation when its operands are computed, or that it is placed.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Key(Box<[u64]>);

impl Key {
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.0) + size_of::<Key>()
    }
}

/// In the place of the time when operands are computed: the operation is placed.
const PLACED: u64 = u64::MAX;

pub(super) struct State {
    streams: Vec<Stream>,
    /// For each stream: the next operation cannot start earlier.
    next_starts: Vec<u64>,
    waiting: Vec<u16>,
    earliest: Vec<u64>,
    /// Placed operations in order, each with its stream and its start.
    placed: Vec<(usize, u32, u64)>,
    is_placed: Vec<bool>,
    /// Start of the last operation that was placed.
    last: u64,
}

impl State {
    pub(super) fn new(problem: &Problem<'_>) -> State {
        let operations = problem.graph.len();
        State {
            streams: vec![Stream::default(); problem.processors.streams()],
            next_starts: vec![0; problem.processors.streams()],
            waiting: problem.graph.guards().to_vec(),
            earliest: vec![0; operations],
            placed: Vec::with_capacity(operations),
            is_placed: vec![false; operations],
            last: 0,
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.placed.len() == self.is_placed.len()
    }

    /// The moves whose bound is below `best`, the most promising last: the lowest bound, then the earliest
    /// start, then the highest level. `bound` is a bound of all of them.
    pub(super) fn moves(&self, problem: &Problem<'_>, bound: u64, best: u64) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut seen = HashSet::new();
        for index in 0..self.waiting.len() {
            if self.is_placed[index] || self.waiting[index] > 0 {
                continue;
            }
            if !seen.insert((problem.alike[index], self.earliest[index])) {
                continue;
            }
            let time = problem.times[index];
            let range = problem.processors.streams_for(problem.graph.operations[index].venue);
            for stream in range.clone() {
                let is_like = |&other: &usize| self.streams[other] == self.streams[stream];
                if (range.start..stream).any(|other| is_like(&other)) {
                    continue;
                }
                let start = self.streams[stream].slot(self.earliest[index], time);
                let bound = bound.max(start + problem.levels[index]);
                let is_next = start >= self.last;
                if is_next && bound < best {
                    moves.push(Move { bound, index: index as u32, stream, start });
                }
            }
        }
        moves.sort_by_key(|next| {
            Reverse((next.bound, next.start, Reverse(problem.levels[next.index as usize]), next.stream))
        });
        moves
    }

    pub(super) fn apply(&mut self, problem: &Problem<'_>, next: Move) -> Undo {
        let Move { index, stream, start, .. } = next;
        let before = self.streams[stream];
        let end = self.streams[stream].append(start, problem.times[index as usize]);
        let next_start = start + problem.after[index as usize];
        let next_start = std::mem::replace(&mut self.next_starts[stream], next_start);
        let mut earliest = Vec::new();
        for dependant in problem.graph.dependants(index) {
            let position = dependant as usize;
            earliest.push((dependant, self.earliest[position]));
            self.waiting[position] -= 1;
            self.earliest[position] = self.earliest[position].max(end);
        }
        self.placed.push((stream, index, start));
        self.is_placed[index as usize] = true;
        let last = std::mem::replace(&mut self.last, start);
        Undo { index, stream, before, next_start, last, earliest }
    }

    pub(super) fn undo(&mut self, undo: Undo) {
        self.streams[undo.stream] = undo.before;
        self.next_starts[undo.stream] = undo.next_start;
        // An operation that reads a result twice is in the list twice; the first value is the oldest.
        for (dependant, earliest) in undo.earliest.into_iter().rev() {
            self.waiting[dependant as usize] += 1;
            self.earliest[dependant as usize] = earliest;
        }
        self.placed.pop();
        self.is_placed[undo.index as usize] = false;
        self.last = undo.last;
    }

    /// No schedule that begins like this one has a lower makespan.
    pub(super) fn bound(&self, problem: &Problem<'_>) -> u64 {
        let first = self.last;
        let mut bound = self.streams.iter().map(|stream| stream.ends()[2]).max().unwrap_or(0);
        for (class, range) in problem.classes().into_iter().enumerate() {
            let mut sums = [0u64; 3];
            let mut least = StageTimes { df: u64::MAX, ex: u64::MAX, wb: u64::MAX };
            let mut tail = u64::MAX;
            let (mut distances, mut tail_after) = (0, u64::MAX);
            for index in 0..self.is_placed.len() {
                let is_ppe = problem.graph.operations[index].venue == Venue::Ppe;
                if self.is_placed[index] || usize::from(is_ppe) != class {
                    continue;
                }
                let (time, level) = (problem.times[index], problem.levels[index]);
                bound = bound.max(self.earliest[index].max(first) + level);
                for (sum, stage) in sums.iter_mut().zip([time.df, time.ex, time.wb]) {
                    *sum += stage;
                }
                least.df = least.df.min(time.df);
                least.ex = least.ex.min(time.ex);
                least.wb = least.wb.min(time.wb);
                tail = tail.min(level - time.total());
                distances += problem.after[index];
                tail_after = tail_after.min(level - problem.after[index]);
            }
            if tail == u64::MAX {
                continue;
            }
            let mut free: Vec<u64> =
                self.next_starts[range.clone()].iter().map(|&next| next.max(first)).collect();
            bound = bound.max(level_of(&mut free, distances) + tail_after);
            let before = [0, least.df, least.df + least.ex];
            let behind = [least.ex + least.wb, least.wb, 0];
            for stage in 0..3 {
                let mut free: Vec<u64> = self.streams[range.clone()]
                    .iter()
                    .map(|stream| stream.ends()[stage].max(first + before[stage]))
                    .collect();
                bound = bound.max(level_of(&mut free, sums[stage]) + behind[stage] + tail);
            }
        }
        bound
    }

    /// Equal for states that equal schedules can complete.
    pub(super) fn key(&self, problem: &Problem<'_>) -> Key {
        let operations = self.is_placed.len();
        let mut key = Vec::with_capacity(operations + 3 * self.streams.len() + 1);
        for range in problem.classes() {
            let mut ends: Vec<_> = self.streams[range].iter().map(Stream::ends).collect();
            ends.sort_unstable();
            key.extend(ends.into_iter().flatten());
        }
        key.push(self.last);
        key.extend((0..operations).map(|i| if self.is_placed[i] { PLACED } else { self.earliest[i] }));
        Key(key.into())
    }

    /// A complete state as a schedule.
    pub(super) fn schedule(&self, problem: &Problem<'_>) -> Schedule {
        let mut schedule = Schedule::new(self.is_placed.len(), problem.processors);
        for &(stream, index, start) in &self.placed {
            let end = start + problem.times[index as usize].total();
            schedule.append(stream, index, start, end);
        }
        schedule
    }
}

/// The least time until which processors that are free from `free` on can do `work` together.
fn level_of(free: &mut [u64], work: u64) -> u64 {
    free.sort_unstable();
    let mut sum = 0;
    for (position, &from) in free.iter().enumerate() {
        sum += from;
        let level = (sum + work).div_ceil(position as u64 + 1);
        if free.get(position + 1).is_none_or(|&next| level <= next) {
            return level;
        }
    }
    0
}
