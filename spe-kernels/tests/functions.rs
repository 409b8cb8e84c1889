//! The functions of the C library as an SPE computes them: how far they are from the C library's, and their
//! values at edges.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod definitions;

use definitions::Number;
use spe_kernels::definition::{Number as _, is_outside};
use spe_kernels::{Opcode, Processor, Status, spe};

const PROCESSORS: [Processor; 2] = [Processor::CellBe, Processor::PowerXCell8i];

/// The functions of an SPE, and how many units in the last place they are from the C library's at most. The C
/// library itself is within 1 of the true value, but for `cbrt`, where it is within 3.
const FUNCTIONS: &[(Opcode, f64)] = &[
    (Opcode::Exp, 1.0),
    (Opcode::Expm1, 1.0),
    (Opcode::Log, 1.0),
    (Opcode::Log2, 1.0),
    (Opcode::Log10, 2.0),
    (Opcode::Log1p, 1.0),
    (Opcode::Tan, 2.0),
    (Opcode::Sinh, 2.0),
    (Opcode::Cosh, 2.0),
    (Opcode::Tanh, 3.0),
    (Opcode::Asinh, 1.0),
    (Opcode::Acosh, 2.0),
    (Opcode::Atanh, 1.0),
    (Opcode::Asin, 2.0),
    (Opcode::Acos, 2.0),
    (Opcode::Atan, 2.0),
    (Opcode::Atan2, 2.0),
    (Opcode::Hypot, 1.0),
    (Opcode::Erf, 1.0),
    (Opcode::Erfc, 2.0),
    (Opcode::Cbrt, 3.0),
];

#[test]
fn every_function_of_the_library_on_an_spe_is_listed() {
    let listed = |opcode: Opcode| FUNCTIONS.iter().any(|&(listed, _)| listed == opcode);
    for opcode in Opcode::ALL {
        assert_eq!(listed(opcode), opcode.is_library() && opcode.is_on_spe(), "{opcode:?}");
    }
}

/// Numbers of every size in a range of exponents, and of both signs.
fn numbers(count: usize, exponents: std::ops::Range<i32>, seed: u64) -> Vec<f64> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut number = || (1.0 + random.f64()) * 2f64.powi(random.i32(exponents.clone()));
    (0..count).flat_map(|_| [number(), -number()]).collect()
}

/// The distance in units of the last place of `b`.
fn distance(a: f64, b: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    let unit = if b.is_finite() { b.abs().next_up() - b.abs() } else { 0.0 };
    ((a - b) / unit).abs()
}

#[test]
fn doubles_are_near_the_results_of_the_c_library() {
    let operands =
        [numbers(20_000, -60..10, 1), numbers(20_000, -4..5, 2), numbers(10_000, -1000..1000, 3)].concat();
    for &(opcode, most) in FUNCTIONS {
        let mut worst = (0.0, 0.0);
        for (number, &x) in operands.iter().enumerate().filter(|&(_, &x)| !is_outside(opcode, x, x)) {
            // Of most sizes beside x, and near x.
            let y = if number % 2 == 0 { operands[(number + 7919) % operands.len()] } else { x * 1.3 };
            let (got, want) =
                (spe::element(Processor::PowerXCell8i, opcode, x, y).unwrap(), f64::element(opcode, x, y));
            // A result below the normal numbers is rounded twice.
            let far = if want.abs() < f64::MIN_POSITIVE { 0.0 } else { distance(got, want) };
            if far > worst.0 {
                worst = (far, x);
            }
        }
        println!("{opcode:?}: {} at {:e}", worst.0, worst.1);
        assert!(worst.0 <= most, "{opcode:?} of {:e} is {} units away", worst.1, worst.0);
    }
}

#[test]
fn cube_roots_are_rounded_once() {
    let root = |x: f64| spe::element(Processor::PowerXCell8i, Opcode::Cbrt, x, x).unwrap();
    for whole in (1..200_000_i32).step_by(7).map(f64::from) {
        assert_eq!([root(whole.powi(3)), root(-whole.powi(3))], [whole, -whole]);
    }
    for x in numbers(50_000, -990..990, 5) {
        // The cube of the root in two doubles.
        let root = root(x);
        let square = root * root;
        let cube = square * root;
        let low = root.mul_add(root, -square).mul_add(root, square.mul_add(root, -cube));
        let far = ((x - cube - low) / (3.0 * square) / (root.abs().next_up() - root.abs())).abs();
        assert!(far <= 0.51, "{x:e} is {far} units away");
    }
}

#[test]
fn singles_are_rounded_doubles() {
    for processor in PROCESSORS {
        for &(opcode, _) in FUNCTIONS {
            for x in numbers(2_000, -30..7, 4).into_iter().map(|x| x as f32) {
                if is_outside(opcode, x.into(), x.into()) {
                    continue;
                }
                let got = spe::element(processor, opcode, x, x).unwrap();
                let double = spe::element(processor, opcode, f64::from(x), f64::from(x)).unwrap();
                assert_eq!(got.bits(), (double as f32).bits(), "{opcode:?} of {x:e}");
            }
        }
    }
}

#[test]
fn edges_are_those_of_the_c_library() {
    let edges = [0.0, 1.0, f64::INFINITY, f64::NAN, 1e-300, 1e300, 5e-324, 710.0, 710.5, 745.2, 22.0, 1e16];
    let edges: Vec<f64> = edges.into_iter().flat_map(|x| [x, -x]).collect();
    for &(opcode, most) in FUNCTIONS {
        for (x, y) in edges.iter().flat_map(|&x| edges.iter().map(move |&y| (x, y))) {
            let got = spe::element(Processor::PowerXCell8i, opcode, x, y);
            if is_outside(opcode, x, x) {
                assert_eq!(got, Err(Status::Domain), "{opcode:?} of {x:e}");
                continue;
            }
            let (got, want) = (got.unwrap(), f64::element(opcode, x, y));
            assert!(distance(got, want) <= most, "{opcode:?} of {x:e} and {y:e} is {got:e}, not {want:e}");
            let sign = |x: f64| x.is_sign_negative() && !x.is_nan();
            assert_eq!(sign(got), sign(want), "{opcode:?} of {x:e} and {y:e}");
        }
    }
}

#[test]
fn all_operations_on_elements_are_an_spes() {
    for opcode in Opcode::ALL {
        let found = spe::element(Processor::CellBe, opcode, 1.0, 1.0);
        let is_element = !matches!(opcode, Opcode::Multiply | Opcode::Convert);
        assert_eq!(found.is_ok(), is_element, "{opcode:?}: {found:?}");
        assert!(is_element || found == Err(Status::Opcode), "{opcode:?}: {found:?}");
    }
}
