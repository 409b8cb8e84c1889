//! Each operation of an SPE on pairs of singles at all edges of the format.

use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, Form, OpKind, Precision, Shape};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

use crate::{PROCESSORS, can_run, reference, spe_operations};

/// Bits of singles at every edge, and random ones.
fn singles(count: usize, seed: u64) -> Vec<f32> {
    let edges: [u32; 28] = [
        0x0000_0000, // zero, a denormal number, the largest one, the smallest normal one
        0x0000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x0100_0000,
        0x3f80_0000,
        0x3f7f_ffff,
        0x3f00_0000,
        0x3eff_ffff,
        0x4000_0000,
        0x4020_0000,
        0x4049_0fdb,
        0x4b00_0000,
        0x4b00_0001,
        0x4aff_ffff,
        0x4e80_0000,
        0x7e7f_ffff,
        0x7e80_0000,
        0x7f00_0000, // 2^127, the largest of IEEE, its infinity, NaN, the largest
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
        0x3dcc_cccd,
        0x4f00_0000,
        0x3380_0000,
    ];
    let mut generator = fastrand::Rng::with_seed(seed);
    let random = std::iter::repeat_with(move || {
        let bits = generator.u32(..);
        // Every second one near 1, so that sums cancel and quotients are whole.
        if generator.bool() { bits & 0x80ff_ffff | 0x3f00_0000 } else { bits }
    });
    let signed = edges.into_iter().flat_map(|bits| [bits, bits | 0x8000_0000]);
    signed.chain(random).take(count).map(f32::from_bits).collect()
}

/// The bits of a result.
fn bits(session: &Session, value: &Value) -> Vec<u64> {
    let matrix = session.force(value).unwrap();
    let columns = 0..matrix.shape().columns;
    match matrix.precision() {
        Precision::Single => {
            columns.flat_map(|c| matrix.column::<f32>(c).iter().map(|x| x.to_bits().into())).collect()
        }
        Precision::Double => {
            columns.flat_map(|c| matrix.column::<f64>(c).iter().map(|x| x.to_bits())).collect()
        }
        Precision::Byte => columns.flat_map(|c| matrix.column::<u8>(c).iter().map(|&x| x.into())).collect(),
    }
}

/// On a column of singles and a row of others, each operation of an SPE with each pair.
fn results(options: &Options, column: &[f32], row: &[f32]) -> Vec<(String, Vec<u64>)> {
    let session = Session::new(options).unwrap();
    let constant = |shape, elements: &[f32]| {
        let matrix = Matrix::from_columns(shape, elements, session.pool()).unwrap();
        session.constant(matrix, Class::Single).unwrap()
    };
    let (rows, columns) = (column.len() as u32, row.len() as u32);
    let a = constant(Shape { rows, columns: 1 }, column);
    let b = constant(Shape { rows: 1, columns }, row);
    let size = session.unary(OpKind::Abs, &a, "test", 1).unwrap();
    let from_one =
        session.binary_scalar(OpKind::Max, Form::ScalarRight, &size, 1.0, Class::Double, "test", 1).unwrap();
    let bounded = |value: &Value, most: f64| {
        let scalar = |kind, value: &Value, bound: f64| {
            session.binary_scalar(kind, Form::ScalarRight, value, bound, Class::Double, "test", 1).unwrap()
        };
        scalar(OpKind::Max, &scalar(OpKind::Min, value, most), -most)
    };
    // NaN is neither true nor false.
    let (truth_a, truth_b) = (bounded(&a, 3e38), bounded(&b, 3e38));
    // Sides that make chains, parts and pairs of sums.
    let inner = 101;
    let left =
        constant(Shape { rows: rows / inner, columns: inner }, &column[..(rows / inner * inner) as usize]);
    let right =
        constant(Shape { rows: inner, columns: columns / inner }, &row[..(columns / inner * inner) as usize]);
    let mut found = Vec::new();
    for kind in spe_operations() {
        let mut add =
            |name: &str, value: Value| found.push((format!("{kind:?} {name}"), bits(&session, &value)));
        match kind {
            OpKind::Convert => {
                let double = session.convert(&a, Precision::Double, "test", 1).unwrap();
                let scaled = session
                    .binary_scalar(OpKind::Times, Form::ScalarRight, &double, 1e-7, Class::Double, "test", 1)
                    .unwrap();
                add("to double", double);
                add("to single", session.convert(&scaled, Precision::Single, "test", 1).unwrap());
            }
            OpKind::Multiply => add("", session.binary(kind, &left, &right, "test", 1).unwrap()),
            OpKind::Power => add("", session.binary(kind, &size, &b, "test", 1).unwrap()),
            OpKind::Sqrt | OpKind::Log | OpKind::Log2 | OpKind::Log10 | OpKind::Log1p => {
                add("", session.unary(kind, &size, "test", 1).unwrap());
            }
            OpKind::Acosh => add("", session.unary(kind, &from_one, "test", 1).unwrap()),
            OpKind::Atanh | OpKind::Asin | OpKind::Acos => {
                add("", session.unary(kind, &bounded(&a, 1.0), "test", 1).unwrap());
            }
            OpKind::Not => add("", session.unary(kind, &truth_a, "test", 1).unwrap()),
            OpKind::And | OpKind::Or => {
                add("", session.binary(kind, &truth_a, &truth_b, "test", 1).unwrap());
            }
            kind if kind.is_unary() => add("", session.unary(kind, &a, "test", 1).unwrap()),
            kind => {
                add("", session.binary(kind, &a, &b, "test", 1).unwrap());
                add(
                    "0.3",
                    session
                        .binary_scalar(kind, Form::ScalarRight, &a, 0.3, Class::Double, "test", 1)
                        .unwrap(),
                );
                add(
                    "1e300 left",
                    session
                        .binary_scalar(kind, Form::ScalarLeft, &a, 1e300, Class::Double, "test", 1)
                        .unwrap(),
                );
            }
        }
    }
    found
}

#[test]
fn each_operation_in_single_precision_has_the_bits_of_the_reference_in_spu_arithmetic() {
    if !can_run() {
        return;
    }
    // Under qemu, which interprets it, a simulator is slow.
    let side = if cfg!(target_arch = "powerpc64") { 110 } else { 404 };
    let (column, row) = (singles(side, 1), singles(side, 2));
    for processor in PROCESSORS {
        let options = Options {
            engine: "sim".into(),
            processor,
            meus: 2,
            block_elements: Some(256),
            divisor: Some(4),
            chain: Some(3),
            ..Options::default()
        };
        let (found, expected) =
            (results(&options, &column, &row), results(&reference(&options), &column, &row));
        let mut wrong = String::new();
        for ((name, found), (_, expected)) in found.iter().zip(&expected) {
            let different: Vec<usize> = (0..expected.len()).filter(|&at| found[at] != expected[at]).collect();
            if let Some(&at) = different.first() {
                let (a, b) = (column[at % side].to_bits(), row[at / side % side].to_bits());
                wrong += &format!(
                    "{name}: {} of {}, the first at {at} ({a:08x}, {b:08x}): {:08x} instead of {:08x}\n",
                    different.len(),
                    expected.len(),
                    found[at],
                    expected[at]
                );
            }
        }
        assert!(wrong.is_empty(), "{processor:?}\n{wrong}");
    }
}
