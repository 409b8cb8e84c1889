//! Decoder and disassembler against GNU objdump: every opcode with random operands, and whole ELF files.

mod common;

use std::{io::Write, path::Path, process::Command};

use common::{Scratch, run, toolchain};
use spu_sim::{
    elf::Image,
    instruction::disasm::{AddressFormat, PlainAddresses, disassemble},
};

/// The lines of an objdump listing: address, word, text.
fn listing(text: &str) -> Vec<(u32, u32, String)> {
    text.lines()
        .filter_map(|line| {
            let (address, rest) = line.split_once(":\t")?;
            let (bytes, text) = rest.split_once('\t')?;
            let address = u32::from_str_radix(address.trim(), 16).ok()?;
            let word = u32::from_str_radix(&bytes.replace(' ', ""), 16).ok()?;
            Some((address, word, text.trim_end().to_string()))
        })
        .collect()
}

fn compare(lines: &[(u32, u32, String)], normalize: impl Fn(&str) -> String, format: &dyn AddressFormat) {
    let mut differences = Vec::new();
    for (pc, word, expected) in lines {
        let ours = disassemble(*pc, *word, format);
        if normalize(&ours) != normalize(expected) {
            differences.push(format!("{pc:05x} {word:08x}: {ours:?}, objdump {expected:?}"));
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences, such as\n{}",
        differences.len(),
        differences[..differences.len().min(20)].join("\n")
    );
}

#[test]
fn every_opcode_with_random_operands() {
    let Some(bin) = toolchain() else { return };
    let scratch = Scratch::new("objdump-opcodes");
    let mut random = fastrand::Rng::with_seed(1);
    // All 2048 values of the opcode field, each with 16 random remainders and the extreme ones.
    let mut words = Vec::new();
    for bits in 0..2048u32 {
        let rests = (0..16).map(|_| random.u32(..=0x1f_ffff)).collect::<Vec<_>>();
        words.extend(rests.into_iter().chain([0, 0x1f_ffff]).map(|rest| bits << 21 | rest));
    }
    let file = scratch.path("words.bin");
    let mut out = std::fs::File::create(&file).expect("writable");
    for word in &words {
        out.write_all(&word.to_be_bytes()).expect("writable");
    }
    let text = run(Command::new(bin.join("spu-elf-objdump"))
        .args(["-D", "-z", "-b", "binary", "-m", "spu:256K", "-EB"])
        .arg(&file));
    let lines = listing(&text);
    assert_eq!(lines.len(), words.len());
    compare(&lines, str::to_string, &PlainAddresses);
}

/// Symbols decide only how objdump names an address, so names are taken out.
fn without_names(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" <") {
        out.push_str(before);
        rest = after.split_once('>').map_or("", |(_, rest)| rest);
    }
    out + rest
}

struct Hexadecimal(bool);

impl AddressFormat for Hexadecimal {
    fn address(&self, address: u32) -> String {
        format!("{address:x}")
    }

    fn has_symbol_at_zero(&self) -> bool {
        self.0
    }
}

fn compare_elf(bin: &Path, file: &Path) {
    let text = run(Command::new(bin.join("spu-elf-objdump")).args(["-d", "-z"]).arg(file));
    let image = Image::parse(&std::fs::read(file).expect("readable")).expect("a program");
    let at_zero = image.symbols().first().is_some_and(|symbol| symbol.address == 0);
    let lines = listing(&text);
    let code: usize = image.sections().iter().filter(|s| s.executable).map(|s| s.contents.len() / 4).sum();
    assert_eq!(lines.len(), code, "all words of all code sections");
    compare(&lines, without_names, &Hexadecimal(at_zero));
}

#[test]
fn whole_programs() {
    let Some(bin) = toolchain() else { return };
    let scratch = Scratch::new("objdump-programs");
    let source = scratch.path("program.c");
    std::fs::write(
        &source,
        "#include <stdio.h>\n#include <math.h>\nint main(void) { double x; scanf(\"%lf\", &x);\n\
         printf(\"%f %f\\n\", sin(x), pow(x, 1.5)); return 0; }\n",
    )
    .expect("writable");
    for (cpu, opt) in [("cell", "-O0"), ("cell", "-O3"), ("celledp", "-O2")] {
        let program = scratch.path("program");
        let march = format!("-march={cpu}");
        run(Command::new(bin.join("spu-elf-gcc"))
            .args([opt, &march])
            .arg(&source)
            .arg("-o")
            .arg(&program)
            .arg("-lm"));
        compare_elf(&bin, &program);
    }
}
