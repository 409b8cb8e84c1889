//! Products with epilogues: the bits of the product and of the program executed one after the other, whatever
//! the MFC does.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Matrix, Ppe, chain, record, small};
use spe_kernels::program::{FurtherLine, Place, Program, Step};
use spe_kernels::sys::{
    MEU_BUFFER_BYTES, MEU_FLAG_MEMORY, MEU_STATUS_DOMAIN, MEU_STATUS_OK, MEU_STATUS_OPCODE, MEU_STATUS_SHAPE,
    meu_block, meu_record,
};
use spe_kernels::{Form, MeuOptions, Opcode};

const SEEDS: u64 = 20;

/// The sides of a product, the pads of its result, and its parts.
type Shape = (usize, usize, usize, usize, u16);

/// Blocks that travel as one run and as a list, products alone and chains, of which the last two have parts
/// of two lengths. The largest block leaves just enough room for one more block.
const SHAPES: [Shape; 7] = [
    (1, 1, 1, 0, 1),
    (4, 3, 5, 0, 1),
    (67, 9, 33, 6, 1),
    (64, 64, 64, 0, 2),
    (64, 192, 64, 0, 3),
    (3, 69, 5, 2, 4),
    (6, 51, 66, 4, 7),
];

fn step(opcode: Opcode, operands: [Place; 2], result: Place) -> Step {
    Step { opcode, form: Form::Blocks, operands, result, scalar: 0.0 }
}

/// Programs that read the sum as input 0, and the sides of their further inputs along which these have the
/// sides of the result.
fn epilogues() -> Vec<(Program, Vec<(bool, bool)>)> {
    use Place::{Input, Result, Strip};
    let comparison = [step(Opcode::NotEqual, [Input(0), Input(1)], Result(0))];
    let remainder = [Step {
        form: Form::ScalarRight,
        scalar: 26.0,
        ..step(Opcode::Mod, [Input(0), Input(0)], Result(0))
    }];
    // The last step reads the sum, whose place its result takes.
    let several = [
        step(Opcode::Times, [Input(0), Input(0)], Strip(0)),
        step(Opcode::Subtract, [Strip(0), Input(1)], Result(1)),
        step(Opcode::Divide, [Result(1), Input(2)], Strip(1)),
        step(Opcode::Add, [Strip(1), Input(0)], Result(0)),
    ];
    // More than eight steps take two lines.
    let mut long = vec![step(Opcode::Abs, [Input(0); 2], Strip(0))];
    long.extend((0..8).map(|n| step(Opcode::Add, [Strip(n % 2), Input(1)], Strip(1 - n % 2))));
    long.push(step(Opcode::Subtract, [Strip(0), Input(0)], Result(0)));
    vec![
        (Program::new(2, 1, &comparison).unwrap(), vec![(true, true)]),
        (Program::new(1, 1, &remainder).unwrap(), vec![]),
        (Program::new(3, 2, &several).unwrap(), vec![(false, true), (true, false)]),
        (Program::new(2, 1, &long).unwrap(), vec![(false, false)]),
    ]
}

/// A product with its epilogue.
struct Work {
    program: Program,
    operands: [Matrix<f64>; 2],
    further: Vec<Matrix<f64>>,
    /// What the product and the program write one after the other.
    expected: Vec<Matrix<f64>>,
    results: Vec<Matrix<f64>>,
    parts: u16,
}

impl Work {
    fn new((program, sides): (Program, Vec<(bool, bool)>), shape: Shape, seed: usize) -> Work {
        let (m, k, n, extra, parts) = shape;
        let operands = [
            Matrix::new(m, k, extra, |i, j| small(i, j, seed) / 3.0),
            Matrix::new(k, n, 0, |i, j| small(i, j, seed + 1) / 7.0),
        ];
        let further = sides.iter().map(|&(rows, columns)| {
            let (rows, columns) = (if rows { m } else { 1 }, if columns { n } else { 1 });
            Matrix::new(rows, columns, extra, |i, j| small(i, j, seed + 2) + 0.5)
        });
        let results = || (0..program.results()).map(|_| Matrix::new(m, n, extra, |_, _| -7.0)).collect();
        let (further, expected, results) = (further.collect(), results(), results());
        let work = Work { program, operands, further, expected, results, parts };
        let sum = Matrix::new(m, n, 0, |_, _| 0.0);
        run(&MeuOptions::default(), |ppe| {
            ppe.offer(work.product(sum.block()));
        });
        run(&MeuOptions::default(), |ppe| {
            let blocks: Vec<_> =
                [&sum].into_iter().chain(&work.further).chain(&work.expected).map(Matrix::block).collect();
            let further: Vec<_> = work.program.further_lines(&blocks).collect();
            ppe.offer_lines(work.program.record(&blocks), &further);
        });
        work
    }

    fn product(&self, result: meu_block) -> meu_record {
        let [a, b] = [0, 1].map(|number: usize| self.operands[number].block());
        let product = record(Opcode::Multiply, Form::Blocks, 0.0, result, &[a, b]);
        if self.parts == 1 { product } else { chain(product, self.parts) }
    }

    /// The lines of its record.
    fn lines(&self) -> (meu_record, Vec<FurtherLine>) {
        let record = self.product(meu_block::default());
        let operands = record.blocks[..2].iter().copied();
        let blocks: Vec<_> =
            operands.chain(self.further.iter().chain(&self.results).map(Matrix::block)).collect();
        let mut record = self.program.with_product(record);
        record.blocks[2] = blocks[2];
        let further: Vec<_> = self.program.further_product_lines(&blocks).collect();
        assert_eq!(1 + further.len(), self.program.product_lines() as usize);
        (record, further)
    }

    fn is_right(&self) -> bool {
        self.results.iter().zip(&self.expected).all(|(result, expected)| {
            (0..result.columns)
                .all(|j| (0..result.rows).all(|i| result.get(i, j).to_bits() == expected.get(i, j).to_bits()))
        })
    }
}

/// Runs an MEU over what is offered. Returns how many operations it has completed, its status, and the detail
/// of the status.
fn run(options: &MeuOptions, offer: impl FnOnce(&Ppe<'_>)) -> (u32, u32, u32) {
    let ppe = Ppe::new(None);
    offer(&ppe);
    ppe.terminate();
    ppe.run(options).unwrap();
    let completion = ppe.completion();
    (completion.report.sequence, u32::from(completion.report.status), u32::from(completion.report.detail))
}

#[test]
fn a_product_with_an_epilogue_has_the_bits_of_product_and_program() {
    let chaos = (0..SEEDS).map(|seed| MeuOptions { chaos_seed: Some(seed), ..Default::default() });
    for options in chaos.chain([MeuOptions::default()]) {
        let shapes = SHAPES.into_iter().enumerate();
        let work: Vec<Work> = shapes
            .flat_map(|(seed, shape)| epilogues().into_iter().map(move |made| Work::new(made, shape, seed)))
            .collect();
        // Operations with records of one line and of several lines follow each other.
        let plain: Vec<_> = work
            .iter()
            .map(|work| Matrix::new(work.results[0].rows, work.results[0].columns, 0, |_, _| 0.0))
            .collect();
        let done = run(&options, |ppe| {
            for (number, (work, plain)) in work.iter().zip(&plain).enumerate() {
                let (record, further) = work.lines();
                ppe.offer_lines(record, &further);
                if number % 3 != 1 {
                    ppe.offer(work.product(plain.block()));
                }
            }
        });
        assert_eq!(done.1, MEU_STATUS_OK, "detail {}", done.2);
        for (number, work) in work.iter().enumerate() {
            assert!(work.is_right(), "{number}, {:?}", options.chaos_seed);
        }
    }
}

/// A kernel reads an element of its operands before it writes the element of its result, so that a result may
/// take the place of an operand.
#[test]
fn every_operation_may_overwrite_the_sum() {
    use Place::{Input, Result};
    let mut done = 0;
    for opcode in Opcode::ALL.into_iter().filter(|&o| o != Opcode::Multiply && o != Opcode::Convert) {
        let operands = [Input(0), Input(u8::from(opcode.is_binary()))];
        for steps in
            [[step(opcode, operands, Result(0))], [step(opcode, [operands[1], operands[0]], Result(0))]]
        {
            let program = Program::new(1 + usize::from(opcode.is_binary()), 1, &steps).unwrap();
            let sides = if opcode.is_binary() { vec![(true, true)] } else { vec![] };
            let work = Work::new((program, sides), (67, 9, 33, 6, 1), 3);
            let (record, further) = work.lines();
            let (_, status, _) = run(&MeuOptions::default(), |ppe| {
                ppe.offer_lines(record, &further);
            });
            if status == MEU_STATUS_OK {
                assert!(work.is_right(), "{opcode:?}");
                done += 1;
            } else {
                assert_eq!(status, MEU_STATUS_DOMAIN, "{opcode:?}");
            }
        }
    }
    assert!(done > 30, "{done}");
}

#[test]
fn a_step_of_an_epilogue_that_fails_is_named() {
    use Place::{Input, Result, Strip};
    let negative =
        Step { form: Form::ScalarRight, scalar: -1.0, ..step(Opcode::Times, [Input(0); 2], Strip(0)) };
    let root = Step { form: Form::ScalarRight, scalar: 0.5, ..step(Opcode::Power, [Strip(0); 2], Result(0)) };
    let program = Program::new(1, 1, &[negative, root]).unwrap();
    let [a, b] = [0, 1].map(|_| Matrix::new(4, 4, 0, |_, _| 1.0));
    let work = Work {
        program,
        operands: [a, b],
        further: vec![],
        expected: vec![],
        results: vec![Matrix::new(4, 4, 0, |_, _| -7.0)],
        parts: 1,
    };
    let (record, further) = work.lines();
    let done = run(&MeuOptions::default(), |ppe| {
        ppe.offer_lines(record, &further);
    });
    assert_eq!(done, (0, MEU_STATUS_DOMAIN, 1));
    assert_eq!(work.results[0].get(3, 3), -7.0, "nothing is written");
}

#[test]
fn bad_records_of_epilogues_are_refused() {
    let made = epilogues().swap_remove(2);
    let work = Work::new(made, (6, 9, 5, 0, 3), 1);
    let (good, further) = work.lines();
    let change = |change: &dyn Fn(&mut meu_record)| {
        let mut record = good;
        change(&mut record);
        record
    };
    let wide = MEU_BUFFER_BYTES / 16;
    let cases = [
        (change(&|r| r.flags = MEU_FLAG_MEMORY as u8), MEU_STATUS_SHAPE),
        (change(&|r| r.input_count = 1), MEU_STATUS_SHAPE),
        (change(&|r| r.input_count = 2), MEU_STATUS_SHAPE),
        (change(&|r| r.input_count = 9), MEU_STATUS_SHAPE),
        (change(&|r| r.result_count = 1), MEU_STATUS_SHAPE),
        (change(&|r| r.step_count = 0), MEU_STATUS_SHAPE),
        (change(&|r| r.step_count = 5), MEU_STATUS_OPCODE),
        (change(&|r| r.strip_count = 1), MEU_STATUS_SHAPE),
        (change(&|r| r.blocks[0].rows = 5), MEU_STATUS_SHAPE),
        (change(&|r| r.blocks[2].rows = 2), MEU_STATUS_SHAPE),
        (change(&|r| r.blocks[2].columns = wide), MEU_STATUS_SHAPE),
        (change(&|r| r.work.product.parts = 4), MEU_STATUS_SHAPE),
    ];
    for (index, (bad, status)) in cases.into_iter().enumerate() {
        let done = run(&MeuOptions::default(), |ppe| {
            ppe.offer_lines(bad, &further);
        });
        assert_eq!((done.0, done.1), (0, status), "case {index}");
        assert_eq!(work.results[0].get(5, 4), -7.0, "case {index}");
    }
    // Strips of 4 KiB and three blocks do not fit a buffer.
    let large = Work {
        results: (0..2).map(|_| Matrix::new(64, 64, 0, |_, _| -7.0)).collect(),
        further: vec![Matrix::new(64, 64, 0, |_, _| 1.0), Matrix::new(64, 64, 0, |_, _| 1.0)],
        operands: [0, 1].map(|_| Matrix::new(64, 64, 0, |_, _| 1.0)),
        parts: 1,
        ..work
    };
    let (record, further) = large.lines();
    let done = run(&MeuOptions::default(), |ppe| {
        ppe.offer_lines(record, &further);
    });
    assert_eq!((done.0, done.1), (0, MEU_STATUS_SHAPE));
}
