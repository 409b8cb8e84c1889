//! The words of the protocol as Rust types.

use crate::sys;

/// What an operation computes (`enum meu_opcode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Opcode {
    /// The matrix product.
    Multiply = sys::MEU_OP_MULTIPLY as u8,
    /// `a + b`
    Add = sys::MEU_OP_ADD as u8,
    /// `a - b`
    Subtract = sys::MEU_OP_SUBTRACT as u8,
    /// `a .* b`
    Times = sys::MEU_OP_TIMES as u8,
    /// `a ./ b`
    Divide = sys::MEU_OP_DIVIDE as u8,
    /// `a .^ b`
    Power = sys::MEU_OP_POWER as u8,
    /// Octave's `mod (a, b)`
    Mod = sys::MEU_OP_MOD as u8,
    /// `a == b` as 1 or 0
    Equal = sys::MEU_OP_EQUAL as u8,
    /// `a != b` as 1 or 0
    NotEqual = sys::MEU_OP_NOT_EQUAL as u8,
    /// `abs (a)`
    Abs = sys::MEU_OP_ABS as u8,
    /// `sin (a)`
    Sin = sys::MEU_OP_SIN as u8,
    /// `cos (a)`
    Cos = sys::MEU_OP_COS as u8,
    /// `sign (a)`
    Sign = sys::MEU_OP_SIGN as u8,
    /// `round (a)`, halves away from zero
    Round = sys::MEU_OP_ROUND as u8,
    /// To the precision of the result
    Convert = sys::MEU_OP_CONVERT as u8,
}

impl Opcode {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; sys::MEU_OPCODE_COUNT as usize] = [
        Self::Multiply,
        Self::Add,
        Self::Subtract,
        Self::Times,
        Self::Divide,
        Self::Power,
        Self::Mod,
        Self::Equal,
        Self::NotEqual,
        Self::Abs,
        Self::Sin,
        Self::Cos,
        Self::Sign,
        Self::Round,
        Self::Convert,
    ];

    /// Whether the operation works element by element on two operands, and so broadcasts and has scalar forms.
    #[must_use]
    pub fn is_binary(self) -> bool {
        (Self::Add..=Self::NotEqual).contains(&self)
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
    /// A result would be complex; nothing was written.
    #[error("a result would be complex")]
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
