use std::sync::Arc;
use std::thread;

use spu_sim::channels::number::SPU_RD_IN_MBOX;
use spu_sim::instruction::decode::Instruction;
use spu_sim::instruction::encode::{blank, encode};
use spu_sim::instruction::isa::Opcode;

use super::*;
use crate::context::{self, create, destroy};

/// A context with a program at address 0.
fn with_program(flags: c_uint, program: &[Instruction]) -> Arc<Context> {
    let pointer = create(flags, ptr::null_mut(), ptr::null_mut()).unwrap();
    let context = context::context(pointer).unwrap();
    for (at, instruction) in (0..).step_by(4).zip(program) {
        context.port.ls().store_word(at, encode(instruction));
    }
    context
}

fn run_from(context: &Context, entry: &mut c_uint, flags: c_uint) -> Outcome {
    run(context, entry, flags, ProgramArguments::Pointers(ptr::null_mut(), ptr::null_mut()))
}

fn stop(code: i32) -> Instruction {
    Instruction { immediate: code, ..blank(Opcode::Stop) }
}

/// The member of the result that all reasons share.
fn value(outcome: &Outcome) -> c_int {
    // SAFETY: every member is an integer, and all bytes are initialised.
    unsafe { outcome.stop.result.spe_exit_code }
}

#[test]
fn stop_codes_have_their_meanings() {
    let fault = Some(Errno(libc::EFAULT));
    for (code, flags, result, reason, number, errno) in [
        (0x0001, 0, 0x0001, SPE_STOP_AND_SIGNAL, 0x0001, None),
        (0x1fff, 0, 0x1fff, SPE_STOP_AND_SIGNAL, 0x1fff, None),
        (0x2000, 0, 0, SPE_EXIT, 0, None),
        (0x20ff, 0, 0, SPE_EXIT, 255, None),
        (0x21fe, 0, -1, SPE_CALLBACK_ERROR, -1, fault),
        (0x21fe, SPE_NO_CALLBACKS, 0x21fe, SPE_STOP_AND_SIGNAL, 0x21fe, None),
        (0x2203, 0, -1, SPE_ISOLATION_ERROR, 3, fault),
        (0x2210, 0, 0x2210, SPE_STOP_AND_SIGNAL, 0x2210, None),
        (0x3ffe, 0, 0x3ffe, SPE_STOP_AND_SIGNAL, 0x3ffe, None),
    ] {
        let context = with_program(0, &[stop(code)]);
        let mut entry = 0;
        let outcome = run_from(&context, &mut entry, flags);
        assert_eq!((outcome.result, outcome.stop.stop_reason), (result, reason), "{code:#x}");
        assert_eq!((value(&outcome), outcome.errno), (number, errno), "{code:#x}");
        assert_eq!(outcome.stop.spu_status, code << 16 | 2, "{code:#x}");
        assert_eq!(entry, 4, "the next instruction");
        destroy(context.pointer.as_ptr()).unwrap();
    }
}

#[test]
fn a_call_of_the_kernel_without_a_block_is_an_error() {
    for (block, result) in [(0x3_ffc8, 0x11), (0x3_ffc9, -1), (0xffff_fff0u32, -1)] {
        let context = with_program(0, &[stop(0x2104), stop(0), stop(0x11)]);
        context.port.ls().store_word(4, block);
        let outcome = run_from(&context, &mut 0, 0);
        assert_eq!(outcome.result, result, "{block:#x}");
        if result < 0 {
            assert_eq!((outcome.stop.stop_reason, value(&outcome)), (SPE_RUNTIME_FATAL, libc::EFAULT));
            assert_eq!(outcome.errno, Some(Errno(libc::EFAULT)));
        }
        destroy(context.pointer.as_ptr()).unwrap();
    }
}

#[test]
fn a_program_goes_on_when_its_loader_is_done() {
    let context = with_program(0, &[stop(0x2206), stop(0x11)]);
    assert_eq!(run_from(&context, &mut 0, 0).result, 0x11);
    destroy(context.pointer.as_ptr()).unwrap();
}

#[test]
fn a_stopped_program_goes_on_with_its_registers() {
    let load = Instruction { t: 80, immediate: 7, ..blank(Opcode::Il) };
    let context = with_program(0, &[load, stop(0x11), stop(0x22)]);
    let mut entry = 0;
    assert_eq!(run_from(&context, &mut entry, 0).result, 0x11);
    assert_eq!(run_from(&context, &mut entry, 0).result, 0x22);
    assert_eq!(lock(&context.engine).spe.spu().scalar(80), 7);
    destroy(context.pointer.as_ptr()).unwrap();
}

#[test]
fn registers_at_the_start_are_the_arguments_or_the_caller_s() {
    let context = with_program(0, &[stop(1)]);
    lock(&context.program).entry = Some(0);
    let address = ptr::without_provenance_mut::<c_void>(0x1234);
    let mut entry = SPE_DEFAULT_ENTRY;
    run(&context, &mut entry, 0, ProgramArguments::Pointers(address, ptr::null_mut()));
    let registers = |number| lock(&context.engine).spe.spu().get(number).words();
    let pointer = context.pointer.as_ptr().addr() as u64;
    assert_eq!(registers(3), [(pointer >> 32) as u32, pointer as u32, 0, 0]);
    assert_eq!((registers(4), registers(5)), ([0, 0x1234, 0, 0], [0; 4]));
    let ls = context.port.ls().as_ptr().addr() as u64;
    assert_eq!((registers(6)[1], registers(1)[0]), (ls as u32, 0x3_fff0));

    let words = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
    entry = SPE_DEFAULT_ENTRY;
    run(&context, &mut entry, SPE_RUN_USER_REGS, ProgramArguments::Registers(words));
    assert_eq!([registers(3), registers(4), registers(5)], words);
    destroy(context.pointer.as_ptr()).unwrap();
}

#[test]
fn results_are_kept_for_others_with_events() {
    let context = with_program(SPE_EVENTS_ENABLE, &[stop(0x2005)]);
    context.stops.listen();
    for _ in 0..2 {
        run_from(&context, &mut 0, 0);
    }
    assert_eq!(context.stops.take().map(|stop| stop.0.stop_reason), Some(SPE_EXIT));
    assert!(context.stops.take().is_some() && context.stops.take().is_none());
    destroy(context.pointer.as_ptr()).unwrap();
}

#[test]
fn run_control_stops_a_waiting_program() {
    let read = Instruction { t: 3, a: SPU_RD_IN_MBOX, ..blank(Opcode::Rdch) };
    let context = with_program(ppu_sys::SPE_MAP_PS, &[read, stop(0x33)]);
    let area = context.area.as_ref().unwrap().address();
    let control = ptr::with_exposed_provenance_mut::<u32>(area + 0x401c);
    let mut entry = 0;
    let outcome = thread::scope(|scope| {
        let runner = scope.spawn(|| {
            let outcome = run_from(&context, &mut entry, 0);
            (outcome.result, outcome.stop.stop_reason, value(&outcome))
        });
        // SAFETY: the register of a mapped area, accessed as a word.
        unsafe {
            while control.read_volatile() == 0 {
                thread::yield_now();
            }
            control.write_volatile(0);
        }
        runner.join().unwrap()
    });
    assert_eq!(outcome, (-1, SPE_RUNTIME_FATAL, libc::EINTR));
    // The interrupted run can be taken up again where it waited.
    context.port.write_in_mailbox_register(9);
    assert_eq!((entry, run_from(&context, &mut entry, 0).result), (0, 0x33));
    destroy(context.pointer.as_ptr()).unwrap();
}

#[test]
fn an_endless_loop_ends_at_the_limit_and_can_go_on() {
    let count = Instruction { t: 3, a: 3, immediate: 1, ..blank(Opcode::Ai) };
    let back = Instruction { immediate: -4, ..blank(Opcode::Br) };
    let context = with_program(0, &[count, back]);
    let mut engine = lock(&context.engine);
    for counted in [500, 1000] {
        let outcome = run_to_outcome(&context, &mut engine, 0, 1000);
        assert_eq!((outcome.result, outcome.stop.stop_reason), (-1, SPE_RUNTIME_FATAL));
        assert_eq!((value(&outcome), outcome.errno), (libc::ETIME, Some(Errno(libc::EFAULT))));
        assert_eq!(engine.spe.spu().scalar(3), counted);
    }
    drop(engine);
    destroy(context.pointer.as_ptr()).unwrap();
}
