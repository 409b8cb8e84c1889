//! Programs of several steps: the bits of their steps alone, in main memory and in a local store, whatever
//! the MFC does.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/mod.rs"]
mod common;
mod refused;

use common::{Matrix, Ppe};
use spe_kernels::program::{FurtherLine, INPUTS, Place, Program, RESULTS, STEPS, Step};
use spe_kernels::sys::{
    self, MEU_BUFFER_BYTES, MEU_FLAG_MEMORY, MEU_LINE_BYTES, MEU_RECORD_LINES, MEU_STATUS_DOMAIN,
    MEU_STATUS_OK, MEU_STATUS_SHAPE, PROGRAM_STRIP_BYTES, meu_block,
};
use spe_kernels::{Block, BlockMut, Element, Form, MeuOptions, Opcode, VectorWidth, execute_with};

/// Numbers that look random, and are equal in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Operations that have a result for every element here.
const OPCODES: [Opcode; 13] = [
    Opcode::Add,
    Opcode::Subtract,
    Opcode::Times,
    Opcode::Divide,
    Opcode::Mod,
    Opcode::Equal,
    Opcode::NotEqual,
    Opcode::Abs,
    Opcode::Sin,
    Opcode::Sign,
    Opcode::Round,
    Opcode::Max,
    Opcode::Exp,
];

/// A program of so many inputs, strips and results.
fn random_program(random: &mut Random, most_steps: usize) -> (Program, Vec<Step>) {
    let (inputs, results) = (1 + random.below(INPUTS), 1 + random.below(RESULTS.min(most_steps)));
    let strips = random.below(5.min(most_steps - results + 1));
    let targets =
        (0..strips).map(|n| Place::Strip(n as u8)).chain((0..results).map(|n| Place::Result(n as u8)));
    let targets: Vec<Place> = targets.collect();
    let mut known: Vec<Place> = (0..inputs).map(|n| Place::Input(n as u8)).collect();
    let count = targets.len() + random.below(most_steps - targets.len() + 1);
    let steps: Vec<Step> = (0..count)
        .map(|number| {
            // Every target is written; some are written again.
            let result = *targets.get(number).unwrap_or(&targets[random.below(targets.len())]);
            let readable: Vec<Place> = known.iter().copied().filter(|&place| place != result).collect();
            let operands = [readable[random.below(readable.len())], readable[random.below(readable.len())]];
            let opcode = OPCODES[random.below(OPCODES.len())];
            let forms = if opcode.is_binary() { 3 } else { 1 };
            let form = [Form::Blocks, Form::ScalarRight, Form::ScalarLeft][random.below(forms)];
            known.extend((!known.contains(&result)).then_some(result));
            Step { opcode, form, operands, result, scalar: random.below(9) as f64 / 2.0 - 1.5 }
        })
        .collect();
    (Program::new(inputs, results, &steps).unwrap(), steps)
}

/// Inputs of which some are repeated along a side.
fn random_inputs<T: Element + From<f32>>(
    random: &mut Random,
    count: usize,
    (rows, columns): (usize, usize),
) -> Vec<Matrix<T>> {
    (0..count)
        .map(|_| {
            let (rows, columns) =
                [(rows, columns), (rows, columns), (rows, 1), (1, columns), (1, 1)][random.below(5)];
            let extra = [0, 0, 3][random.below(3)];
            Matrix::new(rows, columns, extra, |_, _| T::from(random.below(400) as f32 / 16.0 - 12.0))
        })
        .collect()
}

fn elements<T: Element>(matrix: &Matrix<T>) -> Vec<T> {
    let places = (0..matrix.columns).flat_map(|column| (0..matrix.rows).map(move |row| (row, column)));
    places.map(|(row, column)| matrix.get(row, column)).collect()
}

/// The elements of a block of the shape, column by column, each column in whole groups of 16 bytes.
fn spread<T: Element>(matrix: &Matrix<T>, rows: usize, columns: usize) -> Vec<T> {
    let stride = rows.next_multiple_of(16 / size_of::<T>());
    let at = |i: usize, side: usize| if side == 1 { 0 } else { i };
    (0..stride * columns)
        .map(|i| match (i % stride, i / stride) {
            (row, column) if row < rows => matrix.get(at(row, matrix.rows), at(column, matrix.columns)),
            _ => T::default(),
        })
        .collect()
}

/// The results of the steps executed alone, each on whole blocks.
fn steps_alone<T: Element>(
    steps: &[Step],
    inputs: &[Matrix<T>],
    results: usize,
    (rows, columns): (usize, usize),
) -> Vec<Vec<T>> {
    let stride = rows.next_multiple_of(16 / size_of::<T>());
    let mut held: Vec<(Place, Vec<T>)> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        held.push((Place::Input(number as u8), spread(input, rows, columns)));
    }
    for step in steps {
        let mut result = vec![T::default(); stride * columns];
        let find = |place| &held.iter().rev().find(|(found, _)| *found == place).unwrap().1;
        let block = |place| Block::new(find(place), rows, columns, stride);
        let both = step.opcode.is_binary() && step.form == Form::Blocks;
        let second = both.then(|| block(step.operands[1]));
        let target = BlockMut::new(&mut result, rows, columns, stride);
        let width = Some(VectorWidth::Bytes16);
        execute_with(width, step.opcode, step.form, step.scalar, block(step.operands[0]), second, target)
            .unwrap();
        held.push((step.result, result));
    }
    let find = |place| &held.iter().rev().find(|(found, _)| *found == place).unwrap().1;
    let within = |data: &Vec<T>| {
        data.iter().enumerate().filter(|(i, _)| i % stride < rows).map(|(_, x)| *x).collect::<Vec<T>>()
    };
    (0..results).map(|number| within(find(Place::Result(number as u8)))).collect()
}

fn bits<T: Element + Into<f64>>(elements: &[T]) -> Vec<u64> {
    let bits = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    elements.iter().map(|&x| bits(x.into())).collect()
}

/// Offers a program; its results come after its inputs.
fn offer<T: Element>(ppe: &Ppe<'_>, program: &Program, matrices: &[&Matrix<T>], flags: u32) {
    let blocks: Vec<meu_block> = matrices.iter().map(|matrix| matrix.block()).collect();
    let further: Vec<FurtherLine> = program.further_lines(&blocks).collect();
    assert_eq!(1 + further.len(), program.record_lines() as usize);
    let record = sys::meu_record { flags: flags as u8, ..program.record(&blocks) };
    ppe.offer_lines(record, &further);
}

fn programs_have_the_bits_of_their_steps<T: Element + From<f32> + Into<f64>>(
    options: &MeuOptions,
    flags: u32,
) {
    let mut random = Random(options.chaos_seed.unwrap_or(77) + 1);
    let shapes = [(1, 1), (5, 3), (16, 24), (1, 40), (300, 2), (33, 7), (67, 9), (1031, 1), (7, 1)];
    for round in 0..6 {
        let ppe = Ppe::new(None);
        // More lines than the ring has, in all.
        let work: Vec<_> = (0..24)
            .map(|number| {
                let shape = shapes[random.below(shapes.len())];
                let (program, steps) = random_program(&mut random, [1, 3, 8, STEPS][number % 4]);
                let inputs = random_inputs::<T>(&mut random, program.inputs(), shape);
                let extra = [0, 2][random.below(2)];
                let result = || Matrix::<T>::new(shape.0, shape.1, extra, |_, _| T::from(-7.0));
                let results: Vec<_> = (0..program.results()).map(|_| result()).collect();
                (program, steps, inputs, results, shape)
            })
            .collect();
        for (program, _, inputs, results, _) in &work {
            let matrices: Vec<&Matrix<T>> = inputs.iter().chain(results).collect();
            offer(&ppe, program, &matrices, flags);
        }
        ppe.terminate();
        ppe.run(options).unwrap();
        let completion = ppe.completion();
        assert_eq!(
            (u32::from(completion.report.status), completion.report.sequence),
            (MEU_STATUS_OK, work.len() as u32)
        );
        for (number, (program, steps, inputs, results, shape)) in work.iter().enumerate() {
            let alone = steps_alone(steps, inputs, results.len(), *shape);
            for (result, alone) in results.iter().zip(&alone) {
                let what = format!("round {round} operation {number} {shape:?} {program:?}");
                assert_eq!(bits(&elements(result)), bits(alone), "{what}");
            }
        }
    }
}

#[test]
fn programs_in_a_local_store_have_the_bits_of_their_steps() {
    for width in VectorWidth::available() {
        let options = MeuOptions { vector: Some(width), ..Default::default() };
        programs_have_the_bits_of_their_steps::<f64>(&options, 0);
        programs_have_the_bits_of_their_steps::<f32>(&options, 0);
    }
}

#[test]
fn programs_are_right_whatever_the_mfc_does() {
    for seed in 0..20 {
        let options = MeuOptions { chaos_seed: Some(seed), ..Default::default() };
        programs_have_the_bits_of_their_steps::<f64>(&options, 0);
    }
}

#[test]
fn programs_in_main_memory_have_the_bits_of_their_steps() {
    for width in VectorWidth::available() {
        let options = MeuOptions { vector: Some(width), ..Default::default() };
        programs_have_the_bits_of_their_steps::<f64>(&options, MEU_FLAG_MEMORY);
        programs_have_the_bits_of_their_steps::<f32>(&options, MEU_FLAG_MEMORY);
    }
}

#[test]
fn programs_on_slices_have_the_bits_of_their_steps() {
    let mut random = Random(5);
    for (rows, columns) in [(1, 1), (5, 3), (8, 200), (1031, 4), (3000, 1)] {
        for _ in 0..20 {
            let (program, steps) = random_program(&mut random, STEPS);
            let inputs: Vec<Matrix<f64>> = random_inputs(&mut random, program.inputs(), (rows, columns));
            let data: Vec<Vec<f64>> =
                inputs.iter().map(|input| spread(input, input.rows, input.columns)).collect();
            let stride = rows.next_multiple_of(2);
            let mut results = vec![vec![0.0; stride * columns]; program.results()];
            let inputs_of = |(matrix, data)| {
                let (matrix, data): (&Matrix<f64>, &Vec<f64>) = (matrix, data);
                Block::new(data.as_slice(), matrix.rows, matrix.columns, matrix.rows.next_multiple_of(2))
            };
            let blocks: Vec<_> = inputs.iter().zip(&data).map(inputs_of).collect();
            let mut targets: Vec<_> =
                results.iter_mut().map(|data| BlockMut::new(data, rows, columns, stride)).collect();
            program.execute(&blocks, &mut targets).unwrap();
            let alone = steps_alone(&steps, &inputs, program.results(), (rows, columns));
            for (result, alone) in results.iter().zip(&alone) {
                let within = result.iter().enumerate().filter(|(i, _)| i % stride < rows).map(|(_, x)| *x);
                assert_eq!(bits(&within.collect::<Vec<_>>()), bits(alone), "{rows}x{columns} {program:?}");
            }
        }
    }
}

fn step(opcode: Opcode, operands: [Place; 2], result: Place) -> Step {
    Step { opcode, form: Form::Blocks, operands, result, scalar: 0.0 }
}

const A: Place = Place::Input(0);
const B: Place = Place::Input(1);
const STRIP: Place = Place::Strip(0);
const OTHER: Place = Place::Strip(1);
const RESULT: Place = Place::Result(0);

#[test]
fn the_step_outside_of_its_domain_is_told_and_pads_are_not_blamed() {
    let steps = [step(Opcode::Sqrt, [A, A], STRIP), step(Opcode::Log, [STRIP, STRIP], RESULT)];
    let roots = Program::new(1, 1, &steps).unwrap();
    let steps = [step(Opcode::Negate, [A, A], STRIP), step(Opcode::Sqrt, [STRIP, STRIP], RESULT)];
    let negative = Program::new(1, 1, &steps).unwrap();
    for flags in [0, MEU_FLAG_MEMORY] {
        let run = |program: &Program, a: &Matrix<f64>| {
            let (ppe, result) = (Ppe::new(None), Matrix::<f64>::new(7, 3, 0, |_, _| 0.0));
            offer(&ppe, program, &[a, &result], flags);
            ppe.terminate();
            ppe.run(&MeuOptions::default()).unwrap();
            (u32::from(ppe.completion().report.status), u32::from(ppe.completion().report.detail))
        };
        let mut a = Matrix::<f64>::new(7, 3, 0, |_, _| 4.0);
        // The pads.
        (0..3).for_each(|column| a.set(7, column, -1.0));
        assert_eq!(run(&roots, &a).0, MEU_STATUS_OK);
        assert_eq!(run(&negative, &a), (MEU_STATUS_DOMAIN, 1));
        a.set(6, 1, -1.0);
        assert_eq!(run(&roots, &a), (MEU_STATUS_DOMAIN, 0));
    }
}

/// Columns that end within a group of 16 bytes, short and long ones, of inputs that are repeated and of such
/// that are not.
fn steps_with_a_domain_have_their_bits<T: Element + From<f32> + Into<f64>>(flags: u32) {
    let power = Step {
        form: Form::ScalarRight,
        scalar: 1.5,
        ..step(Opcode::Power, [STRIP, STRIP], Place::Result(1))
    };
    let steps = [
        step(Opcode::Add, [A, B], STRIP),
        step(Opcode::Sqrt, [STRIP, STRIP], RESULT),
        step(Opcode::Times, [RESULT, Place::Input(2)], OTHER),
        step(Opcode::Log, [OTHER, OTHER], STRIP),
        step(Opcode::Abs, [STRIP, STRIP], OTHER),
        step(Opcode::Power, [OTHER, B], STRIP),
        power,
    ];
    let program = Program::new(3, 2, &steps).unwrap();
    for shape @ (rows, columns) in [(1, 1), (1, 9), (3, 50), (7, 3), (8, 5), (600, 2), (1031, 3)] {
        for (b_rows, b_columns, extra) in [(rows, columns, 0), (rows, 1, 3), (1, columns, 0), (1, 1, 0)] {
            let input = |rows, columns, seed: usize| {
                Matrix::<T>::new(rows, columns, extra, move |i, j| {
                    T::from(((i * 5 + j * 11 + seed) % 23) as f32 / 4.0 + 0.25)
                })
            };
            let inputs = [input(rows, columns, 1), input(b_rows, b_columns, 2), input(rows, 1, 3)];
            let results =
                [0, extra].map(|extra| Matrix::<T>::new(rows, columns, extra, |_, _| T::from(-7.0)));
            let ppe = Ppe::new(None);
            offer(&ppe, &program, &inputs.iter().chain(&results).collect::<Vec<_>>(), flags);
            ppe.terminate();
            ppe.run(&MeuOptions::default()).unwrap();
            assert_eq!(u32::from(ppe.completion().report.status), MEU_STATUS_OK);
            let alone = steps_alone(&steps, &inputs, 2, shape);
            for (result, alone) in results.iter().zip(&alone) {
                assert_eq!(bits(&elements(result)), bits(alone), "{shape:?} {b_rows}x{b_columns}");
            }
        }
    }
}

#[test]
fn steps_with_a_domain_have_the_bits_of_the_steps_alone() {
    for flags in [0, MEU_FLAG_MEMORY] {
        steps_with_a_domain_have_their_bits::<f64>(flags);
        steps_with_a_domain_have_their_bits::<f32>(flags);
    }
}

/// Inputs and record fill a buffer, results and strips another.
#[test]
fn a_program_may_fill_its_buffers_and_no_more() {
    let steps = [
        step(Opcode::Abs, [A, A], STRIP),
        step(Opcode::Add, [STRIP, STRIP], OTHER),
        step(Opcode::Times, [OTHER, B], RESULT),
    ];
    let program = Program::new(2, 1, &steps).unwrap();
    let strips = 2 * PROGRAM_STRIP_BYTES as usize;
    let record = 2 * MEU_LINE_BYTES as usize;
    assert!(record <= (MEU_RECORD_LINES * MEU_LINE_BYTES) as usize);
    let most_rows = |bytes: usize| (MEU_BUFFER_BYTES as usize - bytes) / 8;
    // One input of one element: the result with its strips is what limits.
    for (rows, one, status) in [
        (most_rows(strips), true, MEU_STATUS_OK),
        (most_rows(strips) + 2, true, MEU_STATUS_SHAPE),
        (most_rows(record) / 2 / 2 * 2, false, MEU_STATUS_OK),
        (most_rows(record) / 2 / 2 * 2 + 2, false, MEU_STATUS_SHAPE),
    ] {
        for seed in 0..6 {
            let a = Matrix::<f64>::new(rows, 1, 0, |i, _| i as f64 - 50.0);
            let b = Matrix::<f64>::new(if one { 1 } else { rows }, 1, 0, |_, _| 0.5);
            let ppe = Ppe::new(None);
            let results: Vec<_> = (0..3).map(|_| Matrix::<f64>::new(rows, 1, 0, |_, _| 0.0)).collect();
            for result in &results {
                offer(&ppe, &program, &[&a, &b, result], 0);
            }
            ppe.terminate();
            ppe.run(&MeuOptions { chaos_seed: Some(seed), ..Default::default() }).unwrap();
            assert_eq!(u32::from(ppe.completion().report.status), status, "{rows}");
            if status == MEU_STATUS_OK {
                for result in &results {
                    assert!(
                        (0..rows).all(|i| result.get(i, 0) == (i as f64 - 50.0).abs()),
                        "{rows} seed {seed}"
                    );
                }
            }
        }
    }
}
