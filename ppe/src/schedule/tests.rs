pub(super) mod known;
pub(super) mod random;

use std::sync::Arc;

use super::*;
use crate::lower::{BlockLimits, BlockOperation, ChunkLimits, Lowering, Target, Venue, Work};
use crate::matrix::Matrix;
use crate::operation::{Class, KindSet, OpKind, Precision, Shape};
use crate::pool::Pool;
use crate::time::TimeModel;
use crate::trace::{Limits, Recorder};

/// The paper's motivating example: B = A^i in blocks of 50.
fn power(n: u32, i: u32, side: usize, kinds: KindSet) -> (LoweredGraph, Vec<StageTimes>) {
    let pool = Pool::new(0, false);
    let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
    let recorder = Recorder::new(unlimited, pool.clone());
    let shape = Shape { rows: n, columns: n };
    let a =
        recorder.constant(Matrix::zeros(shape, Precision::Double, &pool).unwrap(), Class::Double).unwrap();
    let mut b = a.clone();
    for _ in 1..i {
        b = recorder.binary(OpKind::Multiply, &b, &a, "", 0).unwrap().value;
    }
    let blocks = BlockLimits { block_elements: [side * side; 2], ..BlockLimits::paper() };
    let target = Target { blocks, kinds, ..Target::paper(1) };
    let model = TimeModel::of_host().unwrap();
    let trace = Arc::new(recorder.seal_all().unwrap());
    let graph =
        Lowering::new(trace, &target, &model, &pool, ChunkLimits::WHOLE).next_chunk().unwrap().unwrap();
    drop(b);
    let times = graph
        .operations
        .iter()
        .map(|operation| match operation.work {
            Work::Product(..) => StageTimes { df: 20, ex: 50, wb: 10 },
            _ => StageTimes { df: 20, ex: 5, wb: 10 },
        })
        .collect();
    (graph, times)
}

#[test]
fn every_scheduler_makes_a_valid_schedule_for_any_number_of_meus() {
    for each in schedulers() {
        for meus in 1..=16 {
            let (graph, times) = power(100, 4, 24, KindSet::ALL);
            let schedule = each.schedule(&graph, &times, Processors::meus(meus));
            schedule.validate(&graph, &times).unwrap();
            assert_eq!(schedule.streams.len(), meus);
        }
        assert_eq!(scheduler(each.name()).unwrap().name(), each.name());
    }
    let error = scheduler("magic").unwrap_err().to_string();
    assert!(error.contains("heuristic, round-robin, hlfet, online, portfolio"), "{error}");
}

#[test]
fn the_heuristic_fills_the_earliest_stream() {
    let (graph, times) = power(100, 2, 50, KindSet::ALL);
    let schedule = Heuristic.schedule(&graph, &times, Processors::meus(2));
    let expected = "\
MEU 0:
  0 df 20 ex 70 wb 80: b0: t0 = multiply(c0[0,0], c0[0,0]) 50x50
  50 df 70 ex 120 wb 130: b3: t3 = multiply(c0[50,0], c0[0,0]) 50x50
  100 df 120 ex 170 wb 180: b6: t6 = multiply(c0[0,0], c0[0,50]) 50x50
  150 df 170 ex 220 wb 230: b9: t9 = multiply(c0[50,0], c0[0,50]) 50x50
  205 df 225 ex 230 wb 240: b2: %0[0,0] = add(t0, t1) 50x50
  225 df 245 ex 250 wb 260: b8: %0[0,50] = add(t6, t7) 50x50
MEU 1:
  0 df 20 ex 70 wb 80: b1: t1 = multiply(c0[0,50], c0[50,0]) 50x50
  50 df 70 ex 120 wb 130: b4: t4 = multiply(c0[50,50], c0[50,0]) 50x50
  100 df 120 ex 170 wb 180: b7: t7 = multiply(c0[0,50], c0[50,50]) 50x50
  150 df 170 ex 220 wb 230: b10: t10 = multiply(c0[50,50], c0[50,50]) 50x50
  205 df 225 ex 230 wb 240: b5: %0[50,0] = add(t3, t4) 50x50
  230 df 250 ex 255 wb 265: b11: %0[50,50] = add(t9, t10) 50x50
makespan 265 ns
";
    assert_eq!(schedule.to_text(&graph, &times), expected);
    let simple = RoundRobin.schedule(&graph, &times, Processors::meus(2));
    assert!(simple.makespan >= schedule.makespan);
}

#[test]
fn the_ppe_gets_what_meus_do_not_execute_and_nothing_else() {
    let (graph, times) = power(100, 3, 24, KindSet::from_iter([OpKind::Multiply]));
    let processors = Processors { ppe: true, meus: 3 };
    let is_sum = |operation: &BlockOperation| matches!(operation.work, Work::Program(_));
    for each in schedulers() {
        let schedule = each.schedule(&graph, &times, processors);
        schedule.validate(&graph, &times).unwrap();
        assert_eq!(schedule.streams.len(), 4);
        let sums = graph.operations.iter().filter(|operation| is_sum(operation)).count();
        assert!(sums > 0);
        assert_eq!(schedule.streams[3].len(), sums);
        assert!(schedule.to_text(&graph, &times).contains("\nPPE:\n"));
        let mut bad = schedule.clone();
        let operation = bad.streams[3].remove(0);
        bad.streams[0].push(operation);
        let error = bad.validate(&graph, &times).unwrap_err();
        assert!(error.starts_with("MEU 0 does not execute operation"), "{error}");
    }
    // The PPE overlaps nothing: it has one stage. The times of MEUs do not depend on it.
    let model = TimeModel::of_host().unwrap();
    let (alone, _) = power(100, 3, 24, KindSet::ALL);
    let (meus, with_ppe) = (estimate(&alone, &model), estimate(&graph, &model));
    for (index, operation) in graph.operations.iter().enumerate() {
        let (own, of_meu) = (with_ppe[index], meus[index]);
        match is_sum(operation) {
            true => assert!(own.ex > 0 && (own.df, own.wb) == (0, 0) && of_meu.df > 0),
            false => assert_eq!(own, of_meu),
        }
    }
}

#[test]
fn a_wrong_schedule_is_found() {
    let (graph, times) = power(100, 2, 50, KindSet::ALL);
    let good = Heuristic.schedule(&graph, &times, Processors::meus(2));
    let check = |spoil: &dyn Fn(&mut Schedule), expected: &str| {
        let mut bad = good.clone();
        spoil(&mut bad);
        let error = bad.validate(&graph, &times).unwrap_err();
        assert!(error.contains(expected), "{error}");
    };
    check(&|s| s.streams[0].truncate(3), "is not scheduled");
    check(&|s| s.streams[1].push(0), "scheduled twice");
    check(&|s| s.streams[0].swap(0, 1), "overlap");
    check(&|s| s.starts[2] = 10, "overlap");
    check(&|s| s.makespan -= 1, "after the makespan");
    let mut bad = Heuristic.schedule(&graph, &times, Processors::meus(12));
    let sum = 2; // b2 = t0 + t1
    bad.starts[sum] = 0;
    assert!(bad.validate(&graph, &times).is_err());
}
