//! Matrices whose elements are not in memory until they are needed here: other processes have them, or a constructor
//! makes them.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use super::{Constructor, Layout, Matrix, Storage};
use crate::error::{Error, Result};
use crate::operation::{Precision, Shape};
use crate::pool::Pool;

/// What other processes know about a matrix, whose elements they have. They may release them when this is dropped.
pub trait Home: Any + fmt::Debug + Send + Sync {
    /// A copy of the elements in this process's memory: a complete matrix. `stop` is asked now and then.
    ///
    /// # Errors
    /// Why the elements cannot be had; [`Error::Cancelled`] once `stop` is true.
    fn fetch(&self, stop: &dyn Fn() -> bool) -> Result<Matrix>;
}

/// What stands for the memory of such a matrix.
#[derive(Debug, Default)]
pub(super) struct Elsewhere {
    /// A complete matrix in memory, once the elements have been needed.
    copy: OnceLock<Box<Matrix>>,
    /// What makes the elements, and where they get their memory. None if other processes have them.
    constructor: Option<(Constructor, Pool)>,
}

impl Elsewhere {
    pub(super) fn copy(&self) -> Option<&Matrix> {
        self.copy.get().map(|copy| &**copy)
    }
}

impl Matrix {
    fn without_memory(shape: Shape, precision: Precision, layout: Layout, elsewhere: Elsewhere) -> Matrix {
        Matrix {
            precision,
            shape,
            leading_elements: layout.leading_elements(shape, precision),
            complete: AtomicBool::new(elsewhere.constructor.is_some()),
            storage: Storage::Elsewhere(elsewhere),
            copies: [OnceLock::new(), OnceLock::new()],
            home: OnceLock::new(),
        }
    }

    /// A matrix whose elements other processes have, or will have. It has no memory here until the elements are
    /// fetched.
    #[must_use]
    pub fn elsewhere(shape: Shape, precision: Precision, layout: Layout) -> Matrix {
        Matrix::without_memory(shape, precision, layout, Elsewhere::default())
    }

    /// A complete matrix that gets memory of the pool, and its elements, when somebody needs them.
    #[must_use]
    pub fn constructed(shape: Shape, precision: Precision, constructor: Constructor, pool: &Pool) -> Matrix {
        let elsewhere = Elsewhere { copy: OnceLock::new(), constructor: Some((constructor, pool.clone())) };
        Matrix::without_memory(shape, precision, Layout::Touching, elsewhere)
    }

    /// What makes the elements of a [`constructed`](Self::constructed) matrix.
    #[must_use]
    pub fn constructor(&self) -> Option<Constructor> {
        let Storage::Elsewhere(elsewhere) = &self.storage else { return None };
        elsewhere.constructor.as_ref().map(|&(constructor, _)| constructor)
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
        !matches!(&self.storage, Storage::Elsewhere(elsewhere) if elsewhere.copy().is_none())
    }

    /// Whether nobody but other processes has the elements.
    #[must_use]
    pub fn is_elsewhere(&self) -> bool {
        !self.is_here() && self.constructor().is_none()
    }

    /// Brings the elements into memory, unless they are there. `stop` is asked now and then while others send them.
    ///
    /// # Errors
    /// Why the elements cannot be had; [`Error::Cancelled`] once `stop` is true.
    pub fn bring(&self, stop: &dyn Fn() -> bool) -> Result<()> {
        let Storage::Elsewhere(elsewhere) = &self.storage else { return Ok(()) };
        if elsewhere.copy().is_none() {
            let copy = match (&elsewhere.constructor, self.home()) {
                (Some((constructor, pool)), _) => constructor.matrix(self.shape, self.precision, pool)?,
                (None, Some(home)) => home.fetch(stop)?,
                (None, None) => return Err(Error::Argument("nobody has the elements of a matrix".into())),
            };
            self.put(copy);
        }
        Ok(())
    }

    /// Gives a matrix the copy of its elements that has been fetched or made.
    pub(crate) fn put(&self, matrix: Matrix) {
        debug_assert_eq!((matrix.shape, matrix.precision), (self.shape, self.precision));
        if let (Storage::Elsewhere(elsewhere), true) =
            (&self.storage, matrix.leading_elements == self.leading_elements)
        {
            _ = elsewhere.copy.set(Box::new(matrix));
        }
    }
}
