//! What an operation is, independent of any graph: kinds, shapes, classes and parameters.
//!
//! This is the lowest layer: every module may use it, and it uses no other module.

mod class;
mod kind;
mod kind_set;
mod parameters;
mod shape;

pub use class::{Class, Precision, common_precision};
pub(crate) use kind::Gives;
pub use kind::OpKind;
pub use kind_set::{KindSet, UnknownKind};
pub(crate) use parameters::{MOST_ROWS_APART, Taken};
pub use parameters::{Parameters, Part, Side, View};
pub use shape::{MAX_SIDE, Shape, SideTooLong};

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

impl From<Precision> for spe_kernels::Precision {
    fn from(precision: Precision) -> spe_kernels::Precision {
        match precision {
            Precision::Single => spe_kernels::Precision::Single,
            Precision::Double => spe_kernels::Precision::Double,
            Precision::Byte => spe_kernels::Precision::Byte,
        }
    }
}

impl From<Form> for spe_kernels::Form {
    fn from(form: Form) -> spe_kernels::Form {
        match form {
            Form::Values => spe_kernels::Form::Blocks,
            Form::ScalarRight => spe_kernels::Form::ScalarRight,
            Form::ScalarLeft => spe_kernels::Form::ScalarLeft,
        }
    }
}

/// Number of a recorded operation, or of a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u32);

impl OpId {
    pub(crate) const NONE: OpId = OpId(u32::MAX);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
