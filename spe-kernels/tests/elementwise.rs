//! Element-wise kernels on edge values and on random bits, and what they report outside of their domains.

mod definitions;

use definitions::{Number, inside};
use spe_kernels::definition::{Number as _, is_outside};
use spe_kernels::{Block, BlockMut, Form, Opcode, Status, VectorWidth, execute_with};

/// The operations that work element by element.
fn elementwise() -> impl Iterator<Item = Opcode> {
    Opcode::ALL.into_iter().filter(|opcode| !matches!(opcode, Opcode::Multiply | Opcode::Convert))
}

/// Executes on columns of one row each, which fill whole groups of 16 bytes.
fn run<T: Number>(width: VectorWidth, opcode: Opcode, a: &[T], b: &[T]) -> Result<Vec<T>, Status> {
    let mut result = vec![T::NAN; a.len()];
    let rows = a.len();
    let second = opcode.is_binary().then(|| Block::new(b, rows, 1, rows));
    let block = BlockMut::new(&mut result, rows, 1, rows);
    execute_with(Some(width), opcode, Form::Blocks, 0.0, Block::new(a, rows, 1, rows), second, block)?;
    Ok(result)
}

fn agrees<T: Number>(opcode: Opcode, a: &[T], b: &[T]) {
    let (a, b): (Vec<T>, Vec<T>) =
        a.iter().zip(b).map(|(&a, &b)| (inside(opcode, a), inside(opcode, b))).unzip();
    // Of a negative base only some powers are real.
    let a: Vec<T> = a
        .into_iter()
        .zip(&b)
        .map(|(a, b)| if is_outside(opcode, a.double(), b.double()) { T::of(-a.double()) } else { a })
        .collect();
    for width in VectorWidth::available() {
        let result = run(width, opcode, &a, &b).expect("operands in the domain");
        for ((&a, &b), &got) in a.iter().zip(&b).zip(&result) {
            let want = T::element(opcode, a, b);
            assert_eq!(
                got.bits(),
                want.bits(),
                "{opcode:?} {width:?} of {a:?}, {b:?} is {got:?}, not {want:?}"
            );
        }
    }
}

/// Values at which something changes, for some function or other.
fn edges() -> Vec<f64> {
    let sizes = [
        0.0,
        5e-324,
        f64::MIN_POSITIVE,
        1e-45,
        1.2e-38,
        1e-9,
        0.1,
        0.25,
        0.499_999_999_999_999_94,
        0.5,
        0.75,
        0.999_999_999_999_999_9,
        1.0,
        1.000_000_000_000_000_2,
        1.5,
        2.0,
        2.5,
        3.0,
        10.0,
        22.0,
        88.7,
        89.0,
        104.0,
        709.78,
        710.5,
        745.2,
        8_388_607.5,
        16_777_217.0,
        4_503_599_627_370_495.5,
        4_503_599_627_370_497.0,
        1e19,
        3.4e38,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    sizes.into_iter().flat_map(|size| [size, -size]).collect()
}

fn agrees_on_edges<T: Number>() {
    let edges: Vec<T> = edges().into_iter().map(T::of).collect();
    for opcode in elementwise() {
        if opcode.is_binary() {
            for &b in &edges {
                agrees(opcode, &edges, &vec![b; edges.len()]);
            }
        } else {
            agrees(opcode, &edges, &edges);
        }
    }
}

#[test]
fn edge_values() {
    agrees_on_edges::<f32>();
    agrees_on_edges::<f64>();
}

fn random_bits(count: usize, seed: u64) -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.u64(..)).collect()
}

/// How many random operands each operation gets: fewer where an interpreter is likely to run the test.
const OPERANDS: usize = if cfg!(target_arch = "powerpc64") { 4_000 } else { 40_000 };

#[test]
fn random_bit_patterns() {
    let (x, y) = (random_bits(OPERANDS, 1), random_bits(OPERANDS, 2));
    let singles = |bits: &[u64]| bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect::<Vec<_>>();
    let doubles = |bits: &[u64]| bits.iter().map(|&bits| f64::from_bits(bits)).collect::<Vec<_>>();
    for opcode in elementwise() {
        agrees(opcode, &singles(&x), &singles(&y));
        agrees(opcode, &doubles(&x), &doubles(&y));
    }
    // Of random bits few are numbers of ordinary size.
    let ordinary = |bits: &[u64]| {
        bits.iter().map(|&bits| (bits >> 11) as f64 * 2f64.powi(-47) - 32.0).collect::<Vec<_>>()
    };
    let (x, y) = (ordinary(&x), ordinary(&y));
    let rounded = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<_>>();
    for opcode in elementwise() {
        agrees(opcode, &rounded(&x), &rounded(&y));
        agrees(opcode, &x, &y);
    }
}

#[test]
fn outside_of_the_domain() {
    let above_one = 1f64.next_up();
    for (opcode, outside, within) in [
        (Opcode::Sqrt, -5e-324, -0.0),
        (Opcode::Log, -1.0, -0.0),
        (Opcode::Log2, f64::NEG_INFINITY, 0.0),
        (Opcode::Log10, -5e-324, f64::NAN),
        (Opcode::Log1p, (-1f64).next_down(), -1.0),
        (Opcode::Asin, above_one, 1.0),
        (Opcode::Acos, -above_one, -1.0),
        (Opcode::Acosh, 1f64.next_down(), 1.0),
        (Opcode::Atanh, above_one, -1.0),
        (Opcode::Not, f64::NAN, f64::INFINITY),
        (Opcode::And, f64::NAN, f64::INFINITY),
        (Opcode::Or, f64::NAN, 0.0),
    ] {
        for width in VectorWidth::available() {
            let ones = [1.0; 16];
            let status = |x: f64, at: usize, side: bool| {
                let mut operand = ones;
                operand[at] = x;
                let (a, b) = if side { (ones, operand) } else { (operand, ones) };
                run(width, opcode, &a, &b).map(|_| ())
            };
            for at in 0..16 {
                assert_eq!(status(outside, at, false), Err(Status::Domain), "{opcode:?} {width:?} {at}");
                assert_eq!(status(within, at, false), Ok(()), "{opcode:?} {width:?} {at}");
                if opcode.is_binary() {
                    assert_eq!(status(outside, at, true), Err(Status::Domain), "{opcode:?} {width:?} {at}");
                }
            }
            // Pads are never blamed, in either precision, whole groups of rows before them or none.
            for rows in [1, 3, 5, 7, 17] {
                let stride = 20;
                let operand: Vec<f32> =
                    (0..stride * 3).map(|i| if i % stride < rows { 1.0 } else { outside as f32 }).collect();
                let mut result = vec![0f32; operand.len()];
                let block = BlockMut::new(&mut result, rows, 3, stride);
                let a = Block::new(&operand, rows, 3, stride);
                let b = opcode.is_binary().then_some(a);
                let status = execute_with(Some(width), opcode, Form::Blocks, 0.0, a, b, block);
                assert_eq!(status, Ok(()), "{opcode:?} {width:?} {rows}");
                let want = f32::element(opcode, 1.0, 1.0);
                for (i, got) in result.iter().enumerate().filter(|(i, _)| i % stride < rows) {
                    assert_eq!(got.bits(), want.bits(), "{opcode:?} {width:?} {rows} at {i}");
                }
            }
        }
    }
}

#[test]
fn signs_of_nan_and_zero() {
    for width in VectorWidth::available() {
        let operand = [f64::NAN.copysign(1.0), f64::NAN.copysign(-1.0), 0.0, -0.0];
        let negated = run(width, Opcode::Negate, &operand, &operand).expect("a valid operation");
        let signs: Vec<bool> = negated.iter().map(|x| x.is_sign_negative()).collect();
        assert_eq!(signs, [true, false, true, false]);
        let (zeros, minus) = ([0.0; 2], [-0.0; 2]);
        for (opcode, a, b, want) in [
            (Opcode::Max, zeros, minus, 0.0),
            (Opcode::Max, minus, zeros, -0.0),
            (Opcode::Min, zeros, minus, 0.0),
            (Opcode::MaxRight, zeros, minus, -0.0),
            (Opcode::MinRight, minus, zeros, 0.0),
        ] {
            let result = run(width, opcode, &a, &b).expect("a valid operation");
            assert!(result.iter().all(|x| x.bits() == want.bits()), "{opcode:?} {width:?} {result:?}");
        }
    }
}
