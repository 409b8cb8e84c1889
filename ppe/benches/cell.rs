//! The nine programs on a simulated Cell, in virtual time: how long they take on 1 and on 8 SPEs, and how far
//! that is from what no schedule can beat.
//!
//! `cargo bench -p pmatrix --bench cell -- [small|paper] [cell|celledp] [1,2,4,6,8] [ppe=FACTOR] [PROGRAM...]`
//!
//! Without arguments all programs are executed in their small size, in single precision, on 1 and on 8 SPEs
//! of a PowerXCell 8i. The figures are equal on every machine and in every run. The PPE takes time for its own
//! work, by a factor that is uncertain (`pmatrix::time::ppe`). So cycles and speed-ups stand there three times: for
//! the factor, for half of it, and for twice the factor. `ppe=0` is a PPE that takes no time. Four lower bounds
//! stand behind them:
//!
//! * **work**: the cycles in which SPEs do not wait for a channel (DMA, mailbox), divided by the number of
//!   SPEs;
//! * **memory**: the bytes that were moved, at the full bandwidth of a Cell's memory;
//! * **path**: the longest path through the lowered graph of the program proper, as the time model estimates
//!   it.  It is no strict bound: the model may be wrong, and the preparation of the input is not in it;
//! * **PPE**: the work of that hardware thread of the PPE which has more of it.
//!
//! The column "clock" has the cycles that the virtual clock predicts (`pmatrix simulate`), and how many per cent
//! they differ. The last column is the ratio of the cycles to the largest of the four bounds. The paper's speed-up is the
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
use pmatrix::time::ppe::{FACTOR, MOST_FACTOR};
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
    /// How much longer the PPE takes than a host.
    factor: f64,
    /// Indices into the names.
    programs: Vec<usize>,
}

impl Choice {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Choice, Box<dyn Error>> {
        let mut choice = Choice {
            size: Size::Small,
            processor: Processor::PowerXCell8i,
            spes: vec![1, 8],
            factor: FACTOR,
            programs: Vec::new(),
        };
        // Cargo adds this option.
        for argument in arguments.filter(|argument| argument != "--bench") {
            match argument.as_str() {
                "small" => choice.size = Size::Small,
                "paper" => choice.size = Size::Paper,
                "cell" | "celledp" => choice.processor = processor(&argument)?,
                argument if argument.starts_with("ppe=") => {
                    let factor = argument["ppe=".len()..].parse().ok();
                    choice.factor = factor
                        .filter(|factor| (0.0..=MOST_FACTOR).contains(factor))
                        .ok_or_else(|| format!("'{argument}' is no factor from 0 to {MOST_FACTOR}"))?;
                }
                name => match NAMES.iter().position(|&known| known == name) {
                    Some(program) => choice.programs.push(program),
                    None => {
                        let numbers: Result<Vec<usize>, _> = name.split(',').map(str::parse).collect();
                        choice.spes = numbers.ok().filter(|spes| !spes.contains(&0)).ok_or_else(|| {
                            format!(
                                "'{name}' is no size (small, paper), no processor (cell, celledp), no list of numbers of SPEs, no factor (ppe=FACTOR), and none of the programs {}",
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

    fn session(
        &self,
        engine: &str,
        spes: usize,
        timing: bool,
        ppe_factor: f64,
        limits: Limits,
    ) -> Result<Session, Box<dyn Error>> {
        let (engine, processor) = (engine.to_owned(), self.processor);
        let options = Options {
            engine,
            meus: spes,
            processor,
            timing,
            ppe_factor,
            limits,
            patience: PATIENCE,
            ..Options::default()
        };
        Ok(Session::new(&options)?)
    }

    /// Executes a program in virtual time.
    fn measure(&self, program: usize, spes: usize, factor: f64) -> Result<Measured, Box<dyn Error>> {
        let session = self.session("sim", spes, true, factor, Limits::default())?;
        let mut unused = sink();
        let options = RunOptions { precision: Precision::Single, ..RunOptions::default() };
        Runner::new(&session, options, &mut unused).run(&self.program(program)?, |_| {})?;
        Ok(Measured::new(&session.reports()))
    }

    /// Cycles of a program by the virtual clock.
    fn predict(&self, program: usize, spes: usize) -> Result<f64, Box<dyn Error>> {
        let session = self.session("clock", spes, true, self.factor, Limits::default())?;
        let mut unused = sink();
        let options = RunOptions { precision: Precision::Single, ..RunOptions::default() };
        Runner::new(&session, options, &mut unused).run(&self.program(program)?, |_| {})?;
        let reports = session.reports();
        let ns = reports.iter().filter_map(|report| report.waits).map(|waits| waits.total_ns());
        Ok(ns.fold(0.0, f64::max) * CYCLES_PER_NANOSECOND)
    }

    /// Cycles along the longest path of the program proper.
    fn path(&self, program: usize, spes: usize) -> Result<u64, Box<dyn Error>> {
        let unlimited = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
        let session = self.session("sim", spes, false, 0.0, unlimited)?;
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
    /// Cycles that the busier hardware thread of the PPE works.
    ppe: f64,
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
        let ppe = reports.iter().filter_map(|report| report.ppe).flat_map(|times| times.threads()).max();
        let ppe = ppe.unwrap_or(0);
        Measured {
            cycles,
            bytes: reports.iter().map(|report| report.fetched_bytes + report.written_bytes).sum(),
            operations: reports.iter().map(|report| report.operations).sum(),
            ppe: ppe as f64 * CYCLES_PER_NANOSECOND,
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

/// The factor of the results, and half and twice the factor.
const PARTS: [f64; 3] = [1.0, 0.5, 2.0];

fn main() -> Result<(), Box<dyn Error>> {
    let choice = Choice::parse(std::env::args().skip(1))?;
    let begin = Instant::now();
    println!(
        "millions of cycles and of bytes; the PPE takes {:.2} times as long as a host; half, twice: for half and twice this",
        choice.factor
    );
    println!("bounds are work (w), memory (m), path (p) and the PPE (P)");
    println!(
        "{:>13} {:>4} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>5} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>7}",
        "program",
        "SPEs",
        "cycles",
        "half",
        "twice",
        "bytes",
        "blocks",
        "speed-up",
        "half",
        "twice",
        "paper",
        "work",
        "memory",
        "path",
        "PPE",
        "clock",
        "%",
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
            let clock = choice.predict(program, spes)?;
            let measured = choice.measure(program, spes, choice.factor)?;
            let mut cycles = [measured.cycles; PARTS.len()];
            for (cycles, part) in
                cycles.iter_mut().zip(PARTS).filter(|&(_, part)| part * choice.factor != choice.factor)
            {
                *cycles = choice.measure(program, spes, part * choice.factor)?.cycles;
            }
            done += 1;
            progress("");
            let &mut (first_spes, first_cycles) = first.get_or_insert((spes, cycles));
            let speed_ups = [0, 1, 2].map(|part| match first_spes {
                1 => format!("{:.2}", first_cycles[part] as f64 / cycles[part] as f64),
                _ => String::new(),
            });
            let paper = match spes {
                PAPER_SPES => PAPER_SPEED_UPS[program].to_string(),
                _ => String::new(),
            };
            let Measured { bytes, operations, work, ppe, .. } = measured;
            let bounds = [work as f64 / spes as f64, bytes as f64 / BYTES_PER_CYCLE, path as f64, ppe];
            let largest = bounds.into_iter().fold(0.0, f64::max);
            let binding =
                ["w", "m", "p", "P"][bounds.iter().position(|&bound| bound == largest).unwrap_or(0)];
            let ratio = format!("{:.2} {binding}", cycles[0] as f64 / largest);
            let differs = 100.0 * (clock / cycles[0] as f64 - 1.0);
            let clock = clock / 1e6;
            let [work, memory, path, ppe] = bounds.map(|bound| bound / 1e6);
            let [cycles, half, twice] = cycles.map(|cycles| cycles as f64 / 1e6);
            let [speed_up, half_speed_up, twice_speed_up] = speed_ups;
            let million_bytes = bytes as f64 / 1e6;
            println!(
                "{name:>13} {spes:>4} {cycles:>8.2} {half:>8.2} {twice:>8.2} {million_bytes:>8.1} {operations:>8} {speed_up:>8} {half_speed_up:>6} {twice_speed_up:>6} {paper:>5} {work:>8.2} {memory:>8.2} {path:>8.2} {ppe:>8.2} {clock:>8.2} {differs:>6.1} {ratio:>7}"
            );
        }
    }
    Ok(())
}
