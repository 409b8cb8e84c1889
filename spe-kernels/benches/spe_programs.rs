//! What steps of programs cost on an SPE, in cycles of the simulated pipeline, alone and one behind the other.

#[path = "../tests/spe/mod.rs"]
mod spe;

use spe::{Machine, Number};
use spe_kernels::program::{Place, Step};
use spe_kernels::{Form, Opcode, Processor, Program};
use spu_sim::mfc::Order;
use spu_sim::spu::Cpu;
use spu_sim::timing::pipeline::Pipeline;

/// A program of additions, each on the result of the one before.
fn chain(steps: usize) -> Program {
    let step = |number: usize| Step {
        opcode: Opcode::Add,
        form: Form::Blocks,
        operands: [
            if number == 0 { Place::Input(0) } else { Place::Strip((number as u8 - 1) % 2) },
            Place::Input(1),
        ],
        result: if number + 1 == steps { Place::Result(0) } else { Place::Strip(number as u8 % 2) },
        scalar: 0.0,
    };
    Program::new(2, 1, &(0..steps).map(step).collect::<Vec<_>>()).expect("a sound program")
}

fn measure<T: Number>(processor: Processor, cpu: Cpu, (rows, columns): (usize, usize)) -> Option<()> {
    for steps in [1, 2, 4, 16] {
        let mut machine = Machine::new(processor, Order::Immediate)?;
        let blocks = [0, 1, 2].map(|_| machine.block::<T>(rows, columns, |i, j| T::of((i + j) as f64)));
        let words = [machine.offer(&chain(steps), &blocks)];
        let completion = machine.run_observed(&words, &mut Pipeline::new(cpu));
        let a_step = completion.execute_ns as f64 / (rows * columns * steps) as f64;
        println!(
            "{processor:?} {:?} {rows:>4} x {columns:<3} {steps:>2} steps {a_step:6.2} cycles an element and step",
            T::PRECISION
        );
    }
    Some(())
}

fn main() {
    for (processor, cpu) in [(Processor::CellBe, Cpu::CellBe), (Processor::PowerXCell8i, Cpu::PowerXCell8i)] {
        for shape in [(4, 4), (96, 96)] {
            if measure::<f32>(processor, cpu, shape).is_none() {
                return;
            }
        }
        for shape in [(4, 4), (64, 64)] {
            _ = measure::<f64>(processor, cpu, shape);
        }
    }
}
