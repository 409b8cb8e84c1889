//! Random input for the decoder, the ELF loader and the MFC: nothing may panic, and what is accepted has to
//! work.
//!
//! `FUZZ_INPUTS` sets the number of inputs of each target (default 20000); the seed is fixed, and printed
//! with a failure. `FUZZ_INPUTS=10000000 cargo test --release -p spu-sim --test fuzz` is the long run.

use std::sync::Arc;

use fastrand::Rng;
use spu_sim::{
    elf::Image,
    instruction::decode::decode,
    instruction::disasm::{PlainAddresses, disassemble},
    instruction::encode::encode,
    instruction::isa::Opcode,
    local_store::LocalStore,
    memory::Ram,
    mfc::Order,
    quad::Quad,
    spe::{Spe, SpeConfig, StopReason},
    spu::Cpu,
};

fn inputs() -> u64 {
    std::env::var("FUZZ_INPUTS").ok().and_then(|value| value.parse().ok()).unwrap_or(20_000)
}

#[test]
fn decoder() {
    let mut random = Rng::with_seed(1);
    for _ in 0..inputs() {
        let word = random.u32(..);
        let first = decode(word);
        assert!(!disassemble(random.u32(..) & 0x3_fffc, word, &PlainAddresses).is_empty());
        let again = decode(encode(&first));
        let fields =
            |i: &spu_sim::instruction::decode::Instruction| (i.opcode, i.immediate, i.t, i.a, i.b, i.c);
        assert_eq!(fields(&first), fields(&again), "{word:#010x}");
    }
}

/// Random words executed on random registers: every outcome is a stop reason.
#[test]
fn execution() {
    let mut random = Rng::with_seed(2);
    let config = |cpu, seed| SpeConfig { cpu, order: Order::Reordered(seed), ..SpeConfig::default() };
    let memory = Arc::new(Ram::new(0, 1 << 16));
    let mut spe = Spe::new(&config(Cpu::CellBe, 0), memory);
    for round in 0..inputs() / 16 + 1 {
        if round % 4096 == 0 {
            let cpu = if round % 8192 == 0 { Cpu::CellBe } else { Cpu::PowerXCell8i };
            spe = Spe::new(&config(cpu, round), Arc::new(Ram::new(0, 1 << 16)));
        }
        for register in 0..128 {
            if random.u64(..4) == 0 {
                spe.spu_mut().set(register, Quad::from_doubles([random.u64(..), random.u64(..)]));
            }
        }
        let at = random.u32(..) & 0x3_fffc;
        for offset in (0..64).step_by(4) {
            let word = random.u32(..);
            // Words of no instruction would end most runs at once.
            let word =
                if decode(word).opcode == Opcode::Invalid { word & 0x001f_ffff | 0x180 << 21 } else { word };
            spe.ls().store_word(at.wrapping_add(offset), word);
        }
        spe.set_pc(at);
        let reason = spe.run(16);
        assert!(spe.pc() < 0x4_0000 && spe.pc().is_multiple_of(4), "{reason:?}");
        // Some outcomes must be able to happen at any time; none of them leaves the SPE unusable.
        if let StopReason::Requested = reason {
            panic!("nobody asked for a stop");
        }
    }
}

/// A small valid program, damaged in a few places.
#[test]
fn elf_loader() {
    const CODE_BYTES: u32 = 64;
    let mut good = Vec::new();
    good.extend(b"\x7fELF\x01\x02\x01\0\0\0\0\0\0\0\0\0\0\x02\0\x17");
    for word in [1u32, 0x80, 52, 84 + CODE_BYTES, 0] {
        good.extend(word.to_be_bytes());
    }
    for half in [52u16, 32, 1, 40, 4, 2] {
        good.extend(half.to_be_bytes());
    }
    for word in [1, 84, 0x80, 0x80, CODE_BYTES, 128, 5, 16] {
        good.extend(word.to_be_bytes());
    }
    good.extend([0; CODE_BYTES as usize]);
    // A code section, a symbol table, strings, and relocations.
    let tables = good.len() as u32 + 160;
    for (section, info) in [
        ([1u32, 1, 6, 0x80, 84, CODE_BYTES, 0], 0u32),
        ([2, 2, 0, 0, tables, 32, 2], 0),
        ([3, 3, 0, 0, tables + 32, 16, 0], 0),
        ([4, 4, 0, 0, tables + 48, 24, 1], 0),
    ] {
        good.extend(section.iter().flat_map(|word| word.to_be_bytes()));
        good.extend([info, 0, 0].map(u32::to_be_bytes).as_flattened());
    }
    good.extend([0, 0, 0, 1, 0, 0, 0, 0x80, 0, 0, 0, 8, 2, 0, 0, 1]);
    good.extend([0, 0, 0, 4, 0, 0, 0, 0x88, 0, 0, 0, 0, 0, 0, 0, 1]);
    good.extend(b"\0aa\0bb\0.text\0xyz");
    good.extend([0x84u32, 15, 0x10, 0x88, 16, 0x20].map(u32::to_be_bytes).as_flattened());
    let image = Image::parse(&good).expect("the undamaged program is good");
    assert_eq!((image.symbols().len(), image.sections().len()), (2, 1));

    let mut random = Rng::with_seed(3);
    let ls = LocalStore::new();
    let mut accepted = 0u64;
    for _ in 0..inputs() {
        let mut file = good.clone();
        for _ in 0..random.u64(..6) {
            let at = random.u64(..file.len() as u64) as usize;
            file[at] = match random.u64(..4) {
                0 => 0,
                1 => 0xff,
                _ => random.u8(..),
            };
        }
        if random.u64(..8) == 0 {
            file.truncate(random.u64(..file.len() as u64) as usize);
        }
        if let Ok((image, placed)) = Image::parse_at(&file, random.u64(..)) {
            assert_eq!(placed.len(), file.len());
            accepted += 1;
            image.load(&ls);
            assert!(image.entry() < 0x4_0000);
            let _ = image.symbol_at(random.u32(..));
        }
    }
    assert!(accepted > 0 && accepted < inputs());
}

/// Random channel traffic, with parameters that are often legal.
#[test]
fn mfc() {
    let mut random = Rng::with_seed(4);
    let opcodes = [
        0x20, 0x21, 0x22, 0x24, 0x25, 0x26, 0x40, 0x41, 0x42, 0x44, 0x45, 0x46, 0xa0, 0xb0, 0xb4, 0xb8, 0xc0,
        0xd0, 0x89,
    ];
    let channels = [0u8, 1, 2, 12, 16, 17, 18, 19, 20, 21, 21, 21, 22, 23, 24, 25, 26, 27];
    let mut faults = 0u64;
    let mut spe = Spe::new(&SpeConfig::default(), Arc::new(Ram::new(0, 1 << 16)));
    for round in 0..inputs() {
        if round % 2048 == 0 {
            let order = if round % 4096 == 0 { Order::Immediate } else { Order::Reordered(round) };
            let config = SpeConfig { order, ..SpeConfig::default() };
            spe = Spe::new(&config, Arc::new(Ram::new(0, 1 << 16)));
        }
        let channel = channels[random.u64(..channels.len() as u64) as usize];
        let value = match channel {
            16 => random.u32(..) & 0x3_fff0 | if random.u64(..8) == 0 { random.u32(..) & 15 } else { 0 },
            17 => u32::from(random.u64(..16) == 0),
            18 => random.u32(..) & 0xfff0,
            19 => [0, 1, 4, 8, 16, 128, 256, 4096, 16384, random.u32(..)][random.u64(..10) as usize],
            20 => random.u64(..33) as u32,
            21 if random.u64(..16) > 0 => opcodes[random.u64(..opcodes.len() as u64) as usize],
            23 => random.u64(..3) as u32,
            26 => random.u64(..32) as u32,
            _ => random.u32(..),
        };
        // rdch or wrch at address 0; local store is otherwise random lists and data.
        let at = random.u32(..) & 0x3_fff8 | 8;
        spe.ls().store_word(at, random.u32(..) & 0x8000_7fff);
        let word = if matches!(channel, 0 | 12 | 24 | 25 | 27) { 0x00d << 21 } else { 0x10d << 21 };
        spe.ls().store_word(0, word | u32::from(channel) << 7 | 3);
        spe.spu_mut().set(3, Quad::scalar(value));
        spe.set_pc(0);
        match spe.run(1) {
            StopReason::Limit | StopReason::Blocked(_) => {}
            StopReason::Fault(fault) => {
                faults += 1;
                assert!(!fault.to_string().is_empty());
            }
            other => panic!("{other:?} at channel {channel}, value {value:#x}"),
        }
    }
    assert!(faults > 0);
}
