//! The operations, and Octave's rules for the class and the shape of their results.

use std::fmt;

use crate::error::{Error, Result};

/// What an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Two matrices, as a product.
    Product,
    /// One value, element by element.
    One,
    /// Two values, element by element, one of which may be a scalar.
    Two,
    /// What a direct operation takes.
    Direct,
}

/// The class of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// That of the precision in which it is computed.  (Direct operations have rules of their own.)
    Number,
    /// Logical.
    Truth,
    /// Logical if all operands are, else a number.
    Extremum,
}

/// The one table of operations: each with its number, the word for it in dumps, time models and messages, how Octave's own
/// message about nonconformant arguments begins, what it takes and what it gives.
macro_rules! operations {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal, $octave:literal, $operands:ident, $gives:ident;)*) => {
        /// What an operation computes: first the paper's list (appendix C) and the conversion that mixed classes need, then the
        /// other element-wise operations of Octave, and the direct operations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum OpKind {
            $($(#[$doc])* $kind = $number,)*
        }

        impl OpKind {
            /// All of them, in the order of their numbers.
            pub const ALL: [OpKind; [$($number),*].len()] = [$(OpKind::$kind),*];

            /// The word for it in dumps, time models and messages.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $name,)*
                }
            }

            /// How Octave's own message about nonconformant arguments begins.
            #[must_use]
            pub fn octave_name(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $octave,)*
                }
            }

            pub(super) fn operands(self) -> Operands {
                match self {
                    $(OpKind::$kind => Operands::$operands,)*
                }
            }

            fn gives(self) -> Gives {
                match self {
                    $(OpKind::$kind => Gives::$gives,)*
                }
            }
        }
    };
}

operations! {
    /// Matrix product.
    Multiply = 0, "multiply", "operator *", Product, Number;
    /// `a + b`
    Add = 1, "add", "operator +", Two, Number;
    /// `a - b`
    Subtract = 2, "subtract", "operator -", Two, Number;
    /// `a .* b`, and `a * s`
    Times = 3, "times", "product", Two, Number;
    /// `a ./ b`
    Divide = 4, "divide", "quotient", Two, Number;
    /// `a .^ b`
    Power = 5, "power", "operator .^", Two, Number;
    /// `mod (a, b)`
    Mod = 6, "mod", "mod", Two, Number;
    /// `a == b`
    Equal = 7, "equal", "mx_el_eq", Two, Truth;
    /// `a != b`
    NotEqual = 8, "not-equal", "mx_el_ne", Two, Truth;
    /// `abs (a)`
    Abs = 9, "abs", "abs", One, Number;
    /// `sin (a)`
    Sin = 10, "sin", "sin", One, Number;
    /// `cos (a)`
    Cos = 11, "cos", "cos", One, Number;
    /// `sign (a)`
    Sign = 12, "sign", "sign", One, Number;
    /// `round (a)`, half away from zero
    Round = 13, "round", "round", One, Number;
    /// `single (a)` or `double (a)`
    Convert = 14, "convert", "convert", One, Number;
    /// `-a`
    Negate = 15, "negate", "operator -", One, Number;
    /// `! a`
    Not = 16, "not", "operator !", One, Truth;
    /// `floor (a)`
    Floor = 17, "floor", "floor", One, Number;
    /// `ceil (a)`
    Ceil = 18, "ceil", "ceil", One, Number;
    /// `fix (a)`
    Fix = 19, "fix", "fix", One, Number;
    /// `sqrt (a)`
    Sqrt = 20, "sqrt", "sqrt", One, Number;
    /// `exp (a)`
    Exp = 21, "exp", "exp", One, Number;
    /// `expm1 (a)`
    Expm1 = 22, "expm1", "expm1", One, Number;
    /// `log (a)`
    Log = 23, "log", "log", One, Number;
    /// `log2 (a)`
    Log2 = 24, "log2", "log2", One, Number;
    /// `log10 (a)`
    Log10 = 25, "log10", "log10", One, Number;
    /// `log1p (a)`
    Log1p = 26, "log1p", "log1p", One, Number;
    /// `tan (a)`
    Tan = 27, "tan", "tan", One, Number;
    /// `asin (a)`
    Asin = 28, "asin", "asin", One, Number;
    /// `acos (a)`
    Acos = 29, "acos", "acos", One, Number;
    /// `atan (a)`
    Atan = 30, "atan", "atan", One, Number;
    /// `sinh (a)`
    Sinh = 31, "sinh", "sinh", One, Number;
    /// `cosh (a)`
    Cosh = 32, "cosh", "cosh", One, Number;
    /// `tanh (a)`
    Tanh = 33, "tanh", "tanh", One, Number;
    /// `asinh (a)`
    Asinh = 34, "asinh", "asinh", One, Number;
    /// `acosh (a)`
    Acosh = 35, "acosh", "acosh", One, Number;
    /// `atanh (a)`
    Atanh = 36, "atanh", "atanh", One, Number;
    /// `isnan (a)`
    IsNan = 37, "isnan", "isnan", One, Truth;
    /// `isinf (a)`
    IsInf = 38, "isinf", "isinf", One, Truth;
    /// `isfinite (a)`
    IsFinite = 39, "isfinite", "isfinite", One, Truth;
    /// `a < b`
    Less = 40, "less", "mx_el_lt", Two, Truth;
    /// `a <= b`
    LessEqual = 41, "less-equal", "mx_el_le", Two, Truth;
    /// `a > b`
    Greater = 42, "greater", "mx_el_gt", Two, Truth;
    /// `a >= b`
    GreaterEqual = 43, "greater-equal", "mx_el_ge", Two, Truth;
    /// `a & b`
    And = 44, "and", "mx_el_and", Two, Truth;
    /// `a | b`
    Or = 45, "or", "mx_el_or", Two, Truth;
    /// `max (a, b)`; of two zeros, `a`
    Max = 46, "max", "max", Two, Extremum;
    /// `min (a, b)`; of two zeros, `a`
    Min = 47, "min", "min", Two, Extremum;
    /// `max (a, b)`; of two zeros, `b`.  Recorded for [`OpKind::Max`] where Octave takes that one.
    MaxRight = 48, "max-right", "max", Two, Extremum;
    /// `min (a, b)`; of two zeros, `b`.  Recorded for [`OpKind::Min`] where Octave takes that one.
    MinRight = 49, "min-right", "min", Two, Extremum;
    /// `rem (a, b)`
    Rem = 50, "rem", "rem", Two, Number;
    /// `atan2 (a, b)`
    Atan2 = 51, "atan2", "atan2", Two, Number;
    /// `hypot (a, b)`
    Hypot = 52, "hypot", "hypot", Two, Number;
    /// Elements of a matrix in another arrangement: a slice, a transpose, the same elements in another shape.
    View = 53, "view", "view", Direct, Number;
    /// `repmat (a, m, n)`.
    Repeat = 54, "repeat", "repeat", Direct, Number;
    /// `[a, b]` and `[a; b]`.
    Join = 55, "join", "join", Direct, Number;
    /// `tril` and `triu`.
    Band = 56, "band", "band", Direct, Number;
    /// `diag` of a vector.
    Diagonal = 57, "diagonal", "diagonal", Direct, Number;
    /// `sum (a)`, one element after the other from +0 on.
    Sum = 58, "sum", "sum", Direct, Number;
    /// `prod (a)`.
    Product = 59, "product", "product", Direct, Number;
    /// `sumsq (a)`.
    SumSquares = 60, "sum-of-squares", "sum-of-squares", Direct, Number;
    /// `cumsum (a)`.
    CumulativeSum = 61, "cumulative-sum", "cumulative-sum", Direct, Number;
    /// `any (a)`.
    Any = 62, "any", "any", Direct, Number;
    /// `all (a)`.
    All = 63, "all", "all", Direct, Number;
    /// `max (a)` of one value.
    Maximum = 64, "maximum", "maximum", Direct, Number;
    /// `min (a)` of one value.
    Minimum = 65, "minimum", "minimum", Direct, Number;
    /// `norm (a, "fro")`.
    Norm = 66, "norm", "norm", Direct, Number;
}

impl OpKind {
    /// The kind with this [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<OpKind> {
        OpKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Values that it takes.
    #[must_use]
    pub fn operand_count(self) -> usize {
        if self.is_unary() || (self.is_direct() && self != OpKind::Join) { 1 } else { 2 }
    }

    /// True for the operations on one value that work element by element.
    #[must_use]
    pub fn is_unary(self) -> bool {
        self.operands() == Operands::One
    }

    /// What is wrong with an element outside of the operation's domain.
    #[must_use]
    pub fn domain(self) -> &'static str {
        match self {
            OpKind::Power => "a negative base with a fractional exponent has a complex result",
            OpKind::Not | OpKind::And | OpKind::Or => "NaN is neither true nor false",
            OpKind::Log1p => "a number below -1 has a complex result",
            OpKind::Asin | OpKind::Acos | OpKind::Atanh => "a number beyond -1 and 1 has a complex result",
            OpKind::Acosh => "a number below 1 has a complex result",
            _ => "a negative number has a complex result",
        }
    }

    /// Class and precision of the result from operands of these classes, which are stored in these precisions.  What is
    /// computed from logical values and is logical itself needs no particular precision.
    #[must_use]
    pub fn result(self, operands: [(Class, Precision); 2]) -> (Class, Precision) {
        let logical = operands.iter().all(|(class, _)| *class == Class::Logical);
        let common = common_precision(operands[0].0, operands[1].0);
        let truth = self.gives() == Gives::Truth || (self.gives() == Gives::Extremum && logical);
        let alike = operands[0].1 == operands[1].1;
        match truth {
            true => (Class::Logical, if logical && alike { operands[0].1 } else { common }),
            false => (common.into(), common),
        }
    }

    /// The kind that Octave's rule for zeros of both signs asks for, given the shapes of the operands: `max` and `min` take the
    /// left one, or the right one where the left is repeated along the rows.
    #[must_use]
    pub fn of_shapes(self, left: Shape, right: Shape) -> OpKind {
        let repeated = left.is_scalar() || (left.rows == 1 && right.rows != 1);
        match self {
            OpKind::Max if repeated => OpKind::MaxRight,
            OpKind::Min if repeated => OpKind::MinRight,
            kind => kind,
        }
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
    /// [`Error::Memory`] when a side is longer than [`MAX_SIDE`].
    pub fn new(rows: u64, columns: u64) -> Result<Shape> {
        let side = |n: u64| u32::try_from(n).ok().filter(|_| n <= MAX_SIDE);
        match (side(rows), side(columns)) {
            (Some(rows), Some(columns)) => Ok(Shape { rows, columns }),
            _ => Err(Error::Memory {
                bytes: usize::MAX,
                purpose: format!("a {rows}x{columns} matrix (a side is at most {MAX_SIDE})"),
            }),
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
        assert_eq!(text(OpKind::GreaterEqual), "mx_el_ge: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
        assert_eq!(text(OpKind::MaxRight), "max: nonconformant arguments (op1 is 2x3, op2 is 4x3)");
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
    fn classes_follow_octave() {
        use Class::{Double, Logical, Single};
        let check = |kind: OpKind, classes: [Class; 2], stored: [Precision; 2], expected| {
            assert_eq!(
                kind.result([(classes[0], stored[0]), (classes[1], stored[1])]),
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
        let check = |a, b, expected| assert_eq!(OpKind::Max.of_shapes(a, b), expected, "{a} {b}");
        check(shape(2, 2), shape(2, 2), OpKind::Max);
        check(shape(2, 2), shape(1, 2), OpKind::Max);
        check(shape(1, 2), shape(2, 2), OpKind::MaxRight);
        check(shape(1, 2), shape(1, 2), OpKind::Max);
        check(shape(1, 1), shape(1, 1), OpKind::MaxRight);
        check(shape(1, 1), shape(1, 4), OpKind::MaxRight);
        check(shape(2, 1), shape(1, 2), OpKind::Max);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Shape::new(u64::MAX, 1).is_err());
        assert!(Shape::new(1, MAX_SIDE).is_ok());
    }
}
