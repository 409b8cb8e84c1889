use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::engine::Host;
use crate::error::Error;
use crate::lower::{ChunkLimits, Lowering, MemoryLimits};
use crate::matrix::Matrix;
use crate::operation::{Class, OpKind, Shape, Side};
use crate::stats::Executed;
use crate::time::TimeModel;
use crate::trace::{Limits, Recorder, Value};

/// Chains of products, programs and reductions, some of which fit no single block, lowered for so many MEUs.
fn lowered(pool: &Pool, meus: usize, sign: f64) -> (LoweredGraph, Vec<Value>) {
    let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
    let recorder = Recorder::new(unlimited, pool.clone());
    let matrix = |rows, columns| {
        let element = |r: usize, c: usize| sign * (1.5 + (r as f64 * 0.37 - c as f64 * 0.11).sin());
        let matrix = Matrix::from_fn(Shape { rows, columns }, pool, element).unwrap();
        recorder.constant(matrix, Class::Double).unwrap()
    };
    let binary = |kind, a: &Value, b: &Value| recorder.binary(kind, a, b, "t.m", 1).unwrap().value;
    let (a, x) = (matrix(300, 200), matrix(200, 7));
    let product = binary(OpKind::Multiply, &a, &x);
    let squares = binary(OpKind::Times, &a, &a);
    let roots = recorder.unary(OpKind::Sqrt, &binary(OpKind::Add, &squares, &a), "t.m", 2).unwrap().value;
    let sums = recorder.reduce(OpKind::Sum, &roots, Side::Column, "t.m", 3).unwrap().value;
    let last = binary(OpKind::Multiply, &sums, &x);
    let memory = MemoryLimits { piece_bytes: 16 << 10, ..MemoryLimits::default() };
    let target = Host::in_memory(meus, memory);
    let (trace, model) = (Arc::new(recorder.seal_all().unwrap()), TimeModel::of_host().unwrap());
    let mut lowering = Lowering::new(trace, &target, &model, pool, ChunkLimits::WHOLE);
    (lowering.next_chunk().unwrap().unwrap(), vec![product, roots, sums, last])
}

fn witness(executed: &Executed) -> Witness<'_> {
    Witness { executed, timeline: None }
}

/// All results that are kept.
fn bits(graph: &LoweredGraph) -> Vec<u64> {
    let kept = graph.trace.operations.iter().filter_map(|operation| operation.keep.as_ref());
    let matrices = kept.map(|slot| slot.get().unwrap());
    matrices
        .flat_map(|matrix| {
            matrix.publish();
            matrix.values().map(f64::to_bits).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn a_chain_is_found_where_each_operation_waits_for_the_one_before() {
    let pool = Pool::new(0, true);
    let recorder = Recorder::new(Limits::default(), pool.clone());
    let matrix = Matrix::from_fn(Shape { rows: 8, columns: 8 }, &pool, |r, c| (r + 2 * c) as f64).unwrap();
    let a = recorder.constant(matrix, Class::Double).unwrap();
    let product = |b: &Value| recorder.binary(OpKind::Multiply, &a, b, "t.m", 1).unwrap().value;
    let chunk = |recorder: &Recorder| {
        let (trace, model) = (Arc::new(recorder.seal_all().unwrap()), TimeModel::of_host().unwrap());
        let target = Host::in_memory(2, MemoryLimits::default());
        Lowering::new(trace, &target, &model, &pool, ChunkLimits::WHOLE).next_chunk().unwrap().unwrap()
    };
    let second = product(&product(&a));
    let chain = chunk(&recorder);
    assert_eq!((chain.len(), chain.is_chain()), (2, true));
    let executed = Executed::default();
    execute_together(&chain, (&mut Team::new(1, &pool).unwrap(), 2, true), &pool, witness(&executed))
        .unwrap();
    assert_ne!(executed.work(), 0);
    drop(second);
    let _apart = [product(&a), recorder.unary(OpKind::Exp, &a, "t.m", 2).unwrap().value];
    assert!(!chunk(&recorder).is_chain());
}

#[test]
fn a_team_computes_the_bits_of_one_thread() {
    let pool = Pool::new(0, true);
    let executed = Executed::default();
    let (graph, _values) = lowered(&pool, 1, 1.0);
    execute_here(&graph, &pool, witness(&executed)).unwrap();
    let (expected, work) = (bits(&graph), executed.work());
    for helpers in 0..4 {
        let mut team = Team::new(helpers, &pool).unwrap();
        assert_eq!(team.members(), helpers + 1);
        for round in 0..40 {
            let (graph, _values) = lowered(&pool, 4, 1.0);
            let executed = Executed::default();
            execute_together(&graph, (&mut team, 1 + round % 4, round % 3 > 0), &pool, witness(&executed))
                .unwrap();
            assert!(bits(&graph) == expected, "{helpers} helpers");
            assert_eq!(executed.work(), work);
            // Helpers are awake in one round and asleep in another.
            if round % 5 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

#[test]
fn the_first_failure_ends_the_graph_and_the_team_goes_on() {
    let pool = Pool::new(0, true);
    let mut team = Team::new(2, &pool).unwrap();
    for _ in 0..20 {
        // The sums of squares and negative numbers are negative somewhere.
        let (graph, _values) = lowered(&pool, 4, -0.9);
        let failure =
            execute_together(&graph, (&mut team, 3, true), &pool, witness(&Executed::default())).unwrap_err();
        let Error::Domain { blame } = failure.error else { panic!("{}", failure.error) };
        assert_eq!((blame.kind, blame.site.line), (OpKind::Sqrt, 2));
        let (graph, _values) = lowered(&pool, 4, 1.0);
        execute_together(&graph, (&mut team, 3, true), &pool, witness(&Executed::default())).unwrap();
        assert!(!bits(&graph).is_empty());
    }
}

#[test]
fn an_operation_of_a_helper_that_panics_is_executed_by_another_member() {
    let pool = Pool::new(0, true);
    let (graph, _values) = lowered(&pool, 1, 1.0);
    execute_here(&graph, &pool, witness(&Executed::default())).unwrap();
    let expected = bits(&graph);
    let is_helper = || std::thread::current().name().is_some_and(|name| name.starts_with("pmatrix-team"));
    let mut lost = 0;
    for round in 0..30 {
        let mut team = Team::new(2, &pool).unwrap();
        let (graph, _values) = lowered(&pool, 4, 1.0);
        let (executed, count) = (Executed::default(), AtomicUsize::new(0));
        let execute = |caller: &mut Caller, command: &Command<'_>| {
            if is_helper() && count.fetch_add(1, Ordering::Relaxed) == round % 4 {
                std::panic::resume_unwind(Box::new("sabotage"));
            }
            // The helpers come as well.
            std::thread::sleep(Duration::from_micros(200));
            caller.execute(command)
        };
        execute_with(&graph, (&mut team, 3, true), &pool, witness(&executed), execute).unwrap();
        assert!(bits(&graph) == expected);
        lost += executed.take_losses().len();
        // The team goes on with the members that are left.
        let (graph, _values) = lowered(&pool, 4, 1.0);
        execute_together(&graph, (&mut team, 3, true), &pool, witness(&executed)).unwrap();
        assert!(bits(&graph) == expected);
    }
    assert!(lost > 0);
}
