//! Which of the nine programs a PlayStation 3 has the memory for, and how much each takes.
//!
//! `cargo bench -p pmatrix --bench memory -- [small|paper] [megabytes=200] [PROGRAM...]`
//!
//! A PlayStation 3 has six SPEs and 256 MB, of which some 200 MB are left for a program. Each program is executed in
//! the paper's size in both precisions, with the limits that pmatrix chooses on such a machine: pending operations pin
//! at most a quarter of the memory, and freed matrices keep an eighth.
//!
//! * **matrices**: the most bytes that inputs, intermediate values and results of the program take at once. This is known
//!   before anything is computed, from a run of the virtual clock that computes no block. Where it exceeds the memory,
//!   the program does not fit, and is not executed.
//! * **peak**: the most bytes that the process had resident (`VmHWM` of /proc/self/status), on this machine, in a
//!   process of its own, with six MEUs in local stores and everything else of pmatrix.

use std::error::Error;
use std::io::sink;
use std::process::Command;

use pmatrix::lang::programs::{NAMES, Size, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::operation::Precision;
use pmatrix::session::{Options, Processor, Session};
use pmatrix::trace::Limits;

/// SPEs of a PlayStation 3.
const SPES: usize = 6;

/// What this program calls itself with, to execute one program in a process of its own.
const CHILD: &str = "in-a-process-of-its-own";

const MEGABYTE: u64 = 1_000_000;

struct Choice {
    size: &'static str,
    megabytes: u64,
    programs: Vec<&'static str>,
}

impl Choice {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Choice, Box<dyn Error>> {
        let mut choice = Choice { size: "paper", megabytes: 200, programs: Vec::new() };
        // Cargo adds this option.
        for argument in arguments.filter(|argument| argument != "--bench") {
            let program = NAMES.into_iter().find(|&name| name == argument);
            match (argument.as_str(), argument.strip_prefix("megabytes=")) {
                ("small", _) => choice.size = "small",
                ("paper", _) => choice.size = "paper",
                (_, Some(number)) => choice.megabytes = number.parse()?,
                _ => choice.programs.push(program.ok_or_else(|| {
                    format!("'{argument}' is no size (small, paper), no megabytes=NUMBER, and no program")
                })?),
            }
        }
        if choice.programs.is_empty() {
            choice.programs = NAMES.to_vec();
        }
        Ok(choice)
    }

    /// Executes a program in a process of its own. Returns bytes of matrices, and resident bytes.
    fn execute(
        &self,
        program: &str,
        precision: Precision,
        compute: bool,
    ) -> Result<[u64; 2], Box<dyn Error>> {
        let (megabytes, compute) = (self.megabytes.to_string(), compute.to_string());
        let output = Command::new(std::env::current_exe()?)
            .args([CHILD, program, self.size, precision.name(), &megabytes, &compute])
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [matrices, resident] if output.status.success() => Ok([matrices, resident]),
            _ => Err(String::from_utf8_lossy(&output.stderr).into()),
        }
    }
}

/// The process of its own: executes a program, and prints what it has taken.
fn child(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [program, size, precision, megabytes, compute] = arguments else {
        return Err("too few arguments".into());
    };
    let bytes = megabytes.parse::<u64>()? * MEGABYTE;
    let size = if size == "paper" { Size::Paper } else { Size::Small };
    let precision = if precision == "single" { Precision::Single } else { Precision::Double };
    let compute = compute == "true";
    let options = Options {
        engine: "clock".into(),
        meus: SPES,
        processor: Processor::CellBe,
        compute,
        limits: Limits { bytes: bytes / 4, ..Limits::default() },
        keep_bytes: (bytes / 8) as usize,
        // What a run needs at least does not depend on which thread comes first.
        overlap: compute,
        ..Options::default()
    };
    let session = Session::new(&options)?;
    let text = text(program, size).ok_or("there is no such program")?;
    let (mut unused, options) = (sink(), RunOptions { precision, ..RunOptions::default() });
    Runner::new(&session, options, &mut unused).run(&parse(text.as_bytes(), program)?, |_| {})?;
    println!("{} {}", session.statistics().bytes_peak, resident()?);
    Ok(())
}

/// The most bytes that this process has had resident.
fn resident() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")).ok_or("no VmHWM")?;
    Ok(kilobytes.trim().parse::<u64>()? * 1024)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((CHILD, rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return child(rest);
    }
    let choice = Choice::parse(arguments.into_iter())?;
    println!("{} size, {SPES} SPEs, {} MB for a program", choice.size, choice.megabytes);
    println!("{:>13} {:>9} {:>12} {:>9}", "program", "precision", "matrices MB", "peak MB");
    for &program in &choice.programs {
        for precision in [Precision::Single, Precision::Double] {
            let in_megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / MEGABYTE as f64);
            let [matrices, _] = choice.execute(program, precision, false)?;
            let (name, needs) = (precision.name(), in_megabytes(matrices));
            let outcome = match matrices > choice.megabytes * MEGABYTE {
                true => "does not fit, not executed".into(),
                false => in_megabytes(choice.execute(program, precision, true)?[1]),
            };
            println!("{program:>13} {name:>9} {needs:>12} {outcome:>9}");
        }
    }
    Ok(())
}
