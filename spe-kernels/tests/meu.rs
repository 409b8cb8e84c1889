//! The MEU end to end: ring, mailbox, transfers, completion.

mod common;

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{Matrix, Ppe, chain, read_completion, record, small};
use spe_kernels::sys::{
    MEU_BUFFER_BYTES, MEU_FLAG_MEMORY, MEU_FLAG_PROFILE, MEU_STATUS_DMA, MEU_STATUS_DOMAIN, MEU_STATUS_OK,
    MEU_STATUS_OPCODE, MEU_STATUS_SHAPE, MEU_STATUS_VERSION, meu_completion, meu_record,
};
use spe_kernels::{Form, LocalStore, MeuOptions, OmittedWait, Opcode, Status, VectorWidth, run_meu};

const SEEDS: u64 = 60;

fn assert_done(completion: &meu_completion, sequence: u32) {
    assert_eq!(u32::from(completion.report.status), MEU_STATUS_OK, "detail {}", completion.report.detail);
    assert_eq!(completion.report.sequence, sequence);
}

fn in_chaos(seed: u64) -> MeuOptions {
    MeuOptions { chaos_seed: Some(seed), ..Default::default() }
}

/// Products whose blocks travel as one run, as a list, and with pads between their columns, each alone or as
/// a chain of parts.
struct Products {
    matrices: Vec<([Matrix<f64>; 3], u16)>,
}

impl Products {
    fn new() -> Self {
        let shapes = [
            (1, 1, 1, 0),
            (4, 3, 5, 0),
            (68, 68, 68, 0),
            (67, 9, 33, 6),
            (3, 70, 2, 2),
            (64, 64, 64, 64),
            (2, 2, 90, 4),
        ];
        // The last two chains have parts of two lengths, and a last part that is cut.
        let chains =
            [(64, 64, 64, 0, 2), (4, 80, 6, 2, 8), (68, 90, 20, 0, 3), (3, 69, 5, 2, 4), (6, 51, 66, 4, 7)];
        let shapes = shapes.map(|(m, k, n, extra)| (m, k, n, extra, 1));
        let shapes: Vec<_> = shapes.into_iter().chain(chains).chain(shapes).collect();
        Self::of(&shapes)
    }

    /// Of shapes (m, k, n), pads and parts.
    fn of(shapes: &[(usize, usize, usize, usize, u16)]) -> Self {
        let matrices = shapes.iter().enumerate().map(|(index, &(m, k, n, extra, parts))| {
            let a = Matrix::new(m, k, extra, |i, j| small(i, j, index));
            let b = Matrix::new(k, n, extra, |i, j| small(i, j, index + 1));
            ([a, b, Matrix::new(m, n, extra, |_, _| 0.0)], parts)
        });
        Self { matrices: matrices.collect() }
    }

    fn records(&self) -> impl Iterator<Item = meu_record> {
        self.matrices.iter().map(|([a, b, c], parts)| {
            let product = record(Opcode::Multiply, Form::Blocks, 0.0, c.block(), &[a.block(), b.block()]);
            if *parts == 1 { product } else { chain(product, *parts) }
        })
    }

    fn is_right(&self, index: usize) -> bool {
        let ([a, b, c], _) = &self.matrices[index];
        (0..c.columns).all(|j| {
            (0..c.rows).all(|i| {
                let sum: f64 = (0..a.columns).map(|l| a.get(i, l) * b.get(l, j)).sum();
                c.get(i, j) == sum
            })
        })
    }
}

/// Products in main memory, with shapes around the shapes of packed panels and tiles. Some are larger than a
/// buffer.
#[test]
fn products_in_main_memory_are_right() {
    let shapes = [
        (1, 1, 1, 0, 1),
        (33, 7, 16, 0, 1),
        (32, 300, 17, 2, 1),
        (70, 40, 150, 6, 1),
        (129, 400, 50, 0, 1), // too long for a panel
        (31, 400, 49, 4, 2),
        (200, 301, 130, 0, 3),
        (97, 90, 3, 2, 4),
        (1, 260, 40, 2, 7),
    ];
    for width in VectorWidth::available() {
        let products = Products::of(&shapes);
        let ppe = Ppe::new(None);
        for record in products.records() {
            ppe.offer(meu_record { flags: MEU_FLAG_MEMORY as u8, ..record });
        }
        ppe.terminate();
        ppe.run(&MeuOptions { vector: Some(width), ..Default::default() }).expect("the parameters are right");
        assert_done(&ppe.completion(), shapes.len() as u32);
        for (index, shape) in shapes.iter().enumerate() {
            assert!(products.is_right(index), "{width:?} {shape:?}");
        }
    }
}

#[test]
fn records_that_do_not_fit_main_memory_are_refused() {
    let [a, b, c] = [0, 1, 2].map(|seed| Matrix::new(8, 8, 0, |i, j| small(i, j, seed)));
    let product = record(Opcode::Multiply, Form::Blocks, 0.0, c.block(), &[a.block(), b.block()]);
    let longer = meu_record { inner: 9, ..chain(product, 4) };
    let shorter = meu_record { inner: 6, ..chain(product, 4) };
    for (record, status) in [(longer, MEU_STATUS_SHAPE), (shorter, MEU_STATUS_SHAPE)] {
        let ppe = Ppe::new(None);
        ppe.offer(meu_record { flags: MEU_FLAG_MEMORY as u8, ..record });
        ppe.terminate();
        ppe.run(&MeuOptions::default()).expect("the parameters are right");
        assert_eq!(u32::from(ppe.completion().report.status), status);
    }
}

/// Whether every result is right at the moment when its completion record has become visible.
fn products_are_right(options: &MeuOptions) -> bool {
    let products = Products::new();
    let (seen, all_right) = (AtomicU32::new(0), AtomicU32::new(1));
    let completion_ea = AtomicUsize::new(0);
    let ppe = Ppe::new(Some(Box::new(|_| {
        let sequence = read_completion(completion_ea.load(Ordering::Relaxed)).report.sequence;
        let before = seen.swap(sequence, Ordering::Relaxed);
        let right = sequence > before && (before..sequence).all(|done| products.is_right(done as usize));
        all_right.fetch_and(u32::from(right), Ordering::Relaxed);
    })));
    completion_ea.store(ppe.completion_ea(), Ordering::Relaxed);
    for record in products.records() {
        ppe.offer(record);
    }
    ppe.terminate();
    ppe.run(options).expect("the parameters are right");
    let completion = ppe.completion();
    drop(ppe);
    let done = u32::from(completion.report.status) == MEU_STATUS_OK
        && completion.report.sequence == products.matrices.len() as u32;
    done && all_right.load(Ordering::Relaxed) == 1
        && (0..products.matrices.len()).all(|i| products.is_right(i))
}

#[test]
fn results_are_right_whatever_the_mfc_does() {
    assert!(products_are_right(&MeuOptions::default()));
    for seed in 0..SEEDS {
        assert!(products_are_right(&in_chaos(seed)), "seed {seed}");
    }
}

/// The proof that the test above means something.
#[test]
fn chaos_catches_a_meu_that_waits_too_little() {
    for omit in [OmittedWait::Fetch, OmittedWait::ReuseBarrier, OmittedWait::CompletionFence] {
        let caught = (0..SEEDS)
            .filter(|&seed| !products_are_right(&MeuOptions { omit: Some(omit), ..in_chaos(seed) }));
        assert!(caught.count() > 0, "{omit:?} went unnoticed");
        // Without chaos nobody would notice: transfers happen at once.
        assert!(products_are_right(&MeuOptions { omit: Some(omit), ..Default::default() }));
    }
}

/// Each operation needs the result of the operation before, and is offered when it is visible: an MEU that
/// waited for the next word before it executes would wait forever.
#[test]
fn a_dependent_chain_one_word_at_a_time() {
    const LENGTH: u32 = 50;
    for seed in [None, Some(1), Some(2)] {
        let matrix = Matrix::<f64>::new(5, 3, 2, |_, _| 1.0);
        let other = Matrix::<f64>::new(5, 3, 0, |_, _| 0.0);
        let ppe = Ppe::new(None);
        let completion_ea = ppe.completion_ea();
        let parameters = ppe.parameters();
        let options = MeuOptions { chaos_seed: seed, ..Default::default() };
        let (from, to) = ([&matrix, &other], [&other, &matrix]);
        std::thread::scope(|scope| {
            let first =
                record(Opcode::Add, Form::Blocks, 0.0, other.block(), &[matrix.block(), matrix.block()]);
            ppe.offer(first);
            let mailbox = &ppe.mailbox;
            scope.spawn(move || {
                // SAFETY: the ring, the completion record and the matrices live until this thread is joined.
                unsafe { run_meu(&mut LocalStore::new().unwrap(), &parameters, mailbox, &options) }.unwrap();
            });
            for step in 1..=LENGTH {
                let start = Instant::now();
                while read_completion(completion_ea).report.sequence != step {
                    assert!(start.elapsed() < Duration::from_secs(60), "deadlock at operation {step}");
                    std::thread::yield_now();
                }
                if step < LENGTH {
                    let (a, c) = (from[step as usize % 2], to[step as usize % 2]);
                    let record = record(Opcode::Add, Form::Blocks, 0.0, c.block(), &[a.block(), a.block()]);
                    ppe.offer(record);
                }
            }
            ppe.terminate();
        });
        assert_eq!(matrix.get(4, 2), 2.0_f64.powi(LENGTH as i32));
    }
}

#[test]
fn terminate_finishes_what_is_held() {
    for operations in 0..=4 {
        for seed in 0..8 {
            let a = Matrix::<f32>::new(9, 9, 0, |i, j| small(i, j, 3) as f32);
            let results: Vec<_> = (0..operations).map(|_| Matrix::<f32>::new(9, 9, 0, |_, _| 0.0)).collect();
            let ppe = Ppe::new(None);
            for (index, result) in results.iter().enumerate() {
                ppe.offer(record(Opcode::Add, Form::ScalarRight, index as f64, result.block(), &[a.block()]));
            }
            ppe.terminate();
            ppe.run(&in_chaos(seed)).unwrap();
            assert_done(&ppe.completion(), operations);
            assert_eq!(ppe.mailbox.completions.load(Ordering::Relaxed), operations);
            for (index, result) in results.iter().enumerate() {
                assert_eq!(result.get(8, 8), a.get(8, 8) + index as f32);
            }
        }
    }
}

/// Lists that find no room in the buffer, columns of one group of 16 bytes, and blocks that fill a buffer.
#[test]
fn blocks_of_awkward_shapes() {
    let columns = MEU_BUFFER_BYTES as usize / 16;
    let shapes = [
        (1, columns, 2),
        (1, columns, 0),
        (2, 2048, 2),
        (2, 2400, 6),
        (MEU_BUFFER_BYTES as usize / 8, 1, 0),
        (4096, 2, 4),
        (50, 190, 2),
    ];
    for (seed, (rows, columns, extra)) in shapes.into_iter().enumerate() {
        let make = || Matrix::<f64>::new(rows, columns, extra, |i, j| small(i, j, 5));
        let (a, c, d) = (make(), Matrix::<f64>::new(rows, columns, extra, |_, _| 0.0), make());
        let ppe = Ppe::new(None);
        for _ in 0..3 {
            ppe.offer(record(Opcode::Times, Form::ScalarRight, 2.0, c.block(), &[a.block()]));
            ppe.offer(record(Opcode::Abs, Form::Blocks, 0.0, d.block(), &[a.block()]));
        }
        ppe.terminate();
        ppe.run(&in_chaos(seed as u64)).unwrap();
        assert_done(&ppe.completion(), 6);
        for j in 0..columns {
            for i in 0..rows {
                assert_eq!(
                    (c.get(i, j), d.get(i, j)),
                    (2.0 * a.get(i, j), a.get(i, j).abs()),
                    "{rows}x{columns}"
                );
            }
        }
    }
}

#[test]
fn operands_are_broadcast() {
    let (a, column) = (
        Matrix::<f32>::new(7, 6, 0, |i, j| small(i, j, 1) as f32),
        Matrix::<f32>::new(7, 1, 0, |i, _| i as f32),
    );
    let (row, one) = (Matrix::<f32>::new(1, 6, 3, |_, j| j as f32), Matrix::<f32>::new(1, 1, 0, |_, _| 9.0));
    let results: Vec<_> = (0..4).map(|_| Matrix::<f32>::new(7, 6, 1, |_, _| 0.0)).collect();
    let ppe = Ppe::new(None);
    let pairs = [(&a, &column), (&row, &a), (&one, &a), (&column, &row)];
    for ((left, right), result) in pairs.iter().zip(&results) {
        ppe.offer(record(
            Opcode::Subtract,
            Form::Blocks,
            0.0,
            result.block(),
            &[left.block(), right.block()],
        ));
    }
    ppe.terminate();
    ppe.run(&in_chaos(11)).unwrap();
    assert_done(&ppe.completion(), 4);
    let get =
        |m: &Matrix<f32>, i, j| m.get(if m.rows == 1 { 0 } else { i }, if m.columns == 1 { 0 } else { j });
    for ((left, right), result) in pairs.iter().zip(&results) {
        for (i, j) in (0..7).flat_map(|i| (0..6).map(move |j| (i, j))) {
            assert_eq!(result.get(i, j), get(left, i, j) - get(right, i, j));
        }
    }
}

#[test]
fn precisions_are_converted() {
    let a = Matrix::<f64>::new(5, 4, 0, |i, j| small(i, j, 2) + 0.1);
    let (single, back) = (Matrix::<f32>::new(5, 4, 0, |_, _| 0.0), Matrix::<f64>::new(5, 4, 0, |_, _| 0.0));
    let ppe = Ppe::new(None);
    ppe.offer(record(Opcode::Convert, Form::Blocks, 0.0, single.block(), &[a.block()]));
    ppe.terminate();
    ppe.run(&MeuOptions::default()).unwrap();
    ppe.offer(record(Opcode::Convert, Form::Blocks, 0.0, back.block(), &[single.block()]));
    ppe.terminate();
    ppe.run(&MeuOptions::default()).unwrap();
    assert_eq!(back.get(4, 3), f64::from(a.get(4, 3) as f32));
}

/// One bad record between good records: the record before it is executed, the records after it are not, and
/// the MEU still stops.
#[test]
fn bad_records_are_reported() {
    let a = Matrix::<f64>::new(6, 6, 2, |i, j| small(i, j, 1));
    let negative = Matrix::<f64>::new(6, 6, 0, |_, _| -1.0);
    let result = || Matrix::<f64>::new(6, 6, 0, |_, _| 0.0);
    let (good_result, bad_result, late_result) = (result(), result(), result());
    let good = record(Opcode::Add, Form::Blocks, 0.0, good_result.block(), &[a.block(), a.block()]);
    let late = record(Opcode::Add, Form::Blocks, 0.0, late_result.block(), &[a.block(), a.block()]);
    let base = record(Opcode::Add, Form::Blocks, 0.0, bad_result.block(), &[a.block(), a.block()]);
    let change = |change: &dyn Fn(&mut meu_record)| {
        let mut record = base;
        change(&mut record);
        record
    };
    let change_chain = |change: &dyn Fn(&mut meu_record)| {
        let product =
            record(Opcode::Multiply, Form::Blocks, 0.0, bad_result.block(), &[a.block(), a.block()]);
        let mut record = chain(product, 3);
        change(&mut record);
        record
    };
    let power = record(Opcode::Power, Form::ScalarRight, 0.5, bad_result.block(), &[negative.block()]);
    let cases = [
        (change(&|r| r.version = 1), MEU_STATUS_VERSION, 0),
        // No opcode has this number, and none the number of a program.
        (change(&|r| r.work.step.opcode = 200), MEU_STATUS_OPCODE, 0),
        (change(&|r| r.work.step.form = 3), MEU_STATUS_OPCODE, 0),
        (change(&|r| r.blocks[2].precision = 3), MEU_STATUS_OPCODE, 0),
        // Bytes in a local store.
        (change(&|r| r.blocks[2].precision = 2), MEU_STATUS_OPCODE, 0),
        (change(&|r| r.blocks.iter_mut().for_each(|b| b.precision = 2)), MEU_STATUS_OPCODE, 0),
        (change(&|r| r.blocks[1].precision = 0), MEU_STATUS_OPCODE, 0),
        (change(&|r| r.input_count = 0), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.input_count = 3), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.input_count = 255), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.result_count = 0), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.result_count = 2), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.step_count = 2), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.strip_count = 1), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.work.step.operands = [0, 2]), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.work.step.result = 1), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.blocks[0].rows = 5), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.blocks[2].columns = 0), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.blocks.iter_mut().for_each(|b| b.rows = 65535)), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.blocks.iter_mut().for_each(|b| b.rows = 1 << 29)), MEU_STATUS_SHAPE, 0),
        (change(&|r| r.blocks.iter_mut().for_each(|b| b.columns = 60000)), MEU_STATUS_SHAPE, 0),
        // As many bytes as count 0 in 32 bits.
        (
            change(&|r| r.blocks.iter_mut().for_each(|b| (b.rows, b.columns) = (8192, 65536))),
            MEU_STATUS_SHAPE,
            0,
        ),
        (change(&|r| r.blocks[1].ea += 8), MEU_STATUS_DMA, 1),
        (change(&|r| r.blocks[2].ea = 0), MEU_STATUS_DMA, 1),
        (change(&|r| r.blocks[0].stride_bytes = 56), MEU_STATUS_DMA, 2),
        (change(&|r| r.blocks[0].stride_bytes = 32), MEU_STATUS_DMA, 2),
        (power, MEU_STATUS_DOMAIN, 0),
        (change_chain(&|r| r.input_count = 1), MEU_STATUS_SHAPE, 0),
        (change_chain(&|r| r.work.product.parts = 0), MEU_STATUS_SHAPE, 0),
        (change_chain(&|r| r.work.product.divisor = 1), MEU_STATUS_SHAPE, 0),
        (change_chain(&|r| r.work.product.base = 0), MEU_STATUS_SHAPE, 0),
        (change_chain(&|r| r.work.product.parts = 4), MEU_STATUS_SHAPE, 0),
        (change_chain(&|r| r.inner = 7), MEU_STATUS_SHAPE, 0),
        (change_chain(&|r| r.inner = 4), MEU_STATUS_SHAPE, 0),
        (change_chain(&|r| r.work.product.longer = 1), MEU_STATUS_SHAPE, 0),
    ];
    for (index, (bad, status, detail)) in cases.into_iter().enumerate() {
        for options in [MeuOptions::default(), in_chaos(index as u64)] {
            let ppe = Ppe::new(None);
            for record in [good, bad, late] {
                ppe.offer(record);
            }
            ppe.terminate();
            ppe.run(&options).unwrap();
            let completion = ppe.completion();
            let got = (
                completion.report.sequence,
                u32::from(completion.report.status),
                u32::from(completion.report.detail),
            );
            assert_eq!(got, (1, status, detail), "case {index}");
            assert_eq!(good_result.get(5, 5), 2.0 * a.get(5, 5));
            assert_eq!((bad_result.get(5, 5), late_result.get(5, 5)), (0.0, 0.0), "case {index}");
        }
    }
}

#[test]
fn bad_words_and_parameters_are_reported() {
    // No line, too many lines, and lines that the ring does not have.
    for word in [0x0000_0000, 0x0007_0000, 0x0001_0080, 0x0006_007b] {
        let ppe = Ppe::new(None);
        ppe.mailbox.send(word);
        ppe.terminate();
        ppe.run(&MeuOptions::default()).unwrap();
        let report = ppe.completion().report;
        assert_eq!((u32::from(report.status), report.sequence), (MEU_STATUS_SHAPE, 0));
    }
    let ppe = Ppe::new(None);
    let (mut version, mut ring) = (ppe.parameters(), ppe.parameters());
    version.version += 1;
    ring.ring_ea += 64;
    for (parameters, status) in [(version, Status::Version), (ring, Status::Dma)] {
        // SAFETY: nothing is offered; the parameters are refused.
        let got = unsafe {
            run_meu(&mut LocalStore::new().unwrap(), &parameters, &ppe.mailbox, &MeuOptions::default())
        };
        assert_eq!(got, Err(status));
    }
}

#[test]
fn a_profiled_operation_tells_its_stage_times() {
    let a = Matrix::<f64>::new(68, 68, 0, |i, j| small(i, j, 1));
    let result = Matrix::<f64>::new(68, 68, 0, |_, _| 0.0);
    let ppe = Ppe::new(None);
    let mut profiled = record(Opcode::Multiply, Form::Blocks, 0.0, result.block(), &[a.block(), a.block()]);
    profiled.flags = MEU_FLAG_PROFILE as u8;
    ppe.offer(profiled);
    ppe.terminate();
    let start = Instant::now();
    ppe.run(&MeuOptions::default()).unwrap();
    let (elapsed, completion) = (start.elapsed().as_nanos() as u64, ppe.completion());
    let stages = [completion.fetch_ns, completion.execute_ns, completion.write_back_ns];
    assert!(
        stages.iter().all(|&ns| ns > 0) && stages.iter().sum::<u64>() <= elapsed,
        "{stages:?} of {elapsed} ns"
    );
}
