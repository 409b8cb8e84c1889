//! The nine programs on a simulated Cell, in virtual time: how long they take on 1 and on 8 SPEs, and how far
//! that is from what no schedule can beat.
//!
//! `cargo bench -p pmatrix --bench cell -- [small|paper] [cell|celledp] [1,2,4,6,8] [PROGRAM...]`
//!
//! Without arguments all programs are executed in their small size, in single precision, on 1 and on 8 SPEs
//! of a PowerXCell 8i. The figures are equal on every machine and in every run. The PPE's own work takes no
//! virtual time. Three lower bounds stand behind the cycles:
//!
//! * **work**: the cycles in which SPEs do not wait for a channel (DMA, mailbox), divided by the number of
//!   SPEs;
//! * **memory**: the bytes that were moved, at the full bandwidth of a Cell's memory;
//! * **path**: the longest path through the lowered graph of the program proper, as the time model estimates
//!   it.  It is no strict bound: the model may be wrong, and the preparation of the input is not in it.
//!
//! The last column is the ratio of the cycles to the largest of the three bounds. The paper's speed-up is the
//! one that it observed on 8 SPEs (table "Sequential and parallelisable portions"), in the size "paper", with
//! lowering and scheduling on the PPE included.

use std::error::Error;
use std::io::{IsTerminal, Write, sink, stderr};
use std::time::{Duration, Instant};

use pmatrix::engine::MeuReport;
use pmatrix::lang::ast::Program;
use pmatrix::lang::programs::{NAMES, Size, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::operation::Precision;
use pmatrix::schedule::bounds::levels;
use pmatrix::session::{Options, Processor, Session, processor};
use pmatrix::trace::Limits;

/// The paper's observed speed-up on 8 SPEs, in the order of the programs' names.
const PAPER_SPEED_UPS: [f64; NAMES.len()] = [4.9, 4.5, 5.1, 5.9, 3.2, 5.5, 5.5, 1.4, 5.1];

/// The number of SPEs of the paper's speed-ups.
const PAPER_SPES: usize = 8;

/// Cycles of a Cell in a nanosecond: 3.2 GHz.
const CYCLES_PER_NANOSECOND: f64 = 3.2;

/// Bytes that a Cell moves from and to its memory in a cycle, at 25.6 GB/s.
const BYTES_PER_CYCLE: f64 = 8.0;

/// A long block operation may take minutes to simulate on a busy machine.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What is measured.
struct Choice {
    size: Size,
    processor: Processor,
    spes: Vec<usize>,
    /// Indices into the names.
    programs: Vec<usize>,
}

impl Choice {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Choice, Box<dyn Error>> {
        let mut choice = Choice {
            size: Size::Small,
            processor: Processor::PowerXCell8i,
            spes: vec![1, 8],
            programs: Vec::new(),
        };
        // Cargo adds this option.
        for argument in arguments.filter(|argument| argument != "--bench") {
            match argument.as_str() {
                "small" => choice.size = Size::Small,
                "paper" => choice.size = Size::Paper,
                "cell" | "celledp" => choice.processor = processor(&argument)?,
                name => match NAMES.iter().position(|&known| known == name) {
                    Some(program) => choice.programs.push(program),
                    None => {
                        let numbers: Result<Vec<usize>, _> = name.split(',').map(str::parse).collect();
                        choice.spes = numbers.ok().filter(|spes| !spes.contains(&0)).ok_or_else(|| {
                            format!(
                                "'{name}' is no size (small, paper), no processor (cell, celledp), no list of numbers of SPEs, and none of the programs {}",
                                NAMES.join(", ")
                            )
                        })?;
                    }
                },
            }
        }
        if choice.programs.is_empty() {
            choice.programs = (0..NAMES.len()).collect();
        }
        Ok(choice)
    }

    fn session(&self, spes: usize, timing: bool, limits: Limits) -> Result<Session, Box<dyn Error>> {
        let (engine, processor) = ("sim".to_owned(), self.processor);
        let options = Options {
            engine,
            meus: spes,
            processor,
            timing,
            limits,
            patience: PATIENCE,
            ..Options::default()
        };
        Ok(Session::new(&options)?)
    }

    /// Executes a program in virtual time.
    fn measure(&self, program: usize, spes: usize) -> Result<Measured, Box<dyn Error>> {
        let session = self.session(spes, true, Limits::default())?;
        let mut unused = sink();
        let options = RunOptions { precision: Precision::Single, ..RunOptions::default() };
        Runner::new(&session, options, &mut unused).run(&self.program(program)?, |_| {})?;
        Ok(Measured::new(&session.reports()))
    }

    /// Cycles along the longest path of the program proper.
    fn path(&self, program: usize, spes: usize) -> Result<u64, Box<dyn Error>> {
        let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
        let session = self.session(spes, false, unlimited)?;
        let mut unused = sink();
        let options = RunOptions { precision: Precision::Single, record_only: true, ..RunOptions::default() };
        // Its variables are what the trace is to compute, so the runner lives until the trace is taken.
        let mut runner = Runner::new(&session, options, &mut unused);
        runner.run(&self.program(program)?, |_| {})?;
        let trace = session.take_trace().ok_or("the program leaves nothing to execute")?;
        drop(runner);
        let graph = session.lower(trace)?;
        let (_, times) = session.schedule(&graph);
        let path = levels(&graph, &times).into_iter().max().unwrap_or(0);
        Ok((path as f64 * CYCLES_PER_NANOSECOND) as u64)
    }

    fn program(&self, program: usize) -> Result<Program, Box<dyn Error>> {
        let name = NAMES[program];
        let text = text(name, self.size).ok_or("there is no such program")?;
        Ok(parse(text.as_bytes(), name)?)
    }
}

/// What the SPEs did.
struct Measured {
    cycles: u64,
    bytes: u64,
    operations: u64,
    /// Cycles in which SPEs do not wait for a channel, of all SPEs together.
    work: u64,
}

impl Measured {
    fn new(reports: &[MeuReport]) -> Measured {
        let pipelines = || reports.iter().filter_map(|report| report.pipeline.as_ref());
        let waits: u64 = pipelines()
            .flat_map(|pipeline| &pipeline.stalls)
            .filter(|&&(name, _)| name == "channel")
            .map(|&(_, cycles)| cycles)
            .sum();
        let cycles = pipelines().map(|pipeline| pipeline.cycles).max().unwrap_or(0);
        Measured {
            cycles,
            bytes: reports.iter().map(|report| report.fetched_bytes + report.written_bytes).sum(),
            operations: reports.iter().map(|report| report.operations).sum(),
            work: (cycles * pipelines().count() as u64).saturating_sub(waits),
        }
    }
}

/// Shows on a terminal what is being executed; an empty text clears the line.
fn progress(what: &str) {
    if stderr().is_terminal() {
        // Whether anybody sees it changes nothing.
        _ = write!(stderr(), "\r\x1b[K{what}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let choice = Choice::parse(std::env::args().skip(1))?;
    let begin = Instant::now();
    println!("millions of cycles and of bytes; bounds are work (w), memory (m) and path (p)");
    println!(
        "{:>13} {:>4} {:>9} {:>9} {:>10} {:>8} {:>5} {:>9} {:>9} {:>9} {:>7}",
        "program",
        "SPEs",
        "cycles",
        "bytes",
        "operations",
        "speed-up",
        "paper",
        "work",
        "memory",
        "path",
        "ratio"
    );
    let runs = choice.programs.len() * choice.spes.len();
    let mut done = 0;
    for &program in &choice.programs {
        let mut first = None;
        for &spes in &choice.spes {
            let name = NAMES[program];
            let seconds = begin.elapsed().as_secs();
            progress(&format!("{done} of {runs} runs after {seconds} s: {name} on {spes} SPEs"));
            let path = choice.path(program, spes)?;
            let Measured { cycles, bytes, operations, work } = choice.measure(program, spes)?;
            done += 1;
            progress("");
            let &mut (first_spes, first_cycles) = first.get_or_insert((spes, cycles));
            let speed_up = match first_spes {
                1 => format!("{:.2}", first_cycles as f64 / cycles as f64),
                _ => String::new(),
            };
            let paper = match spes {
                PAPER_SPES => PAPER_SPEED_UPS[program].to_string(),
                _ => String::new(),
            };
            let bounds = [work as f64 / spes as f64, bytes as f64 / BYTES_PER_CYCLE, path as f64];
            let largest = bounds.into_iter().fold(0.0, f64::max);
            let binding = ["w", "m", "p"][bounds.iter().position(|&bound| bound == largest).unwrap_or(0)];
            let [work, memory, path] = bounds.map(|bound| bound / 1e6);
            let (million_cycles, million_bytes) = (cycles as f64 / 1e6, bytes as f64 / 1e6);
            let ratio = format!("{:.2} {binding}", cycles as f64 / largest);
            println!(
                "{name:>13} {spes:>4} {million_cycles:>9.2} {million_bytes:>9.1} {operations:>10} {speed_up:>8} {paper:>5} {work:>9.2} {memory:>9.2} {path:>9.2} {ratio:>7}"
            );
        }
    }
    Ok(())
}
