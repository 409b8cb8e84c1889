//! How far schedules are from the best schedule there is: the nine programs in their tiny size, and thirty random
//! graphs, on 2, 3, 4 and 8 MEUs.
//!
//! `cargo bench -p pmatrix --bench optimality -- [SECONDS]`
//!
//! SECONDS is the time of each search, 2 unless told. A search that ends before has the optimum; any other has a
//! best schedule and a lower bound. With `--features highs` the solver HiGHS goes on for as long where the search has
//! ended early, with the paper's integer program. Times are nanoseconds by the time model of a Cell, and random ones for random
//! graphs. The random graphs are equal in every run.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pmatrix::lang::programs::{NAMES, Size, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::lower::{ChunkLimits, LoweredGraph, Lowering, Target, Venue};
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, OpKind, Precision, Shape};
use pmatrix::pool::Pool;
use pmatrix::schedule::bounds::Bounds;
use pmatrix::schedule::integer;
use pmatrix::schedule::optimal::optimal;
use pmatrix::schedule::{Heuristic, Portfolio, Processors, Scheduler, estimate};
use pmatrix::session::{Options, Session};
use pmatrix::time::{StageTimes, TimeModel};
use pmatrix::trace::{Limits, Recorder};

/// Numbers of MEUs.
const MEUS: [usize; 4] = [2, 3, 4, 8];

/// Number of random graphs.
const RANDOM: u64 = 30;

const UNLIMITED: Limits = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };

/// A graph with the times of its operations.
type Instance = (LoweredGraph, Vec<StageTimes>);

/// A program of the nine, as it is lowered for so many MEUs of a Cell.
fn program(name: &str, meus: usize) -> Result<Instance, Box<dyn Error>> {
    let options = Options { engine: "clock".into(), meus, limits: UNLIMITED, ..Options::default() };
    let session = Session::new(&options)?;
    let text = text(name, Size::Tiny).ok_or("there is no such program")?;
    let options = RunOptions { precision: Precision::Single, record_only: true, ..RunOptions::default() };
    let mut unused = std::io::sink();
    let mut runner = Runner::new(&session, options, &mut unused);
    runner.run(&parse(text.as_bytes(), name)?, |_| {})?;
    let trace = session.take_trace().ok_or("the program leaves nothing to execute")?;
    drop(runner);
    let graph = session.lower(trace)?;
    let times = estimate(&graph, session.model());
    Ok((graph, times))
}

/// A random graph of 8 to 40 additions of blocks. Few constants make a deep graph, many a broad one. Transfers
/// take up to a third of an execution, as in products.
fn random(seed: u64) -> Result<Instance, Box<dyn Error>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let operations = random.usize(8..=40);
    let pool = Pool::new(0, false);
    let recorder = Recorder::new(UNLIMITED, pool.clone());
    let shape = Shape { rows: 4, columns: 4 };
    let mut values = Vec::new();
    for _ in 0..random.usize(1..=operations) {
        values.push(recorder.constant(Matrix::zeros(shape, Precision::Double, &pool)?, Class::Double)?);
    }
    for _ in 0..operations {
        let [a, b] = [0; 2].map(|_| random.usize(0..values.len()));
        values.push(recorder.binary(OpKind::Add, &values[a], &values[b], "", 0)?.value);
    }
    let (target, model) = (Target::paper(1), TimeModel::of_host()?);
    let trace = Arc::new(recorder.seal_all().ok_or("nothing was recorded")?);
    let graph = Lowering::new(trace, &target, &model, &pool, ChunkLimits::WHOLE)
        .next_chunk()
        .map_err(|failure| failure.error)?
        .ok_or("nothing was lowered")?;
    let times = (0..graph.len()).map(|_| {
        let ex = random.u64(1_000..=60_000);
        StageTimes { df: random.u64(300..=ex / 3 + 300), ex, wb: random.u64(200..=ex / 6 + 200) }
    });
    let times = times.collect();
    Ok((graph, times))
}

/// What a row says.
struct Row {
    /// Whether the optimum is known.
    solved: bool,
    /// Whether the work of the MEUs bounds the makespan, rather than the longest path.
    by_work: bool,
    /// How far heuristic and portfolio are above the best known bound, in per cent.
    above: [f64; 2],
}

/// Searches the best schedule, and prints a row.
fn row(
    name: &str,
    meus: usize,
    (graph, times): &Instance,
    patience: Duration,
) -> Result<Row, Box<dyn Error>> {
    let ppe = graph.operations.iter().any(|operation| operation.venue == Venue::Ppe);
    let processors = Processors { meus, ppe };
    let [heuristic, portfolio] = [&Heuristic as &dyn Scheduler, &Portfolio]
        .map(|scheduler| scheduler.schedule(graph, times, processors));
    let makespans = [heuristic.makespan, portfolio.makespan];
    let begin = Instant::now();
    let (mut best, mut found) =
        optimal(graph, times, processors, portfolio, &mut |_| begin.elapsed() < patience);
    let is_open = found.best > found.bound && graph.len() <= integer::MOST_OPERATIONS;
    if cfg!(feature = "highs") && is_open {
        let (by_solver, solved) = integer::solve(graph, times, processors, best, patience, &mut |_| true)?;
        (best, found.best, found.bound) = (by_solver, solved.best, solved.bound.max(found.bound));
    }
    assert_eq!(best.validate(graph, times), Ok(()), "{name}");
    let above = makespans.map(|makespan| 100.0 * (makespan - found.bound) as f64 / found.bound.max(1) as f64);
    let what = if found.best == found.bound { "optimum" } else { "bound" };
    println!(
        "{name:>13} {meus:>4} {:>6} {:>6} {:>12} {:>12} {:>12} {:>12} {what:<7} {:>7.2} {:>7.2} {:>8.2}",
        graph.len(),
        graph.edge_count(),
        makespans[0],
        makespans[1],
        found.best,
        found.bound,
        above[0],
        above[1],
        begin.elapsed().as_secs_f64()
    );
    let bounds = Bounds::of(graph, times, processors, None);
    Ok(Row { solved: found.best == found.bound, by_work: bounds.work > bounds.path, above })
}

fn main() -> Result<(), Box<dyn Error>> {
    let argument = std::env::args().skip(1).find(|argument| argument != "--bench");
    let seconds = argument.map_or(Ok(2.0), |argument| argument.parse::<f64>())?;
    let patience = Duration::try_from_secs_f64(seconds)?;
    println!(
        "makespans in nanoseconds; behind the bound: heuristic and portfolio above it in per cent, seconds"
    );
    println!(
        "{:>13} {:>4} {:>6} {:>6} {:>12} {:>12} {:>12} {:>12} {:<7} {:>7} {:>7} {:>8}",
        "graph",
        "MEUs",
        "nodes",
        "edges",
        "heuristic",
        "portfolio",
        "best known",
        "bound",
        "is",
        "heur.",
        "portf.",
        "s"
    );
    let mut rows = Vec::new();
    for name in NAMES {
        for meus in MEUS {
            rows.push(row(name, meus, &program(name, meus)?, patience)?);
        }
    }
    for seed in 0..RANDOM {
        let instance = random(seed)?;
        for meus in MEUS {
            rows.push(row(&format!("random {seed}"), meus, &instance, patience)?);
        }
    }
    let solved = rows.iter().filter(|row| row.solved).count();
    println!("{solved} of {} have a known optimum", rows.len());
    for (what, by_work) in [("the work", true), ("the longest path", false)] {
        for (number, name) in ["heuristic", "portfolio"].into_iter().enumerate() {
            let of_bound = rows.iter().filter(|row| row.by_work == by_work);
            let mut above: Vec<f64> = of_bound.map(|row| row.above[number]).collect();
            above.sort_by(f64::total_cmp);
            let at = |share: f64| above.get((above.len().saturating_sub(1) as f64 * share) as usize);
            let [median, most, all] = [0.5, 0.9, 1.0].map(|share| at(share).copied().unwrap_or(0.0));
            println!(
                "{name}, where {what} bounds the makespan ({} graphs): above the optimum or bound by {median:.2} % in the median, {most:.2} % in nine of ten, {all:.2} % at most",
                above.len()
            );
        }
    }
    Ok(())
}
