//! The operations, and Octave's rules for the class and the shape of their results.

use std::fmt;

use crate::error::{Error, Result};

/// What an operation computes: the paper's list (appendix C) and the conversion that mixed classes need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum OpKind {
    /// Matrix product.
    Multiply = 0,
    /// `a + b`
    Add = 1,
    /// `a - b`
    Subtract = 2,
    /// `a .* b`, and `a * s`
    Times = 3,
    /// `a ./ b`
    Divide = 4,
    /// `a .^ b`
    Power = 5,
    /// `mod (a, b)`
    Mod = 6,
    /// `a == b`
    Equal = 7,
    /// `a != b`
    NotEqual = 8,
    /// `abs (a)`
    Abs = 9,
    /// `sin (a)`
    Sin = 10,
    /// `cos (a)`
    Cos = 11,
    /// `sign (a)`
    Sign = 12,
    /// `round (a)`, half away from zero
    Round = 13,
    /// `single (a)` or `double (a)`
    Convert = 14,
    /// Elements of a matrix in another arrangement: a slice, a transpose, the same elements in another shape.
    View = 15,
    /// `repmat (a, m, n)`.
    Repeat = 16,
    /// `[a, b]` and `[a; b]`.
    Join = 17,
    /// `tril` and `triu`.
    Band = 18,
    /// `diag` of a vector.
    Diagonal = 19,
    /// `sum (a)`, one element after the other from +0 on.
    Sum = 20,
    /// `prod (a)`.
    Product = 21,
    /// `sumsq (a)`.
    SumSquares = 22,
    /// `cumsum (a)`.
    CumulativeSum = 23,
    /// `any (a)`.
    Any = 24,
    /// `all (a)`.
    All = 25,
    /// `max (a)` of one value.
    Maximum = 26,
    /// `min (a)` of one value.
    Minimum = 27,
    /// `norm (a, "fro")`.
    Norm = 28,
}

impl OpKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [OpKind; 29] = [
        OpKind::Multiply,
        OpKind::Add,
        OpKind::Subtract,
        OpKind::Times,
        OpKind::Divide,
        OpKind::Power,
        OpKind::Mod,
        OpKind::Equal,
        OpKind::NotEqual,
        OpKind::Abs,
        OpKind::Sin,
        OpKind::Cos,
        OpKind::Sign,
        OpKind::Round,
        OpKind::Convert,
        OpKind::View,
        OpKind::Repeat,
        OpKind::Join,
        OpKind::Band,
        OpKind::Diagonal,
        OpKind::Sum,
        OpKind::Product,
        OpKind::SumSquares,
        OpKind::CumulativeSum,
        OpKind::Any,
        OpKind::All,
        OpKind::Maximum,
        OpKind::Minimum,
        OpKind::Norm,
    ];

    /// The word for it in dumps, time models and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OpKind::Multiply => "multiply",
            OpKind::Add => "add",
            OpKind::Subtract => "subtract",
            OpKind::Times => "times",
            OpKind::Divide => "divide",
            OpKind::Power => "power",
            OpKind::Mod => "mod",
            OpKind::Equal => "equal",
            OpKind::NotEqual => "not-equal",
            OpKind::Abs => "abs",
            OpKind::Sin => "sin",
            OpKind::Cos => "cos",
            OpKind::Sign => "sign",
            OpKind::Round => "round",
            OpKind::Convert => "convert",
            OpKind::View => "view",
            OpKind::Repeat => "repeat",
            OpKind::Join => "join",
            OpKind::Band => "band",
            OpKind::Diagonal => "diagonal",
            OpKind::Sum => "sum",
            OpKind::Product => "product",
            OpKind::SumSquares => "sum-of-squares",
            OpKind::CumulativeSum => "cumulative-sum",
            OpKind::Any => "any",
            OpKind::All => "all",
            OpKind::Maximum => "maximum",
            OpKind::Minimum => "minimum",
            OpKind::Norm => "norm",
        }
    }

    /// The kind with this [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<OpKind> {
        OpKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// How Octave's own message about nonconformant arguments begins.
    #[must_use]
    pub fn octave_name(self) -> &'static str {
        match self {
            OpKind::Multiply => "operator *",
            OpKind::Add => "operator +",
            OpKind::Subtract => "operator -",
            OpKind::Times => "product",
            OpKind::Divide => "quotient",
            OpKind::Power => "operator .^",
            OpKind::Equal => "mx_el_eq",
            OpKind::NotEqual => "mx_el_ne",
            other => other.name(),
        }
    }

    /// Values that it takes.
    #[must_use]
    pub fn operand_count(self) -> usize {
        if self.is_unary() || (self.is_direct() && self != OpKind::Join) { 1 } else { 2 }
    }

    /// True for the operations on one value that work element by element.
    #[must_use]
    pub fn is_unary(self) -> bool {
        !self.is_direct() && self as u8 >= OpKind::Abs as u8
    }

    /// The class of a result that is computed in this precision.
    #[must_use]
    pub fn class(self, precision: Precision) -> Class {
        if self.is_comparison() { Class::Logical } else { Class::from(precision) }
    }

    /// True for the comparisons, whose results are logical.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(self, OpKind::Equal | OpKind::NotEqual)
    }
}

/// Some of the kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindSet(u128);

impl KindSet {
    /// Every kind.
    pub const ALL: KindSet = KindSet((1 << OpKind::ALL.len()) - 1);

    /// The paper's kinds, which the program of a real SPE executes: there is no room for more in its local store.
    pub const PAPER: KindSet = KindSet((1 << (OpKind::Convert as u32 + 1)) - 1);

    /// Whether a kind is one of them.
    #[must_use]
    pub const fn contains(self, kind: OpKind) -> bool {
        self.0 >> kind as u32 & 1 != 0
    }
}

impl FromIterator<OpKind> for KindSet {
    fn from_iter<I: IntoIterator<Item = OpKind>>(kinds: I) -> KindSet {
        KindSet(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u32))
    }
}

impl std::str::FromStr for KindSet {
    type Err = Error;

    /// "all", "paper", or names of kinds with commas between them.
    fn from_str(text: &str) -> Result<KindSet> {
        match text {
            "all" => Ok(KindSet::ALL),
            "paper" => Ok(KindSet::PAPER),
            names => names
                .split(',')
                .map(|name| {
                    let what = || Error::Argument(format!("there is no operation '{name}'"));
                    OpKind::from_name(name).ok_or_else(what)
                })
                .collect(),
        }
    }
}

/// The precision in which elements are stored and computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Precision {
    /// 32 bits.
    Single = 0,
    /// 64 bits.
    Double = 1,
}

impl Precision {
    /// Both.
    pub const ALL: [Precision; 2] = [Precision::Single, Precision::Double];

    /// Bytes of an element.
    #[must_use]
    pub fn element_bytes(self) -> usize {
        match self {
            Precision::Single => 4,
            Precision::Double => 8,
        }
    }

    /// "single" or "double".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Precision::Single => "single",
            Precision::Double => "double",
        }
    }
}

/// The class of a value in Octave.  A logical value is stored as 0 and 1 in either precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Class {
    /// `single`
    Single = 0,
    /// `double`
    Double = 1,
    /// `logical`
    Logical = 2,
}

impl Class {
    /// Octave's name of the class.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Single => "single",
            Class::Double => "double",
            Class::Logical => "logical",
        }
    }
}

impl From<Precision> for Class {
    fn from(precision: Precision) -> Class {
        match precision {
            Precision::Single => Class::Single,
            Precision::Double => Class::Double,
        }
    }
}

/// Precision in which Octave computes with operands of these classes: single as soon as one is single.
#[must_use]
pub fn common_precision(left: Class, right: Class) -> Precision {
    if left == Class::Single || right == Class::Single { Precision::Single } else { Precision::Double }
}

/// Rows and columns of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
}

/// Longest side of a matrix.
pub const MAX_SIDE: u64 = 1 << 30;

impl Shape {
    /// A shape within bounds.
    ///
    /// # Errors
    /// [`Error::Argument`] when a side is longer than [`MAX_SIDE`].
    pub fn new(rows: u64, columns: u64) -> Result<Shape> {
        let side = |n: u64| u32::try_from(n).ok().filter(|_| n <= MAX_SIDE);
        match (side(rows), side(columns)) {
            (Some(rows), Some(columns)) => Ok(Shape { rows, columns }),
            _ => Err(Error::Argument(format!(
                "a {rows}x{columns} matrix is too large (a side is at most {MAX_SIDE})"
            ))),
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn elements(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// True when there are no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.rows == 0 || self.columns == 0
    }

    /// True for 1x1.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        self.rows == 1 && self.columns == 1
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

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

/// Where the operands of an operation come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Form {
    /// Values only.
    Values = 0,
    /// A value, then a scalar.
    ScalarRight = 1,
    /// A scalar, then a value.
    ScalarLeft = 2,
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
        assert_eq!(text(OpKind::Multiply), "operator *: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
    }

    #[test]
    fn names_are_unique_and_numbers_in_order() {
        for (number, kind) in OpKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(OpKind::from_name(kind.name()), Some(kind));
        }
    }

    #[test]
    fn kinds_form_sets() {
        for kind in OpKind::ALL {
            assert!(KindSet::ALL.contains(kind));
            assert_eq!(KindSet::PAPER.contains(kind), kind <= OpKind::Convert, "{}", kind.name());
        }
        let two: KindSet = "sin,multiply".parse().unwrap();
        assert_eq!(OpKind::ALL.into_iter().filter(|&kind| two.contains(kind)).count(), 2);
        assert!(two.contains(OpKind::Multiply) && two.contains(OpKind::Sin));
        assert_eq!("paper".parse::<KindSet>().unwrap(), KindSet::PAPER);
        let error = "sin,sinc".parse::<KindSet>().unwrap_err().to_string();
        assert_eq!(error, "there is no operation 'sinc'");
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Shape::new(u64::MAX, 1).is_err());
        assert!(Shape::new(1, MAX_SIDE).is_ok());
    }
}
