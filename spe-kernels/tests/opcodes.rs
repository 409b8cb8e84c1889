//! The numbers of opcodes: C, `Opcode`, the table of operations, and records mean the same operation by each.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Matrix, Ppe};
use spe_kernels::definition::{Number, is_outside};
use spe_kernels::program::{Place, Program, Step};
use spe_kernels::sys::{self, MEU_STATUS_OK};
use spe_kernels::{Form, MeuOptions, Opcode, Status, execute_direct};

macro_rules! rows {
    (
        elementwise { $(($word:literal, $name:ident, $($rest:tt)*))* }
        direct { $(($direct:literal, $($direct_rest:tt)*))* }
    ) => {
        /// The rows of the table, in its order.
        const ELEMENTWISE: &[Opcode] = &[$(Opcode::$name),*];
        const DIRECT: &[&str] = &[$($direct),*];
    };
}

spe_kernels::for_each_operation!(rows);

/// Neighbours that tell operations from one another.
const VALUES: [f64; 12] = [0.0, -0.0, 0.25, -0.5, 1.0, -1.0, 1.5, 2.5, -3.0, 40.0, f64::INFINITY, f64::NAN];

fn one_step(opcode: Opcode, form: Form, inputs: usize) -> Result<Program, Status> {
    let operands = [Place::Input(0), Place::Input(inputs as u8 - 1)];
    Program::new(inputs, 1, &[Step { opcode, form, operands, result: Place::Result(0), scalar: 2.0 }])
}

fn is_elementwise(opcode: Opcode) -> bool {
    !matches!(opcode, Opcode::Multiply | Opcode::Convert)
}

fn bits(x: f64) -> u64 {
    if x.is_nan() { u64::MAX } else { x.to_bits() }
}

#[test]
fn numbers_are_those_of_the_rows_of_the_table() {
    assert!(ELEMENTWISE.iter().enumerate().all(|(row, &opcode)| opcode as usize == row));
    assert_eq!(ELEMENTWISE, Opcode::ALL);
}

#[test]
fn a_record_with_the_number_of_an_operation_is_executed_as_that_operation() {
    for &opcode in ELEMENTWISE.iter().filter(|opcode| is_elementwise(**opcode)) {
        let pairs: Vec<(f64, f64)> = VALUES
            .iter()
            .flat_map(|&a| VALUES.map(|b| (a, b)))
            .filter(|&(a, b)| !is_outside(opcode, a, b))
            .collect();
        let column = |value: fn(&(f64, f64)) -> f64| {
            Matrix::<f64>::new(pairs.len(), 1, 0, |row, _| value(&pairs[row]))
        };
        let (a, b, result) = (column(|pair| pair.0), column(|pair| pair.1), column(|_| 7.0));
        let inputs = if opcode.is_binary() { vec![a.block(), b.block()] } else { vec![a.block()] };
        let program = one_step(opcode, Form::Blocks, inputs.len()).unwrap();
        let record = program.record(&[inputs, vec![result.block()]].concat());
        // SAFETY: the record of a program of one step has a step.
        assert_eq!(unsafe { record.work.step.opcode }, opcode as u8);
        let ppe = Ppe::new(None);
        ppe.offer(record);
        ppe.terminate();
        ppe.run(&MeuOptions::default()).unwrap();
        assert_eq!(u32::from(ppe.completion().report.status), MEU_STATUS_OK, "{opcode:?}");
        for (row, &(a, b)) in pairs.iter().enumerate() {
            let want = f64::element(opcode, a, b);
            assert_eq!(bits(result.get(row, 0)), bits(want), "{opcode:?} of {a} and {b}");
        }
    }
}

#[test]
fn an_operation_has_scalar_forms_where_it_takes_two_values() {
    for &opcode in ELEMENTWISE.iter().filter(|opcode| is_elementwise(**opcode)) {
        let with_scalar = one_step(opcode, Form::ScalarRight, 1).map(|_| ());
        let expected = if opcode.is_binary() { Ok(()) } else { Err(Status::Opcode) };
        assert_eq!(with_scalar, expected, "{opcode:?}");
    }
}

#[test]
fn direct_operations_have_the_numbers_of_the_table_and_no_others() {
    let status = |opcode: u8| {
        let operation =
            sys::direct_operation { opcode: opcode.into(), precision: sys::MEU_DOUBLE, ..Default::default() };
        // SAFETY: there are no matrices, and so nothing is read or written.
        unsafe { execute_direct(&operation) }.unwrap_err()
    };
    let direct = ELEMENTWISE.len()..ELEMENTWISE.len() + DIRECT.len();
    for number in 0..=u8::MAX {
        let expected = if direct.contains(&number.into()) { Status::Shape } else { Status::Opcode };
        assert_eq!(status(number), expected, "{number}");
    }
}
