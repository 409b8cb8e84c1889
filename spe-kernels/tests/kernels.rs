//! Every kernel, precision, vector width, form and shape against its definition.

mod definitions;

use definitions::{Matrix, Number, inside, small, value};
use spe_kernels::{Block, BlockMut, Form, Opcode, Status, VectorWidth, convert, execute, execute_with};

/// Around 1, the two divisors of blocks (2 and 4), the sides of blocks in double and in single precision.
const SIDES: [usize; 15] = [1, 2, 3, 4, 5, 7, 8, 16, 17, 67, 68, 69, 95, 96, 97];

const FORMS: [Form; 3] = [Form::Blocks, Form::ScalarRight, Form::ScalarLeft];

fn check<T: Number>(
    opcode: Opcode,
    form: Form,
    a: &Matrix<T>,
    b: &Matrix<T>,
    (rows, columns): (usize, usize),
    extra: usize,
) {
    let scalar = 2.5;
    for width in VectorWidth::available() {
        let mut result = Matrix::<T>::new(rows, columns, extra, |_, _| T::NAN);
        let second = (opcode.is_binary() && form == Form::Blocks).then(|| b.block());
        execute_with(Some(width), opcode, form, scalar, a.block(), second, result.block_mut())
            .expect("a valid operation");
        for j in 0..columns {
            for i in 0..rows {
                let (left, right) = match form {
                    Form::Blocks => (a.get(i, j), b.get(i, j)),
                    Form::ScalarRight => (a.get(i, j), T::of(scalar)),
                    Form::ScalarLeft => (T::of(scalar), a.get(i, j)),
                };
                let (got, want) = (result.get(i, j), T::element(opcode, left, right));
                assert_eq!(
                    got.bits(),
                    want.bits(),
                    "{opcode:?} {form:?} {width:?}: ({left:?}, {right:?}) gives {got:?}, not {want:?}, at {i},{j} of {rows}x{columns}"
                );
            }
            // What lies between the columns is not touched.
            let pad = rows.next_multiple_of(16 / size_of::<T>());
            assert!(
                result.data[j * result.stride + pad..(j + 1) * result.stride]
                    .iter()
                    .all(|x| x.bits() == u64::MAX)
            );
        }
    }
}

fn exact_kernels<T: Number>() {
    let exact = Opcode::ALL.into_iter().filter(|opcode| {
        !matches!(opcode, Opcode::Multiply | Opcode::Power | Opcode::Sin | Opcode::Cos | Opcode::Convert)
    });
    for opcode in exact {
        let matrix = |rows, columns, extra, seed| {
            Matrix::<T>::new(rows, columns, extra, |i, j| inside(opcode, value(i, j, seed)))
        };
        for (&rows, &columns) in
            SIDES.iter().flat_map(|rows| [1, 2, 5, 68].iter().map(move |columns| (rows, columns)))
        {
            let group = 16 / size_of::<T>();
            for extra in [0, group, 3 * group] {
                let a = matrix(rows, columns, extra, 1);
                let b = matrix(rows, columns, extra, 2);
                check(opcode, Form::Blocks, &a, &b, (rows, columns), extra);
            }
            if !opcode.is_binary() {
                continue;
            }
            let a = matrix(rows, columns, 0, 3);
            for form in &FORMS[1..] {
                check(opcode, *form, &a, &a, (rows, columns), 0);
            }
            for (b_rows, b_columns) in [(1, columns), (rows, 1), (1, 1)] {
                let b = matrix(b_rows, b_columns, 0, 4);
                check(opcode, Form::Blocks, &a, &b, (rows, columns), 0);
                check(opcode, Form::Blocks, &b, &a, (rows, columns), 0);
            }
            let (column, row) = (matrix(rows, 1, 0, 5), matrix(1, columns, 0, 6));
            check(opcode, Form::Blocks, &column, &row, (rows, columns), 0);
        }
    }
}

#[test]
fn exact_kernels_single() {
    exact_kernels::<f32>();
}

#[test]
fn exact_kernels_double() {
    exact_kernels::<f64>();
}

/// sin, cos and power have equal bits in every width and at every position, and are close to the C library's
/// results.
fn close_kernels<T: Number>(unit: f64) {
    for (opcode, form) in [
        (Opcode::Sin, Form::Blocks),
        (Opcode::Cos, Form::Blocks),
        (Opcode::Power, Form::Blocks),
        (Opcode::Power, Form::ScalarLeft),
        (Opcode::Power, Form::ScalarRight),
    ] {
        for rows in SIDES {
            let base = |i, j| {
                let x: T = value(i, j, 7);
                if opcode == Opcode::Power && x.into() < 0.0 { T::of(-x.into()) } else { x }
            };
            let a = Matrix::<T>::new(rows, 3, 0, base);
            let b = Matrix::<T>::new(rows, 3, 0, |i, j| value(i, j, 8));
            let mut first: Option<Vec<u64>> = None;
            for width in VectorWidth::available() {
                let mut result = Matrix::<T>::new(rows, 3, 0, |_, _| T::NAN);
                let second = (opcode == Opcode::Power && form == Form::Blocks).then(|| b.block());
                execute_with(Some(width), opcode, form, 1.75, a.block(), second, result.block_mut())
                    .expect("a valid operation");
                let mut bits = Vec::new();
                for j in 0..3 {
                    for i in 0..rows {
                        let (x, y): (f64, f64) = (a.get(i, j).into(), b.get(i, j).into());
                        let want = match (opcode, form) {
                            (Opcode::Sin, _) => x.sin(),
                            (Opcode::Cos, _) => x.cos(),
                            (_, Form::Blocks) => x.powf(y),
                            (_, Form::ScalarRight) => x.powf(1.75),
                            (_, Form::ScalarLeft) => 1.75_f64.powf(x),
                        };
                        let (got, want): (f64, f64) = (result.get(i, j).into(), T::of(want).into());
                        let same = got == want || (got.is_nan() && want.is_nan());
                        assert!(
                            same || (got - want).abs() <= want.abs() * unit,
                            "{opcode:?} {form:?} {width:?} of {x}, {y} is {got}, not {want}"
                        );
                        bits.push(result.get(i, j).bits());
                    }
                }
                assert_eq!(*first.get_or_insert(bits.clone()), bits, "{opcode:?} {form:?} {width:?} {rows}");
            }
        }
    }
}

#[test]
fn close_kernels_in_every_width() {
    close_kernels::<f64>(f64::EPSILON);
    close_kernels::<f32>(f64::from(f32::EPSILON));
}

/// The definition: one fused multiply-add a product, in order; the pads are NaN and reach nothing.
fn product<T: Number>() {
    for (m, n, k) in SIDES.iter().flat_map(|&m| {
        [(m, 1, 1), (m, 5, 3), (m, 7, 68), (m, 6, 1), (1, m, m), (3, m, 2), (m, m, 5), (m, 13, m)]
    }) {
        let group = 16 / size_of::<T>();
        let a = Matrix::<T>::new(m, k, group, |i, j| small(i, j, 1));
        let b = Matrix::<T>::new(k, n, 2 * group, |i, j| T::of(small::<f64>(i, j, 2) / 3.0));
        for width in VectorWidth::available() {
            let mut result = Matrix::<T>::new(m, n, 0, |_, _| T::NAN);
            execute_with(
                Some(width),
                Opcode::Multiply,
                Form::Blocks,
                0.0,
                a.block(),
                Some(b.block()),
                result.block_mut(),
            )
            .expect("a valid operation");
            for j in 0..n {
                for i in 0..m {
                    let want =
                        (0..k).fold(T::of(0.0), |sum, l| a.get(i, l).fused(b.data[j * b.stride + l], sum));
                    assert_eq!(result.get(i, j).bits(), want.bits(), "{width:?} {m}x{k}x{n} at {i},{j}");
                }
            }
        }
    }
}

#[test]
fn product_is_its_definition_single() {
    product::<f32>();
}

#[test]
fn product_is_its_definition_double() {
    product::<f64>();
}

fn unary(opcode: Opcode, x: f64) -> f64 {
    let mut result = [f64::NAN; 2];
    execute(
        opcode,
        Form::Blocks,
        0.0,
        Block::new(&[x, f64::NAN], 1, 1, 2),
        None,
        BlockMut::new(&mut result, 1, 1, 2),
    )
    .expect("a valid operation");
    result[0]
}

fn binary(opcode: Opcode, x: f64, y: f64) -> Result<f64, Status> {
    let mut result = [f64::NAN; 2];
    let (a, b) = ([x, f64::NAN], [y, f64::NAN]);
    let block = BlockMut::new(&mut result, 1, 1, 2);
    execute(opcode, Form::Blocks, 0.0, Block::new(&a, 1, 1, 2), Some(Block::new(&b, 1, 1, 2)), block)?;
    Ok(result[0])
}

#[track_caller]
fn assert_same(got: f64, want: f64) {
    assert_eq!(got.bits(), want.bits(), "{got} is not {want}");
}

/// Octave 7.3's results.
#[test]
fn octave_values() {
    for (x, y, want) in [
        (-1.0, 1.0, 0.0),
        (-4.0, 2.0, 0.0),
        (0.0, -3.0, -0.0),
        (4.0, -2.0, -0.0),
        (-0.0, 0.0, -0.0),
        (-135.0, 360.0, 225.0),
        (5.0, 0.0, 5.0),
        (-5.0, 0.0, -5.0),
        (f64::INFINITY, 0.0, f64::INFINITY),
        (0.3, 0.1, 0.0),
        (2.1, -0.1, -0.0),
        (-3.0, -3.0, 0.0),
        (1.0, f64::INFINITY, f64::NAN),
    ] {
        assert_same(binary(Opcode::Mod, x, y).expect("a valid operation"), want);
    }
    for (x, want) in [
        (0.499_999_999_999_999_94, 0.0),
        (-0.499_999_999_999_999_94, -0.0),
        (4_503_599_627_370_497.0, 4_503_599_627_370_497.0),
        (0.5, 1.0),
        (-0.5, -1.0),
        (2.5, 3.0),
        (-2.5, -3.0),
        (-0.0, -0.0),
        (f64::NEG_INFINITY, f64::NEG_INFINITY),
    ] {
        assert_same(unary(Opcode::Round, x), want);
    }
    for (x, want) in [(f64::NAN, f64::NAN), (-0.0, 0.0), (0.0, 0.0), (f64::NEG_INFINITY, -1.0), (5e-324, 1.0)]
    {
        assert_same(unary(Opcode::Sign, x), want);
    }
}

#[test]
fn powers_of_integers_are_exact() {
    for base in 1..200_u64 {
        for exponent in 0..60_u32 {
            let Some(power) = base.checked_pow(exponent).filter(|power| *power < 1 << 53) else { break };
            let (base, y, power) = (base as f64, f64::from(exponent), power as f64);
            assert_same(binary(Opcode::Power, base, y).expect("a valid operation"), power);
            let negative = if exponent % 2 == 0 { power } else { -power };
            assert_same(binary(Opcode::Power, -base, y).expect("a valid operation"), negative);
        }
    }
    for exponent in -3..=3 {
        let want: f64 = format!("1e{exponent}").parse().expect("a valid operation");
        assert_same(binary(Opcode::Power, 10.0, f64::from(exponent)).expect("a valid operation"), want);
    }
}

#[test]
fn special_powers_follow_c99() {
    const INF: f64 = f64::INFINITY;
    for (x, y, want) in [
        (f64::NAN, 0.0, 1.0),
        (1.0, f64::NAN, 1.0),
        (f64::NAN, 1.0, f64::NAN),
        (2.0, f64::NAN, f64::NAN),
        (0.0, -1.0, INF),
        (-0.0, -1.0, -INF),
        (-0.0, -2.0, INF),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.5, 0.0),
        (INF, 0.5, INF),
        (INF, -0.5, 0.0),
        (-INF, 3.0, -INF),
        (-INF, 2.0, INF),
        (-INF, -3.0, -0.0),
        (0.5, INF, 0.0),
        (0.5, -INF, INF),
        (2.0, INF, INF),
        (2.0, 1100.0, INF),
        (2.0, -1100.0, 0.0),
        (2.0, -1074.0, 5e-324),
        (5e-324, 1.0, 5e-324),
        (-2.0, -1.0, -0.5),
    ] {
        assert_same(binary(Opcode::Power, x, y).expect("a valid operation"), want);
    }
}

#[test]
fn complex_powers_are_reported_but_pads_are_not() {
    for (x, y) in [(-8.0, 1.0 / 3.0), (-1.0, f64::NAN), (-2.0, f64::INFINITY), (f64::NEG_INFINITY, 0.5)] {
        assert_eq!(binary(Opcode::Power, x, y), Err(Status::Domain));
    }
    // The pads alone are negative: three rows in groups of four, and of two.
    for (rows, stride) in [(3, 4), (1, 4)] {
        let bases: Vec<f32> = (0..stride * 5).map(|i| if i % stride < rows { 4.0 } else { -4.0 }).collect();
        let mut result = vec![0.0_f32; stride * 5];
        for width in VectorWidth::available() {
            let block = BlockMut::new(&mut result, rows, 5, stride);
            let a = Block::new(&bases, rows, 5, stride);
            execute_with(Some(width), Opcode::Power, Form::ScalarRight, 0.5, a, None, block)
                .expect("a valid operation");
            assert!((0..stride * 5).all(|i| i % stride >= rows || result[i] == 2.0), "{result:?}");
        }
    }
    // One element in the last column of many.
    let mut bases = vec![4.0_f64; 68 * 5];
    bases[68 * 4 + 66] = -4.0;
    let mut result = vec![0.0_f64; 68 * 5];
    let block = BlockMut::new(&mut result, 67, 5, 68);
    let status = execute(Opcode::Power, Form::ScalarRight, 0.5, Block::new(&bases, 67, 5, 68), None, block);
    assert_eq!(status, Err(Status::Domain));
}

#[test]
fn huge_and_tiny_angles() {
    for x in [1e22, 1e300, f64::MAX, 2.0_f64.powi(30), 1e-300, -0.0, 3.0_f64.next_up()] {
        for x in [x, -x] {
            let (sine, cosine) = (unary(Opcode::Sin, x), unary(Opcode::Cos, x));
            assert!((sine - x.sin()).abs() <= x.sin().abs() * f64::EPSILON, "sin {x}: {sine}");
            assert!((cosine - x.cos()).abs() <= x.cos().abs() * f64::EPSILON, "cos {x}: {cosine}");
        }
    }
    // Of all doubles the nearest to an odd multiple of pi/2; C libraries lose some digits here.
    let worst = 6_381_956_970_095_103.0 * 2.0_f64.powi(797);
    assert_same(unary(Opcode::Cos, worst), -4.687_165_924_254_628e-19);
    assert!(unary(Opcode::Sin, f64::INFINITY).is_nan() && unary(Opcode::Cos, f64::NEG_INFINITY).is_nan());
}

#[test]
fn conversions_round_to_nearest() {
    let doubles: Vec<f64> = (0..4).map(|i| [0.1, -0.0, 1e300, f64::NAN][i]).collect();
    let mut singles = [0.0_f32; 4];
    convert(Block::new(&doubles, 3, 1, 4), BlockMut::new(&mut singles, 3, 1, 4)).expect("a valid operation");
    assert_eq!(singles[..3], [0.1, 0.0, f32::INFINITY]);
    assert!(singles[1].is_sign_negative());
    let mut back = [0.0_f64; 4];
    convert(Block::new(&singles, 3, 1, 4), BlockMut::new(&mut back, 3, 1, 4)).expect("a valid operation");
    assert_eq!(back[0], f64::from(0.1_f32));
    let mut copy = [0.0_f64; 4];
    convert(Block::new(&doubles, 3, 1, 4), BlockMut::new(&mut copy, 3, 1, 4)).expect("a valid operation");
    assert_eq!(copy[..3], doubles[..3]);
    let wrong = convert(Block::new(&doubles, 3, 1, 4), BlockMut::new(&mut back, 2, 1, 4));
    assert_eq!(wrong, Err(Status::Shape));
}

#[test]
fn wrong_operations_are_refused() {
    let data = [0.0_f64; 16];
    let mut result = [0.0_f64; 16];
    let block = |rows, columns| Block::new(&data, rows, columns, 4);
    let mut run = |opcode, form, a, b, rows, columns| {
        execute(opcode, form, 0.0, a, b, BlockMut::new(&mut result, rows, columns, 4))
    };
    let shape = Err(Status::Shape);
    assert_eq!(run(Opcode::Multiply, Form::Blocks, block(2, 3), Some(block(2, 3)), 2, 3), shape);
    assert_eq!(run(Opcode::Multiply, Form::Blocks, block(2, 3), None, 2, 3), shape);
    assert_eq!(run(Opcode::Add, Form::Blocks, block(2, 3), Some(block(3, 3)), 3, 3), shape);
    assert_eq!(run(Opcode::Add, Form::ScalarLeft, block(2, 3), Some(block(2, 3)), 2, 3), shape);
    assert_eq!(run(Opcode::Sin, Form::Blocks, block(2, 2), None, 2, 3), shape);
    assert_eq!(run(Opcode::Sin, Form::ScalarLeft, block(2, 2), None, 2, 2), Err(Status::Opcode));
    assert_eq!(run(Opcode::Multiply, Form::ScalarLeft, block(2, 2), None, 2, 2), Err(Status::Opcode));
}

#[test]
#[should_panic(expected = "needs 8 elements")]
fn a_block_has_room_for_its_pad() {
    let _ = Block::new(&[0.0_f64; 7], 3, 2, 4);
}
