//! Octave's rules for the results of operations.

use crate::error::{Error, Result};
use crate::operation::{OpKind, Shape};

/// Shape of the result of an operation on two values.
///
/// # Errors
/// [`Error::Nonconformant`] with Octave's text when the shapes do not fit.
pub fn binary_shape(kind: OpKind, left: Shape, right: Shape) -> Result<Shape> {
    let nonconformant = || Error::Nonconformant { kind, left, right };
    if kind == OpKind::Multiply {
        if left.columns != right.rows {
            return Err(nonconformant());
        }
        return Ok(Shape { rows: left.rows, columns: right.columns });
    }
    let side = |a: u32, b: u32| match (a, b) {
        _ if a == b => Ok(a),
        (1, b) => Ok(b),
        (a, 1) => Ok(a),
        _ => Err(nonconformant()),
    };
    Ok(Shape { rows: side(left.rows, right.rows)?, columns: side(left.columns, right.columns)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(rows: u32, columns: u32) -> Shape {
        Shape { rows, columns }
    }

    #[test]
    fn shapes_follow_octave() {
        let check = |kind, a, b, expected: Option<Shape>| assert_eq!(binary_shape(kind, a, b).ok(), expected);
        check(OpKind::Multiply, shape(3, 0), shape(0, 2), Some(shape(3, 2)));
        check(OpKind::Multiply, shape(2, 3), shape(2, 3), None);
        check(OpKind::Add, shape(4, 1), shape(1, 5), Some(shape(4, 5)));
        check(OpKind::Add, shape(0, 3), shape(1, 3), Some(shape(0, 3)));
        check(OpKind::Add, shape(0, 0), shape(1, 1), Some(shape(0, 0)));
        check(OpKind::Equal, shape(2, 3), shape(3, 3), None);
        check(OpKind::Mod, shape(2, 3), shape(2, 1), Some(shape(2, 3)));
    }

    #[test]
    fn messages_are_octaves() {
        let text = |kind| binary_shape(kind, shape(2, 3), shape(4, 3)).unwrap_err().to_string();
        assert_eq!(text(OpKind::Add), "operator +: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
        assert_eq!(text(OpKind::Times), "product: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
        assert_eq!(text(OpKind::Mod), "mod: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
        assert_eq!(text(OpKind::GreaterEqual), "mx_el_ge: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
        assert_eq!(text(OpKind::MaxRight), "max: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
        assert_eq!(text(OpKind::Multiply), "operator *: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
    }
}
