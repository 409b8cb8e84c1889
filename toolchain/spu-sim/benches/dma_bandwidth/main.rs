//! Simulated bandwidth of gets from main memory against transfer size and number of SPEs, beside the published
//! figures, as a table and as a plot. Each SPE keeps its queue of 16 filled. Virtual time: the output is the same on
//! every host.

mod plot;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use plot::{Band, COLOURS, Curve, draw};

use spu_sim::{
    decode::Instruction,
    encode::{blank, encode},
    isa::Opcode::{self, *},
    machine::{Machine, MachineEvent},
    memory::{MainMemory, Ram},
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

/// Bytes per second of `spes` SPEs that get blocks of `size` bytes.
fn bandwidth(spes: usize, size: u32) -> f64 {
    let memory: Arc<dyn MainMemory> = Arc::new(Ram::new(0, 1 << 20));
    let ports = (0..spes).map(|_| Arc::new(Port::new([false; 2]))).collect();
    let mut machine = Machine::new(&SpeConfig::default(), memory, ports, false);
    let count = (1 << 19) / size.max(128);
    for index in 0..spes {
        for (at, word) in (0..).step_by(4).zip(program()) {
            machine.spe(index).ls().store_word(at, word);
        }
        let spe = machine.spe_mut(index);
        spe.enter(0, Arguments::default());
        for (register, value) in [(10, count), (11, size), (12, 0x8000 * index as u32)] {
            spe.spu_mut().set(register, Quad::scalar(value));
        }
        machine.resume(index);
    }
    for _ in 0..spes {
        let event = machine.run(u64::MAX);
        assert!(matches!(event, MachineEvent::Stopped { reason: StopReason::Stop(0), .. }), "{event:?}");
    }
    let cycles = (0..spes).map(|index| machine.pipeline(index).cycle()).max().unwrap_or(1);
    spes as f64 * f64::from(count) * f64::from(size) * CLOCK_HZ as f64 / cycles as f64
}

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
    for size in [16, 128, 256, 512, 1024, 2048, 4096, 8192, 16384] {
        print!("{size:>8}");
        for (curve, spes) in curves.iter_mut().zip(counts) {
            let rate = bandwidth(spes, size) / 1e9;
            print!(" {rate:>7.2}");
            curve.points.push((size, rate));
        }
        println!();
    }
    println!(
        "published (cell-facts C2): 1 SPE 10-15, 2 SPEs about double, 4 saturate at 20-24, 8 no better than 4"
    );
    let path = target_directory().join("dma_bandwidth.svg");
    std::fs::write(&path, draw("Gets from main memory on the simulated Cell", &curves, &PUBLISHED, 25.6))?;
    println!("plotted in {}", path.display());
    Ok(())
}
