use super::tests::{imm, transfer};
use super::*;
use crate::{
    instruction::isa::Opcode::{Ai, Brnz, Ila},
    memory::Ram,
    timing::pipeline::Counts,
};

const GET: i32 = 0x40;
const PUT: i32 = 0x20;

/// Computes for many turns of a loop, and moves data, again and again.
fn program(spe: i32) -> Vec<u32> {
    let mut code = Vec::new();
    for round in 0..6 {
        let turns = 300 + 4000 * ((spe * 5 + round * 3) % 7);
        code.extend([imm(Ila, 9, 0, turns), imm(Ai, 9, 9, -1), imm(Brnz, 9, 0, -1)]);
        let moved =
            transfer(if round % 2 == 0 { GET } else { PUT }, 0x4000, 0x4000 * spe, 2048 << (round % 4));
        code.extend(&moved[..moved.len() - 1]);
    }
    code.push(0);
    code
}

/// The cycle of each stop in the order of the stops, and what the pipelines have counted.
fn run(threads: usize, step: u64) -> (Vec<(usize, u64)>, Vec<Counts>) {
    let memory: Arc<dyn MainMemory> = Arc::new(Ram::new(0, 1 << 20));
    let ports: Vec<Arc<Port>> = (0..6).map(|_| Arc::new(Port::new([false; 2]))).collect();
    let mut machine = Machine::new(&SpeConfig::default(), memory, ports, false).with_threads(threads);
    for index in 0..6 {
        for (at, &word) in (0..).step_by(4).zip(&program(index as i32)) {
            machine.spe(index).ls().store_word(at, word);
        }
        machine.spe_mut(index).enter(0, Arguments::default());
        machine.resume(index);
    }
    let mut stops = Vec::new();
    while stops.len() < 6 {
        match machine.run(machine.now().saturating_add(step)) {
            MachineEvent::Stopped { spe, reason: StopReason::Stop(0) } => stops.push((spe, machine.now())),
            MachineEvent::Time => {}
            other => panic!("{other:?}"),
        }
    }
    (stops, (0..6).map(|index| machine.counts(index)).collect())
}

#[test]
fn spes_that_run_ahead_take_the_cycles_that_they_take_in_order() {
    let expected = run(0, 320);
    assert!(expected.1.iter().all(|counts| counts.instructions > 30_000), "{expected:?}");
    for threads in [1, 2, 5] {
        assert_eq!(run(threads, 320), expected, "{threads} threads");
    }
    let (in_one_piece, counts) = run(0, u64::MAX);
    assert_eq!(counts, expected.1);
    for threads in [1, 3] {
        assert_eq!(run(threads, u64::MAX), (in_one_piece.clone(), counts.clone()), "{threads} threads");
    }
}

#[test]
fn an_spe_that_runs_ahead_in_an_endless_loop_can_be_stopped() {
    let memory: Arc<dyn MainMemory> = Arc::new(Ram::new(0, 1 << 20));
    let mut machine =
        Machine::new(&SpeConfig::default(), memory, vec![Arc::new(Port::new([false; 2]))], false)
            .with_threads(1);
    machine.spe(0).ls().store_word(0, imm(crate::instruction::isa::Opcode::Br, 0, 0, 0));
    machine.spe_mut(0).enter(0, Arguments::default());
    machine.resume(0);
    assert_eq!(machine.run(20_000_000), MachineEvent::Time);
    assert_eq!(machine.now(), 20_000_000);
    machine.stop(0);
    assert_eq!(machine.run(30_000_000), MachineEvent::Idle);
}
