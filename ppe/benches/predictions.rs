//! What is predicted against what executions take: every trace of the nine programs, none excluded.
//!
//! `cargo bench -p pmatrix --bench predictions -- [sim|clock|host|all] [tiny|small|paper] [SPES] [ppe=FACTOR] [traces] [PROGRAM...]`
//!
//! Without arguments: the simulated Cell and the host, the small size, eight MEUs on the simulated Cell and as many as
//! the host has, in single precision. `traces` prints each trace as well. There are two predictions:
//!
//! * The makespan of the schedule, from the time model alone. It knows neither the PPE's work nor what it takes to hand
//!   an operation over, nor transfers that delay each other.
//! * For the simulated Cell: what the virtual clock takes, which knows all that (`pmatrix simulate`).
//!
//! The Cell's times are virtual and equal in every run. On the host a program runs twice in one session, and the
//! second run counts: in the first one, Linux gives memory that has not been touched. A deviation is
//! (predicted - executed) / executed.

use std::error::Error;

use pmatrix::engine::default_meus;
use pmatrix::lang::programs::{NAMES, Size, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::operation::Precision;
use pmatrix::session::{Options, Session};
use pmatrix::stats::Makespan;
use pmatrix::time::ppe::FACTOR;

/// Width of the histogram's bars, in per cent, and the deviations beyond which there is one bar.
const BAR: f64 = 5.0;
const MOST: f64 = 50.0;

struct Choice {
    engines: Vec<&'static str>,
    size: Size,
    meus: Option<usize>,
    factor: f64,
    /// Whether each trace is printed.
    traces: bool,
    programs: Vec<&'static str>,
}

impl Choice {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Choice, Box<dyn Error>> {
        let mut choice = Choice {
            engines: vec!["sim", "host"],
            size: Size::Small,
            meus: None,
            factor: FACTOR,
            traces: false,
            programs: Vec::new(),
        };
        for argument in arguments.filter(|argument| argument != "--bench") {
            match argument.as_str() {
                "all" => choice.engines = vec!["sim", "clock", "host"],
                "sim" => choice.engines = vec!["sim"],
                "clock" => choice.engines = vec!["clock"],
                "host" => choice.engines = vec!["host"],
                "traces" => choice.traces = true,
                "tiny" => choice.size = Size::Tiny,
                "small" => choice.size = Size::Small,
                "paper" => choice.size = Size::Paper,
                other => match (other.parse(), NAMES.into_iter().find(|&name| name == other)) {
                    (Ok(meus), _) => choice.meus = Some(meus),
                    (_, Some(name)) => choice.programs.push(name),
                    _ if other.starts_with("ppe=") => choice.factor = other["ppe=".len()..].parse()?,
                    _ => return Err(format!("'{other}' is no engine, size, number or program").into()),
                },
            }
        }
        if choice.programs.is_empty() {
            choice.programs = NAMES.to_vec();
        }
        Ok(choice)
    }

    fn makespans(&self, engine: &str, meus: usize, name: &str) -> Result<Vec<Makespan>, Box<dyn Error>> {
        let options = Options {
            engine: engine.into(),
            meus,
            timing: true,
            ppe_factor: self.factor,
            // Every operation is to be scheduled.
            immediate: false,
            ..Options::default()
        };
        let session = Session::new(&options)?;
        let program = parse(text(name, self.size).ok_or("there is no such program")?.as_bytes(), name)?;
        let mut makespans = Vec::new();
        for _ in 0..if engine == "host" { 2 } else { 1 } {
            _ = session.take_makespans();
            let options = RunOptions { precision: Precision::Single, ..RunOptions::default() };
            Runner::new(&session, options, &mut std::io::sink()).run(&program, |_| {})?;
            // Reports wait until nothing is being executed.
            _ = session.reports();
            makespans = session.take_makespans();
        }
        Ok(makespans)
    }
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

fn print(what: &str, deviations: &[f64]) {
    let mut sorted = deviations.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut sizes: Vec<f64> = sorted.iter().map(|deviation| deviation.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    println!(
        "{what}: {} traces; deviation {:.1} % in the median; its size {:.1} % in the median, {:.1} % in nine of ten, {:.1} % at most",
        sorted.len(),
        quantile(&sorted, 0.5),
        quantile(&sizes, 0.5),
        quantile(&sizes, 0.9),
        quantile(&sizes, 1.0)
    );
    let bar = |deviation: f64| ((deviation.clamp(-MOST, MOST - 1e-9) + MOST) / BAR) as usize;
    let mut bars = vec![0; (2.0 * MOST / BAR) as usize];
    sorted.iter().for_each(|&deviation| bars[bar(deviation)] += 1);
    for (number, count) in bars.iter().enumerate() {
        let from = number as f64 * BAR - MOST;
        println!("{from:>5} to {:>3} % {count:>5} {}", from + BAR, "#".repeat((*count).min(100)));
    }
}

/// (predicted - executed) / executed, in per cent.
fn deviation(predicted: u64, executed: u64) -> f64 {
    100.0 * (predicted as f64 / executed.max(1) as f64 - 1.0)
}

/// Prints one line: what was predicted, in one way or in two, what was executed, and the deviations.
fn line(name: &str, number: &str, predicted: &[u64], executed: u64) {
    print!("{name:>13} {number:>7}");
    predicted.iter().chain([&executed]).for_each(|&ns| print!(" {:>10.4}", ns as f64 / 1e6));
    predicted.iter().for_each(|&ns| print!(" {:>8.1}", deviation(ns, executed)));
    println!();
}

fn main() -> Result<(), Box<dyn Error>> {
    let choice = Choice::parse(std::env::args().skip(1))?;
    for engine in &choice.engines {
        let meus = match *engine {
            "host" => choice.meus.unwrap_or_else(|| default_meus("host")),
            _ => choice.meus.unwrap_or(8),
        };
        let ways: &[&str] = if *engine == "sim" { &["schedule", "clock"] } else { &["schedule"] };
        println!(
            "{engine} with {meus} MEUs: traces; ms predicted by {}, and executed; deviations in per cent",
            ways.join(", by ")
        );
        let mut deviations = vec![Vec::new(); ways.len()];
        for name in &choice.programs {
            let executed = choice.makespans(engine, meus, name)?;
            let mut predicted =
                vec![executed.iter().map(|makespan| makespan.predicted_ns).collect::<Vec<_>>()];
            if ways.len() > 1 {
                // The clock has the same traces, in the same order.
                let by_clock = choice.makespans("clock", meus, name)?;
                let numbers = |of: &[Makespan]| of.iter().map(|makespan| makespan.trace).collect::<Vec<_>>();
                assert_eq!(numbers(&by_clock), numbers(&executed), "{name}");
                predicted.push(by_clock.iter().map(|makespan| makespan.executed_ns).collect());
            }
            for (at, makespan) in executed.iter().enumerate() {
                let predicted: Vec<u64> = predicted.iter().map(|way| way[at]).collect();
                for (all, &ns) in deviations.iter_mut().zip(&predicted) {
                    all.push(deviation(ns, makespan.executed_ns));
                }
                if choice.traces {
                    line("", &format!("#{}", makespan.trace), &predicted, makespan.executed_ns);
                }
            }
            let sums: Vec<u64> = predicted.iter().map(|way| way.iter().sum()).collect();
            line(name, &executed.len().to_string(), &sums, executed.iter().map(|m| m.executed_ns).sum());
        }
        for (way, deviations) in ways.iter().zip(&deviations).filter(|(_, deviations)| !deviations.is_empty())
        {
            print(&format!("{engine}, by the {way}"), deviations);
        }
    }
    Ok(())
}
