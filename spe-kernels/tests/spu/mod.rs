//! The kernels of an SPE in a program of their own, on the simulator.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use spu_sim::calls::Services;
use spu_sim::elf::Image;
use spu_sim::memory::Ram;
use spu_sim::program::{Failure, run_observed};
use spu_sim::spe::{Arguments, Spe, SpeConfig};
use spu_sim::spu::Cpu;
use spu_sim::spu::Observer;

/// Both processors, with the compiler's names.
pub(crate) const PROCESSORS: [(Cpu, &str); 2] = [(Cpu::CellBe, "cell"), (Cpu::PowerXCell8i, "celledp")];

/// A program of this directory, and which objects of the MEU it calls.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) objects: &'static [&'static str],
}

/// Far more than the program needs.
const INSTRUCTION_LIMIT: u64 = 10_000_000_000;

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tools print text")
}

/// Compiles a program for a processor. None, with a line that says so, where there is no SPU compiler.
pub(crate) fn build(program: Program, processor: &str, scratch: &Path) -> Option<Image> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = Command::new(root.join("../toolchain/spu-gcc.sh")).arg("--find").output().expect("a script");
    if !found.status.success() {
        assert!(std::env::var("REQUIRE_ALL").is_err(), "{}", String::from_utf8_lossy(&found.stderr));
        println!("skipped: no SPU compiler (toolchain/spu-gcc.sh)");
        return None;
    }
    let prefix = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
    let directory = scratch.join(format!("{}-{processor}", program.name));
    output(Command::new(root.join("build-spu.sh")).arg(processor).arg(&directory).env("SPU_PREFIX", &prefix));
    let file = directory.join("program.elf");
    output(
        Command::new(prefix.join("bin/spu-elf-gcc"))
            .args(["-O1", "-std=gnu11", "-Wall", "-Wextra", "-Werror"])
            .arg(format!("-march={processor}"))
            .args(["include", "kernels"].map(|inside| format!("-I{}", root.join(inside).display())))
            .arg(root.join("tests/spu").join(program.name).with_extension("c"))
            .args(program.objects.iter().map(|name| directory.join(name).with_extension("o")))
            .arg("-Wl,--gc-sections")
            .arg("-o")
            .arg(&file),
    );
    let file = std::fs::read(&file).expect("the program was linked");
    Some(Image::parse(&file).expect("a program for an SPE"))
}

/// Runs it, with a tick of the decrementer a cycle; products are checked, or, if it measures, timed. The exit
/// status.
pub(crate) fn run<O: Observer>(
    image: &Image,
    cpu: Cpu,
    measures: bool,
    observer: &mut O,
) -> Result<u8, Failure> {
    let config = SpeConfig { cpu, cycles_per_tick: 1, ..SpeConfig::default() };
    let mut spe = Spe::new(&config, Arc::new(Ram::new(0, 128)));
    let arguments = Arguments { argp: u64::from(measures), ..Arguments::default() };
    spe.start(image, arguments);
    run_observed(&mut spe, &mut Services::stdio(), INSTRUCTION_LIMIT, observer)
}
