//! `pmatrix optimal`: how far a program's schedules are from the best schedule there is.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use pmatrix::error::Error;
use pmatrix::lower::{LoweredGraph, Venue};
use pmatrix::output::replace;
use pmatrix::schedule::bounds::Bounds;
use pmatrix::schedule::integer::ampl::Data;
use pmatrix::schedule::integer::text::{Lp, Mps};
use pmatrix::schedule::integer::{self, IntegerProgram};
use pmatrix::schedule::optimal::{Found, MOST_OPERATIONS, optimal};
use pmatrix::schedule::{Heuristic, Portfolio, Processors, Scheduler, estimate};
use pmatrix::time::StageTimes;

use super::Failure;
use super::options::SessionArguments;
use super::progress::{Progress, Show};
use super::record::record;

#[derive(Debug, Args)]
pub(crate) struct OptimalArguments {
    #[command(flatten)]
    session: SessionArguments,
    /// Search for this many seconds at most
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    time_limit: Duration,
    /// What finds the best schedule
    #[arg(long, value_enum, default_value_t = Exact::Search)]
    exact: Exact,
    /// Write the paper's integer program, whose optimum is the best makespan, to this file: FILE.lp or
    /// FILE.mps; or the data of the paper's AMPL model, to FILE.dat
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// The program; `-` is the standard input
    file: PathBuf,
}

/// What finds the best schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Exact {
    /// Branch and bound
    Search,
    /// The solver HiGHS, on the paper's integer program; pmatrix has it when it is built with the feature `highs`
    Integer,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it must be a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// What a search has found, in words.
fn text(found: Found) -> String {
    let Found { best, bound, states } = found;
    format!("best {best} ns, bound {bound} ns, gap {:.2} %, {states} states", 100.0 * found.gap())
}

/// Why a search has ended.
fn why(exact: Exact, found: Found, operations: usize) -> String {
    let left = found.best - found.bound;
    match exact {
        _ if left == 0 => "the best known schedule is optimal".into(),
        // The tolerance of the solver.
        Exact::Integer if left as f64 <= 2e-6 * found.best as f64 => {
            "the best known schedule is optimal, as far as floating point tells".into()
        }
        Exact::Search if operations > MOST_OPERATIONS => {
            format!("not searched: more than {MOST_OPERATIONS} block operations")
        }
        _ => "stopped by the time limit".into(),
    }
}

/// Writes the integer program in the format that the file's name asks for.
fn export(
    path: &Path,
    graph: &LoweredGraph,
    times: &[StageTimes],
    processors: Processors,
) -> Result<(), Failure> {
    let usage = |what: String| Err(Failure::Usage(Error::Argument(what)));
    if graph.len() > integer::MOST_OPERATIONS {
        return usage(format!(
            "an integer program of {} block operations is too large: at most {} can be exported",
            graph.len(),
            integer::MOST_OPERATIONS
        ));
    }
    let program = || IntegerProgram::new(graph, times, processors);
    let text = match path.extension().and_then(|extension| extension.to_str()) {
        Some("lp") => Lp(&program()).to_string(),
        Some("mps") => Mps(&program()).to_string(),
        Some("dat") if graph.operations.iter().any(|operation| operation.venue == Venue::Ppe) => {
            return usage(format!(
                "--export {}: the paper's AMPL model has no PPE, which executes a part of this program",
                path.display()
            ));
        }
        Some("dat") => Data { graph, times, processors }.to_string(),
        _ => return usage(format!("--export {}: the name must end with .lp, .mps or .dat", path.display())),
    };
    Ok(replace(path, text.as_bytes())?)
}

impl OptimalArguments {
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let Some((session, trace)) = record(&self.session, &self.file, show)? else { return Ok(()) };
        let graph = session.lower(trace).map_err(Failure::Other)?;
        let times = estimate(&graph, session.model());
        let target = session.target();
        let processors = Processors::of(target);
        if let Some(path) = &self.export {
            export(path, &graph, &times, processors)?;
        }
        let bounds = Bounds::of(&graph, &times, processors, target.bandwidth);
        let [heuristic, portfolio] = [&Heuristic as &dyn Scheduler, &Portfolio]
            .map(|scheduler| scheduler.schedule(&graph, &times, processors));
        let makespans = [("heuristic", heuristic.makespan), ("portfolio", portfolio.makespan)];
        for schedule in [&heuristic, &portfolio] {
            assert_eq!(schedule.validate(&graph, &times), Ok(()));
        }
        let begin = Instant::now();
        let mut progress = Progress::new(show);
        let mut go_on = |found| {
            let elapsed = begin.elapsed();
            let share = elapsed.as_secs_f64() / self.time_limit.as_secs_f64().max(f64::MIN_POSITIVE);
            progress.update(share, &text(found));
            elapsed < self.time_limit
        };
        let (best, found) = match self.exact {
            Exact::Search => optimal(&graph, &times, processors, portfolio, &mut go_on),
            Exact::Integer => {
                integer::solve(&graph, &times, processors, portfolio, self.time_limit, &mut go_on).map_err(
                    |error| match error {
                        Error::Argument(_) => Failure::Usage(error),
                        _ => Failure::Other(error),
                    },
                )?
            }
        };
        progress.end(&text(found));
        assert_eq!(best.validate(&graph, &times), Ok(()));
        let (operations, dependences, meus) = (graph.len(), graph.edge_count(), processors.meus);
        writeln!(out, "block operations {operations}, dependences {dependences}, MEUs {meus}")?;
        let share = |makespan: u64| 100.0 * (makespan - found.bound) as f64 / found.bound.max(1) as f64;
        for (name, makespan) in makespans.into_iter().chain([("best known", found.best)]) {
            writeln!(out, "{name:<12}{makespan:>12} ns  {:.2} % above the bound", share(makespan))?;
        }
        let Bounds { path, work, bandwidth } = bounds;
        write!(out, "{:<12}{:>12} ns  (path {path}, work {work}", "bound", found.bound)?;
        match bandwidth {
            Some(bandwidth) => writeln!(out, "; the transfers take {bandwidth} at least)")?,
            None => writeln!(out, ")")?,
        }
        let why = why(self.exact, found, operations);
        writeln!(out, "{:<12}{:>12.2} %   {why}", "gap", 100.0 * found.gap())?;
        Ok(())
    }
}
