//! The matrices on which kernels are tested.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    missing_debug_implementations,
    reason = "shared by several tests"
)]

use spe_kernels::{Block, BlockMut, Opcode, definition};

/// What the tests need of `f32` and `f64` alike.
pub trait Number: definition::Number + Into<f64> {
    const NAN: Self;

    /// The bits, where one NaN is as good as another.
    fn bits(self) -> u64;
}

impl Number for f32 {
    const NAN: f32 = f32::NAN;

    fn bits(self) -> u64 {
        if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) }
    }
}

impl Number for f64 {
    const NAN: f64 = f64::NAN;

    fn bits(self) -> u64 {
        if self.is_nan() { u64::MAX } else { self.to_bits() }
    }
}

/// Values that differ between neighbours, with the awkward ones among them.
pub fn value<T: Number>(i: usize, j: usize, seed: usize) -> T {
    const SPECIAL: [f64; 12] =
        [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.5, -0.5, 1.0, -1.0, 2.5, 1e30, -3.0];
    let index = i * 7 + j * 31 + seed * 101;
    if index.is_multiple_of(5) {
        T::of(SPECIAL[index / 5 % SPECIAL.len()])
    } else {
        T::of(((index * 7919) % 2003) as f64 / 64.0 - 15.0)
    }
}

pub fn small<T: Number>(i: usize, j: usize, seed: usize) -> T {
    T::of(((i * 5 + j * 11 + seed * 3) % 17) as f64 / 4.0 - 2.0)
}

/// The operand, or another one that lies in the operation's domain.
pub fn inside<T: Number>(opcode: Opcode, x: T) -> T {
    let double: f64 = x.into();
    [x, T::of(-double), T::of(double.recip()), T::of(double.abs() + 1.0), T::of(0.0)]
        .into_iter()
        .find(|candidate| !definition::is_outside(opcode, (*candidate).into(), 1.0))
        .expect("a number in the domain")
}

/// A matrix whose pads, and whatever lies between its columns, are NaN.
pub struct Matrix<T> {
    pub data: Vec<T>,
    pub rows: usize,
    pub columns: usize,
    pub stride: usize,
}

impl<T: Number> Matrix<T> {
    pub fn new(rows: usize, columns: usize, extra: usize, value: impl Fn(usize, usize) -> T) -> Self {
        let stride = rows.next_multiple_of(16 / size_of::<T>()) + extra;
        let mut data = vec![T::NAN; stride * columns];
        for j in 0..columns {
            for i in 0..rows {
                data[j * stride + i] = value(i, j);
            }
        }
        Self { data, rows, columns, stride }
    }

    /// Broadcasting.
    pub fn get(&self, i: usize, j: usize) -> T {
        self.data[(if self.columns == 1 { 0 } else { j }) * self.stride + if self.rows == 1 { 0 } else { i }]
    }

    pub fn block(&self) -> Block<'_, T> {
        Block::new(&self.data, self.rows, self.columns, self.stride)
    }

    pub fn block_mut(&mut self) -> BlockMut<'_, T> {
        BlockMut::new(&mut self.data, self.rows, self.columns, self.stride)
    }
}
