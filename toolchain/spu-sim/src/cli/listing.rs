//! Listings: disassembly, profile, trace.

use std::{
    collections::BTreeMap,
    io::{BufWriter, Write},
    sync::Arc,
};

use spu_sim::{
    calls::Services,
    elf::Image,
    exec::Flow,
    instruction::decode::Instruction,
    instruction::disasm::{AddressFormat, PlainAddresses, disassemble},
    program::{run_machine, run_observed},
    spe::Spe,
    spu::{Observer, Spu, Unobserved},
    timing::pipeline::{Counts, Pipeline, Stall},
};

use super::{
    Error, Program, load,
    simulate::{Setup, machine},
    symbols::{Symbols, function_name},
};

/// Prints the instructions of all code sections.
pub(super) fn disassembly(image: &Image, no_symbols: bool) -> Result<u8, Error> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let symbols = Symbols(image);
    let format: &dyn AddressFormat = if no_symbols { &PlainAddresses } else { &symbols };
    for section in image.sections().iter().filter(|section| section.executable) {
        writeln!(out, "\nsection {}:", section.name)?;
        let words = section.contents.chunks_exact(4);
        for (pc, bytes) in (section.address..).step_by(4).zip(words) {
            if let Some(symbol) =
                image.symbols().iter().find(|symbol| symbol.address == pc && symbol.function)
            {
                writeln!(out, "\n{pc:08x} <{}>:", symbol.name)?;
            }
            let word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let [b0, b1, b2, b3] = word.to_be_bytes();
            let text = disassemble(pc, word, format);
            writeln!(out, "{pc:8x}:\t{b0:02x} {b1:02x} {b2:02x} {b3:02x} \t{text}")?;
        }
    }
    Ok(0)
}

/// Runs a program and lists its cycles.
pub(super) fn profile(program: &Program, minimum: u64) -> Result<u8, Error> {
    let image = load(&program.file)?;
    let (mut machine, mut services) = machine(program, 1, true)?;
    let result = run_machine(&mut machine, &mut services, program.limit).remove(0);
    let pipeline = machine.pipeline(0);
    let mut out = BufWriter::new(std::io::stdout().lock());

    let executed: Vec<(u32, Counts)> = (0..spu_sim::local_store::LS_SIZE as u32)
        .step_by(4)
        .map(|pc| (pc, pipeline.counts_at(pc)))
        .filter(|(_, counts)| counts.instructions > 0)
        .collect();
    let mut functions: BTreeMap<&str, Counts> = BTreeMap::new();
    for (pc, counts) in &executed {
        functions.entry(function_name(&image, *pc)).or_default().add(counts);
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.cycles()));

    let head: String = Stall::ALL.iter().map(|stall| format!(" {:>9}", stall.name())).collect();
    writeln!(out, "{:>12} {:>12} {:>6}{head}  function", "cycles", "instrs", "dual%")?;
    let total = ("all", *pipeline.counts());
    for (name, counts) in std::iter::once(&total).chain(&functions) {
        let stalls: String = counts.stalls.iter().map(|cycles| format!(" {cycles:>9}")).collect();
        let dual = 200.0 * counts.paired as f64 / counts.instructions.max(1) as f64;
        writeln!(out, "{:>12} {:>12} {dual:>6.1}{stalls}  {name}", counts.cycles(), counts.instructions)?;
    }
    if minimum > 0 {
        writeln!(out, "\n{:>10} {:>10} {:>10}  dual", "times", "cycles", "stalls")?;
        let mut current = "";
        for (pc, counts) in executed.iter().filter(|(_, counts)| counts.instructions >= minimum) {
            let function = function_name(&image, *pc);
            if function != current {
                writeln!(out, "{function}:")?;
                current = function;
            }
            let stalls: u64 = counts.stalls.iter().sum();
            let worst = Stall::ALL.into_iter().max_by_key(|&stall| counts.stalls[stall as usize]);
            let reason = worst.filter(|_| stalls > 0).map_or("", Stall::name);
            let mark = if counts.paired * 2 > counts.instructions { "  +" } else { "   " };
            let text = disassemble(*pc, machine.spe(0).ls().load_word(*pc), &Symbols(&image));
            writeln!(
                out,
                "{:>10} {:>10} {stalls:>10} {mark} {pc:05x} {text:<40} {reason}",
                counts.instructions,
                counts.cycles()
            )?;
        }
    }
    out.flush()?;
    result.map_err(|error| Error::Program { spe: 0, error })
}

/// Prints what executes.
struct Tracer<'a, T> {
    timing: T,
    image: &'a Image,
    out: BufWriter<std::io::StdoutLock<'static>>,
    /// The first failure to write; nothing is written after it.
    failure: Option<std::io::Error>,
    show_cycle: bool,
}

impl<T: Observer> Observer for Tracer<'_, T> {
    fn issue(&mut self, spu: &Spu, instruction: &Instruction) -> u64 {
        self.timing.issue(spu, instruction)
    }

    fn retire(&mut self, spu: &Spu, instruction: &Instruction, flow: Flow) {
        self.timing.retire(spu, instruction, flow);
        if self.failure.is_some() {
            return;
        }
        let cycle = if self.show_cycle { format!("{:>10} ", spu.cycle) } else { String::new() };
        let text = disassemble(spu.pc, instruction.word, &Symbols(self.image));
        let writes = instruction.opcode.description().is_some_and(|row| row.writes);
        let result =
            if writes { format!("${}={:?}", instruction.t, spu.get(instruction.t)) } else { String::new() };
        self.failure = writeln!(self.out, "{cycle}{:05x} {text:<40} {result}", spu.pc).err();
    }
}

fn trace_with<T: Observer>(program: &Program, timing: T, show_cycle: bool) -> Result<u8, Error> {
    let setup = Setup::new(program, 1)?;
    let mut spe = Spe::with_port(&setup.config, Arc::clone(&setup.memory), Arc::clone(&setup.ports[0]));
    spe.start(&setup.image, setup.arguments(0));
    setup.pass_arguments(program, &mut spe)?;
    let out = BufWriter::new(std::io::stdout().lock());
    let mut tracer = Tracer { timing, image: &setup.image, out, failure: None, show_cycle };
    // The trace has standard output; what the program prints goes to standard error.
    let mut services =
        Services::new(Box::new(std::io::stdin()), Box::new(std::io::stderr()), Box::new(std::io::stderr()))
            .with_memory(Arc::clone(&setup.heap));
    let result = run_observed(&mut spe, &mut services, program.limit, &mut tracer);
    if let Some(error) = tracer.failure {
        return Err(error.into());
    }
    tracer.out.flush()?;
    result.map_err(|error| Error::Program { spe: 0, error })
}

/// Prints every instruction that executes. Cycles are the pipeline's; the MFC takes no time here.
pub(super) fn trace(program: &Program, timing: bool) -> Result<u8, Error> {
    if timing {
        trace_with(program, Pipeline::new(program.cpu.into()), true)
    } else {
        trace_with(program, Unobserved, false)
    }
}
