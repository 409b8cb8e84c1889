//! Simulated bandwidth of gets from main memory and from other local stores against transfer size and number
//! of SPEs, beside the published figures, as tables, and the bandwidth from main memory as a plot. Each SPE
//! keeps its queue of 16 filled. Virtual time: the output is the same on every host.

mod plot;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use plot::{Band, COLOURS, Curve, draw};

use spu_sim::{
    instruction::decode::Instruction,
    instruction::encode::{blank, encode},
    instruction::isa::Opcode::{self, *},
    machine::{Machine, MachineEvent},
    memory::{Bus, MainMemory, Ram, SPE_AREA_BYTES, Window},
    port::Port,
    quad::Quad,
    spe::{Arguments, SpeConfig, StopReason},
    timing::constants::CLOCK_HZ,
};

fn instruction(opcode: Opcode, t: u8, a: u8, immediate: i32) -> u32 {
    encode(&Instruction { t, a, immediate, ..blank(opcode) })
}

/// Issues `r10` gets of `r11` bytes and waits for all.
fn program() -> Vec<u32> {
    let write = |channel, register| instruction(Wrch, register, channel, 0);
    let mut code = vec![
        instruction(Ila, 4, 0, 0x1000),
        instruction(Il, 5, 0, 0),
        instruction(Il, 6, 0, 0x40),
        instruction(Il, 7, 0, 1),
        instruction(Il, 8, 0, 2),
    ];
    let body = [
        write(16, 4),
        write(17, 5),
        write(18, 12),
        write(19, 11),
        write(20, 5),
        write(21, 6),
        instruction(Ai, 10, 10, -1),
        instruction(Brnz, 10, 0, -28),
    ];
    code.extend(body);
    code.extend([write(22, 7), write(23, 8), instruction(Rdch, 9, 24, 0), 0]);
    code
}

/// Where the SPEs get their data from.
#[derive(Clone, Copy)]
enum From {
    Memory,
    /// The local store of the next SPE.
    Neighbour,
}

const SPE_BASE: u64 = 0x100_0000;

/// GB/s of `spes` SPEs that get blocks of `size` bytes.
fn bandwidth(spes: usize, size: u32, from: From) -> f64 {
    let mut bus = Bus::default();
    bus.add(0..1 << 20, Window::Memory(Arc::new(Ram::new(0, 1 << 20))));
    let ports: Vec<Arc<Port>> = (0..spes).map(|_| Arc::new(Port::new([false; 2]))).collect();
    let area = |index: usize| SPE_BASE + index as u64 * SPE_AREA_BYTES;
    for (index, port) in ports.iter().enumerate() {
        bus.add_spe(area(index), port);
    }
    let memory: Arc<dyn MainMemory> = Arc::new(bus);
    let mut machine = Machine::new(&SpeConfig::default(), memory, ports, false);
    let count = (1 << 19) / size.max(128);
    for index in 0..spes {
        for (at, word) in (0..).step_by(4).zip(program()) {
            machine.spe(index).ls().store_word(at, word);
        }
        let spe = machine.spe_mut(index);
        spe.enter(0, Arguments::default());
        let source = match from {
            From::Memory => 0x8000 * index as u64,
            From::Neighbour => area((index + 1) % spes) + 0x1_0000,
        };
        for (register, value) in [(10, count), (11, size), (12, source as u32)] {
            spe.spu_mut().set(register, Quad::scalar(value));
        }
        machine.resume(index);
    }
    for _ in 0..spes {
        let event = machine.run(u64::MAX);
        assert!(matches!(event, MachineEvent::Stopped { reason: StopReason::Stop(0), .. }), "{event:?}");
    }
    let cycles = (0..spes).map(|index| machine.pipeline(index).cycle()).max().unwrap_or(1);
    spes as f64 * f64::from(count) * f64::from(size) * CLOCK_HZ as f64 / cycles as f64 / 1e9
}

const SIZES: [u32; 9] = [16, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

/// What cell-facts C2 plans for at 3.2 GHz, with the marks of its sources.
const PUBLISHED: [Band; 2] = [
    Band {
        label: "published, 1 SPE: 10 to 15 GB/s [M/D] (about 60 % of the peak)",
        range: (10.0, 15.0),
        colour: COLOURS[0],
    },
    Band {
        label: "published, 4 and 8 SPEs: saturation at 20 to 24 GB/s [M/D]; memory is the limit [P]",
        range: (20.0, 24.0),
        colour: COLOURS[2],
    },
];

/// Where the build puts its files: the `target` directory above this program.
fn target_directory() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.ancestors().nth(3).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn main() -> io::Result<()> {
    let counts = [1, 2, 4, 8];
    let mut curves = counts.map(|spes| Curve {
        label: if spes == 1 { "1 SPE".to_owned() } else { format!("{spes} SPEs") },
        points: Vec::new(),
    });
    println!("GB/s of gets from main memory, simulated");
    println!("{:>8} {:>7} {:>7} {:>7} {:>7}", "bytes", "1 SPE", "2", "4", "8");
    for size in SIZES {
        print!("{size:>8}");
        for (curve, spes) in curves.iter_mut().zip(counts) {
            let rate = bandwidth(spes, size, From::Memory);
            print!(" {rate:>7.2}");
            curve.points.push((size, rate));
        }
        println!();
    }
    println!(
        "published (cell-facts C2): 1 SPE 10-15, 2 SPEs about double, 4 saturate at 20-24, 8 no better than 4"
    );
    println!("\nGB/s of gets from the local store of the next SPE, simulated");
    println!("{:>8} {:>7} {:>7}", "bytes", "1 of 2", "8");
    for size in SIZES {
        let pair = bandwidth(2, size, From::Neighbour) / 2.0;
        println!("{size:>8} {pair:>7.2} {:>7.2}", bandwidth(8, size, From::Neighbour));
    }
    println!(
        "published (cell-facts C2): 25.6 with a few KB, near it from 1024 bytes on; nearly 200 of eight"
    );
    let path = target_directory().join("dma_bandwidth.svg");
    std::fs::write(&path, draw("Gets from main memory on the simulated Cell", &curves, &PUBLISHED, 25.6))?;
    println!("plotted in {}", path.display());
    Ok(())
}
