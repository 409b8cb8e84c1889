//! The words of the protocol as Rust types.

use crate::sys;

macro_rules! opcodes {
    (
        elementwise { $(($word:literal, $name:ident, $function:literal, $conforms:literal, $takes:ident, $gives:ident,
            $domain:ident, $complex:ident, $kernel:ident, $resident:ident, $meaning:literal))* }
        direct { $($direct:tt)* }
    ) => {
        /// What an MEU computes (`enum meu_opcode`): the matrix product, the conversion, and the element-wise
        /// operations. Truth values are 1 and 0.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = $meaning] $name,)*
        }

        impl Opcode {
            /// All of them, in the order of their numbers.
            pub const ALL: [Self; [$(Self::$name),*].len()] = [$(Self::$name),*];

            fn takes(self) -> Takes {
                match self {
                    $(Self::$name => Takes::$takes,)*
                }
            }

            /// Whether the program of an SPE has the operation.
            #[must_use]
            pub const fn is_on_spe(self) -> bool {
                match self {
                    $(Self::$name => is_on_spe(stringify!($resident)),)*
                }
            }

            /// Whether it is a function of the C library. An SPE has vector code for it, with its own bits.
            #[must_use]
            pub fn is_library(self) -> bool {
                const LIBRARY: bool = true;
                const VECTOR: bool = false;
                const NONE: bool = false;
                match self {
                    $(Self::$name => $kernel,)*
                }
            }

            pub(crate) fn domain(self) -> Domain {
                match self {
                    $(Self::$name => Domain::$domain,)*
                }
            }
        }
    };
}

for_each_operation!(opcodes);

/// What an operation takes, in the words of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::upper_case_acronyms, reason = "the table has these words, and C reads it as well")]
enum Takes {
    PRODUCT,
    ONE,
    TWO,
}

/// The elements that an operation has a result for, in the words of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    non_camel_case_types,
    clippy::upper_case_acronyms,
    reason = "the table has these words, and C reads it as well"
)]
pub(crate) enum Domain {
    ANY,
    NOT_NAN,
    NOT_NEGATIVE,
    FROM_MINUS_ONE,
    FROM_ONE,
    WITHIN_ONE,
    POWER,
}

/// Whether the program of an SPE has an operation with this word in the column `resident` of
/// `operations.def`.
#[must_use]
pub const fn is_on_spe(resident: &str) -> bool {
    !matches!(resident.as_bytes(), b"HOST")
}

/// The overlay that has the code of an operation with this word in the column `resident`; None for code in
/// the image of an SPE's program, and for an operation that SPEs do not execute.
#[must_use]
pub const fn overlay(resident: &'static str) -> Option<&'static str> {
    match resident.as_bytes() {
        b"HOST" | b"SPE" => None,
        _ => Some(resident),
    }
}

impl Opcode {
    /// Whether the operation works element by element on two operands, and so broadcasts and has scalar
    /// forms.
    #[must_use]
    pub fn is_binary(self) -> bool {
        self.takes() == Takes::TWO
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
    /// Truth values, 0 or 1.
    Byte = sys::MEU_BYTE as u8,
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
    /// An element is outside of the operation's domain: a result would be complex, or NaN a truth value.
    /// Nothing was written.
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
