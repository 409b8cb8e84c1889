//! Tests of small operations.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Debug;

use super::padded::Real;
use super::*;
use crate::engine::Host;
use crate::lower::{Axis, MemoryLimits};
use crate::operation::Side;

fn shape(rows: u32, columns: u32) -> Shape {
    Shape { rows, columns }
}

/// The shape of what is stored of a factor with these sides.
fn stored(rows: u32, columns: u32, transposed: bool) -> Shape {
    if transposed { shape(columns, rows) } else { shape(rows, columns) }
}

fn double(kind: OpKind, a: (Shape, &[f64]), b: (Shape, &[f64])) -> Vec<f64> {
    let class = Class::Double;
    let operation = SmallOperation::new(kind, Form::Values, (a.0, class), Some((b.0, class))).unwrap();
    let mut result = vec![0.0; operation.result().0.elements() as usize];
    let operands = [a, b].map(|(shape, data)| (shape, SmallElements::Double(data)));
    operation.compute(0.0, operands[0], Some(operands[1]), SmallDestination::Double(&mut result)).unwrap();
    result
}

#[test]
fn sums_products_and_broadcasting() {
    let m = (shape(3, 2), &[1., 2., 3., 4., 5., 6.][..]);
    let row = (shape(1, 2), &[10., 20.][..]);
    assert_eq!(double(OpKind::Add, m, m), [2., 4., 6., 8., 10., 12.]);
    assert_eq!(double(OpKind::Add, m, row), [11., 12., 13., 24., 25., 26.]);
    assert_eq!(double(OpKind::Add, row, m), [11., 12., 13., 24., 25., 26.]);
    let square = (shape(2, 2), &[1., 0., 1., 1.][..]);
    assert_eq!(double(OpKind::Multiply, m, square), [1., 2., 3., 5., 7., 9.]);
    assert_eq!(double(OpKind::Multiply, m, (shape(1, 1), &[2.])), [2., 4., 6., 8., 10., 12.]);
    let wide = [1.0; 64];
    assert_eq!(double(OpKind::Multiply, (shape(1, 64), &wide), (shape(64, 1), &wide)), [64.]);
    assert_eq!(double(OpKind::Multiply, (shape(8, 1), &wide[..8]), (shape(1, 8), &wide[..8])), wide);
}

#[test]
fn classes_and_scalars() {
    let (a, b) = ((shape(1, 1), Class::Single), (shape(1, 3), Class::Double));
    let operation = SmallOperation::new(OpKind::Add, Form::Values, a, Some(b)).unwrap();
    assert_eq!(operation.result(), (shape(1, 3), Class::Single));
    let mut result = [0f32; 3];
    let operands = (SmallElements::Single(&[1.0]), SmallElements::Double(&[0.1, 1.0, 2.0]));
    operation
        .compute(0.0, (a.0, operands.0), Some((b.0, operands.1)), SmallDestination::Single(&mut result))
        .unwrap();
    assert_eq!(result, [1.0 + 0.1f32, 2.0, 3.0]);
    let scalar = Some((shape(1, 1), Class::Double));
    let operation = SmallOperation::new(OpKind::Equal, Form::ScalarLeft, b, scalar).unwrap();
    assert_eq!(operation.result().1, Class::Logical);
    let mut result = [9u8; 3];
    operation.compute(1.0, (b.0, operands.1), None, SmallDestination::Logical(&mut result)).unwrap();
    assert_eq!(result, [0, 1, 0]);
}

#[test]
fn reductions() {
    let m = (shape(2, 3), SmallElements::Double(&[1., -2., 3., 4., 0., 6.]));
    let reduce = |kind, side, of: (u32, u32)| {
        let mut to = [9.0; 6];
        let count = (of.0 * of.1) as usize;
        let result = (shape(of.0, of.1), SmallDestination::Double(&mut to[..count]));
        reduce_small(kind, side, m, result).map(|()| to[..count].to_vec())
    };
    assert_eq!(reduce(OpKind::Sum, Side::Column, (1, 3)).unwrap(), [-1., 7., 6.]);
    assert_eq!(reduce(OpKind::Sum, Side::Row, (2, 1)).unwrap(), [4., 8.]);
    assert_eq!(reduce(OpKind::Maximum, Side::Row, (2, 1)).unwrap(), [3., 6.]);
    assert_eq!(reduce(OpKind::CumulativeSum, Side::Column, (2, 3)).unwrap(), [1., -1., 3., 7., 0., 6.]);
    assert_eq!(reduce(OpKind::Norm, Side::Column, (1, 1)).unwrap(), [66f64.sqrt()]);
    assert!(reduce(OpKind::Sum, Side::Row, (1, 3)).is_err());
    assert!(reduce(OpKind::Add, Side::Column, (1, 3)).is_err());
    assert!(reduce(OpKind::All, Side::Column, (1, 3)).is_err(), "its result is logical");
    let mut truth = [9u8; 3];
    let result = (shape(1, 3), SmallDestination::Logical(&mut truth));
    reduce_small(OpKind::All, Side::Column, m, result).unwrap();
    assert_eq!(truth, [1, 1, 0]);
}

#[test]
fn reductions_of_truth_values() {
    let truth = (shape(2, 3), SmallElements::Logical(&[1, 0, 1, 1, 0, 0]));
    let count = |kind, side, of: (u32, u32)| {
        let mut to = vec![9.0; (of.0 * of.1) as usize];
        let result = (shape(of.0, of.1), SmallDestination::Double(&mut to));
        reduce_small(kind, side, truth, result).map(|()| to)
    };
    assert_eq!(count(OpKind::Sum, Side::Column, (1, 3)).unwrap(), [1., 2., 0.]);
    assert_eq!(count(OpKind::SumSquares, Side::Row, (2, 1)).unwrap(), [2., 1.]);
    assert_eq!(count(OpKind::Product, Side::Column, (1, 3)).unwrap(), [0., 1., 0.]);
    assert_eq!(count(OpKind::CumulativeSum, Side::Column, (2, 3)).unwrap(), [1., 1., 1., 2., 0., 0.]);
    assert!(count(OpKind::Norm, Side::Column, (1, 1)).is_err());
    assert!(count(OpKind::Any, Side::Column, (1, 3)).is_err(), "its result is logical");
    let decide = |kind| {
        let mut to = [9u8; 3];
        reduce_small(kind, Side::Column, truth, (shape(1, 3), SmallDestination::Logical(&mut to))).unwrap();
        to
    };
    assert_eq!(decide(OpKind::Any), [1, 1, 0]);
    assert_eq!(decide(OpKind::All), [0, 1, 0]);
    assert_eq!(decide(OpKind::Maximum), [1, 1, 0]);
    assert_eq!(decide(OpKind::Minimum), [0, 1, 0]);
}

#[test]
fn what_has_no_small_form() {
    let of = |rows, columns| (shape(rows, columns), Class::Double);
    let new = |kind, a, b| SmallOperation::new(kind, Form::Values, a, b).unwrap_err().octave_id();
    assert_eq!(new(OpKind::Add, of(2, 3), Some(of(3, 2))), "Octave:nonconformant-args");
    for (kind, a, b) in [
        (OpKind::Add, of(8193, 1), Some(of(1, 1))),
        (OpKind::Power, of(2048, 1), Some(of(1, 1))),
        (OpKind::Add, of(0, 1), Some(of(1, 1))),
        (OpKind::Multiply, of(300, 1), Some(of(1, 300))),
        (OpKind::Multiply, of(60, 60), Some(of(60, 60))),
        (OpKind::Multiply, of(1, 5000), Some(of(5000, 1))),
        // The factor is copied.
        (OpKind::Multiply, (shape(100, 100), Class::Logical), Some(of(100, 1))),
        (OpKind::Abs, of(1, 1), Some(of(1, 1))),
        (OpKind::Add, of(1, 1), None),
        (OpKind::Convert, of(1, 1), None),
    ] {
        assert_ne!(new(kind, a, b), "Octave:nonconformant-args", "{kind:?}");
    }
}

#[test]
fn complex_results_are_refused() {
    let of = (shape(1, 2), Class::Double);
    let scalar = Some((shape(1, 1), Class::Double));
    let operation = SmallOperation::new(OpKind::Power, Form::ScalarRight, of, scalar).unwrap();
    let mut result = [0.0; 2];
    let a = (of.0, SmallElements::Double(&[4.0, -4.0]));
    let outcome = operation.compute(0.5, a, None, SmallDestination::Double(&mut result));
    assert!(matches!(outcome, Err(Error::Domain { .. })), "{outcome:?}");
}

#[test]
fn the_time_of_a_kind_decides_how_many_elements_are_few() {
    let most = most_elements;
    assert_eq!(most(OpKind::Add), MOST_ELEMENTS);
    assert!((FEW_ELEMENTS..most(OpKind::Exp)).contains(&most(OpKind::Power)));
    assert!(most(OpKind::Exp) < most(OpKind::Divide));
    assert_eq!(most(OpKind::Repeat), FEW_ELEMENTS);
    assert_eq!(most(OpKind::Norm), MOST_ELEMENTS);
    assert_eq!(most(OpKind::Multiply), MOST_FACTOR_ELEMENTS);
    let others = OpKind::ALL.iter().filter(|&&kind| kind != OpKind::Multiply);
    assert!(others.map(|&kind| most(kind)).all(|most| (FEW_ELEMENTS..=MOST_ELEMENTS).contains(&most)));
}

#[test]
fn an_inner_side_is_cut_as_an_engine_cuts_it() {
    let (target, mut most) = (Host::in_memory(1, MemoryLimits::default()), 0);
    let shapes = [
        (1, 65, 1),
        (12, 12, 12),
        (17, 66, 20),
        (3, 130, 9),
        (150, 150, 1),
        (80, 100, 2),
        (20, 120, 9),
        (1, 3000, 1),
    ];
    for (rows, inner, columns) in shapes {
        let parts = target.inner_axis(shape(rows, columns), inner, Precision::Double);
        most = most.max(parts.parts());
        let (a, b) = (Numbers::new((rows * inner) as usize), Numbers::new((inner * columns) as usize));
        for transposed in [[false; 2], [true, false], [false, true], [true; 2]] {
            let shapes = [stored(rows, inner, transposed[0]), stored(inner, columns, transposed[1])];
            let operation =
                SmallOperation::product(shapes.map(|shape| (shape, Class::Double)), transposed).unwrap();
            let [first, second] = [0, 1].map(|factor| (shapes[factor], [&a, &b][factor].of(Class::Double)));
            let mut result = vec![9.0; (rows * columns) as usize];
            operation.compute(0.0, first, Some(second), SmallDestination::Double(&mut result)).unwrap();
            let of = |factor: usize, row, column| {
                let (row, column) = if transposed[factor] { (column, row) } else { (row, column) };
                [&a, &b][factor].double[(1 + row + column * shapes[factor].rows) as usize]
            };
            for (at, &actual) in result.iter().enumerate() {
                let (i, j) = (at as u32 % rows, at as u32 / rows);
                let elements = |part| parts.offset(part)..parts.offset(part) + parts.logical(part);
                let add = |sum: f64, k| of(0, i, k).mul_add(of(1, k, j), sum);
                let sum = |part| elements(part).fold(0.0, add);
                let expected = (0..parts.parts()).map(sum).fold(0.0, |all, sum| all + sum);
                assert_eq!(actual, expected, "{rows} {inner} {columns} {transposed:?} at {i}, {j}");
            }
        }
    }
    assert!(most > 2, "{most}");
}

#[test]
fn a_side_of_a_block_is_one_part() {
    let target = Host::in_memory(1, MemoryLimits::default());
    for precision in Precision::ALL {
        let inner = target.blocks.side(precision) as u32;
        assert_eq!(target.inner_axis(shape(1, 1), inner, precision).parts(), 1);
        assert_eq!(target.inner_axis(shape(2048, 1), inner, precision).parts(), 1);
    }
}

#[test]
fn a_row_is_multiplied_where_it_is() {
    for (inner, columns) in [(65, 1), (301, 1), (40, 37), (3, 500), (1, 100)] {
        let (row, matrix) = (Numbers::new(inner), Numbers::new(inner * columns));
        let shapes = [shape(1, inner as u32), shape(inner as u32, columns as u32)];
        let product =
            double(OpKind::Multiply, (shapes[0], &row.double[1..]), (shapes[1], &matrix.double[1..]));
        let element = |j: usize| {
            (0..inner)
                .fold(0.0, |sum: f64, k| row.double[1 + k].mul_add(matrix.double[1 + k + j * inner], sum))
        };
        assert!(product.iter().copied().eq((0..columns).map(element)), "{inner} {columns}");
    }
}

#[test]
fn a_product_is_written_where_it_belongs_and_its_columns_may_end_within_a_group() {
    for rows in [44, 45] {
        let (a, b) = (Numbers::new(rows * 31), Numbers::new(31 * 40));
        let shapes = [shape(rows as u32, 31), shape(31, 40)];
        let product = double(OpKind::Multiply, (shapes[0], &a.double[1..]), (shapes[1], &b.double[1..]));
        let element = |at: usize| {
            let (i, j) = (at % rows, at / rows);
            (0..31).fold(0.0, |sum: f64, k| a.double[1 + i + k * rows].mul_add(b.double[1 + k + j * 31], sum))
        };
        assert!(product.iter().copied().eq((0..rows * 40).map(element)), "{rows}");
    }
}

fn factor(numbers: &Numbers, class: Class, (rows, columns): (usize, usize), transposed: bool) -> Factor<'_> {
    Factor { stored: shape(rows as u32, columns as u32), elements: numbers.of(class), transposed }
}

/// Products of matrices whose columns touch, in memory with one more element at either end.
fn products_have_the_bits_of_products_with_pads<T: Real + From<u8> + PartialEq + Debug>(
    class: Class,
    destination: impl for<'a> Fn(&'a mut [T]) -> SmallDestination<'a>,
) {
    let shapes = [
        (2, 3, 2),
        (2, 9, 40),
        (3, 30, 40),
        (5, 20, 30),
        (7, 40, 5),
        (9, 9, 9),
        (13, 5, 3),
        (17, 65, 65),
        (33, 31, 40),
        (45, 45, 45),
        (131, 7, 15),
    ];
    for (rows, inner, columns) in shapes {
        let (a, b) = (Numbers::new(rows * inner), Numbers::new(inner * columns));
        for left_is_transposed in [false, true] {
            let left = if left_is_transposed { (inner, rows) } else { (rows, inner) };
            let product = |pads: bool| {
                let mut room = vec![T::from(7); rows * columns + 2];
                let result = destination(&mut room[1..=rows * columns]);
                let factors =
                    [factor(&a, class, left, left_is_transposed), factor(&b, class, (inner, columns), false)];
                let (parts, of) = (Axis::whole(inner as u32), shape(rows as u32, columns as u32));
                product::compute::<T>(factors, parts, (of, result), pads).unwrap();
                assert_eq!([room[0], room[rows * columns + 1]], [T::from(7); 2]);
                room
            };
            let what = format!("{rows} {inner} {columns} {left_is_transposed}");
            assert_eq!(product(true), product(spe_kernels::products_need_pads()), "{what}");
        }
    }
}

#[test]
fn a_product_has_the_bits_of_a_product_of_copies_with_pads_and_writes_no_other_element() {
    products_have_the_bits_of_products_with_pads::<f64>(Class::Double, |to| SmallDestination::Double(to));
    products_have_the_bits_of_products_with_pads::<f32>(Class::Single, |to| SmallDestination::Single(to));
}

#[test]
fn factors_are_transposed_before() {
    use Class::{Double, Logical, Single};
    let shapes = [
        (1, 65, 1),
        (1, 40, 37),
        (40, 37, 1),
        (5, 60, 2),
        (7, 3, 9),
        (20, 20, 20),
        (33, 31, 44),
        (44, 45, 43),
    ];
    for (rows, inner, columns) in shapes {
        let (a, b) = (Numbers::new(rows * inner), Numbers::new(inner * columns));
        for transposed in [[false, true], [true, false], [true, true]] {
            let [m, k, n] = [rows, inner, columns].map(|side| side as u32);
            let shapes = [stored(m, k, transposed[0]), stored(k, n, transposed[1])];
            for (left, right) in [(Double, Double), (Single, Single), (Single, Double), (Logical, Double)] {
                let operation =
                    SmallOperation::product([(shapes[0], left), (shapes[1], right)], transposed).unwrap();
                let of = |operand: usize, class, numbers: &Numbers, i: usize, j: usize| {
                    let (row, column) = if transposed[operand] { (j, i) } else { (i, j) };
                    numbers.number(class, row + column * shapes[operand].rows as usize)
                };
                let (mut single, mut double) = (vec![9f32; rows * columns], Vec::<f64>::new());
                let mut to = SmallDestination::Single(&mut single);
                if left == Double || right == Double && left == Logical {
                    double = vec![9f64; rows * columns];
                    to = SmallDestination::Double(&mut double);
                }
                operation.compute(0.0, (shapes[0], a.of(left)), Some((shapes[1], b.of(right))), to).unwrap();
                for at in 0..rows * columns {
                    let (i, j) = (at % rows, at / rows);
                    let factors = |k: usize| (of(0, left, &a, i, k), of(1, right, &b, k, j));
                    let what =
                        format!("{rows} {inner} {columns} {transposed:?} {left:?} {right:?} at {i}, {j}");
                    if double.is_empty() {
                        let add = |sum: f32, (x, y): (f64, f64)| (x as f32).mul_add(y as f32, sum);
                        assert_eq!(single[at], (0..inner).map(factors).fold(0.0, add), "{what}");
                    } else {
                        let add = |sum: f64, (x, y): (f64, f64)| x.mul_add(y, sum);
                        assert_eq!(double[at], (0..inner).map(factors).fold(0.0, add), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_product_with_a_transpose_has_factors_that_fit_and_more_than_one_element() {
    let of = |rows, columns| (shape(rows, columns), Class::Double);
    let new =
        |a, b, transposed| SmallOperation::product([a, b], transposed).map(|operation| operation.result());
    assert_eq!(new(of(3, 2), of(3, 5), [true, false]).unwrap(), of(2, 5));
    assert_eq!(new(of(2, 3), of(5, 3), [false, true]).unwrap(), of(2, 5));
    assert_eq!(new(of(3, 2), of(5, 3), [true; 2]).unwrap(), of(2, 5));
    let refused = |a, b, transposed| new(a, b, transposed).unwrap_err().octave_id();
    assert_eq!(refused(of(3, 2), of(2, 5), [true, false]), "Octave:nonconformant-args");
    assert_ne!(refused(of(3, 2), of(1, 1), [true, false]), "Octave:nonconformant-args");
    assert_ne!(refused(of(60, 60), of(60, 60), [true, false]), "Octave:nonconformant-args");
}

/// Elements for each class that begin at an address of no particular alignment.
struct Numbers {
    single: Vec<f32>,
    double: Vec<f64>,
    logical: Vec<u8>,
}

impl Numbers {
    fn new(count: usize) -> Numbers {
        let value = |i: usize| ((i * 37 % 101) as f64 - 50.0) / 8.0;
        Numbers {
            single: (0..=count).map(|i| value(i) as f32).collect(),
            double: (0..=count).map(value).collect(),
            logical: (0..=count).map(|i| u8::from(i % 3 == 0)).collect(),
        }
    }

    /// An element of a class.
    fn number(&self, class: Class, at: usize) -> f64 {
        match class {
            Class::Single => self.single[1 + at].into(),
            Class::Double => self.double[1 + at],
            Class::Logical => self.logical[1 + at].into(),
        }
    }

    fn of(&self, class: Class) -> SmallElements<'_> {
        match class {
            Class::Single => SmallElements::Single(&self.single[1..]),
            Class::Double => SmallElements::Double(&self.double[1..]),
            Class::Logical => SmallElements::Logical(&self.logical[1..]),
        }
    }
}

/// The bits of the result, computed where the elements are, and in copies. None where NaN has no truth value.
fn both_ways(
    operation: SmallOperation,
    first: (Shape, SmallElements<'_>),
    second: (Shape, SmallElements<'_>),
) -> [Option<Vec<u64>>; 2] {
    let (result, class) = operation.result();
    [true, false].map(|in_place| {
        let count = result.elements() as usize;
        let (mut single, mut double, mut logical) = (vec![9f32; count], vec![9f64; count], vec![9u8; count]);
        let to = match class {
            Class::Single => SmallDestination::Single(&mut single),
            Class::Double => SmallDestination::Double(&mut double),
            Class::Logical => SmallDestination::Logical(&mut logical),
        };
        let outcome = match (in_place, operation.signature.result.precision) {
            (true, _) => operation.compute(0.0, first, Some(second), to).map_err(|_| ()),
            (_, Precision::Single) => {
                padded::compute::<f32>(operation, 0.0, first, Some(second), to).map_err(|_| ())
            }
            _ => padded::compute::<f64>(operation, 0.0, first, Some(second), to).map_err(|_| ()),
        };
        outcome.ok()?;
        Some(match class {
            Class::Single => single.iter().map(|x| u64::from(x.to_bits())).collect(),
            Class::Double => double.iter().map(|x| x.to_bits()).collect(),
            Class::Logical => logical.iter().map(|&x| x.into()).collect(),
        })
    })
}

#[test]
fn elements_are_read_where_they_are_with_the_bits_of_copies() {
    use Class::{Double, Logical, Single};
    let kinds = [
        OpKind::Add,
        OpKind::Divide,
        OpKind::Times,
        OpKind::Less,
        OpKind::NotEqual,
        OpKind::And,
        OpKind::Or,
        OpKind::Max,
        OpKind::Atan2,
    ];
    for count in [1, 2, 3, 15, 16, 17, 65, 66] {
        let (whole, one) = (shape(count, 1), shape(1, 1));
        let mut numbers = Numbers::new(count as usize);
        (numbers.single[count as usize], numbers.double[count as usize]) = (f32::NAN, f64::NAN);
        let single_number = Numbers::new(1);
        for first in [Single, Double, Logical] {
            for second in [Single, Double, Logical] {
                let many = |class| (whole, numbers.of(class));
                let number = |class| (one, single_number.of(class));
                let pairs = [
                    (many(first), many(second)),
                    (many(first), number(second)),
                    (number(first), many(second)),
                ];
                for (kind, (a, b)) in kinds.iter().flat_map(|kind| pairs.map(|pair| (*kind, pair))) {
                    let operands = ((a.0, first), (b.0, second));
                    let operation =
                        SmallOperation::new(kind, Form::Values, operands.0, Some(operands.1)).unwrap();
                    let [in_place, copied] = both_ways(operation, a, b);
                    assert_eq!(in_place, copied, "{kind:?} of {count} {first:?} and {second:?}");
                }
            }
        }
    }
}

#[test]
fn rows_are_broadcast_over_many_elements() {
    let (a, b) = (Numbers::new(33 * 21), Numbers::new(21));
    let (matrix, row) = (shape(33, 21), shape(1, 21));
    let result = double(OpKind::Subtract, (matrix, &a.double[1..]), (row, &b.double[1..]));
    let expected = a.double[1..].iter().enumerate().map(|(i, x)| x - b.double[1 + i / 33]);
    assert!(result.iter().copied().eq(expected));
}

#[test]
fn columns_of_any_length_are_multiplied_and_reduced() {
    for rows in [20, 21] {
        let (a, x) = (Numbers::new(20 * rows as usize), Numbers::new(20));
        let product =
            double(OpKind::Multiply, (shape(rows, 20), &a.double[1..]), (shape(20, 1), &x.double[1..]));
        let element = |i: usize| {
            (0..20).fold(0.0, |sum, k| a.double[1 + i + k * rows as usize].mul_add(x.double[1 + k], sum))
        };
        assert!(product.iter().copied().eq((0..rows as usize).map(element)), "{rows}");
        let mut sums = vec![0.0; 20];
        let from = (shape(rows, 20), SmallElements::Double(&a.double[1..]));
        reduce_small(OpKind::Sum, Side::Column, from, (shape(1, 20), SmallDestination::Double(&mut sums)))
            .unwrap();
        let sum = |j: usize| a.double[1 + j * rows as usize..][..rows as usize].iter().sum::<f64>();
        assert!(sums.iter().copied().eq((0..20).map(sum)), "{rows}");
    }
}
