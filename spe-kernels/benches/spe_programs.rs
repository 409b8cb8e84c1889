//! What steps of programs cost on an SPE, in cycles of the simulated pipeline a vector of 16 bytes, beside
//! what each step costs alone; and what moves, cumulative sums and norms cost.

#[path = "../tests/spe/mod.rs"]
mod spe;

use spe::{Machine, Number};
use spe_kernels::program::{Place, Step};
use spe_kernels::{Form, Opcode, Processor, Program, sys};
use spu_sim::mfc::Order;
use spu_sim::spu::Cpu;
use spu_sim::timing::pipeline::Pipeline;

/// How an input lies beside the result.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Block,
    Column,
    Row,
}

/// A program of one result, and the shapes of its inputs.
struct Case {
    name: &'static str,
    inputs: Vec<Shape>,
    steps: Vec<Step>,
}

fn blocks(opcode: Opcode, operands: [Place; 2], result: Place) -> Step {
    Step { opcode, form: Form::Blocks, operands, result, scalar: 0.0 }
}

fn with_scalar(opcode: Opcode, form: Form, operand: Place, scalar: f64, result: Place) -> Step {
    Step { opcode, form, operands: [operand; 2], result, scalar }
}

/// Additions, each of which takes the result of the previous addition.
fn chain(name: &'static str, steps: u8) -> Case {
    let step = |number: u8| {
        blocks(
            Opcode::Add,
            [if number == 0 { Place::Input(0) } else { Place::Strip((number - 1) % 2) }, Place::Input(1)],
            if number + 1 == steps { Place::Result(0) } else { Place::Strip(number % 2) },
        )
    };
    Case { name, inputs: vec![Shape::Block, Shape::Block], steps: (0..steps).map(step).collect() }
}

/// The change of a layer's weights in a neural network, and the way to a layer's output.
fn layers() -> [Case; 2] {
    let (first, second, result) = (Place::Strip(0), Place::Strip(1), Place::Result(0));
    let change = vec![
        blocks(Opcode::Times, [Place::Input(0), Place::Input(1)], first),
        with_scalar(Opcode::Add, Form::ScalarRight, first, 0.0, second),
        blocks(Opcode::Add, [second, Place::Input(2)], result),
    ];
    let output = vec![
        blocks(Opcode::Subtract, [Place::Input(0), Place::Input(1)], first),
        with_scalar(Opcode::Times, Form::ScalarLeft, first, -1.0, second),
        with_scalar(Opcode::Power, Form::ScalarLeft, second, std::f64::consts::E, first),
        with_scalar(Opcode::Add, Form::ScalarRight, first, 1.0, second),
        with_scalar(Opcode::Divide, Form::ScalarLeft, second, 1.0, first),
        blocks(Opcode::Times, [first, Place::Input(0)], result),
    ];
    [
        Case { name: "change", inputs: vec![Shape::Column, Shape::Row, Shape::Block], steps: change },
        Case { name: "output", inputs: vec![Shape::Block, Shape::Block], steps: output },
    ]
}

/// Each step as a program of its own, on blocks of equal shapes.
fn alone(case: &Case) -> Vec<Case> {
    let shape_of = |place| match place {
        Place::Input(number) => case.inputs[usize::from(number)],
        Place::Strip(_) | Place::Result(_) => Shape::Block,
    };
    let single = |step: &Step| {
        let two = step.opcode.is_binary() && step.form == Form::Blocks;
        let inputs = step.operands[..1 + usize::from(two)].iter().map(|&place| shape_of(place)).collect();
        let operands = [Place::Input(0), Place::Input(u8::from(two))];
        Case { name: "alone", inputs, steps: vec![Step { operands, result: Place::Result(0), ..*step }] }
    };
    case.steps.iter().map(single).collect()
}

/// Cycles of the execution.
fn cycles<T: Number>(
    case: &Case,
    processor: Processor,
    cpu: Cpu,
    (rows, columns): (usize, usize),
) -> Option<u64> {
    let mut machine = Machine::new(processor, Order::Immediate)?;
    let shapes = case.inputs.iter().chain([&Shape::Block]).map(|shape| match shape {
        Shape::Block => (rows, columns),
        Shape::Column => (rows, 1),
        Shape::Row => (1, columns),
    });
    let blocks: Vec<_> = shapes
        .map(|(rows, columns)| machine.block::<T>(rows, columns, |i, j| T::of((i + j) as f64 / 64.0)))
        .collect();
    let program = Program::new(case.inputs.len(), 1, &case.steps).expect("a sound program");
    let words = [machine.offer(&program, &blocks)];
    Some(machine.run_observed(&words, &mut Pipeline::new(cpu)).execute_ns)
}

fn measure<T: Number>(
    case: &Case,
    processor: Processor,
    cpu: Cpu,
    shape @ (rows, columns): (usize, usize),
) -> Option<()> {
    let together = cycles::<T>(case, processor, cpu, shape)?;
    let alone: u64 =
        alone(case).iter().map(|step| cycles::<T>(step, processor, cpu, shape)).sum::<Option<u64>>()?;
    let vectors = (rows.div_ceil(16 / size_of::<T>()) * columns * case.steps.len()) as f64;
    println!(
        "{processor:?} {:?} {:<8} {rows:>4} x {columns:<3} {:8.2} cycles a vector and step, alone {:8.2}",
        T::PRECISION,
        case.name,
        together as f64 / vectors,
        alone as f64 / vectors
    );
    Some(())
}

/// Opcodes among the moves and reductions.
const VIEW: u8 = 0;
const CUMULATIVE_SUM: u8 = 8;
const NORM: u8 = 13;

/// A move or reduction: its opcode among them, its form, and whether its result is one element.
type Direct = (u8, u32, bool);

/// Cycles of a move or reduction of a square block that begins behind `skipped` elements of each column. It is
/// the second one, so that its code is there.
fn direct_cycles<T: Number>(
    processor: Processor,
    cpu: Cpu,
    (direct, form, is_one): Direct,
    (side, skipped): (usize, usize),
) -> Option<u64> {
    let mut machine = Machine::new(processor, Order::Immediate)?;
    let mut record = sys::meu_record {
        version: sys::MEU_PROTOCOL_VERSION as u8,
        input_count: 1,
        result_count: 1,
        step_count: 1,
        ..Default::default()
    };
    record.blocks[0] =
        machine.block::<T>(side + skipped, side, |i, j| T::of(((37 * i + 11 * j) % 64) as f64));
    let result = if is_one { 1 } else { side };
    record.blocks[1] = machine.block::<T>(result, result, |_, _| T::of(0.0));
    let opcode = Opcode::ALL.len() as u8 + direct;
    let operands = [skipped as u8, 0];
    record.work.step = sys::program_step { opcode, form: form as u8, operands, ..Default::default() };
    let words = [(); 2].map(|()| machine.offer_lines(record, Vec::new()));
    Some(machine.run_observed(&words, &mut Pipeline::new(cpu)).execute_ns)
}

fn measure_directs<T: Number>(processor: Processor, cpu: Cpu) -> Option<()> {
    let directs: [(&str, Direct, &[usize]); 6] = [
        ("band", (VIEW, sys::MEU_MOVE_BAND, false), &[0]),
        ("copy", (VIEW, sys::MEU_MOVE_BELOW, false), &[0, 1]),
        ("transpose", (VIEW, sys::MEU_MOVE_TRANSPOSED, false), &[0, 1]),
        ("cumsum, of columns", (CUMULATIVE_SUM, 0, false), &[0]),
        ("cumsum, of rows", (CUMULATIVE_SUM, 1, false), &[0]),
        ("norm", (NORM, 0, true), &[0]),
    ];
    for (name, direct, skips) in directs {
        for &skipped in skips {
            let [small, large] =
                [32, 64].map(|side| direct_cycles::<T>(processor, cpu, direct, (side, skipped)));
            let (small, large) = (small?, large?);
            let each = (large - small) as f64 / (64.0 * 64.0 - 32.0 * 32.0);
            let precision = T::PRECISION;
            println!(
                "{processor:?} {precision:?} {name:<18} from element {skipped}: {each:.2} cycles an element, \
                 {small} and {large} of 32 x 32 and 64 x 64"
            );
        }
    }
    Some(())
}

fn main() {
    let chains = [chain("1 step", 1), chain("2 steps", 2), chain("4 steps", 4), chain("16 steps", 16)];
    let [change, output] = layers();
    for (processor, cpu) in [(Processor::CellBe, Cpu::CellBe), (Processor::PowerXCell8i, Cpu::PowerXCell8i)] {
        for case in &chains {
            for shape in [(4, 4), (96, 96)] {
                if measure::<f32>(case, processor, cpu, shape).is_none() {
                    return;
                }
            }
            for shape in [(4, 4), (64, 64)] {
                _ = measure::<f64>(case, processor, cpu, shape);
            }
        }
        for shape in [(96, 96), (80, 80), (96, 27), (24, 8)] {
            _ = measure::<f32>(&change, processor, cpu, shape);
        }
        for shape in [(64, 64), (80, 40), (96, 27), (24, 8)] {
            _ = measure::<f64>(&change, processor, cpu, shape);
        }
        _ = measure_directs::<f32>(processor, cpu);
        _ = measure_directs::<f64>(processor, cpu);
        _ = measure::<f32>(&output, processor, cpu, (192, 1));
        _ = measure::<f64>(&output, processor, cpu, (192, 1));
    }
}
