//! Fusions: the bits of their steps alone, pads that reach nothing, and descriptions that do not fit.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use spe_kernels::{Block, BlockMut, Form, Opcode, Status, execute, execute_direct, sys};

const STRIP: u8 = sys::DIRECT_INPUTS as u8;

fn matrix(data: &[f64], rows: usize, columns: usize) -> sys::direct_matrix {
    sys::direct_matrix {
        ea: data.as_ptr() as u64,
        stride_bytes: (rows.next_multiple_of(2) * 8) as u64,
        rows: rows as u32,
        columns: columns as u32,
    }
}

fn step(opcode: Opcode, operands: [u8; 2], result: u8) -> sys::direct_step {
    sys::direct_step { opcode: opcode as u8, operands, result, ..Default::default() }
}

fn run(
    steps: &[sys::direct_step],
    inputs: &[sys::direct_matrix],
    result: sys::direct_matrix,
) -> Result<(), (Status, u32)> {
    let mut fusion = sys::direct_fusion {
        opcode: sys::DIRECT_FUSION,
        precision: sys::MEU_DOUBLE,
        input_count: inputs.len() as u32,
        step_count: steps.len() as u32,
        result,
        ..Default::default()
    };
    fusion.steps[..steps.len()].copy_from_slice(steps);
    fusion.inputs[..inputs.len()].copy_from_slice(inputs);
    // SAFETY: the matrices are slices of the callers, which live until after the call.
    unsafe { execute_direct(&sys::direct_description { fusion }) }
}

/// Elements of columns of `rows` rows, NaN between them.
fn padded(rows: usize, columns: usize, element: impl Fn(usize) -> f64) -> Vec<f64> {
    let stride = rows.next_multiple_of(2);
    (0..stride * columns).map(|i| if i % stride < rows { element(i) } else { f64::NAN }).collect()
}

#[test]
fn steps_have_the_bits_of_operations() {
    for (rows, columns) in [(1, 1), (5, 3), (8, 200), (1031, 4), (3000, 1)] {
        let a = padded(rows, columns, |i| (i % 17) as f64 - 8.25);
        let column = padded(rows, 1, |i| 1.5 + (i % 3) as f64);
        let result = padded(rows, columns, |_| 0.0);
        // sqrt (abs (a) .* column) - a
        let steps = [
            step(Opcode::Abs, [0, 0], STRIP),
            step(Opcode::Times, [STRIP, 1], STRIP + 1),
            step(Opcode::Sqrt, [STRIP + 1, 0], STRIP),
            step(Opcode::Subtract, [STRIP, 0], STRIP + 1),
        ];
        let target = matrix(&result, rows, columns);
        run(&steps, &[matrix(&a, rows, columns), matrix(&column, rows, 1)], target).unwrap();

        let stride = rows.next_multiple_of(2);
        let (mut one, mut other) = (result.clone(), result.clone());
        let to = |opcode, from: &[f64], beside: Option<&[f64]>, to: &mut Vec<f64>| {
            let from = Block::new(from, rows, columns, stride);
            let beside = beside.map(|data| Block::new(data, rows, data.len() / stride, stride));
            execute(opcode, Form::Blocks, 0.0, from, beside, BlockMut::new(to, rows, columns, stride))
                .unwrap();
        };
        to(Opcode::Abs, &a, None, &mut one);
        to(Opcode::Times, &one, Some(&column), &mut other);
        to(Opcode::Sqrt, &other, None, &mut one);
        to(Opcode::Subtract, &one, Some(&a), &mut other);
        let elements = |data: &[f64]| {
            let within = data.iter().enumerate().filter(|(i, _)| i % stride < rows);
            within.map(|(_, x)| x.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(elements(&result), elements(&other), "{rows}x{columns}");
    }
}

#[test]
fn the_step_outside_of_its_domain_is_told() {
    let mut a = padded(7, 3, |_| 4.0);
    let result = padded(7, 3, |_| 0.0);
    let steps = [step(Opcode::Sqrt, [0, 0], STRIP), step(Opcode::Log, [STRIP, 0], STRIP + 1)];
    assert_eq!(run(&steps, &[matrix(&a, 7, 3)], matrix(&result, 7, 3)), Ok(()));
    a[8 + 6] = -1.0;
    assert_eq!(run(&steps, &[matrix(&a, 7, 3)], matrix(&result, 7, 3)), Err((Status::Domain, 0)));
    let steps = [step(Opcode::Negate, [0, 0], STRIP), step(Opcode::Sqrt, [STRIP, 0], STRIP + 1)];
    assert_eq!(run(&steps, &[matrix(&a, 7, 3)], matrix(&result, 7, 3)), Err((Status::Domain, 1)));
}

#[test]
fn what_does_not_fit_is_refused() {
    let a = padded(6, 4, |_| 1.0);
    let (full, row) = (matrix(&a, 6, 4), matrix(&a, 1, 4));
    let result = padded(6, 4, |_| 0.0);
    let to = matrix(&result, 6, 4);
    let good = step(Opcode::Add, [0, 1], STRIP);
    assert_eq!(run(&[good], &[full, row], to), Ok(()));
    for (status, steps, inputs) in [
        (Status::Shape, &[][..], &[full, row][..]),
        (Status::Shape, &[good], &[full]),
        (Status::Shape, &[good], &[full, matrix(&a, 5, 4)]),
        (Status::Shape, &[step(Opcode::Add, [0, STRIP], STRIP)], &[full]),
        (Status::Shape, &[step(Opcode::Add, [0, 0], 3)], &[full]),
        (Status::Shape, &[step(Opcode::Add, [0, 0], 200)], &[full]),
        (Status::Opcode, &[step(Opcode::Multiply, [0, 0], STRIP)], &[full]),
        (Status::Opcode, &[step(Opcode::Convert, [0, 0], STRIP)], &[full]),
        (Status::Opcode, &[sys::direct_step { form: 1, ..step(Opcode::Abs, [0, 0], STRIP) }], &[full]),
        (Status::Opcode, &[sys::direct_step { form: 3, ..good }], &[full, row]),
    ] {
        assert_eq!(run(steps, inputs, to), Err((status, 0)), "{steps:?}");
    }
}
