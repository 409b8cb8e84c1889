//! Schedules and bounds of graphs whose best schedules are known.

use super::random::least_makespan;
use super::*;
use crate::schedule::bounds::{Bounds, levels};

/// A chain of `length` additions, recorded first or last, and `others` additions of constants.
pub(in crate::schedule) fn chain_and_others(
    length: usize,
    others: usize,
    chain_first: bool,
) -> (LoweredGraph, Vec<StageTimes>) {
    let pool = Pool::new(0, false);
    let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
    let recorder = Recorder::new(unlimited, pool.clone());
    let zeros = Matrix::zeros(Shape { rows: 8, columns: 4 }, Precision::Double, &pool).unwrap();
    let constant = recorder.constant(zeros, Class::Double).unwrap();
    let mut kept = Vec::new();
    for chain in [chain_first, !chain_first] {
        let mut last = constant.clone();
        for _ in 0..if chain { length } else { others } {
            let value = recorder.binary(OpKind::Add, &last, &constant, "", 0).unwrap().value;
            kept.push(value.clone());
            last = if chain { value } else { last };
        }
    }
    let model = TimeModel::of_host().unwrap();
    let trace = Arc::new(recorder.seal_all().unwrap());
    let graph = Lowering::new(trace, &Target::paper(1), &model, &pool, ChunkLimits::WHOLE)
        .next_chunk()
        .unwrap()
        .unwrap();
    let times = vec![StageTimes { df: 0, ex: 10, wb: 0 }; graph.len()];
    (graph, times)
}

#[test]
fn the_highest_level_goes_first() {
    // The heuristic takes the six others before the chain, which was recorded last.
    let (graph, times) = chain_and_others(4, 6, false);
    let processors = Processors::meus(2);
    assert_eq!(levels(&graph, &times), [10, 10, 10, 10, 10, 10, 40, 30, 20, 10]);
    assert_eq!(Heuristic.schedule(&graph, &times, processors).makespan, 70);
    assert_eq!(Hlfet.schedule(&graph, &times, processors).makespan, 50);
    assert_eq!(Portfolio.schedule(&graph, &times, processors).makespan, 50);
    // The path has 40, and the work of each MEU 50.
    let bounds = Bounds::of(&graph, &times, processors, None);
    assert_eq!((bounds.path, bounds.work, bounds.bandwidth, bounds.makespan()), (40, 50, None, 50));
}

#[test]
fn of_equal_starts_the_meu_that_wrote_an_operand_has_the_first() {
    // Both MEUs are free after each step. The chain begins on MEU 0, and the last of two others is on MEU 1.
    let (graph, times) = chain_and_others(3, 1, false);
    for each in [&Hlfet as &dyn Scheduler, &Portfolio] {
        let schedule = each.schedule(&graph, &times, Processors::meus(2));
        let stream = schedule.streams.iter().find(|stream| stream.contains(&1)).unwrap();
        let chain: Vec<_> = stream.iter().copied().filter(|&index| index > 0).collect();
        assert_eq!(chain, [1, 2, 3], "{}: {:?}", each.name(), schedule.streams);
    }
    // The paper's heuristic takes the smallest number, so the chain moves.
    let schedule = Heuristic.schedule(&graph, &times, Processors::meus(2));
    assert_eq!(schedule.streams, [vec![0, 2, 3], vec![1]]);
}

#[test]
fn the_pool_gives_each_meu_what_waits_longest() {
    let (graph, times) = chain_and_others(1, 4, true);
    let schedule = Online.schedule(&graph, &times, Processors::meus(2));
    assert_eq!(schedule.streams, [vec![0, 2, 4], vec![1, 3]]);
    assert_eq!(schedule.makespan, 30);
    // An MEU fetches while it executes: 5 + 3 x 10.
    let times = vec![StageTimes { df: 5, ex: 10, wb: 0 }; graph.len()];
    let schedule = Online.schedule(&graph, &times, Processors::meus(2));
    assert_eq!(schedule.makespan, 35);
}

#[test]
fn an_meu_takes_what_it_has_made_ready_before_what_waits_longest() {
    let (graph, times) = chain_and_others(2, 5, true);
    let schedule = Online.schedule(&graph, &times, Processors::meus(2));
    // At 10 MEU 0 has computed the operand of 1, and 5 and 6 have waited from the beginning.
    assert_eq!(schedule.streams, [vec![0, 3, 1, 6], vec![2, 4, 5]]);
}

#[test]
fn the_bound_of_the_bandwidth_counts_what_local_stores_move() {
    // Each addition reads two blocks of 8x4 doubles and writes one.
    let (graph, times) = chain_and_others(3, 2, true);
    let bounds = Bounds::of(&graph, &times, Processors::meus(8), Some(2.0));
    assert_eq!(bounds.bandwidth, Some(5 * 3 * 8 * 4 * 8 / 2));
    let (graph, times) = power(48, 2, 24, KindSet::ALL);
    let bounds = Bounds::of(&graph, &times, Processors::meus(8), Some(1.0));
    // 8 products and 4 sums of 24x24 blocks.
    assert_eq!((graph.len(), bounds.bandwidth), (12, Some(12 * 3 * 24 * 24 * 8)));
}

#[test]
fn the_bound_of_the_work_has_the_ends_of_the_pipeline() {
    let (graph, mut times) = chain_and_others(0, 4, true);
    times.fill(StageTimes { df: 3, ex: 10, wb: 2 });
    let processors = Processors::meus(2);
    let bounds = Bounds::of(&graph, &times, processors, None);
    assert_eq!((bounds.path, bounds.work), (15, 3 + 2 * 10 + 2));
    assert_eq!(least_makespan(&graph, &times, processors), 25);
}

#[test]
fn the_bound_of_the_work_knows_how_closely_operations_can_follow_each_other() {
    let (graph, mut times) = chain_and_others(0, 4, true);
    let (long, short) = (StageTimes { df: 10, ex: 40, wb: 5 }, StageTimes { df: 10, ex: 1, wb: 5 });
    times.copy_from_slice(&[long, long, short, short]);
    // After a long one the next starts 40 later, after a short one 10 later, and the last one ends 6 after
    // that at the earliest. The executions alone take 10 + 82 + 5.
    let processors = Processors::meus(1);
    let bounds = Bounds::of(&graph, &times, processors, None);
    assert_eq!((bounds.path, bounds.work), (55, 106));
    assert_eq!(least_makespan(&graph, &times, processors), 110);
}
