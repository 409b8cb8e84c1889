//! Classes of values, and the precisions in which they are stored.

/// How elements are stored and computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Precision {
    /// 32 bits.
    Single = 0,
    /// 64 bits.
    Double = 1,
    /// A byte, 0 or 1: logical values, where MEUs address main memory.
    Byte = 2,
}

impl Precision {
    /// The precisions of numbers.
    pub const ALL: [Precision; 2] = [Precision::Single, Precision::Double];

    /// The place of the precision in tables that have one for each precision of numbers.
    #[must_use]
    pub fn of_numbers(self) -> Precision {
        if self == Precision::Double { Precision::Double } else { Precision::Single }
    }

    /// Bytes of an element.
    #[must_use]
    pub fn element_bytes(self) -> usize {
        match self {
            Precision::Single => 4,
            Precision::Double => 8,
            Precision::Byte => 1,
        }
    }

    /// "single", "double" or "byte".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Precision::Single => "single",
            Precision::Double => "double",
            Precision::Byte => "byte",
        }
    }
}

/// The class of a value in Octave. A logical value is stored as 0 and 1, in bytes or in the precision of
/// numbers.
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
            Precision::Byte => Class::Logical,
        }
    }
}

/// Precision in which Octave computes with operands of these classes: single if one of the classes is single.
#[must_use]
pub fn common_precision(left: Class, right: Class) -> Precision {
    if left == Class::Single || right == Class::Single { Precision::Single } else { Precision::Double }
}
