//! The operations, and Octave's rules for the class and the shape of their results.

use std::fmt;

use crate::error::{Error, Result};

/// What an operation takes, in the words of the table of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::upper_case_acronyms, reason = "the words are those of the table, which C reads as well")]
pub(super) enum Takes {
    /// Two matrices, as a product.
    PRODUCT,
    /// One value, element by element.
    ONE,
    /// Two values, element by element, one of which may be a scalar.
    TWO,
    /// What a direct operation takes.
    DIRECT,
}

/// The class of a result, in the words of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::upper_case_acronyms, reason = "the words are those of the table, which C reads as well")]
enum Gives {
    /// That of the precision in which it is computed.  (Direct operations have rules of their own.)
    NUMBER,
    /// Logical.
    TRUTH,
    /// Logical if all operands are, else a number.
    EXTREMUM,
}

/// The elements that an operation has a result for, in the words of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    non_camel_case_types,
    clippy::upper_case_acronyms,
    reason = "the words are those of the table, which C reads as well"
)]
enum Domain {
    ANY,
    NOT_NAN,
    NOT_NEGATIVE,
    FROM_MINUS_ONE,
    FROM_ONE,
    WITHIN_ONE,
    POWER,
}

/// Makes [`OpKind`] of the table of operations, `operations.def` of the kernels.
macro_rules! kinds {
    (
        elementwise { $(($number:literal, $word:literal, $kind:ident, $function:literal, $conforms:literal, $takes:ident,
            $gives:ident, $domain:ident, $kernel:ident, $resident:ident, $meaning:literal))* }
        direct { $(($direct_number:literal, $direct_word:literal, $direct:ident, $direct_function:literal,
            $direct_meaning:literal))* }
    ) => {
        /// What an operation computes: first the paper's list (appendix C) and the conversion that mixed classes need, then the
        /// other element-wise operations of Octave, and the direct operations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum OpKind {
            $(#[doc = $meaning] $kind = $number,)*
            $(#[doc = $direct_meaning] $direct = $direct_number,)*
        }

        impl OpKind {
            /// All of them, in the order of their numbers.
            pub const ALL: [OpKind; [$($number,)* $($direct_number),*].len()] =
                [$(OpKind::$kind,)* $(OpKind::$direct),*];

            /// The word for it in dumps, time models and messages.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $word,)*
                    $(OpKind::$direct => $direct_word,)*
                }
            }

            /// The function of Octave that it computes alone; empty where there is none.
            #[must_use]
            pub fn function(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $function,)*
                    $(OpKind::$direct => $direct_function,)*
                }
            }

            /// What it computes, in words, with code between backticks.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $meaning,)*
                    $(OpKind::$direct => $direct_meaning,)*
                }
            }

            /// How Octave's own message about nonconformant arguments begins.
            #[must_use]
            pub fn octave_name(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $conforms,)*
                    direct => direct.name(),
                }
            }

            pub(super) fn takes(self) -> Takes {
                match self {
                    $(OpKind::$kind => Takes::$takes,)*
                    _ => Takes::DIRECT,
                }
            }

            fn gives(self) -> Gives {
                match self {
                    $(OpKind::$kind => Gives::$gives,)*
                    _ => Gives::NUMBER,
                }
            }

            fn domain_of_elements(self) -> Domain {
                match self {
                    $(OpKind::$kind => Domain::$domain,)*
                    _ => Domain::ANY,
                }
            }

            /// Whether the program of a real SPE executes it.
            const fn is_resident(self) -> bool {
                const SPE: bool = true;
                const HOST: bool = false;
                match self {
                    $(OpKind::$kind => $resident,)*
                    _ => HOST,
                }
            }
        }
    };
}

spe_kernels::for_each_operation!(kinds);

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
        self.takes() == Takes::ONE
    }

    /// What is wrong with an element outside of the operation's domain.
    #[must_use]
    pub fn domain(self) -> &'static str {
        match self.domain_of_elements() {
            Domain::POWER => "a negative base with a fractional exponent has a complex result",
            Domain::NOT_NAN => "NaN is neither true nor false",
            Domain::FROM_MINUS_ONE => "a number below -1 has a complex result",
            Domain::WITHIN_ONE => "a number beyond -1 and 1 has a complex result",
            Domain::FROM_ONE => "a number below 1 has a complex result",
            Domain::NOT_NEGATIVE => "a negative number has a complex result",
            Domain::ANY => "every element has a result",
        }
    }

    /// Class and precision of the result from operands of these classes, which are stored in these precisions.  What is
    /// computed from logical values and is logical itself needs no particular precision.
    #[must_use]
    pub fn result(self, operands: [(Class, Precision); 2]) -> (Class, Precision) {
        let logical = operands.iter().all(|(class, _)| *class == Class::Logical);
        let common = common_precision(operands[0].0, operands[1].0);
        let truth = self.gives() == Gives::TRUTH || (self.gives() == Gives::EXTREMUM && logical);
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
    pub const PAPER: KindSet = {
        let (mut kinds, mut number) = (0, 0);
        while number < OpKind::ALL.len() {
            kinds |= (OpKind::ALL[number].is_resident() as u128) << number;
            number += 1;
        }
        KindSet(kinds)
    };

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
