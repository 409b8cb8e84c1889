//! Matrices: column-major, in padded memory of the pool with 128-byte alignment, or in foreign memory that a
//! program has handed over.
//!
//! # Who writes a matrix, and who reads it
//! This is the argument why several MEUs may write blocks of a matrix at once, and read blocks, without
//! locks.
//! 1. A matrix is made complete ([`Matrix::from_columns`], [`Matrix::foreign`]), or as the result of an
//!    operation that has not been executed ([`Matrix::result`]).  Of an incomplete matrix this module gives
//!    out raw addresses only.
//! 2. Lowering gives each block of a result to exactly one block operation, and no two blocks share a
//!    quadword (16 bytes).  Two blocks of bytes may share one, if numbers are narrowed to them: then exactly
//!    their elements are written.  So each byte has one writer, a processor of an engine.  The panels of an
//!    intermediate result go round in a few matrices (`lower/ring.rs`).  The writer of a block of a panel is offered
//!    only after the completion was acknowledged of all that reads the panel before, so each byte has one writer at a
//!    time.
//! 3. A block operation that reads a block is offered only after the writer's completion was acknowledged
//!    (guard counts).  The completion is stored with release order after the data, and loaded with acquire
//!    order.
//! 4. After the last acknowledgement, `Matrix::publish` stores `complete` with release order.  Safe readers
//!    load `complete` with acquire order and refuse an incomplete matrix.  No thread writes to a complete
//!    matrix.
//! 5. A matrix whose elements other processes have, or that has not been made yet (`matrix/elsewhere.rs`), has no
//!    memory, and addresses that mean nothing, until a complete copy has been put into it, once.

use std::fmt;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::operation::{Precision, Shape};
use crate::pool::{Buffer, Pool};

mod constructor;
mod elsewhere;
mod window;

pub use constructor::Constructor;
use elsewhere::Elsewhere;
pub use elsewhere::Home;

/// The quadword, the least unit of long DMA transfers.  The leading dimension of a matrix in the pool's
/// memory is a multiple of it.
pub const QUADWORD_BYTES: usize = 16;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for u8 {}
}

/// An element type.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// Its precision.
    const PRECISION: Precision;
}

impl Element for f32 {
    const PRECISION: Precision = Precision::Single;
}

impl Element for f64 {
    const PRECISION: Precision = Precision::Double;
}

impl Element for u8 {
    const PRECISION: Precision = Precision::Byte;
}

/// Foreign memory, which is released when the matrix is dropped.
struct Foreign {
    pointer: *const u8,
    release: Option<Box<dyn FnOnce() + Send + Sync>>,
}

// SAFETY: the contract of Matrix::foreign lets any thread read the memory; `release` is Send.
unsafe impl Send for Foreign {}
// SAFETY: the contract of Matrix::foreign lets any thread read the memory, and shared access does nothing else.
unsafe impl Sync for Foreign {}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            release();
        }
    }
}

enum Storage {
    Owned(Buffer),
    Foreign(Foreign),
    /// The elements are not in memory until they are needed here.
    Elsewhere(Elsewhere),
}

/// Where the columns of a matrix begin, which the engine decides ([`Target::layout`](crate::lower::Target::layout)).
/// Columns of two rows and more are padded to whole quadwords in both layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The elements of one row touch, and the row is padded at its end: for processors that address main
    /// memory. A row takes no more memory than a column, and kernels run over it as over a column.
    Touching,
    /// Each element of one row begins at a quadword, since DMA moves columns of whole quadwords.
    Apart,
}

/// A matrix in column-major order.
pub struct Matrix {
    precision: Precision,
    shape: Shape,
    /// Distance between columns, in elements.
    leading_elements: usize,
    storage: Storage,
    complete: AtomicBool,
    /// A copy in each layout that the matrix itself has not.  It is made once, if it is needed.
    copies: [OnceLock<Arc<Matrix>>; 2],
    home: OnceLock<Box<dyn Home>>,
}

impl Layout {
    /// Distance between the columns of a matrix, in elements.
    #[must_use]
    pub fn leading_elements(self, shape: Shape, precision: Precision) -> usize {
        if shape.rows == 1 && self == Layout::Touching {
            return 1;
        }
        let group = QUADWORD_BYTES / precision.element_bytes();
        (shape.rows as usize).next_multiple_of(group)
    }
}

impl Matrix {
    fn owned(
        shape: Shape,
        precision: Precision,
        layout: Layout,
        pool: &Pool,
        complete: bool,
    ) -> Result<Matrix> {
        let leading_elements = layout.leading_elements(shape, precision);
        let bytes = leading_elements
            .checked_mul(shape.columns as usize)
            .and_then(|elements| elements.checked_mul(precision.element_bytes()))
            .and_then(|bytes| bytes.checked_next_multiple_of(QUADWORD_BYTES))
            .ok_or_else(|| Error::Memory { bytes: usize::MAX, purpose: format!("a {shape} matrix") })?;
        Ok(Matrix {
            precision,
            shape,
            leading_elements,
            storage: Storage::Owned(pool.allocate(bytes)?),
            complete: AtomicBool::new(complete),
            copies: [OnceLock::new(), OnceLock::new()],
            home: OnceLock::new(),
        })
    }

    /// A matrix for the result of an operation that has not been executed.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn result(shape: Shape, precision: Precision, layout: Layout, pool: &Pool) -> Result<Matrix> {
        Matrix::owned(shape, precision, layout, pool, false)
    }

    /// A matrix whose element (r, c) is `element(r, c)`; the elements of one row touch.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn from_fn<T: Element>(
        shape: Shape,
        pool: &Pool,
        mut element: impl FnMut(usize, usize) -> T,
    ) -> Result<Matrix> {
        let matrix = Matrix::owned(shape, T::PRECISION, Layout::Touching, pool, true)?;
        for c in 0..shape.columns as usize {
            let column = matrix.column_pointer(c).cast::<T>();
            for r in 0..shape.rows as usize {
                // SAFETY: element (r, c) lies in the buffer, which no other thread knows yet.
                unsafe { column.add(r).write(element(r, c)) };
            }
        }
        matrix.clear_pads(pool);
        Ok(matrix)
    }

    /// Writes zeros to the pads of a new matrix, whose buffer no other thread knows yet. MEUs compute with pads as with
    /// elements. No result depends on pads, but the time of an operation may: a remainder of a huge number takes long.
    /// A pool that poisons its buffers has written the pads.
    fn clear_pads(&self, pool: &Pool) {
        let Storage::Owned(_) = &self.storage else { return };
        if pool.poisons() || self.shape.is_empty() {
            return;
        }
        let length = self.shape.rows as usize * self.precision.element_bytes();
        let clear = |column: usize, bytes: usize| {
            // SAFETY: the pad lies in the buffer, behind the elements of its column.
            unsafe { self.column_pointer(column).add(length).write_bytes(0, bytes) };
        };
        let (pad, last) = (self.stride_bytes() - length, self.shape.columns as usize - 1);
        match pad {
            0 => clear(last, self.bytes().next_multiple_of(QUADWORD_BYTES) - self.bytes()),
            pad => (0..=last).for_each(|column| clear(column, pad)),
        }
    }

    /// A copy of `shape.elements()` elements in column-major order without gaps.
    ///
    /// # Errors
    /// [`Error::Argument`] when there are fewer or more elements; [`Error::Memory`].
    pub fn from_columns<T: Element>(shape: Shape, elements: &[T], pool: &Pool) -> Result<Matrix> {
        if elements.len() as u64 != shape.elements() {
            let count = elements.len();
            return Err(Error::Argument(format!("{count} elements were given for a {shape} matrix")));
        }
        let rows = shape.rows as usize;
        Matrix::from_fn(shape, pool, |r, c| elements[c * rows + r])
    }

    /// A matrix of zeros.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn zeros(shape: Shape, precision: Precision, pool: &Pool) -> Result<Matrix> {
        match precision {
            Precision::Single => Matrix::from_fn(shape, pool, |_, _| 0f32),
            Precision::Double => Matrix::from_fn(shape, pool, |_, _| 0f64),
            Precision::Byte => Matrix::from_fn(shape, pool, |_, _| 0u8),
        }
    }

    /// A complete matrix in foreign memory: `shape.elements()` elements in column-major order without gaps.
    ///
    /// # Safety
    /// `pointer` is aligned for the precision, and the elements stay readable, from any thread, and unchanged
    /// until `release` is called, which happens once, on any thread.
    pub unsafe fn foreign(
        shape: Shape,
        precision: Precision,
        pointer: *const u8,
        release: Box<dyn FnOnce() + Send + Sync>,
    ) -> Matrix {
        Matrix {
            precision,
            shape,
            leading_elements: shape.rows as usize,
            storage: Storage::Foreign(Foreign { pointer, release: Some(release) }),
            complete: AtomicBool::new(true),
            copies: [OnceLock::new(), OnceLock::new()],
            home: OnceLock::new(),
        }
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Precision of the elements.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Bytes of memory that the matrix occupies or pins.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.stride_bytes() * self.shape.columns as usize
    }

    /// Distance between columns, in bytes.
    #[must_use]
    pub fn stride_bytes(&self) -> usize {
        self.leading_elements * self.precision.element_bytes()
    }

    /// Main-memory address of element (row, column).
    #[must_use]
    pub fn ea(&self, row: u32, column: u32) -> u64 {
        let offset = column as usize * self.stride_bytes() + row as usize * self.precision.element_bytes();
        // A window may begin where no memory is.
        (self.base() as u64).wrapping_add(offset as u64)
    }

    fn base(&self) -> *const u8 {
        match &self.storage {
            Storage::Owned(buffer) => buffer.pointer(),
            Storage::Foreign(foreign) => foreign.pointer,
            Storage::Elsewhere(elsewhere) => elsewhere.copy().map_or(std::ptr::null(), Matrix::base),
        }
    }

    fn column_pointer(&self, column: usize) -> *mut u8 {
        debug_assert!(column < self.shape.columns as usize);
        self.base().cast_mut().wrapping_add(column * self.stride_bytes())
    }

    /// Declares a result complete: the last block operation that writes it has been acknowledged.
    pub(crate) fn publish(&self) {
        self.complete.store(true, Ordering::Release);
    }

    /// The elements of a column.
    ///
    /// # Panics
    /// When the column does not exist, the matrix is not complete, or `T` is not its precision: mistakes of
    /// the caller.
    #[must_use]
    pub fn column<T: Element>(&self, column: u32) -> &[T] {
        let pointer = self.complete_column(column);
        // SAFETY: the column lies in the storage; complete matrices are never written (module docs, 4).
        unsafe { std::slice::from_raw_parts(pointer, self.shape.rows as usize) }
    }

    /// Where a column begins, for reading it and what lies behind it. Panics as [`column`](Self::column).
    fn complete_column<T: Element>(&self, column: u32) -> *const T {
        assert!(column < self.shape.columns, "column {column} of a {} matrix", self.shape);
        assert_eq!(T::PRECISION, self.precision, "element type");
        assert!(self.complete.load(Ordering::Acquire), "a result is read before it is complete");
        assert!(self.is_here(), "a result is read while its elements are elsewhere");
        self.column_pointer(column as usize).cast::<T>().cast_const()
    }

    /// Whether no pads lie between the columns.
    fn touches(&self) -> bool {
        self.leading_elements == self.shape.rows as usize || self.shape.columns == 1
    }

    /// All elements, column by column. None when pads lie between the columns.
    ///
    /// # Panics
    /// As [`column`](Self::column).
    #[must_use]
    pub fn elements<T: Element>(&self) -> Option<&[T]> {
        if self.shape.is_empty() {
            return Some(&[]);
        }
        // Not the slice of the first column, which gives no right to read what lies behind it.
        let first = self.complete_column::<T>(0);
        // SAFETY: columns that touch are one run in the storage; complete matrices are never written (module docs, 4).
        self.touches().then(|| unsafe { std::slice::from_raw_parts(first, self.shape.elements() as usize) })
    }

    /// All elements as doubles, column by column.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.shape.columns).flat_map(move |c| {
            let (single, double, byte): (&[f32], &[f64], &[u8]) = match self.precision {
                Precision::Single => (self.column(c), &[], &[]),
                Precision::Double => (&[], self.column(c), &[]),
                Precision::Byte => (&[], &[], self.column(c)),
            };
            let single = single.iter().map(|&x| f64::from(x));
            single.chain(double.iter().copied()).chain(byte.iter().map(|&x| f64::from(x)))
        })
    }

    /// Element (row, column) as a double.
    ///
    /// # Panics
    /// When it does not exist or the matrix is not complete.
    #[must_use]
    pub fn value(&self, row: u32, column: u32) -> f64 {
        match self.precision {
            Precision::Single => f64::from(self.column::<f32>(column)[row as usize]),
            Precision::Double => self.column::<f64>(column)[row as usize],
            Precision::Byte => f64::from(self.column::<u8>(column)[row as usize]),
        }
    }

    /// Whether columns begin where the layout has them, and have room for whole quadwords.
    fn has_layout(&self, layout: Layout) -> bool {
        let touches = self.shape.rows == 1 && layout == Layout::Touching;
        let (step, length) = if touches {
            let owned = !matches!(self.storage, Storage::Foreign(_));
            let length = self.bytes();
            (self.leading_elements == 1, if owned { length.next_multiple_of(QUADWORD_BYTES) } else { length })
        } else {
            (true, self.stride_bytes())
        };
        step && length.is_multiple_of(QUADWORD_BYTES) && (self.base() as usize).is_multiple_of(QUADWORD_BYTES)
    }

    /// This matrix, or a copy of it, made once, in this layout, with columns that processors read by whole
    /// quadwords.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn in_layout(self: &Arc<Matrix>, layout: Layout, pool: &Pool) -> Result<Arc<Matrix>> {
        if self.has_layout(layout) {
            return Ok(Arc::clone(self));
        }
        let made = &self.copies[layout as usize];
        if let Some(copy) = made.get() {
            return Ok(Arc::clone(copy));
        }
        let copy = Arc::new(match self.precision {
            Precision::Single => self.copy::<f32>(layout, pool)?,
            Precision::Double => self.copy::<f64>(layout, pool)?,
            Precision::Byte => self.copy::<u8>(layout, pool)?,
        });
        Ok(Arc::clone(made.get_or_init(|| copy)))
    }

    fn copy<T: Element>(&self, layout: Layout, pool: &Pool) -> Result<Matrix> {
        let copy = Matrix::owned(self.shape, self.precision, layout, pool, true)?;
        let to = |column: u32| copy.column_pointer(column as usize).cast::<T>();
        match self.elements::<T>() {
            // SAFETY: the new buffer has room for these elements, and no other thread knows the buffer yet.
            Some(all) if copy.touches() => unsafe { to(0).copy_from_nonoverlapping(all.as_ptr(), all.len()) },
            _ => (0..self.shape.columns).for_each(|c| {
                let from = self.column::<T>(c);
                // SAFETY: the new buffer has room for this column, and no other thread knows the buffer yet.
                unsafe { to(c).copy_from_nonoverlapping(from.as_ptr(), from.len()) };
            }),
        }
        copy.clear_pads(pool);
        Ok(copy)
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matrix({} {})", self.shape, self.precision.name())
    }
}

#[cfg(test)]
mod tests;
