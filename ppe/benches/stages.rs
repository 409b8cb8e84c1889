//! Cost of each stage behind the interpreter, per operation: record, lower, each scheduler (with the estimate
//! of times), and execution control.
//!
//! The program is B = A^i in single precision (the paper's motivating example) cut into blocks of 96, so a
//! product of p x p blocks becomes p^2 (2p - 1) block operations.  The engine is the null engine: what is
//! left of execution is its control.  Run with `cargo bench -p pmatrix --bench stages`.
//!
//! The PPE's own work in virtual time (`pmatrix::time::ppe`) has these costs. Memory is another part of it:
//! what a byte costs when it is touched for the first time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pmatrix::engine::Null;
use pmatrix::execute::execute;
use pmatrix::lower::{ChunkLimits, Lowering, Target};
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, Form, OpKind, Precision, Shape};
use pmatrix::pool::Pool;
use pmatrix::schedule::{Heuristic, Processors, Scheduler, estimate, schedulers};
use pmatrix::time::TimeModel;
use pmatrix::trace::{Limits, Recorder, Value};

const UNLIMITED: Limits = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };

/// Least time of several runs, in nanoseconds per unit.
fn least(runs: u32, units: u64, mut run: impl FnMut() -> Duration) -> f64 {
    let best = (0..runs).map(|_| run()).min().unwrap_or_default();
    best.as_nanos() as f64 / units as f64
}

/// Cost of recording, with a table of common subexpressions or without.
fn record(count: u64, common: bool) -> f64 {
    least(5, count, || {
        let pool = Pool::new(4 << 30, false);
        let recorder = Recorder::new(UNLIMITED, pool.clone());
        let recorder = if common { recorder.with_common_subexpressions() } else { recorder };
        let shape = Shape { rows: 4, columns: 4 };
        let a = recorder
            .constant(Matrix::zeros(shape, Precision::Double, &pool).expect("memory"), Class::Double)
            .expect("one process");
        let mut kept: Vec<Value> = Vec::with_capacity(count as usize);
        let start = Instant::now();
        for n in 0..count {
            let previous = kept.last().unwrap_or(&a);
            let recording = match n % 2 {
                0 => recorder.binary(OpKind::Add, previous, &a, "bench.m", n as u32 % 50),
                _ => recorder.binary_scalar(
                    OpKind::Times,
                    Form::ScalarRight,
                    previous,
                    0.5,
                    Class::Double,
                    "bench.m",
                    7,
                ),
            };
            kept.push(recording.expect("shapes fit").value);
        }
        start.elapsed()
    })
}

/// The power program with about `wanted` block operations, as a recorder with its last value.
fn power(wanted: u64) -> (Recorder, Value, Pool) {
    let side = [2u64, 4, 8, 15].into_iter().filter(|p| p * p * (2 * p - 1) <= wanted).max().unwrap_or(2);
    let products = wanted.div_ceil(side * side * (2 * side - 1));
    let pool = Pool::new(4 << 30, false);
    let recorder = Recorder::new(UNLIMITED, pool.clone());
    let n = 96 * side as u32;
    let a = Matrix::zeros(Shape { rows: n, columns: n }, Precision::Single, &pool).expect("memory");
    let a = recorder.constant(a, Class::Single).expect("one process");
    let mut b = a.clone();
    for _ in 0..products {
        b = recorder.binary(OpKind::Multiply, &b, &a, "power.m", 3).expect("shapes fit").value;
    }
    (recorder, b, pool)
}

/// Nanoseconds a byte when memory in huge pages is touched for the first time: filling new memory takes so
/// much longer than filling memory that is used again.
fn first_touch() -> f64 {
    const BYTES: usize = 4 << 20;
    let filled = |keep_bytes: usize| {
        let pool = Pool::with_huge_pages(keep_bytes, true);
        least(50, BYTES as u64, || {
            let start = Instant::now();
            let buffer = pool.allocate(BYTES);
            let time = start.elapsed();
            drop(buffer.expect("memory"));
            time
        })
    };
    (filled(0) - filled(2 * BYTES)).max(0.0)
}

fn main() {
    let model = TimeModel::of_host().expect("the built-in model");
    println!("nanoseconds per operation (record) and per block operation (the others); least of 5 runs");
    println!("common: record, with a table of common subexpressions");
    println!("memory: {:.3} ns a byte when it is touched for the first time", first_touch());
    println!("targets: record 1500, lower 200, each scheduler 300, execution control 1000");
    println!();
    let names: String = schedulers().iter().map(|each| format!(" {:>12}", each.name())).collect();
    println!(
        "{:>10} {:>8} {:>8} {:>9}{names} {:>12}",
        "operations", "record", "common", "lower", "exec control"
    );
    for wanted in [1_000, 10_000, 100_000, 600_000] {
        let (recorder, _value, pool) = power(wanted);
        let trace = Arc::new(recorder.seal_all().expect("operations are pending"));
        let target = Target::paper(8);
        let lower_whole = || {
            Lowering::new(Arc::clone(&trace), &target, &model, &pool, ChunkLimits::WHOLE)
                .next_chunk()
                .expect("memory")
                .expect("a graph")
        };
        let graph = lower_whole();
        let count = graph.len() as u64;
        let lower = least(5, count, || {
            let start = Instant::now();
            let graph = lower_whole();
            let time = start.elapsed();
            drop(graph);
            time
        });
        let meus = Processors::meus(8);
        let schedule_with = |scheduler: &dyn Scheduler| {
            least(5, count, || {
                let start = Instant::now();
                let times = estimate(&graph, &model);
                let schedule = scheduler.schedule(&graph, &times, meus);
                let time = start.elapsed();
                drop(schedule);
                time
            })
        };
        let scheduling: String =
            schedulers().iter().map(|each| format!(" {:>12.0}", schedule_with(&**each))).collect();
        let schedule = Heuristic.schedule(&graph, &estimate(&graph, &model), meus);
        let mut engine = Null::new(target);
        let control = least(5, count, || {
            let start = Instant::now();
            execute(&graph, &schedule, &mut engine, &pool, Duration::from_secs(60))
                .expect("the null engine cannot fail");
            start.elapsed()
        });
        let (record, common) = (record(wanted, false), record(wanted, true));
        println!("{count:>10} {record:>8.0} {common:>8.0} {lower:>9.0}{scheduling} {control:>12.0}");
    }
}
