//! Octave's rules for the results of operations: shape, class and precision, or why there is no result.

use crate::error::{Error, Result};
use crate::operation::{Class, Form, Gives, OpKind, Precision, Shape, Side, View, common_precision};

/// What is known about a value without its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueType {
    /// Rows and columns.
    pub shape: Shape,
    /// Class in Octave.
    pub class: Class,
    /// The precision in which elements are stored.
    pub precision: Precision,
}

impl ValueType {
    /// The type of a value of this class. A logical value is stored in double precision.
    #[must_use]
    pub fn of(shape: Shape, class: Class) -> ValueType {
        let precision = if class == Class::Single { Precision::Single } else { Precision::Double };
        ValueType { shape, class, precision }
    }
}

/// What an operation on operands of certain types computes, and the type of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// What is computed. A product with a scalar is an element-wise multiplication, and `max` and `min` have
    /// two variants.
    pub kind: OpKind,
    /// The result.
    pub result: ValueType,
}

/// The signature of an element-wise operation or a product. With a scalar form the second operand is the
/// scalar.
///
/// # Errors
/// [`Error::Nonconformant`] with Octave's text; [`Error::Argument`] when the operation does not take such
/// operands.
#[inline]
pub fn signature(kind: OpKind, form: Form, first: ValueType, second: Option<ValueType>) -> Result<Signature> {
    let Some(second) = second else {
        if !kind.is_unary() || kind == OpKind::Convert || form != Form::Values {
            return Err(wrong_operands(kind, form, 1));
        }
        let (class, precision) = class_of_result(kind, [first; 2]);
        return Ok(Signature { kind, result: ValueType { shape: first.shape, class, precision } });
    };
    if kind.is_unary() || kind.is_direct() {
        return Err(wrong_operands(kind, form, 2));
    }
    let (left, right) = if form == Form::ScalarLeft { (second, first) } else { (first, second) };
    let scaling = kind == OpKind::Multiply && (left.shape.is_scalar() || right.shape.is_scalar());
    let kind = if scaling { OpKind::Times } else { of_shapes(kind, left.shape, right.shape) };
    let shape = binary_shape(kind, left.shape, right.shape)?;
    let (class, precision) = class_of_result(kind, [left, right]);
    Ok(Signature { kind, result: ValueType { shape, class, precision } })
}

#[cold]
fn wrong_operands(kind: OpKind, form: Form, count: u32) -> Error {
    let what = match (form, count) {
        (Form::Values, 1) => "is not an operation on one value",
        (Form::Values, _) => "is not an operation on two values",
        _ => "does not take a scalar here",
    };
    Error::Argument(format!("{} {what}", kind.name()))
}

/// Shape and class of a reduction of each column or row to one element, of cumulative sums along them, or of the
/// norm of all elements together.
///
/// # Errors
/// [`Error::Argument`] for other kinds.
pub fn reduction(kind: OpKind, a: ValueType, side: Side) -> Result<(Shape, Class)> {
    let class = match kind {
        OpKind::Any | OpKind::All => Class::Logical,
        OpKind::Maximum | OpKind::Minimum => a.class,
        _ if a.class == Class::Single => Class::Single,
        _ => Class::Double,
    };
    let shape = match kind {
        OpKind::CumulativeSum => a.shape,
        OpKind::Norm => Shape { rows: 1, columns: 1 },
        // No elements have no largest element.
        OpKind::Maximum | OpKind::Minimum if side.length(a.shape) == 0 => a.shape,
        kind if kind.is_reduction() => side.reduced(a.shape),
        _ => return Err(Error::Argument(format!("{} is no reduction", kind.name()))),
    };
    Ok((shape, class))
}

/// The type of two values one below the other ([`Side::Column`]) or side by side ([`Side::Row`]). The class
/// is single if one value is single, and logical if both values are logical.
///
/// # Errors
/// [`Error::Argument`] with Octave's text when the shapes do not fit; [`Error::Memory`] when the result is
/// too large.
pub(super) fn join(a: ValueType, b: ValueType, side: Side) -> Result<(Shape, Class)> {
    let (x, y) = (a.shape, b.shape);
    let (fit, name, shape) = match side {
        Side::Column => (
            x.columns == y.columns,
            "vertical",
            Shape::new(u64::from(x.rows) + u64::from(y.rows), x.columns.into())?,
        ),
        Side::Row => (
            x.rows == y.rows,
            "horizontal",
            Shape::new(x.rows.into(), u64::from(x.columns) + u64::from(y.columns))?,
        ),
    };
    if !fit {
        return Err(Error::Argument(format!("{name} dimensions mismatch ({x} vs {y})")));
    }
    let class = match (a.class, b.class) {
        (Class::Single, _) | (_, Class::Single) => Class::Single,
        (Class::Logical, Class::Logical) => Class::Logical,
        _ => Class::Double,
    };
    Ok((shape, class))
}

/// Class and precision of the result. A logical result of logical values needs no particular precision.
fn class_of_result(kind: OpKind, [left, right]: [ValueType; 2]) -> (Class, Precision) {
    let logical = left.class == Class::Logical && right.class == Class::Logical;
    let common = common_precision(left.class, right.class);
    let truth = kind.gives() == Gives::TRUTH || (kind.gives() == Gives::EXTREMUM && logical);
    let alike = left.precision == right.precision;
    match truth {
        true => (Class::Logical, if logical && alike { left.precision } else { common }),
        false => (common.into(), common),
    }
}

/// The precision in which an element-wise operation is computed, whose operands and result are stored in
/// these precisions: that of the numbers among them. [`Precision::Byte`] if all of them are 0 or 1, so that
/// it may be computed in any precision.
#[must_use]
pub fn computed_in(
    kind: OpKind,
    form: Form,
    scalar: f64,
    stored: impl IntoIterator<Item = Precision>,
) -> Precision {
    stored.into_iter().find(|&precision| precision != Precision::Byte).unwrap_or_else(|| {
        let is_truth = form == Form::Values || [0.0, 1.0].contains(&scalar);
        if kind.is_of_bytes() && is_truth { Precision::Byte } else { Precision::Double }
    })
}

/// The operation that makes numbers of a precision from elements of another precision, or from a logical
/// value. Where programs read the elements, -0 is added: that keeps every number, and may be a step among
/// others, which a conversion may not be.
pub(super) fn conversion(from: Precision, to: Precision) -> (OpKind, Form, f64) {
    match from == to || from == Precision::Byte {
        true => (OpKind::Add, Form::ScalarRight, -0.0),
        false => (OpKind::Convert, Form::Values, 0.0),
    }
}

/// The conversion of an operand that is stored in another precision than an operation is computed in. None if
/// the operation reads the operand as it is.
pub(super) fn conversion_for(
    kind: OpKind,
    stored: Precision,
    computed: Precision,
) -> Option<(OpKind, Form, f64)> {
    let fits =
        stored == computed || kind == OpKind::Convert || (stored == Precision::Byte && reads_bytes(kind));
    (!fits).then(|| conversion(stored, computed))
}

/// Whether an operation reads bytes where its other operand, or its result, is of numbers.
fn reads_bytes(kind: OpKind) -> bool {
    use OpKind::{CumulativeSum, Multiply, Product, Sum, SumSquares};
    match kind {
        Multiply => false,
        Sum | SumSquares | Product | CumulativeSum => true,
        kind => !kind.is_direct(),
    }
}

/// The kind that Octave's rule for zeros of both signs requires. `max` and `min` take the left zero, but the
/// right zero where the left operand is repeated along the rows.
fn of_shapes(kind: OpKind, left: Shape, right: Shape) -> OpKind {
    let repeated = left.is_scalar() || (left.rows == 1 && right.rows != 1);
    match kind {
        OpKind::Max if repeated => OpKind::MaxRight,
        OpKind::Min if repeated => OpKind::MinRight,
        kind => kind,
    }
}

/// Shape of the result of an operation on two values; [`Error::Nonconformant`] has Octave's text.
fn binary_shape(kind: OpKind, left: Shape, right: Shape) -> Result<Shape> {
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

/// Whether every element of a view of this shape is an element of the matrix that is viewed.
///
/// # Errors
/// [`Error::Argument`] when it is not.
pub fn check_view(view: View, shape: Shape, whole: Shape) -> Result<()> {
    if view.lies_within(shape, whole) {
        return Ok(());
    }
    Err(Error::Argument(format!("a {shape} view leaves its {whole} matrix")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(rows: u32, columns: u32) -> Shape {
        Shape { rows, columns }
    }

    fn typed(shape: Shape, class: Class, precision: Precision) -> ValueType {
        ValueType { shape, class, precision }
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

    #[test]
    fn classes_follow_octave() {
        use Class::{Double, Logical, Single};
        let check = |kind: OpKind, classes: [Class; 2], stored: [Precision; 2], expected| {
            assert_eq!(
                class_of_result(kind, [0, 1].map(|at| typed(shape(1, 1), classes[at], stored[at]))),
                expected,
                "{kind:?} {classes:?}"
            );
        };
        let (single, double) = (Precision::Single, Precision::Double);
        check(OpKind::Max, [Double, Single], [double, single], (Single, single));
        check(OpKind::Max, [Logical, Logical], [double, double], (Logical, double));
        check(OpKind::Max, [Logical, Double], [single, double], (Double, double));
        check(OpKind::And, [Logical, Logical], [single, single], (Logical, single));
        check(OpKind::And, [Logical, Logical], [single, double], (Logical, double));
        check(OpKind::Less, [Single, Logical], [single, double], (Logical, single));
        check(OpKind::Sqrt, [Logical, Logical], [single, single], (Double, double));
    }

    #[test]
    fn zeros_follow_octave() {
        let check = |a, b, expected| assert_eq!(of_shapes(OpKind::Max, a, b), expected, "{a} {b}");
        check(shape(2, 2), shape(2, 2), OpKind::Max);
        check(shape(2, 2), shape(1, 2), OpKind::Max);
        check(shape(1, 2), shape(2, 2), OpKind::MaxRight);
        check(shape(1, 2), shape(1, 2), OpKind::Max);
        check(shape(1, 1), shape(1, 1), OpKind::MaxRight);
        check(shape(1, 1), shape(1, 4), OpKind::MaxRight);
        check(shape(2, 1), shape(1, 2), OpKind::Max);
    }

    #[test]
    fn an_operation_has_one_signature_in_each_form() {
        let double = |rows, columns| ValueType::of(shape(rows, columns), Class::Double);
        let of = |kind, form, a, b| signature(kind, form, a, b).map(|s| (s.kind, s.result.shape));
        let (matrix, scalar) = (double(2, 3), double(1, 1));
        for form in [Form::Values, Form::ScalarRight, Form::ScalarLeft] {
            let scaled = of(OpKind::Multiply, form, matrix, Some(scalar)).unwrap();
            assert_eq!(scaled, (OpKind::Times, shape(2, 3)));
        }
        let max = |form| of(OpKind::Max, form, matrix, Some(scalar)).unwrap().0;
        assert_eq!(max(Form::ScalarRight), OpKind::Max);
        assert_eq!(max(Form::ScalarLeft), OpKind::MaxRight);
        assert_eq!(of(OpKind::Abs, Form::Values, matrix, None).unwrap(), (OpKind::Abs, shape(2, 3)));
    }

    #[test]
    fn an_operation_with_the_wrong_number_of_operands_has_no_signature() {
        let a = ValueType::of(shape(2, 3), Class::Double);
        let text = |kind, form, b| signature(kind, form, a, b).unwrap_err().to_string();
        for kind in [OpKind::Add, OpKind::Convert, OpKind::Sum] {
            let name = kind.name();
            assert_eq!(text(kind, Form::Values, None), format!("{name} is not an operation on one value"));
        }
        for kind in [OpKind::Abs, OpKind::Convert, OpKind::View] {
            let name = kind.name();
            assert_eq!(
                text(kind, Form::Values, Some(a)),
                format!("{name} is not an operation on two values")
            );
            assert_eq!(text(kind, Form::ScalarLeft, Some(a)), format!("{name} does not take a scalar here"));
        }
        assert_eq!(text(OpKind::Add, Form::ScalarLeft, None), "add does not take a scalar here");
    }
}
