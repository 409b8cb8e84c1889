use super::*;
use crate::{
    instruction::decode::Instruction,
    instruction::encode::{blank, encode},
    instruction::isa::Opcode::{self, *},
    memory::{Bus, Ram, SPE_AREA_BYTES, Window},
    timing::constants::{LOCAL_STORE_LATENCY, MEMORY_LATENCY, MEMORY_LINE, MEMORY_LINE_OVERHEAD},
};

pub(super) const SPE_BASE: u64 = 0x100_0000;

pub(super) fn imm(opcode: Opcode, t: u8, a: u8, immediate: i32) -> u32 {
    encode(&Instruction { t, a, immediate, ..blank(opcode) })
}

pub(super) fn channel(opcode: Opcode, t: u8, number: u8) -> u32 {
    encode(&Instruction { t, a: number, ..blank(opcode) })
}

/// Code for one command: `wrch` of all parameters, then a wait for tag 0.
pub(super) fn transfer(opcode: i32, ls: i32, ea: i32, size: i32) -> Vec<u32> {
    let mut code = Vec::new();
    for (number, value) in [(16, ls), (17, 0), (18, ea), (19, size), (20, 0), (21, opcode), (22, 1), (23, 2)]
    {
        code.push(imm(Ila, 3, 0, value));
        code.push(channel(Wrch, 3, number));
    }
    code.push(channel(Rdch, 3, 24));
    code.push(0);
    code
}

pub(super) fn machine(programs: &[Vec<u32>]) -> (Machine, Arc<Ram>) {
    let ram = Arc::new(Ram::new(0, 1 << 20));
    let mut bus = Bus::default();
    let ports: Vec<Arc<Port>> = programs.iter().map(|_| Arc::new(Port::new([false; 2]))).collect();
    for (base, port) in (SPE_BASE..).step_by(SPE_AREA_BYTES as usize).zip(&ports) {
        bus.add_spe(base, port);
    }
    let memory: Arc<dyn MainMemory> = Arc::<Ram>::clone(&ram);
    bus.add(0..1 << 20, Window::Memory(memory));
    let mut machine = Machine::new(&SpeConfig::default(), Arc::new(bus), ports, false);
    for (index, code) in programs.iter().enumerate() {
        for (at, &word) in (0..).step_by(4).zip(code) {
            machine.spe(index).ls().store_word(at, word);
        }
        machine.spe_mut(index).enter(0, Arguments::default());
        machine.resume(index);
    }
    (machine, ram)
}

/// Runs until all have stopped; the cycle of each stop.
pub(super) fn finish(machine: &mut Machine) -> Vec<u64> {
    let mut left = machine.spes();
    while left > 0 {
        match machine.run(u64::MAX) {
            MachineEvent::Stopped { reason: StopReason::Stop(0), .. } => left -= 1,
            MachineEvent::Mailbox { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    (0..machine.spes()).map(|index| machine.pipeline(index).cycle()).collect()
}

#[test]
fn a_long_computation_takes_its_own_cycles() {
    // Three million turns of a loop that issues an `ai` and mispredicts a `brnz` each turn: more than any
    // slice.
    let turns = 0x30_0000;
    let code = vec![imm(Ilhu, 3, 0, turns >> 16), imm(Ai, 3, 3, -1), imm(Brnz, 3, 0, -1), 0];
    let (mut machine, _) = machine(&[code]);
    let cycles = finish(&mut machine)[0];
    let turns = turns as u64;
    assert!((turns * 18..turns * 24).contains(&cycles), "{cycles} cycles for {turns} turns");
}

const GET: i32 = 0x40;
const PUT: i32 = 0x20;

#[test]
fn a_line_takes_decoding_and_latency() {
    let (mut machine, ram) = machine(&[transfer(GET, 0x1000, 0x8000, 128)]);
    ram.write_bytes(0x8000, &[7; 128]).unwrap();
    let cycles = finish(&mut machine);
    assert_eq!(machine.spe(0).ls().load_word(0x107c), 0x0707_0707);
    // ila 1, wrch 3, and so on: the command is written in cycle 18 (ila 16), decoded in 48, there in 548; the
    // read issues then, and the stop a cycle later.
    assert_eq!(cycles, [18 + MFC_DECODE + MEMORY_LATENCY + 1]);
}

#[test]
fn another_local_store_is_nearer_than_memory() {
    let get = transfer(GET, 0x1000, (SPE_BASE + SPE_AREA_BYTES + 0x2000) as i32 & 0x3_ffff, 128);
    let (mut near, _) = machine(&[get, vec![0]]);
    // The address does not fit into ila, so its upper part is set here.
    near.spe(0).ls().store_word(16, imm(Ilhu, 3, 0, ((SPE_BASE + SPE_AREA_BYTES) >> 16) as i32));
    near.spe(1).ls().write(0, &[0; 4]);
    let cycles = finish(&mut near);
    assert_eq!(cycles[0], 18 + MFC_DECODE + LOCAL_STORE_LATENCY + 1);
}

#[test]
fn spes_share_the_memory() {
    let alone = {
        let (mut machine, _) = machine(&[transfer(GET, 0x1000, 0, 16384)]);
        finish(&mut machine)[0]
    };
    let programs: Vec<Vec<u32>> = (0..8).map(|_| transfer(GET, 0x1000, 0, 16384)).collect();
    let (mut together, _) = machine(&programs);
    let last = *finish(&mut together).iter().max().unwrap();
    let lines = 8 * 16384 / 128;
    // Main memory is the limit: it moves all lines in turn.
    assert!(last >= lines * (MEMORY_LINE + MEMORY_LINE_OVERHEAD));
    assert!(last < lines * (MEMORY_LINE + MEMORY_LINE_OVERHEAD) + 2 * MEMORY_LATENCY);
    assert!(last > 3 * alone, "{last} {alone}");
    // Another run takes as many cycles.
    let rerun = || {
        let (mut machine, _) = machine(&programs);
        finish(&mut machine)
    };
    assert_eq!(rerun(), rerun());
}

#[test]
fn a_signal_wakes_the_other_spe() {
    // SPE 0 puts four bytes to the inbound mailbox of SPE 1, which waits for the word.
    let waiter = vec![channel(Rdch, 5, 29), 0];
    let mut put = Vec::new();
    let mailbox = (SPE_BASE + SPE_AREA_BYTES + 0x4_0000 + 0x400c) as u32;
    for (number, value) in [(16u8, 0x100cu32), (18, mailbox), (19, 4), (20, 0), (21, PUT as u32)] {
        put.push(imm(Ilhu, 3, 0, (value >> 16) as i32));
        put.push(imm(Iohl, 3, 0, (value & 0xffff) as i32));
        put.push(channel(Wrch, 3, number));
    }
    put.push(0);
    let (mut machine, _) = machine(&[put, waiter]);
    machine.spe(0).ls().store_word(0x100c, 99);
    let cycles = finish(&mut machine);
    assert_eq!(machine.spe(1).spu().scalar(5), 99);
    assert!(cycles[1] >= LOCAL_STORE_LATENCY);
}

#[test]
fn a_vain_wait_is_a_deadlock() {
    let (mut machine, _) = machine(&[vec![channel(Rdch, 5, 29), 0]]);
    assert_eq!(machine.run(1000), MachineEvent::Deadlock { spe: 0, channel: 29 });
    // The PPE may still serve it, at any time.
    machine.spe(0).port().write_in_mailbox_register(3);
    assert_eq!(machine.run(1000), MachineEvent::Stopped { spe: 0, reason: StopReason::Stop(0) });
    assert_eq!(machine.run(1000), MachineEvent::Idle);
}

#[test]
fn time_limits_hold() {
    let (mut machine, _) = machine(&[vec![encode(&blank(Br))]]);
    assert_eq!(machine.run(5000), MachineEvent::Time);
    assert_eq!(machine.now(), 5000);
    assert!(machine.pipeline(0).cycle() <= 5000);
}

#[test]
fn an_atomic_command_takes_its_time() {
    let (mut machine, _) =
        machine(&[transfer(0xd0, 0x1000, 0x8000, 0)[..12].iter().copied().chain([0]).collect()]);
    // The command is written in cycle 18; the stop issues when it is done.
    assert_eq!(finish(&mut machine), [18 + ATOMIC]);
}
