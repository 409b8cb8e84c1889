//! Elements on their way between a file, or a literal, and a matrix.

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::operation::{Class, Shape};

/// Most elements that a few characters of a program or of a file's header can ask for: 2 GiB of doubles.
pub const MAX_ELEMENTS: u64 = 1 << 28;

/// A matrix as plain elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Rows and columns.
    pub shape: Shape,
    /// Class, where the source has one of its own; otherwise it takes the precision of the program.
    pub class: Option<Class>,
    /// Elements, column by column.
    pub elements: Vec<f64>,
}

/// Room for elements.
///
/// # Errors
/// [`Error::Memory`]
pub fn room(elements: u64, purpose: &str) -> Result<Vec<f64>> {
    let memory = || Error::Memory {
        bytes: usize::try_from(elements.saturating_mul(8)).unwrap_or(usize::MAX),
        purpose: purpose.to_owned(),
    };
    let count = usize::try_from(elements).map_err(|_| memory())?;
    let mut room = Vec::new();
    room.try_reserve_exact(count).map_err(|_| memory())?;
    Ok(room)
}

impl Table {
    /// A table from elements that come row by row.
    ///
    /// # Errors
    /// [`Error::Memory`]
    ///
    /// # Panics
    /// When there are fewer elements than the shape says: a mistake of the caller.
    pub fn from_rows(shape: Shape, rows: &[f64]) -> Result<Table> {
        let mut elements = room(shape.elements(), "a matrix")?;
        let (height, width) = (shape.rows as usize, shape.columns as usize);
        for c in 0..width {
            elements.extend((0..height).map(|r| rows[r * width + c]));
        }
        Ok(Table { shape, class: None, elements })
    }

    /// The elements of a matrix.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn from_matrix(matrix: &Matrix, class: Class) -> Result<Table> {
        let mut elements = room(matrix.shape().elements(), "a copy of a matrix")?;
        elements.extend(matrix.values());
        Ok(Table { shape: matrix.shape(), class: Some(class), elements })
    }

    /// True when the elements have single precision.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.class == Some(Class::Single)
    }
}
