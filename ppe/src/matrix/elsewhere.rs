//! Matrices whose elements other processes have.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use super::{Layout, Matrix, Storage};
use crate::error::{Error, Result};
use crate::operation::{Precision, Shape};

/// What other processes know about a matrix, whose elements they have. They may release them when this is dropped.
pub trait Home: Any + fmt::Debug + Send + Sync {
    /// A copy of the elements in this process's memory: a complete matrix.
    ///
    /// # Errors
    /// Why the elements cannot be had.
    fn fetch(&self) -> Result<Matrix>;
}

impl Matrix {
    /// A matrix whose elements other processes have, or will have. It has no memory here until the elements are
    /// fetched.
    #[must_use]
    pub fn elsewhere(shape: Shape, precision: Precision, layout: Layout) -> Matrix {
        Matrix {
            precision,
            shape,
            leading_elements: layout.leading_elements(shape, precision),
            storage: Storage::Elsewhere(OnceLock::new()),
            complete: AtomicBool::new(false),
            copies: [OnceLock::new(), OnceLock::new()],
            home: OnceLock::new(),
        }
    }

    /// Notes once what other processes know about this matrix.
    pub fn settle(&self, home: impl FnOnce() -> Box<dyn Home>) -> &dyn Home {
        &**self.home.get_or_init(home)
    }

    /// What other processes know about this matrix.
    #[must_use]
    pub fn home(&self) -> Option<&dyn Home> {
        self.home.get().map(|home| &**home)
    }

    /// Whether the elements are in this process's memory.
    #[must_use]
    pub fn is_here(&self) -> bool {
        !matches!(&self.storage, Storage::Elsewhere(copy) if copy.get().is_none())
    }

    /// Fetches the elements from elsewhere, unless they are here.
    ///
    /// # Errors
    /// Why the elements cannot be had.
    pub fn bring(&self) -> Result<()> {
        let Storage::Elsewhere(copy) = &self.storage else { return Ok(()) };
        if copy.get().is_none() {
            let home =
                self.home().ok_or_else(|| Error::Argument("nobody has the elements of a matrix".into()))?;
            self.put(home.fetch()?);
        }
        Ok(())
    }

    /// Gives a matrix that is elsewhere the copy of its elements that has been fetched.
    pub(crate) fn put(&self, matrix: Matrix) {
        debug_assert_eq!((matrix.shape, matrix.precision), (self.shape, self.precision));
        if let (Storage::Elsewhere(copy), true) =
            (&self.storage, matrix.leading_elements == self.leading_elements)
        {
            _ = copy.set(Box::new(matrix));
        }
    }
}
