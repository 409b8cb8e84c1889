//! Simulated instructions per second of processor time, with and without timing, for three kinds of loop.
//! Prints figures and judges nothing.
//!
//! A machine that is busy with other work, or that changes its clock, gives other figures each time. So the
//! time is the thread's own, where the system tells it, and a fixed native loop is measured before each case:
//! `ratio` is how many of its steps (a dependent multiplication and addition) pass per simulated instruction.

use std::{hint::black_box, sync::Arc, time::Instant};

use spu_sim::{
    instruction::decode::Instruction,
    instruction::encode::{blank, encode},
    instruction::isa::Opcode::{self, *},
    memory::Ram,
    spe::{Spe, SpeConfig, StopReason},
    spu::{Cpu, Observer, Unobserved},
    timing::pipeline::Pipeline,
};

fn instruction(opcode: Opcode, t: u8, a: u8, b: u8, c: u8, immediate: i32) -> u32 {
    encode(&Instruction { t, a, b, c, immediate, ..blank(opcode) })
}

/// A loop over `body`, counted down in register 3.
fn program(body: &[u32]) -> Vec<u32> {
    let mut code = body.to_vec();
    code.push(instruction(Ai, 3, 3, 0, 0, -1));
    code.push(instruction(Brnz, 3, 0, 0, 0, -4 * (body.len() as i32 + 1)));
    code.push(0);
    code
}

/// Seconds of processor time of this thread (Linux), or of wall-clock time.
fn seconds(start: Instant) -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = statistics.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// Native steps per second: integer multiplications and additions, each of which needs the previous result.
fn calibrate(start: Instant) -> f64 {
    const STEPS: u64 = 50_000_000;
    let begin = seconds(start);
    let mut x = black_box(1u64);
    for _ in 0..STEPS {
        x = black_box(x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
    }
    STEPS as f64 / (seconds(start) - begin)
}

fn measure<O: Observer>(name: &str, mode: &str, code: &[u32], observer: &mut O) {
    let config = SpeConfig { cpu: Cpu::PowerXCell8i, ..SpeConfig::default() };
    let mut spe = Spe::new(&config, Arc::new(Ram::new(0, 4096)));
    for (at, &word) in (0..).step_by(4).zip(code) {
        spe.ls().store_word(at, word);
    }
    // Operands of the multiplications.
    for register in [100, 101] {
        let value = if name == "double" { 1.1f64.to_bits() } else { 0x3f88_0000_3f88_0000 };
        spe.spu_mut().set(register, spu_sim::quad::Quad::from_doubles([value; 2]));
    }
    let instructions = 100_000_000u64;
    let rounds = instructions / (code.len() as u64 - 1);
    spe.spu_mut().set(3, spu_sim::quad::Quad::scalar(rounds as u32));
    let start = Instant::now();
    let native = calibrate(start);
    let begin = seconds(start);
    let reason = spe.run_observed(observer, u64::MAX);
    assert_eq!(reason, StopReason::Stop(0), "the program ends by itself");
    let rate = spe.spu().instructions as f64 / (seconds(start) - begin);
    println!("{name:<10} {mode:<8} {:8.1} million instructions/s, ratio {:5.2}", rate / 1e6, native / rate);
}

fn main() {
    let integer: Vec<u32> = (0..30)
        .map(|k| match k % 5 {
            0 => instruction(A, 10 + k, 11, 12, 0, 0),
            1 => instruction(Shufb, 10 + k, 11, 12, 13, 0),
            2 => instruction(Ceq, 10 + k, 11, 12, 0, 0),
            3 => instruction(Rotqbyi, 10 + k, 11, 0, 0, 4),
            _ => instruction(Selb, 10 + k, 11, 12, 13, 0),
        })
        .collect();
    let single: Vec<u32> = (0..32)
        .map(|k| match k % 4 {
            0 => instruction(Lqd, 50 + k, 9, 0, 0, 0x1000 + 16 * i32::from(k)),
            3 => instruction(Stqd, 50 + k, 9, 0, 0, 0x1800),
            _ => instruction(Fma, 10 + k, 100, 101, 10 + k, 0),
        })
        .collect();
    let double: Vec<u32> = (0..32).map(|k| instruction(Dfma, 10 + k, 100, 101, 0, 0)).collect();
    for (name, body) in [("integer", integer), ("single", single), ("double", double)] {
        let code = program(&body);
        measure(name, "plain", &code, &mut Unobserved);
        measure(name, "timing", &code, &mut Pipeline::new(Cpu::PowerXCell8i));
    }
}
