//! The words of the protocol as Rust types.

use crate::sys;

macro_rules! opcodes {
    ($($(#[$doc:meta])* $name:ident = $number:ident, $operands:ident;)*) => {
        /// What an operation computes (`enum meu_opcode`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $($(#[$doc])* $name = sys::$number as u8,)*
        }

        impl Opcode {
            /// All of them, in the order of their numbers.
            pub const ALL: [Self; sys::MEU_OPCODE_COUNT as usize] = [$(Self::$name),*];

            fn operands(self) -> Operands {
                match self {
                    $(Self::$name => Operands::$operands,)*
                }
            }
        }
    };
}

opcodes! {
    /// The matrix product.
    Multiply = MEU_OP_MULTIPLY, Other;
    /// `a + b`
    Add = MEU_OP_ADD, Two;
    /// `a - b`
    Subtract = MEU_OP_SUBTRACT, Two;
    /// `a .* b`
    Times = MEU_OP_TIMES, Two;
    /// `a ./ b`
    Divide = MEU_OP_DIVIDE, Two;
    /// `a .^ b`
    Power = MEU_OP_POWER, Two;
    /// Octave's `mod (a, b)`
    Mod = MEU_OP_MOD, Two;
    /// `a == b` as 1 or 0
    Equal = MEU_OP_EQUAL, Two;
    /// `a != b` as 1 or 0
    NotEqual = MEU_OP_NOT_EQUAL, Two;
    /// `abs (a)`
    Abs = MEU_OP_ABS, One;
    /// `sin (a)`
    Sin = MEU_OP_SIN, One;
    /// `cos (a)`
    Cos = MEU_OP_COS, One;
    /// `sign (a)`
    Sign = MEU_OP_SIGN, One;
    /// `round (a)`, halves away from zero
    Round = MEU_OP_ROUND, One;
    /// To the precision of the result
    Convert = MEU_OP_CONVERT, Other;
    /// `-a`
    Negate = MEU_OP_NEGATE, One;
    /// `! a` as 1 or 0
    Not = MEU_OP_NOT, One;
    /// `floor (a)`
    Floor = MEU_OP_FLOOR, One;
    /// `ceil (a)`
    Ceil = MEU_OP_CEIL, One;
    /// `fix (a)`
    Fix = MEU_OP_FIX, One;
    /// `sqrt (a)`
    Sqrt = MEU_OP_SQRT, One;
    /// `exp (a)`
    Exp = MEU_OP_EXP, One;
    /// `expm1 (a)`
    Expm1 = MEU_OP_EXPM1, One;
    /// `log (a)`
    Log = MEU_OP_LOG, One;
    /// `log2 (a)`
    Log2 = MEU_OP_LOG2, One;
    /// `log10 (a)`
    Log10 = MEU_OP_LOG10, One;
    /// `log1p (a)`
    Log1p = MEU_OP_LOG1P, One;
    /// `tan (a)`
    Tan = MEU_OP_TAN, One;
    /// `asin (a)`
    Asin = MEU_OP_ASIN, One;
    /// `acos (a)`
    Acos = MEU_OP_ACOS, One;
    /// `atan (a)`
    Atan = MEU_OP_ATAN, One;
    /// `sinh (a)`
    Sinh = MEU_OP_SINH, One;
    /// `cosh (a)`
    Cosh = MEU_OP_COSH, One;
    /// `tanh (a)`
    Tanh = MEU_OP_TANH, One;
    /// `asinh (a)`
    Asinh = MEU_OP_ASINH, One;
    /// `acosh (a)`
    Acosh = MEU_OP_ACOSH, One;
    /// `atanh (a)`
    Atanh = MEU_OP_ATANH, One;
    /// `isnan (a)` as 1 or 0
    IsNan = MEU_OP_ISNAN, One;
    /// `isinf (a)` as 1 or 0
    IsInf = MEU_OP_ISINF, One;
    /// `isfinite (a)` as 1 or 0
    IsFinite = MEU_OP_ISFINITE, One;
    /// `a < b` as 1 or 0
    Less = MEU_OP_LESS, Two;
    /// `a <= b` as 1 or 0
    LessEqual = MEU_OP_LESS_EQUAL, Two;
    /// `a > b` as 1 or 0
    Greater = MEU_OP_GREATER, Two;
    /// `a >= b` as 1 or 0
    GreaterEqual = MEU_OP_GREATER_EQUAL, Two;
    /// `a & b` as 1 or 0
    And = MEU_OP_AND, Two;
    /// `a | b` as 1 or 0
    Or = MEU_OP_OR, Two;
    /// `max (a, b)`, of zeros `a`
    Max = MEU_OP_MAX, Two;
    /// `min (a, b)`, of zeros `a`
    Min = MEU_OP_MIN, Two;
    /// `max (a, b)`, of zeros `b`
    MaxRight = MEU_OP_MAX_RIGHT, Two;
    /// `min (a, b)`, of zeros `b`
    MinRight = MEU_OP_MIN_RIGHT, Two;
    /// Octave's `rem (a, b)`
    Rem = MEU_OP_REM, Two;
    /// `atan2 (a, b)`
    Atan2 = MEU_OP_ATAN2, Two;
    /// `hypot (a, b)`
    Hypot = MEU_OP_HYPOT, Two;
}

/// What an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// One element for each of the result.
    One,
    /// Two elements, also broadcast, or one and a scalar.
    Two,
    /// It is not element-wise, or changes the precision.
    Other,
}

impl Opcode {
    /// Whether the operation works element by element on two operands, and so broadcasts and has scalar forms.
    #[must_use]
    pub fn is_binary(self) -> bool {
        self.operands() == Operands::Two
    }
}

/// Where the operands of an element-wise operation come from (`enum meu_form`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Form {
    /// Both are blocks.
    Blocks = sys::MEU_FORM_BLOCKS as u8,
    /// The right operand is the scalar.
    ScalarRight = sys::MEU_FORM_SCALAR_RIGHT as u8,
    /// The left operand is the scalar.
    ScalarLeft = sys::MEU_FORM_SCALAR_LEFT as u8,
}

/// The class of a block's elements (`enum meu_precision`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Precision {
    /// `f32`
    Single = sys::MEU_SINGLE as u8,
    /// `f64`
    Double = sys::MEU_DOUBLE as u8,
}

/// Why an operation was not done (`enum meu_status` without OK).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[repr(u32)]
pub enum Status {
    /// The record has another protocol version.
    #[error("the record has another version of the MEU protocol")]
    Version = sys::MEU_STATUS_VERSION,
    /// Unknown opcode, form or precision, or ones that do not go together.
    #[error("the opcode, form or precision is unknown to the MEU, or they do not go together")]
    Opcode = sys::MEU_STATUS_OPCODE,
    /// Rows, columns or the number of operands do not fit the operation or the local store.
    #[error("the shapes or the number of operands do not fit the operation or the local store")]
    Shape = sys::MEU_STATUS_SHAPE,
    /// A transfer broke a rule of the MFC.
    #[error("a transfer broke a rule of the MFC")]
    Dma = sys::MEU_STATUS_DMA,
    /// An element is outside of the operation's domain: a result would be complex, or NaN a truth value.  Nothing was
    /// written.
    #[error("an element is outside of the operation's domain")]
    Domain = sys::MEU_STATUS_DOMAIN,
}

impl Status {
    /// From a completion record: `Ok` for `MEU_STATUS_OK`, `None` for a number without a meaning.
    #[must_use]
    pub fn from_raw(raw: u32) -> Option<Result<(), Self>> {
        Some(match raw {
            sys::MEU_STATUS_OK => Ok(()),
            sys::MEU_STATUS_VERSION => Err(Self::Version),
            sys::MEU_STATUS_OPCODE => Err(Self::Opcode),
            sys::MEU_STATUS_SHAPE => Err(Self::Shape),
            sys::MEU_STATUS_DMA => Err(Self::Dma),
            sys::MEU_STATUS_DOMAIN => Err(Self::Domain),
            _ => return None,
        })
    }
}
