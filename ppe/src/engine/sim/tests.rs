//! MEUs that misbehave. Each program takes a mailbox word and then does one thing wrong.

use std::time::Instant;

use spu_sim::channels::number::{
    MFC_CMD, MFC_EAH, MFC_EAL, MFC_LSA, MFC_SIZE, MFC_TAG_ID, SPU_RD_IN_MBOX, SPU_RD_SIG_NOTIFY_1,
};
use spu_sim::instruction::decode::Instruction;
use spu_sim::instruction::encode::{blank, encode};
use spu_sim::instruction::isa::Opcode;

use super::*;
use crate::engine::{BlockAddress, Cause, Task};
use crate::lower::{Axis, BlockLimits, Program, Venue};
use crate::matrix::{Layout, Matrix};
use crate::operation::{KindSet, OpKind, Precision, Shape};
use crate::pool::Pool;

fn target() -> Target {
    let blocks = BlockLimits { block_elements: [256; 2], ..BlockLimits::paper() };
    Target { blocks, ..local_store::cell(2, KindSet::ALL) }
}

fn read_channel(channel: u8) -> u32 {
    encode(&Instruction { t: 3, a: channel, ..blank(Opcode::Rdch) })
}

/// Sends a constant to a channel.
fn send(channel: u8, value: i32) -> [u32; 2] {
    [
        encode(&Instruction { t: 4, immediate: value, ..blank(Opcode::Il) }),
        encode(&Instruction { t: 4, a: channel, ..blank(Opcode::Wrch) }),
    ]
}

/// A `get` of 16 bytes.
fn get(ls: i32, ea: i32) -> Vec<u32> {
    let parameters =
        [(MFC_LSA, ls), (MFC_EAH, 0), (MFC_EAL, ea), (MFC_SIZE, 16), (MFC_TAG_ID, 0), (MFC_CMD, 0x40)];
    parameters.into_iter().flat_map(|(channel, value)| send(channel, value)).collect()
}

/// An SPU ELF file with this code at address 0, after the reading of a mailbox word.
fn program(code: &[u32]) -> Vec<u8> {
    let code: Vec<u8> =
        [read_channel(SPU_RD_IN_MBOX)].iter().chain(code).flat_map(|word| word.to_be_bytes()).collect();
    let mut file = b"\x7fELF\x01\x02\x01".to_vec();
    file.resize(16, 0);
    let halves =
        |file: &mut Vec<u8>, values: &[u16]| file.extend(values.iter().flat_map(|v| v.to_be_bytes()));
    let words = |file: &mut Vec<u8>, values: &[u32]| file.extend(values.iter().flat_map(|v| v.to_be_bytes()));
    halves(&mut file, &[2, 23]); // an executable, for the SPU
    words(&mut file, &[1, 0, 52, 0, 0]); // version, entry, program headers, no section headers, flags
    halves(&mut file, &[52, 32, 1, 40, 0, 0]);
    let size = code.len() as u32;
    words(&mut file, &[1, 84, 0, 0, size, size, 7, 16]); // a segment to load
    file.extend(code);
    file
}

fn block(matrix: &Matrix) -> BlockAddress {
    BlockAddress {
        ea: matrix.ea(0, 0),
        stride_bytes: matrix.stride_bytes() as u32,
        rows: 5,
        columns: 3,
        precision: Precision::Double,
        transposed: false,
    }
}

/// Offers the absolute values of a matrix to an MEU.
fn offer(sim: &mut Sim, meu: usize, a: &Matrix, result: &Matrix) {
    let program = Arc::new(Program::alone(OpKind::Abs, Precision::Double));
    let (results, operands) = ([block(result)], [block(a)]);
    let task = Task::Program(&program);
    sim.offer(meu, &Command { task, venue: Venue::LocalStore, results: &results, operands: &operands });
}

/// The fault of MEU 1 when it executes this code.
fn fault_of(code: &[u32], timing: bool) -> Fault {
    let options = SimOptions { timing, limit: 20_000_000, ..SimOptions::default() };
    let mut sim = Sim::with_image(target(), options, &program(code), &[]).unwrap();
    let pool = Pool::new(0, true);
    let shape = Shape { rows: 5, columns: 3 };
    let a = Matrix::from_fn(shape, &pool, |r, c| (r + c) as f64).unwrap();
    let result = Matrix::result(shape, Precision::Double, Layout::Apart, &pool).unwrap();
    offer(&mut sim, 1, &a, &result);
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        assert_eq!(sim.completed(0), Ok(0));
        if let Err(fault) = sim.completed(1) {
            sim.reset().unwrap();
            assert_eq!(sim.completed(1), Ok(0));
            return fault;
        }
        sim.wait(Duration::from_millis(10));
    }
    panic!("no fault has been reported");
}

#[test]
fn faults_name_the_operation_and_the_reason() {
    let endless = encode(&Instruction { immediate: 0, ..blank(Opcode::Br) });
    let cases = [
        (vec![0x0080_0000], "invalid instruction 0x00800000"),
        (vec![encode(&Instruction { immediate: 0x123, ..blank(Opcode::Stop) })], "stopped with code 0x0123"),
        (vec![encode(&Instruction { immediate: 0x2001, ..blank(Opcode::Stop) })], "stopped with code 0x2001"),
        (get(4, 0x1000), "DMA alignment"),
        (get(0x1000, 0x2000), "no read access to effective address 0x2000"),
        (send(MFC_CMD, 0x7f).to_vec(), "invalid DMA command"),
        (vec![read_channel(MFC_CMD)], "channel"),
        (vec![read_channel(SPU_RD_SIG_NOTIFY_1)], "nothing will serve"),
        (vec![endless], "hangs"),
    ];
    for (code, expected) in cases {
        for timing in [false, true] {
            // The SPE learns that the MFC has refused a command when it next looks at the MFC.
            let code: Vec<u32> = code.iter().copied().chain([read_channel(24), endless]).collect();
            let fault = fault_of(&code, timing);
            assert!(fault.what.contains(expected), "{} instead of {expected}, timing {timing}", fault.what);
            assert_eq!((fault.operation, fault.cause), (Some(0), Cause::Lost), "{expected}");
        }
    }
}

#[test]
fn an_image_that_is_none_is_refused() {
    let error = Sim::with_image(target(), SimOptions::default(), b"\x7fELF", &[]).unwrap_err();
    assert!(error.to_string().contains("the MEU's image"), "{error}");
}

/// What the MEUs report after products of 64 x 64 blocks, when so many threads simulate them.
fn products(threads: usize) -> Vec<MeuReport> {
    let options = SimOptions { timing: true, threads, ..SimOptions::default() };
    let mut sim = Sim::new(Target { meus: 4, ..local_store::cell(4, KindSet::ALL) }, options).unwrap();
    let pool = Pool::new(0, true);
    let shape = Shape { rows: 64, columns: 64 };
    let of = |matrix: &Matrix, side: u32| BlockAddress { rows: side, columns: side, ..block(matrix) };
    let a = Matrix::from_fn(shape, &pool, |r, c| (r + 2 * c) as f64).unwrap();
    let results: Vec<Matrix> =
        (0..12).map(|_| Matrix::result(shape, Precision::Double, Layout::Apart, &pool).unwrap()).collect();
    let mut offered = [0; 4];
    for (number, result) in results.iter().enumerate() {
        // Products of several sizes, so that MEUs compute and move data side by side.
        let side = 64 - 8 * (number as u32 % 5);
        let (meu, operands) = (number * 7 % 4, [of(&a, side), of(&a, side)]);
        while sim.room(meu) == 0 {
            sim.wait(Duration::from_secs(1));
        }
        let task = Task::Product(Axis::whole(side), None);
        let results = [of(result, side)];
        sim.offer(meu, &Command { task, venue: Venue::LocalStore, results: &results, operands: &operands });
        offered[meu] += 1;
    }
    for (meu, &offered) in offered.iter().enumerate() {
        while sim.completed(meu).unwrap() < offered {
            sim.wait(Duration::from_secs(1));
        }
    }
    sim.reports()
}

#[test]
fn virtual_time_is_the_same_on_any_number_of_threads() {
    if let Err(missing) = spe_kernels::image(Processor::PowerXCell8i) {
        assert!(std::env::var("REQUIRE_ALL").is_err(), "{missing}");
        println!("skipped: {missing}");
        return;
    }
    let expected = products(0);
    assert!(expected[0].pipeline.as_ref().unwrap().cycles > 300_000, "{expected:?}");
    for threads in [1, 2, 4] {
        assert_eq!(products(threads), expected, "{threads} threads");
    }
}

#[test]
fn virtual_time_is_the_same_on_every_run() {
    if let Err(missing) = spe_kernels::image(Processor::PowerXCell8i) {
        assert!(std::env::var("REQUIRE_ALL").is_err(), "{missing}");
        println!("skipped: {missing}");
        return;
    }
    let run = || {
        let options = SimOptions { timing: true, ..SimOptions::default() };
        let mut sim = Sim::new(target(), options).unwrap();
        let pool = Pool::new(0, true);
        let shape = Shape { rows: 5, columns: 3 };
        let a = Matrix::from_fn(shape, &pool, |r, c| -((r + c) as f64)).unwrap();
        for number in 1..=6 {
            let result = Matrix::result(shape, Precision::Double, Layout::Apart, &pool).unwrap();
            let meu = number % 2;
            offer(&mut sim, meu, &a, &result);
            while sim.completed(meu).unwrap() < number.div_ceil(2) as u64 {
                sim.wait(Duration::from_secs(1));
            }
            result.publish();
            assert!(result.values().eq(a.values().map(f64::abs)));
        }
        sim.reports()
    };
    let reports = run();
    assert_eq!(reports, run());
    let pipeline = reports[0].pipeline.as_ref().unwrap();
    assert!(pipeline.cycles > 1000 && reports[0].fetched_bytes > 3 * 128, "{reports:?}");
}
