//! The best schedule there is, as the solution of the paper's integer program by HiGHS.
//!
//! HiGHS gets the rows of [`IntegerProgram`], and for each column the least and the greatest value that it has in a
//! schedule that is no worse than the one known:
//!
//! * An operation starts after the longest path before it, and early enough for the longest path behind it.
//! * An operation follows another in a stream only if the other one does not need it, and both fit into the known
//!   makespan in this order.
//! * The makespan is not less than the bounds of [`Bounds`].
//!
//! HiGHS computes in floating point. So its solution is read as an order of operations, which is put on the time
//! line anew, and its bound is lowered by a millionth.

use std::time::Duration;

use highs::{HighsSolutionStatus, Model, RowProblem, Sense};

use super::super::bounds::{Bounds, heads, levels};
use super::super::optimal::Found;
use super::super::{Processors, Schedule, time_line};
use super::{IntegerProgram, MOST_OPERATIONS};
use crate::error::{Error, Result};
use crate::lower::{LoweredGraph, Venue};
use crate::solver::{self, Heard};
use crate::time::StageTimes;

/// How far HiGHS's bound may be off, as a share of it. HiGHS takes a number that is a millionth off for whole.
const TOLERANCE: f64 = 1e-6;

/// Solves the integer program of a graph, beginning with a schedule that is known, for at most `limit` and as long
/// as `go_on` says so. [`Found::states`] counts the nodes of the solver's tree.
///
/// # Errors
/// [`Error::Argument`] when the graph has more than [`MOST_OPERATIONS`]; [`Error::Engine`] when HiGHS fails.
pub fn solve(
    graph: &LoweredGraph,
    times: &[StageTimes],
    processors: Processors,
    known: Schedule,
    limit: Duration,
    go_on: &mut dyn FnMut(Found) -> bool,
) -> Result<(Schedule, Found)> {
    if graph.len() > MOST_OPERATIONS {
        return Err(Error::Argument(format!(
            "an integer program of {} block operations is too large: at most {MOST_OPERATIONS} can be solved",
            graph.len()
        )));
    }
    let root = Bounds::of(graph, times, processors, None).makespan().min(known.makespan);
    let mut found = Found { best: known.makespan, bound: root, states: 0 };
    if found.best == found.bound {
        return Ok((known, found));
    }
    let limits = Limits::new(graph, times, root, known.makespan);
    let program = IntegerProgram::within(graph, times, processors, |i| limits.latest[i as usize] as i64);
    let model = model(&program, &limits, times, &known, limit).map_err(failed)?;
    let solved = solver::solve(model, &mut |heard| {
        found = better(found, heard);
        go_on(found)
    });
    let solved = solved.map_err(failed)?;
    let information = |name| solved.double_info_value(name).map_err(failed);
    let heard = Heard { best: f64::INFINITY, bound: information(c"mip_dual_bound")?, nodes: found.states };
    found = better(Found { best: known.makespan, ..found }, heard);
    let mut best = known;
    if solved.primal_solution_status() == HighsSolutionStatus::Feasible {
        let values = solved.get_solution();
        // Floating point may have let two operations wait for each other.
        if let Some(schedule) = program.schedule(graph, times, processors, values.columns())
            && schedule.makespan < best.makespan
        {
            best = schedule;
        }
    }
    found.best = best.makespan;
    found.bound = found.bound.min(found.best);
    Ok((best, found))
}

fn failed(error: impl std::fmt::Debug) -> Error {
    Error::Engine { engine: "HiGHS", what: format!("the solver has failed: {error:?}") }
}

/// What is known with what the solver says.
fn better(found: Found, heard: Heard) -> Found {
    let best = if heard.best.is_finite() { heard.best.round() as u64 } else { found.best };
    let least = (heard.bound - heard.bound.abs().max(1.0) * TOLERANCE).ceil();
    let best = found.best.min(best).max(found.bound);
    let bound = if least > 0.0 { found.bound.max(least as u64) } else { found.bound };
    Found { best, bound: bound.min(best), states: heard.nodes }
}

/// The values that variables can have in a schedule that is no worse than one known.
struct Limits {
    makespan: (u64, u64),
    /// When each operation can start.
    earliest: Vec<u64>,
    latest: Vec<u64>,
    /// For each operation: the operations that need it, a bit each.
    behind: Vec<Vec<u64>>,
}

impl Limits {
    fn new(graph: &LoweredGraph, times: &[StageTimes], least: u64, known: u64) -> Limits {
        let count = graph.len();
        let levels = levels(graph, times);
        let mut behind = vec![vec![0u64; count.div_ceil(64)]; count];
        for index in (0..count).rev() {
            for dependant in graph.dependants(index as u32).map(|dependant| dependant as usize) {
                let (before, after) = behind.split_at_mut(dependant);
                before[index].iter_mut().zip(&after[0]).for_each(|(own, others)| *own |= others);
                before[index][dependant / 64] |= 1 << (dependant % 64);
            }
        }
        Limits {
            makespan: (least, known),
            earliest: heads(graph, times),
            // The longest path from an operation on is in the known schedule too.
            latest: levels.iter().map(|level| known - level).collect(),
            behind,
        }
    }

    /// Whether `j` may follow `i` in a stream.
    fn may_follow(&self, times: &[StageTimes], i: u32, j: u32) -> bool {
        let (i, j) = (i as usize, j as usize);
        let (a, b) = (times[i], times[j]);
        let apart = a.df.max((a.df + a.ex).saturating_sub(b.df)).max(a.total().saturating_sub(b.df + b.ex));
        self.behind[j][i / 64] >> (i % 64) & 1 == 0 && self.earliest[i] + apart <= self.latest[j]
    }
}

/// The program as HiGHS takes it, with a schedule to begin with.
fn model(
    program: &IntegerProgram,
    limits: &Limits,
    times: &[StageTimes],
    known: &Schedule,
    limit: Duration,
) -> std::result::Result<Model, Box<dyn std::error::Error>> {
    let mut bounds: Vec<(u64, u64)> = vec![(0, 1); program.columns.len()];
    bounds[0] = limits.makespan;
    for (i, &start) in program.starts.iter().enumerate() {
        bounds[start] = (limits.earliest[i], limits.latest[i]);
    }
    for &(x, y, i, j) in &program.pairs {
        let follows = u64::from(limits.may_follow(times, i, j));
        bounds[x] = (0, follows);
        bounds[y] = (0, follows * limits.latest[i as usize]);
    }
    let mut problem = RowProblem::default();
    let columns: Vec<_> = program
        .columns
        .iter()
        .zip(bounds)
        .enumerate()
        .map(|(number, (column, (least, most)))| {
            let cost = if number == 0 { 1.0 } else { 0.0 };
            problem.add_column_with_integrality(cost, least as f64..=most as f64, column.binary)
        })
        .collect();
    for row in &program.rows {
        let terms = row.terms.iter().map(|&(column, factor)| (columns[column], factor as f64));
        let right = row.right as f64;
        match row.equal {
            true => problem.add_row(right..=right, terms),
            false => problem.add_row(..=right, terms),
        };
    }
    let mut model = Model::try_new(problem).map_err(|error| format!("{error:?}"))?;
    model.set_sense(Sense::Minimise);
    // All makespans are whole numbers.
    model.try_set_option("mip_rel_gap", 0.0)?;
    model.try_set_option("mip_abs_gap", 0.5)?;
    model.try_set_option("time_limit", limit.as_secs_f64())?;
    // More threads are of little use to its search, and would make runs differ.
    model.try_set_option("threads", 1)?;
    let values: Vec<f64> = program.values(known).into_iter().map(|value| value as f64).collect();
    model.try_set_solution(Some(&values), None, None, None).map_err(|error| format!("{error:?}"))?;
    Ok(model)
}

impl IntegerProgram {
    /// The schedule whose streams these values of the columns say; None when operations wait for each other.
    fn schedule(
        &self,
        graph: &LoweredGraph,
        times: &[StageTimes],
        processors: Processors,
        values: &[f64],
    ) -> Option<Schedule> {
        let is_one = |column: usize| values[column] > 0.5;
        let count = graph.len();
        let mut before = vec![None; count];
        let mut after = vec![None; count];
        for &(_, _, i, j) in self.pairs.iter().filter(|&&(x, ..)| is_one(x)) {
            (before[j as usize], after[i as usize]) = (Some(i), Some(j));
        }
        let mut waiting = vec![0; count];
        for index in 0..count {
            waiting[index] += usize::from(before[index].is_some());
            graph.dependants(index as u32).for_each(|dependant| waiting[dependant as usize] += 1);
        }
        let mut next_meu = 0..processors.meus;
        let mut stream_of = vec![0; count];
        let mut ready: Vec<u32> = (0..count as u32).filter(|&index| waiting[index as usize] == 0).collect();
        let mut order = Vec::with_capacity(count);
        while let Some(index) = ready.pop() {
            let position = index as usize;
            stream_of[position] = match (before[position], graph.operations[position].venue) {
                (Some(before), _) => stream_of[before as usize],
                (None, Venue::Ppe) => processors.streams_for(Venue::Ppe).start,
                (None, _) => next_meu.next()?,
            };
            order.push((stream_of[position], index));
            for next in graph.dependants(index).chain(after[position]) {
                waiting[next as usize] -= 1;
                if waiting[next as usize] == 0 {
                    ready.push(next);
                }
            }
        }
        (order.len() == count).then(|| time_line(graph, times, processors, order.into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::optimal::optimal;
    use super::super::super::tests::random::random_graph;
    use super::super::super::{RoundRobin, Scheduler};
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn the_solver_and_the_search_find_equal_optima() {
        let mut better = 0;
        for seed in 3000..3030 {
            let mut random = fastrand::Rng::with_seed(seed);
            let operations = random.usize(1..=7);
            let ppe = random.u8(0..3) == 0;
            let (graph, times) = random_graph(&mut random, operations, ppe);
            let processors = Processors { meus: random.usize(1..=3), ppe };
            // A bad schedule to begin with, so that both have to find a better one.
            let known = RoundRobin.schedule(&graph, &times, processors);
            let makespan = known.makespan;
            let (_, searched) = optimal(&graph, &times, processors, known.clone(), &mut |_| true);
            let (schedule, solved) = solve(&graph, &times, processors, known, LONG, &mut |now| {
                assert!(now.bound <= searched.best, "seed {seed}: {now:?}, {searched:?}");
                true
            })
            .unwrap();
            schedule.validate(&graph, &times).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let both = (schedule.makespan, solved.best, solved.bound);
            assert_eq!(both, (searched.best, searched.best, searched.best), "seed {seed}");
            better += u32::from(searched.best < makespan);
        }
        assert!(better > 5, "{better}");
    }

    #[test]
    fn bounds_of_both_hold_when_both_are_stopped() {
        for seed in 4000..4010 {
            let mut random = fastrand::Rng::with_seed(seed);
            let operations = random.usize(10..=14);
            let (graph, times) = random_graph(&mut random, operations, false);
            let processors = Processors::meus(3);
            let known = RoundRobin.schedule(&graph, &times, processors);
            let (_, searched) =
                optimal(&graph, &times, processors, known.clone(), &mut |now| now.states < 20_000);
            let mut calls = 0;
            let (schedule, solved) = solve(&graph, &times, processors, known, LONG, &mut |_| {
                calls += 1;
                calls < 50
            })
            .unwrap();
            schedule.validate(&graph, &times).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(solved.bound <= searched.best && searched.bound <= solved.best, "seed {seed}");
        }
    }

    #[test]
    fn a_listener_that_panics_is_heard() {
        let mut random = fastrand::Rng::with_seed(4002);
        let (graph, times) = random_graph(&mut random, 12, false);
        let processors = Processors::meus(3);
        let known = RoundRobin.schedule(&graph, &times, processors);
        let listen = std::panic::AssertUnwindSafe(|| {
            solve(&graph, &times, processors, known, LONG, &mut |_| panic!("of the listener"))
        });
        let thrown = std::panic::catch_unwind(listen).unwrap_err();
        assert_eq!(thrown.downcast_ref(), Some(&"of the listener"));
    }
}
