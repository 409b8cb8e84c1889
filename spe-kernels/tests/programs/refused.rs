//! Steps that are no program, and records that an MEU refuses.

use spe_kernels::program::{FurtherLine, INPUTS, Place, Program, RESULTS, STEPS, STRIPS, Step};
use spe_kernels::sys::{
    self, MEU_FLAG_MEMORY, MEU_STATUS_OK, MEU_STATUS_OPCODE, MEU_STATUS_SHAPE, meu_block,
};
use spe_kernels::{Form, MeuOptions, Opcode, Status};

use crate::common::{Matrix, Ppe};
use crate::{A, B, RESULT, STRIP, step};

#[test]
fn unsound_steps_are_no_program() {
    let good = step(Opcode::Add, [A, B], RESULT);
    assert!(Program::new(2, 1, &[good]).is_ok());
    for (status, inputs, results, steps) in [
        (Status::Shape, 2, 1, &[][..]),
        (Status::Shape, 0, 1, &[good]),
        (Status::Shape, 1, 1, &[good]),
        (Status::Shape, INPUTS + 1, 1, &[good]),
        (Status::Shape, 2, 0, &[good]),
        (Status::Shape, 2, 2, &[good]),
        (Status::Shape, 2, RESULTS + 1, &[good]),
        (Status::Shape, 2, 1, &[good; STEPS + 1]),
        (Status::Shape, 2, 1, &[step(Opcode::Add, [A, STRIP], RESULT)]),
        (Status::Shape, 2, 1, &[step(Opcode::Add, [A, RESULT], RESULT)]),
        (Status::Shape, 2, 1, &[good, step(Opcode::Add, [A, RESULT], RESULT)]),
        (Status::Shape, 2, 1, &[good, step(Opcode::Add, [A, B], A)]),
        (Status::Shape, 2, 1, &[good, step(Opcode::Add, [A, B], Place::Strip(STRIPS as u8))]),
        (Status::Shape, 2, 1, &[good, step(Opcode::Add, [A, B], Place::Result(255))]),
        (Status::Opcode, 2, 1, &[step(Opcode::Multiply, [A, B], RESULT)]),
        (Status::Opcode, 2, 1, &[good, step(Opcode::Convert, [A, A], STRIP)]),
        (Status::Opcode, 2, 1, &[Step { form: Form::ScalarLeft, ..step(Opcode::Abs, [A, A], RESULT) }]),
    ] {
        let found = Program::new(inputs, results, steps).map(|_| ());
        assert_eq!(found, Err(status), "{inputs} {results} {steps:?}");
    }
}

/// What may follow in a record is changed so that it fits nothing.
#[test]
fn records_that_are_broken_or_do_not_fit_are_refused() {
    let a = Matrix::<f64>::new(6, 4, 0, |_, _| 1.0);
    let results = [0, 1].map(|_| Matrix::<f64>::new(6, 4, 0, |_, _| 0.0));
    let steps = [
        step(Opcode::Add, [A, B], STRIP),
        step(Opcode::Times, [STRIP, A], RESULT),
        step(Opcode::Abs, [RESULT; 2], Place::Result(1)),
    ];
    let program = Program::new(3, 2, &steps).unwrap();
    let blocks = [&a, &a, &a, &results[0], &results[1]].map(Matrix::block);
    type Lines = (sys::meu_record, [meu_block; 4], [sys::program_step; 8]);
    let lines = || -> Lines {
        let further: Vec<FurtherLine> = program.further_lines(&blocks).collect();
        let [FurtherLine::Blocks(blocks_line), FurtherLine::Steps(steps_line)] = further[..] else {
            panic!()
        };
        (program.record(&blocks), blocks_line, steps_line)
    };
    let run = |(record, blocks, steps): &Lines| {
        let ppe = Ppe::new(None);
        ppe.offer_lines(*record, &[FurtherLine::Blocks(*blocks), FurtherLine::Steps(*steps)]);
        ppe.terminate();
        ppe.run(&MeuOptions::default()).unwrap();
        u32::from(ppe.completion().report.status)
    };
    assert_eq!(run(&lines()), MEU_STATUS_OK);
    type Change<'a> = &'a dyn Fn(&mut Lines);
    let cases: [(Change<'_>, u32); 15] = [
        (&|l| l.0.step_count = 0, MEU_STATUS_SHAPE),
        (&|l| l.0.step_count = 4, MEU_STATUS_OPCODE),
        (&|l| l.0.step_count = 17, MEU_STATUS_SHAPE),
        (&|l| l.0.step_count = 255, MEU_STATUS_SHAPE),
        (&|l| l.0.input_count = 9, MEU_STATUS_SHAPE),
        (&|l| l.0.result_count = 5, MEU_STATUS_SHAPE),
        (&|l| l.0.strip_count = 0, MEU_STATUS_SHAPE),
        (&|l| l.0.strip_count = 17, MEU_STATUS_SHAPE),
        (&|l| l.1[1].rows = 5, MEU_STATUS_SHAPE),
        (&|l| l.1[0].precision = 0, MEU_STATUS_OPCODE),
        (&|l| l.2[1].operands[0] = 200, MEU_STATUS_SHAPE),
        (&|l| l.2[1].operands[0] = 40, MEU_STATUS_SHAPE),
        (&|l| l.2[2].result = 31, MEU_STATUS_SHAPE),
        (&|l| l.2[2].result = 0, MEU_STATUS_SHAPE),
        (&|l| l.2[0].opcode = 255, MEU_STATUS_OPCODE),
    ];
    for (index, (change, status)) in cases.into_iter().enumerate() {
        let mut lines = lines();
        change(&mut lines);
        let got = run(&lines);
        assert!(
            got == status || (status == MEU_STATUS_OPCODE && got == MEU_STATUS_SHAPE),
            "case {index}: {got}"
        );
    }
}

/// The first direct operation. Direct operations are numbered behind the element-wise operations.
const VIEW: u8 = Opcode::ALL.len() as u8;
/// The sixth.
const SUM: u8 = VIEW + 5;

#[test]
fn a_direct_operation_has_two_lines_and_needs_main_memory() {
    let (a, result) =
        (Matrix::<f64>::new(3, 2, 0, |i, j| (i + 3 * j) as f64), Matrix::<f64>::new(1, 2, 0, |_, _| 0.0));
    let matrix = |m: &Matrix<f64>| sys::direct_matrix {
        ea: m.block().ea,
        stride_bytes: m.block().stride_bytes.into(),
        rows: m.rows as u32,
        columns: m.columns as u32,
    };
    let sum = sys::direct_operation {
        opcode: SUM.into(),
        precision: sys::MEU_DOUBLE,
        operand_count: 1,
        result: matrix(&result),
        operands: [matrix(&a), Default::default()],
        ..Default::default()
    };
    let mut record = sys::meu_record {
        version: sys::MEU_PROTOCOL_VERSION as u8,
        flags: MEU_FLAG_MEMORY as u8,
        ..Default::default()
    };
    record.work.step = sys::program_step { opcode: SUM, ..Default::default() };
    let run = |record: sys::meu_record, lines: &[FurtherLine]| {
        let ppe = Ppe::new(None);
        ppe.offer_lines(record, lines);
        ppe.terminate();
        ppe.run(&MeuOptions::default()).unwrap();
        u32::from(ppe.completion().report.status)
    };
    let line = FurtherLine::Direct(sum);
    assert_eq!(run(record, &[line]), MEU_STATUS_OK);
    assert_eq!((result.get(0, 0), result.get(0, 1)), (3.0, 12.0));
    assert_eq!(run(record, &[]), MEU_STATUS_SHAPE);
    assert_eq!(run(record, &[line, line]), MEU_STATUS_SHAPE);
}
