//! Blocks of column-major matrices in slices.

use std::fmt;

use crate::operation::Precision;
use crate::sys;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for u8 {}
}

/// An element of a block: `f32` or `f64`, or `u8` for a truth value, 0 or 1.
pub trait Element: Copy + Default + PartialEq + fmt::Debug + sealed::Sealed {
    /// The precision that stands for this type.
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

/// Elements of a column with its pad: columns occupy whole groups of 16 bytes.
pub(crate) fn padded_rows<T: Element>(rows: usize) -> usize {
    rows.next_multiple_of(16 / size_of::<T>())
}

fn assert_bounds<T: Element>(length: usize, rows: usize, columns: usize, stride: usize) {
    assert!(rows > 0 && columns > 0, "a block has at least one element");
    assert!(
        rows < 1 << 24 && columns < 1 << 24 && stride < 1 << 28,
        "a block of {rows} x {columns} is too large"
    );
    let column = padded_rows::<T>(rows);
    assert!(
        columns == 1 || stride >= column,
        "stride {stride} is less than a padded column of {column} elements"
    );
    let needed = (columns - 1) * stride + column;
    assert!(length >= needed, "a block of {rows} x {columns} needs {needed} elements and has {length}");
}

fn raw<T: Element>(data: *mut T, rows: usize, columns: usize, stride: usize) -> sys::kernel_block {
    sys::kernel_block {
        data: data.cast(),
        stride_bytes: (stride * size_of::<T>()) as u32,
        rows: rows as u32,
        columns: columns as u32,
        precision: T::PRECISION as u32,
    }
}

/// An operand: column `c` begins at element `c * stride`, and is padded to whole groups of 16 bytes, whose
/// contents beyond `rows` do not matter.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a, T> {
    data: &'a [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

impl<'a, T: Element> Block<'a, T> {
    /// A block of `rows` x `columns` elements.
    ///
    /// # Panics
    ///
    /// If the slice is too short for it, pad included.
    #[must_use]
    pub fn new(data: &'a [T], rows: usize, columns: usize, stride: usize) -> Self {
        assert_bounds::<T>(data.len(), rows, columns, stride);
        Self { data, rows, columns, stride }
    }

    pub(crate) fn raw(&self) -> sys::kernel_block {
        raw(self.data.as_ptr().cast_mut(), self.rows, self.columns, self.stride)
    }
}

/// A result, laid out as [`Block`]. The pad of each column is overwritten with arbitrary values.
#[derive(Debug)]
pub struct BlockMut<'a, T> {
    data: &'a mut [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

impl<'a, T: Element> BlockMut<'a, T> {
    /// A block of `rows` x `columns` elements.
    ///
    /// # Panics
    ///
    /// If the slice is too short for it, pad included.
    #[must_use]
    pub fn new(data: &'a mut [T], rows: usize, columns: usize, stride: usize) -> Self {
        assert_bounds::<T>(data.len(), rows, columns, stride);
        Self { data, rows, columns, stride }
    }

    pub(crate) fn raw(&mut self) -> sys::kernel_block {
        raw(self.data.as_mut_ptr(), self.rows, self.columns, self.stride)
    }
}
