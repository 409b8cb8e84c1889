//! Comparisons, logic, and the questions for infinity and NaN.

use pmatrix::error::Error;
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, OpKind, Precision, Shape};
use pmatrix::session::{Options, Session};

use crate::{PROCESSORS, can_run, prints};

#[test]
fn truth_on_an_spe() {
    if !can_run() {
        return;
    }
    // Infinities and NaN are told by their bits, though the SPU computes with them as with other singles.
    let text = "a = [1 1e999 -1e999 0 -2]; b = [0 1 1 0 5]; n = a; print(isnan(n), isinf(n), isfinite(n));
                print(a < b, a <= b, a > b, a >= b, !a, a & b, a | b);";
    let expected = "0 0 0 0 0  0 1 1 0 0  1 0 0 1 1
                    0 0 1 0 1  0 0 1 1 1  1 1 0 0 0  1 1 0 1 0  0 0 0 1 0  0 1 1 0 1  1 1 1 0 1";
    for precision in Precision::ALL {
        prints(text, precision, &PROCESSORS, expected);
    }
    // What a program reads as NaN: a quiet one, one that signals, both signs; and the numbers beside.
    let bits = [0x7fc0_0000, 0x7f80_0001, 0xffc0_0000, 0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, 0xffff_ffff];
    for processor in PROCESSORS {
        let options = Options { engine: "sim".into(), processor, meus: 1, ..Options::default() };
        let session = Session::new(&options).unwrap();
        let column = |elements: &[f32]| {
            let shape = Shape { rows: elements.len() as u32, columns: 1 };
            let matrix = Matrix::from_columns(shape, elements, session.pool()).unwrap();
            session.constant(matrix, Class::Single).unwrap()
        };
        let value = column(&bits.map(f32::from_bits));
        let found = [OpKind::IsNan, OpKind::IsInf, OpKind::IsFinite].map(|kind| {
            let truth = session.force(&session.unary(kind, &value, "test", 1).unwrap()).unwrap();
            truth.column::<f32>(0).iter().map(|&x| x as u8).collect::<Vec<_>>()
        });
        assert_eq!(
            found,
            [[1, 1, 1, 0, 0, 0, 1], [0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 0]],
            "{processor:?}"
        );
        for kind in [OpKind::And, OpKind::Or] {
            for (a, b) in [(f32::NAN, 1.0), (0.0, -f32::NAN)] {
                let value = session.binary(kind, &column(&[a]), &column(&[b]), "test", 1).unwrap();
                assert!(matches!(session.force(&value), Err(Error::Domain { .. })), "{kind:?}");
            }
        }
        let value = session.unary(OpKind::Not, &value, "test", 1).unwrap();
        assert!(matches!(session.force(&value), Err(Error::Domain { .. })));
    }
}
