//! Element-wise programs on a simulated SPE: the bits of their steps in the arithmetic of an SPE, as the host
//! defines it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod spe;

use spe::{Machine, Number};
use spe_kernels::program::{Place, Program, Step};
use spe_kernels::sys::{self, meu_block};
use spe_kernels::{Form, Opcode, Precision, Processor};
use spu_sim::mfc::Order;
use spu_sim::spe::StopReason;

const A: Place = Place::Input(0);
const B: Place = Place::Input(1);
const C: Place = Place::Input(2);

fn strip(number: u8) -> Place {
    Place::Strip(number)
}

fn result(number: u8) -> Place {
    Place::Result(number)
}

fn step(opcode: Opcode, operands: [Place; 2], result: Place) -> Step {
    Step { opcode, form: Form::Blocks, operands, result, scalar: 0.0 }
}

fn scalar_step(opcode: Opcode, form: Form, operand: Place, scalar: f64, result: Place) -> Step {
    Step { opcode, form, operands: [operand; 2], result, scalar }
}

/// What the steps leave in the results, for one element of each input.
fn expected<T: Number>(processor: Processor, steps: &[Step], inputs: &[T]) -> Vec<(u8, T)> {
    let mut held: Vec<(Place, T)> =
        inputs.iter().enumerate().map(|(number, &value)| (Place::Input(number as u8), value)).collect();
    for step in steps {
        let find = |place| held.iter().rev().find(|(found, _)| *found == place).unwrap().1;
        let (first, scalar) = (find(step.operands[0]), T::of(step.scalar));
        let (a, b) = match step.form {
            Form::Blocks => (first, find(step.operands[1])),
            Form::ScalarRight => (first, scalar),
            Form::ScalarLeft => (scalar, first),
        };
        held.push((step.result, T::computed(processor, step.opcode, a, b)));
    }
    let results = held.into_iter().filter_map(|(place, value)| match place {
        Place::Result(number) => Some((number, value)),
        _ => None,
    });
    results.collect()
}

/// Lists of steps with their numbers of inputs and results.
fn programs() -> Vec<(usize, usize, Vec<Step>)> {
    let all: Vec<Place> = (0..8).map(Place::Input).collect();
    let sum = (1..8).map(|n| {
        step(Opcode::Add, [if n == 1 { A } else { strip(n as u8 % 2) }, all[n]], strip((n as u8 + 1) % 2))
    });
    let mut sum: Vec<Step> = sum.collect();
    sum.push(scalar_step(Opcode::Divide, Form::ScalarRight, strip(0), 8.0, result(0)));
    vec![
        (2, 1, vec![step(Opcode::Times, [A, B], result(0))]),
        // sin (a .* b) + 1.5 - a, and what it is made of
        (
            2,
            2,
            vec![
                step(Opcode::Times, [A, B], strip(0)),
                step(Opcode::Sin, [strip(0); 2], result(1)),
                scalar_step(Opcode::Add, Form::ScalarRight, result(1), 1.5, strip(1)),
                step(Opcode::Subtract, [strip(1), A], result(0)),
            ],
        ),
        (8, 1, sum),
        // Steps of all overlays in turns, and of none.
        (
            3,
            3,
            vec![
                step(Opcode::Floor, [A; 2], strip(0)),
                step(Opcode::Exp, [strip(0); 2], strip(1)),
                step(Opcode::Max, [A, B], result(1)),
                step(Opcode::Log, [strip(1); 2], strip(2)),
                step(Opcode::Times, [strip(2), C], strip(1)),
                step(Opcode::Tan, [strip(2); 2], result(2)),
                step(Opcode::Rem, [result(2), A], strip(0)),
                step(Opcode::Tanh, [strip(0); 2], result(0)),
            ],
        ),
        // A domain: of powers of sizes.
        (
            3,
            4,
            vec![
                step(Opcode::Abs, [A; 2], result(0)),
                step(Opcode::Power, [result(0), C], result(1)),
                scalar_step(Opcode::Mod, Form::ScalarRight, B, 3.0, strip(0)),
                step(Opcode::Equal, [strip(0), C], result(2)),
                scalar_step(Opcode::Divide, Form::ScalarLeft, B, 1.0, strip(1)),
                step(Opcode::Round, [strip(1); 2], strip(2)),
                step(Opcode::Sign, [strip(2); 2], strip(0)),
                step(Opcode::Times, [strip(0), A], strip(2)),
                step(Opcode::Cos, [strip(2); 2], result(3)),
            ],
        ),
    ]
}

fn have_the_bits_of_their_steps<T: Number>(processor: Processor, order: Order) {
    let Some(mut machine) = Machine::new(processor, order) else { return };
    let mut work = Vec::new();
    for (number, shape) in
        [(1, 1), (5, 3), (16, 24), (1, 40), (600, 2), (67, 9), (3, 7)].into_iter().enumerate()
    {
        for (inputs, results, steps) in programs() {
            let program = Program::new(inputs, results, &steps).unwrap();
            let mut blocks: Vec<meu_block> = (0..inputs)
                .map(|input| {
                    let (rows, columns) = match (input + number) % 5 {
                        2 => (shape.0, 1),
                        3 => (1, shape.1),
                        4 => (1, 1),
                        _ => shape,
                    };
                    let value =
                        |i: usize, j: usize| ((i * 7 + j * 13 + input * 29) % 61) as f64 / 4.0 - 7.375;
                    machine.block::<T>(rows, columns, |i, j| T::of(value(i, j)))
                })
                .collect();
            blocks.extend((0..results).map(|_| machine.block::<T>(shape.0, shape.1, |_, _| T::of(0.0))));
            work.push((program, steps, blocks, shape));
        }
    }
    let words: Vec<u32> = work.iter().map(|(program, _, blocks, _)| machine.offer(program, blocks)).collect();
    let completion = machine.run(&words);
    assert_eq!(
        (u32::from(completion.report.status), completion.report.sequence),
        (sys::MEU_STATUS_OK, words.len() as u32)
    );
    for (program, steps, blocks, (rows, columns)) in &work {
        let (inputs, results) = blocks.split_at(program.inputs());
        for (row, column) in (0..*rows).flat_map(|row| (0..*columns).map(move |column| (row, column))) {
            let operands: Vec<T> = inputs.iter().map(|block| machine.element(block, row, column)).collect();
            for (number, want) in expected(processor, steps, &operands) {
                let got: T = machine.element(&results[usize::from(number)], row, column);
                assert_eq!(
                    got.bits(),
                    want.bits(),
                    "{rows}x{columns} {row} {column}: {got:?} {want:?} {program:?}"
                );
            }
        }
    }
}

#[test]
fn programs_on_an_spe_have_the_bits_of_their_steps() {
    for processor in [Processor::CellBe, Processor::PowerXCell8i] {
        have_the_bits_of_their_steps::<f64>(processor, Order::Immediate);
        have_the_bits_of_their_steps::<f32>(processor, Order::Immediate);
        for seed in 0..4 {
            have_the_bits_of_their_steps::<f64>(processor, Order::Reordered(seed));
        }
    }
}

#[test]
fn an_spe_refuses_programs_with_operations_that_it_does_not_have() {
    let Some(mut machine) = Machine::new(Processor::PowerXCell8i, Order::Immediate) else { return };
    let steps = [step(Opcode::Abs, [A; 2], strip(0)), step(Opcode::Erf, [strip(0); 2], result(0))];
    let program = Program::new(1, 1, &steps).unwrap();
    let blocks = [0, 1].map(|_| machine.block::<f64>(4, 4, |_, _| 1.0));
    let words = [machine.offer(&program, &blocks)];
    // The first move or reduction, which is no step of a program.
    machine.set_opcode(1, Opcode::ALL.len() as u8);
    let completion = machine.run(&words);
    assert_eq!(
        (u32::from(completion.report.status), completion.report.sequence),
        (sys::MEU_STATUS_OPCODE, 0)
    );
}

#[test]
fn an_spe_tells_the_step_outside_of_its_domain() {
    let Some(mut machine) = Machine::new(Processor::CellBe, Order::Immediate) else { return };
    let steps = [
        step(Opcode::Abs, [A; 2], strip(0)),
        scalar_step(Opcode::Power, Form::ScalarRight, strip(0), 0.5, result(0)),
        scalar_step(Opcode::Power, Form::ScalarRight, A, 0.5, result(1)),
    ];
    let program = Program::new(1, 2, &steps).unwrap();
    let a = machine.block::<f64>(3, 3, |i, j| if (i, j) == (2, 1) { -1.0 } else { 4.0 });
    let blocks = [a, machine.block::<f64>(3, 3, |_, _| 0.0), machine.block::<f64>(3, 3, |_, _| 0.0)];
    let words = [machine.offer(&program, &blocks)];
    let completion = machine.run(&words);
    assert_eq!(
        (u32::from(completion.report.status), u32::from(completion.report.detail)),
        (sys::MEU_STATUS_DOMAIN, 2)
    );
    assert_eq!(Precision::Double as u8, a.precision);
}

/// One operation of one step on a block of doubles, on an SPE whose overlays in main memory are these.
fn run_alone(opcode: Opcode, overlays: &[u8]) -> StopReason {
    let Some(mut machine) = Machine::new(Processor::PowerXCell8i, Order::Immediate) else {
        return StopReason::Stop(0x2000);
    };
    machine.set_overlays(overlays);
    let program = Program::new(1, 1, &[step(opcode, [A; 2], result(0))]).unwrap();
    let blocks = [0, 1].map(|_| machine.block::<f64>(4, 4, |_, _| 1.5));
    let words = [machine.offer(&program, &blocks)];
    machine.run_to_the_end(&words)
}

#[test]
fn an_operation_of_an_overlay_executes_what_lies_in_main_memory() {
    let Ok(overlays) = spe_kernels::overlays(Processor::PowerXCell8i) else { return };
    // Everywhere an instruction that stops with code 0x123.
    let stops: Vec<u8> = 0x0000_0123_u32.to_be_bytes().repeat(overlays.len() / 4);
    for opcode in Opcode::ALL.into_iter().filter(|&opcode| opcode.is_on_spe() && !opcode.is_binary()) {
        if matches!(opcode, Opcode::Multiply | Opcode::Convert) {
            continue;
        }
        assert_eq!(run_alone(opcode, overlays), StopReason::Stop(0x2000), "{opcode:?}");
        let expected = if opcode == Opcode::Abs { 0x2000 } else { 0x123 };
        assert_eq!(run_alone(opcode, &stops), StopReason::Stop(expected), "{opcode:?}");
    }
}
