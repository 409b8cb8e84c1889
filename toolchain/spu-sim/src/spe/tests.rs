use super::*;
use crate::{
    instruction::decode::Instruction,
    instruction::encode::{blank, encode},
    instruction::isa::Opcode::{self, *},
    memory::Ram,
    port::Wait,
};

fn word(opcode: Opcode, t: u8, a: u8, immediate: i32) -> u32 {
    encode(&Instruction { t, a, immediate, ..blank(opcode) })
}

fn spe(code: &[u32]) -> Spe {
    let spe = Spe::new(&SpeConfig::default(), Arc::new(Ram::new(0, 4096)));
    for (at, &word) in (0..).step_by(4).zip(code) {
        spe.ls().store_word(at, word);
    }
    spe
}

#[test]
fn starts_as_libspe2_does() {
    let mut spe = spe(&[]);
    spe.ls().store_quad(STACK_TOP, Quad(u128::MAX));
    spe.spu_mut().set(77, Quad(5));
    spe.enter(0x1234, Arguments { spe: 1 << 40, argp: 2, envp: 3, ls_ea: 4 });
    assert_eq!(spe.pc(), 0x1234);
    assert_eq!(spe.spu().get(1), Quad::scalar(STACK_TOP));
    assert_eq!(spe.spu().get(3).doubles(), [1 << 40, 0]);
    assert_eq!([4, 5, 6].map(|register| spe.spu().get(register).doubles()[0]), [2, 3, 4]);
    assert_eq!(spe.spu().get(77), Quad::ZERO);
    assert_eq!(spe.ls().load_quad(STACK_TOP), Quad::ZERO, "back chain");
}

#[test]
fn stops_resume_behind_the_stop() {
    let mut spe = spe(&[word(Stop, 0, 0, 0x11), word(Stop, 0, 0, 0x12)]);
    assert_eq!(spe.run(10), StopReason::Stop(0x11));
    assert_eq!((spe.pc(), spe.run(10)), (4, StopReason::Stop(0x12)));
}

#[test]
fn endless_loops_meet_the_limit() {
    let mut spe = spe(&[word(Br, 0, 0, 0)]);
    assert_eq!(spe.run(1_000_000), StopReason::Limit);
    assert_eq!(spe.spu().instructions, 1_000_000);
}

#[test]
fn code_may_change_itself() {
    // Replaces the stop at 12 by the stop in register 3. A store replaces a quadword, here the first.
    let mut spe = spe(&[word(Stqa, 3, 0, 0), word(Nop, 0, 0, 0), word(Sync, 0, 0, 0), word(Stop, 0, 0, 1)]);
    spe.spu_mut().set(3, Quad::from_words([0, word(Nop, 0, 0, 0), word(Sync, 0, 0, 0), word(Stop, 0, 0, 2)]));
    assert_eq!(spe.run(10), StopReason::Stop(2));
    // And when it had been executed before.
    spe.ls().store_word(12, word(Stop, 0, 0, 3));
    spe.set_pc(12);
    assert_eq!(spe.run(10), StopReason::Stop(3));
}

#[test]
fn blocked_reads_wait_for_another_thread() {
    let mut spe = spe(&[
        encode(&Instruction { t: 3, a: 29, ..blank(Rdch) }),
        encode(&Instruction { t: 3, a: 30, ..blank(Wrch) }),
        0,
    ]);
    assert_eq!(spe.run(10), StopReason::Blocked(29));
    assert_eq!(spe.run_waiting(10, Some(Duration::from_millis(1))), StopReason::Blocked(29));
    let port = Arc::clone(spe.port());
    let thread = std::thread::spawn(move || spe.run_waiting(10, None));
    port.write_in_mailbox(&[21], Wait::All);
    let mut words = [0];
    port.read_out_interrupt_mailbox(&mut words, Wait::All);
    assert_eq!((words, thread.join().unwrap()), ([21], StopReason::Stop(0)));
}

#[test]
fn a_stop_request_ends_a_wait() {
    let mut spe = spe(&[encode(&Instruction { t: 3, a: 3, ..blank(Rdch) })]);
    let port = Arc::clone(spe.port());
    let thread = std::thread::spawn(move || spe.run_waiting(10, None));
    port.request_stop();
    assert_eq!(thread.join().unwrap(), StopReason::Requested);
}

#[test]
fn interrupts_enter_the_handler_at_zero() {
    // Handler: stop 7. Program at 16: unmasks the mailbox event, enables interrupts, loops.
    let mut code = vec![word(Stop, 0, 0, 7), 0, 0, 0];
    code.push(word(Il, 3, 0, 0x10));
    code.push(encode(&Instruction { t: 3, a: 1, ..blank(Wrch) }));
    code.push(word(Ila, 4, 0, 32));
    code.push(word(Bi, 0, 4, 0) | 1 << 18);
    code.push(word(Br, 0, 0, 0));
    let mut spe = spe(&code);
    spe.set_pc(16);
    assert_eq!(spe.run(100), StopReason::Limit);
    spe.port().write_in_mailbox_register(1);
    assert_eq!(spe.run(100), StopReason::Stop(7));
    assert_eq!((spe.spu().srr0, spe.spu().interrupts_enabled()), (32, false));
}

#[test]
fn a_read_of_the_event_channel_skips_to_the_decrementer() {
    let code = [
        word(Il, 3, 0, 0x20),
        encode(&Instruction { t: 3, a: 1, ..blank(Wrch) }),
        word(Il, 3, 0, 1000),
        encode(&Instruction { t: 3, a: 7, ..blank(Wrch) }),
        encode(&Instruction { t: 5, a: 0, ..blank(Rdch) }),
        0,
    ];
    let mut spe = spe(&code);
    assert_eq!(spe.run(100), StopReason::Stop(0));
    assert_eq!(spe.spu().scalar(5), 0x20);
    assert!(spe.spu().cycle >= 1001 * QS22_CYCLES_PER_TICK);
}

#[test]
fn faults_name_what_is_wrong() {
    let code = [
        word(Il, 3, 0, 5),
        encode(&Instruction { t: 3, a: 19, ..blank(Wrch) }),
        word(Il, 3, 0, 0x40),
        encode(&Instruction { t: 3, a: 21, ..blank(Wrch) }),
        encode(&Instruction { t: 3, a: 5, ..blank(Rdch) }),
    ];
    let mut spe = spe(&code);
    let reason = spe.run(100);
    assert_eq!(reason.to_string(), "DMA alignment: LS address 0x0, effective address 0x0, 5 bytes");
    assert_eq!(spe.pc(), 12);
    spe.set_pc(16);
    assert_eq!(spe.run(100), StopReason::InvalidChannel(5));
}
