//! Rates and latencies of transfers are within 5 % of the published figures (cell-facts C1 and C2).

use super::tests::{SPE_BASE, channel, finish, imm, machine};
use crate::{
    instruction::isa::Opcode::{Ai, Brnz, Ila, Rdch, Wrch},
    memory::SPE_AREA_BYTES,
    quad::Quad,
    timing::constants::CLOCK_HZ,
};

const GET: i32 = 0x40;
const PUT: i32 = 0x20;
/// Bytes that a stream moves.
const STREAM_BYTES: u32 = 1 << 19;

/// Issues `r10` commands of `r11` bytes at effective address `r12`, as fast as the queue takes them, and
/// waits for all.
fn stream(opcode: i32) -> Vec<u32> {
    let write = |number, register| channel(Wrch, register, number);
    let constants = [(4, 0x2_0000), (5, 0), (6, opcode), (7, 1), (8, 2)];
    let mut code: Vec<u32> = constants.map(|(register, value)| imm(Ila, register, 0, value)).to_vec();
    code.extend([write(16, 4), write(17, 5), write(18, 12), write(19, 11), write(20, 5), write(21, 6)]);
    code.extend([imm(Ai, 10, 10, -1), imm(Brnz, 10, 0, -28)]);
    code.extend([write(22, 7), write(23, 8), channel(Rdch, 9, 24), 0]);
    code
}

/// GB/s of all SPEs together, each of which moves blocks of `size` bytes to or from the address that `ea`
/// names.
fn rate(spes: usize, opcode: i32, size: u32, ea: impl Fn(usize) -> u64) -> f64 {
    let (mut machine, _) = machine(&vec![stream(opcode); spes]);
    let count = STREAM_BYTES / size;
    for index in 0..spes {
        for (register, value) in [(10, count), (11, size), (12, ea(index) as u32)] {
            machine.spe_mut(index).spu_mut().set(register, Quad::scalar(value));
        }
    }
    let cycles = finish(&mut machine).into_iter().max().unwrap();
    spes as f64 * f64::from(STREAM_BYTES) * CLOCK_HZ as f64 / cycles as f64 / 1e9
}

fn local_store(index: usize) -> u64 {
    SPE_BASE + index as u64 * SPE_AREA_BYTES + 0x1_0000
}

fn near(measured: f64, published: f64) {
    assert!((measured / published - 1.0).abs() <= 0.05, "{measured:.2}, published {published}");
}

#[test]
fn a_line_to_another_local_store_takes_290_cycles_in_all() {
    let (mut machine, _) = machine(&[stream(PUT), vec![0]]);
    for (register, value) in [(10, 1), (11, 128), (12, local_store(1) as u32)] {
        machine.spe_mut(0).spu_mut().set(register, Quad::scalar(value));
    }
    // From the first parameter on: what stands before takes five cycles.
    near(finish(&mut machine)[0] as f64 - 5.0, 290.0);
}

#[test]
fn one_spe_reaches_the_peak_between_local_stores() {
    for opcode in [GET, PUT] {
        near(rate(2, opcode, 16384, |index| local_store(1 - index)) / 2.0, 25.6);
        near(rate(2, opcode, 4096, |index| local_store(1 - index)) / 2.0, 25.6);
    }
}

#[test]
fn eight_spes_in_a_ring_move_nearly_200_gigabytes_a_second() {
    near(rate(8, GET, 16384, |index| local_store((index + 1) % 8)), 200.0);
}

#[test]
fn larger_commands_are_faster() {
    let sizes = [128, 256, 512, 1024, 2048, 4096, 16384];
    let near_memory = sizes.map(|size| rate(2, GET, size, |index| local_store(1 - index)) / 2.0);
    assert!(near_memory.is_sorted_by(|a, b| a < b), "{near_memory:?}");
    assert!(
        near_memory[0] < 0.6 * near_memory[6] && near_memory[3] > 0.8 * near_memory[6],
        "{near_memory:?}"
    );
    let memory = sizes.map(|size| rate(1, GET, size, |_| 0x8000));
    assert!(memory[0] < 0.9 * memory[6], "{memory:?}");
    // One SPE alone reaches half of the memory's rate, eight saturate it.
    assert!((10.0..15.0).contains(&memory[6]), "{memory:?}");
    let eight = rate(8, GET, 16384, |_| 0x8000);
    assert!((20.0..24.0).contains(&eight), "{eight}");
}
