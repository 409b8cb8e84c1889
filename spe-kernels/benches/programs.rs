//! Prints what element-wise programs cost on the host, a call and an element: operations alone, and
//! the steps of one program.

mod timing;

use std::hint::black_box;

use spe_kernels::program::{Place, Step};
use spe_kernels::{Block, BlockMut, Form, Opcode, Program, execute};
use timing::nanoseconds;

const SAMPLES: u32 = 25;

const SHAPES: [(usize, usize); 5] = [(2, 2), (8, 8), (64, 64), (67, 67), (1000, 500)];

fn report(name: &str, (rows, columns): (usize, usize), time: f64) {
    println!(
        "{name:<16} {rows:>4} x {columns:<3} {time:10.1} ns {:8.3} ns/element",
        time / (rows * columns) as f64
    );
}

fn alone() {
    for (name, opcode, form, shape_of_b) in [
        ("add", Opcode::Add, Form::Blocks, |shape| shape),
        ("add scalar", Opcode::Add, Form::ScalarRight, |shape| shape),
        ("add column", Opcode::Add, Form::Blocks, |(rows, _)| (rows, 1)),
        ("add row", Opcode::Add, Form::Blocks, |(_, columns)| (1, columns)),
        ("power scalar", Opcode::Power, Form::ScalarRight, |shape| shape),
    ]
        as [(&str, Opcode, Form, fn((usize, usize)) -> (usize, usize)); 5]
    {
        for shape in SHAPES {
            let ((rows, columns), (b_rows, b_columns)) = (shape, shape_of_b(shape));
            let (stride, b_stride) = (rows.next_multiple_of(2), b_rows.next_multiple_of(2));
            let (a, b) = (vec![1.25; stride * columns], vec![0.5; b_stride * b_columns]);
            let mut result = a.clone();
            let time = nanoseconds(SAMPLES, || {
                let b = (form == Form::Blocks).then(|| Block::new(&b, b_rows, b_columns, b_stride));
                let result = BlockMut::new(black_box(&mut result), rows, columns, stride);
                execute(opcode, form, 2.5, Block::new(&a, rows, columns, stride), b, result)
                    .expect("shapes fit");
            });
            report(name, shape, time);
        }
    }
}

fn fused() {
    for count in [2, 4, 16] {
        let step = |number: usize| Step {
            opcode: if number.is_multiple_of(2) { Opcode::Add } else { Opcode::Times },
            form: if number % 3 == 2 { Form::ScalarRight } else { Form::Blocks },
            operands: [
                if number == 0 { Place::Input(0) } else { Place::Strip((number as u8 - 1) % 2) },
                Place::Input(1),
            ],
            result: if number + 1 == count { Place::Result(0) } else { Place::Strip(number as u8 % 2) },
            scalar: 0.5,
        };
        let steps: Vec<Step> = (0..count).map(step).collect();
        let program = Program::new(2, 1, &steps).expect("a sound program");
        for shape @ (rows, columns) in SHAPES {
            let stride = rows.next_multiple_of(2);
            let (a, b) = (vec![1.25; stride * columns], vec![0.5; stride * columns]);
            let mut result = a.clone();
            let time = nanoseconds(SAMPLES, || {
                let inputs = [&a, &b].map(|data| Block::new(data, rows, columns, stride));
                let result = BlockMut::new(black_box(&mut result), rows, columns, stride);
                program.execute(&inputs, &mut [result]).expect("shapes fit");
            });
            report(&format!("{count} steps"), shape, time);
        }
    }
}

fn main() {
    alone();
    fused();
}
