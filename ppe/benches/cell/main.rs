//! The nine programs on a Cell in virtual time: how long they take on some numbers of SPEs, and how far that is from
//! what no schedule can beat.
//!
//! `cargo bench -p pmatrix --bench cell -- [small|paper] [clock|sim] [single|double] [cell|celledp] [cells=2] [1,2,4,6,8] [ppe=FACTOR] [factors] [PROGRAM...]`
//!
//! Without arguments all programs are executed in their small size, in single precision, on 1 and on 8 simulated SPEs
//! of a PowerXCell 8i (`sim`). In the paper's size (`paper`) SPEs take hours to simulate. So the virtual clock, which
//! is within some per cent of simulated SPEs, executes the programs there (`clock`), on 1, 2, 4, 6, 8 and 16 SPEs.
//! The figures are equal on every machine and in every run. Four lower bounds stand behind the time:
//!
//! * **work**: the time in which SPEs do not wait for a channel (DMA, mailbox), divided by the number of SPEs;
//! * **memory**: the bytes that were moved, at the full bandwidth of a Cell's memory;
//! * **path**: the longest path through the lowered graph of the program proper, as the time model estimates
//!   it. It is no strict bound: the model may be wrong, and the preparation of the input is not in it;
//! * **PPE**: the work of that hardware thread of the PPE which has more of it.
//!
//! The ratio is that of the time to the largest of the four bounds. The paper's speed-up is the one that it observed
//! on 8 SPEs (table "Sequential and parallelisable portions"), in the size "paper", with lowering and scheduling on the
//! PPE included.
//!
//! The PPE takes time for its own work, by a factor that is uncertain (`pmatrix::time::ppe`). With `factors` two more
//! lines stand behind each line, for half of the factor and for twice the factor. `ppe=0` is a PPE that takes no time.
//! `cells=2` divides the SPEs among the two Cells of a blade, each with a memory of its own; the column "far %" then says
//! how many of the bytes lie in the memory of the other Cell. By the virtual clock the last columns say for which part of their time, in per cent, SPEs waited: for data (DMA), for
//! operands that were not computed yet, or for the PPE. With simulated SPEs the last column says by how many per cent
//! the virtual clock differs.

mod choice;
mod measure;
mod progress;

use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pmatrix::lang::programs::NAMES;

use choice::{Choice, Run};
use measure::{Bounds, Measured};
use progress::Progress;

/// The paper's observed speed-up on 8 SPEs, in the order of the programs' names.
const PAPER_SPEED_UPS: [f64; NAMES.len()] = [4.9, 4.5, 5.1, 5.9, 3.2, 5.5, 5.5, 1.4, 5.1];

/// The number of SPEs of the paper's speed-ups.
const PAPER_SPES: usize = 8;

/// What is known of a run.
#[derive(Clone, Copy)]
struct Outcome {
    measured: Measured,
    bounds: Bounds,
    /// The time by the virtual clock, beside a simulation.
    clock_ns: Option<f64>,
}

/// Why a run has failed; errors of the session may not go from one thread to another.
type Failure = String;

fn execute(choice: &Choice, run: Run, progress: &Progress) -> Result<Outcome, Box<dyn Error>> {
    let measured = choice.measure(choice.engine, run, &mut |share| progress.note(run, share))?;
    let clock_ns = match choice.engine {
        "sim" => Some(choice.measure("clock", run, &mut |_| ())?.ns),
        _ => None,
    };
    let bounds = Bounds::new(&measured, run.spes, choice.path_ns(run)?);
    Ok(Outcome { measured, bounds, clock_ns })
}

/// Executes all runs, several at a time. `done` is told of each outcome in the order of the runs.
fn execute_all(
    choice: &Choice,
    runs: &[Run],
    mut done: impl FnMut(Run, Outcome) + Send,
) -> Result<(), Failure> {
    let progress = Progress::new(runs);
    let next = AtomicUsize::new(0);
    let mut outcomes = vec![None; runs.len()];
    let mut told = 0;
    let mut tell = |number: usize, outcome: Outcome| {
        outcomes[number] = Some(outcome);
        while let Some(&Some(outcome)) = outcomes.get(told) {
            progress.beside(|| done(runs[told], outcome));
            told += 1;
        }
    };
    let tell = Mutex::new(&mut tell);
    let work = || -> Result<(), Failure> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&run) = runs.get(number) else { return Ok(()) };
            let outcome = execute(choice, run, &progress).map_err(|error| {
                // No other run begins.
                next.store(runs.len(), Ordering::Relaxed);
                format!("{}: {error}", run.name())
            })?;
            progress.end(run);
            tell.lock().map_err(|_| "a run has panicked")?(number, outcome);
        }
    };
    let result = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..choice.threads()).map(|_| scope.spawn(work)).collect();
        let ends = threads.into_iter().map(|thread| thread.join().map_err(|_| "a run has panicked")?);
        ends.collect::<Vec<Result<(), Failure>>>().into_iter().collect()
    });
    progress.close();
    result
}

/// The time on one SPE of the program and the factor at hand.
#[derive(Default)]
struct First(Vec<(Run, f64)>);

impl First {
    /// The speed-up of a run over the run with one SPE, where there was one.
    fn speed_up(&mut self, run: Run, ns: f64) -> Option<f64> {
        if run.spes == 1 {
            self.0.push((run, ns));
        }
        let like = |other: &Run| (other.program, other.part) == (run.program, run.part);
        self.0.iter().find(|(other, _)| like(other)).map(|(_, first)| first / ns)
    }
}

fn line(choice: &Choice, run: Run, outcome: &Outcome, speed_up: Option<f64>) -> String {
    let Outcome { measured, bounds, clock_ns } = outcome;
    let ms = |ns: f64| format!("{:.3}", ns / 1e6);
    let paper = match run.spes {
        PAPER_SPES => PAPER_SPEED_UPS[run.program].to_string(),
        _ => String::new(),
    };
    let speed_up = speed_up.map(|speed_up| format!("{speed_up:.2}")).unwrap_or_default();
    let (letter, largest) = bounds.largest();
    let ratio = format!("{:.2} {letter}", measured.ns / largest);
    let far = if choice.cells > 1 { format!("{:>7.1}", 100.0 * measured.far) } else { String::new() };
    let last = match (measured.waits, clock_ns) {
        (Some(parts), _) => parts.map(|part| format!("{:>7.1}", 100.0 * part)).concat(),
        (None, Some(clock)) => format!("{:>7.1}", 100.0 * (clock / measured.ns - 1.0)),
        (None, None) => String::new(),
    };
    let [work, memory, path, ppe] = bounds.all().map(ms);
    format!(
        "{:>13} {:>4} {:>10} {speed_up:>8} {paper:>5} {work:>10} {memory:>10} {path:>9} {ppe:>9} {ratio:>7} {:>9.1} {:>8} {last}{far}",
        run.name(),
        run.spes,
        ms(measured.ns),
        measured.bytes / 1e6,
        measured.operations,
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let choice = Choice::parse(std::env::args().skip(1))?;
    println!("{}", choice.title());
    println!("virtual time and bounds in ms; bounds are work (w), memory (m), path (p) and the PPE (P)");
    println!(
        "{:>13} {:>4} {:>10} {:>8} {:>5} {:>10} {:>10} {:>9} {:>9} {:>7} {:>9} {:>8} {}{}",
        "program",
        "SPEs",
        "time",
        "speed-up",
        "paper",
        "work",
        "memory",
        "path",
        "PPE",
        "ratio",
        "MB moved",
        "blocks",
        if choice.engine == "sim" { "clock %" } else { " data % opnds %   PPE %" },
        if choice.cells > 1 { "  far %" } else { "" }
    );
    let mut first = First::default();
    execute_all(&choice, &choice.runs(), |run, outcome| {
        let speed_up = first.speed_up(run, outcome.measured.ns);
        println!("{}", line(&choice, run, &outcome, speed_up));
    })?;
    Ok(())
}
