//! What the kernels compute, in obvious code, and the matrices on which that is tested.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    missing_debug_implementations,
    reason = "shared by several tests"
)]

use spe_kernels::{Block, BlockMut, Element, Opcode};

/// Functions of the C library that Rust's does not call.
mod library {
    unsafe extern "C" {
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn asinhf(x: f32) -> f32;
        pub safe fn acoshf(x: f32) -> f32;
        pub safe fn atanhf(x: f32) -> f32;
    }
}

/// What the tests need of `f32` and `f64` alike.
pub trait Number: Element + Into<f64> {
    const NAN: Self;
    fn from_f64(value: f64) -> Self;
    fn bits(self) -> u64;
    fn fused(self, factor: Self, addend: Self) -> Self;
    fn expected(opcode: Opcode, a: Self, b: Self) -> Self;
}

macro_rules! number {
    ($type:ty, $asinh:ident, $acosh:ident, $atanh:ident) => {
        impl Number for $type {
            const NAN: Self = <$type>::NAN;
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            fn bits(self) -> u64 {
                // One NaN is as good as another.
                if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) }
            }
            fn fused(self, factor: Self, addend: Self) -> Self {
                self.mul_add(factor, addend)
            }
            fn expected(opcode: Opcode, a: Self, b: Self) -> Self {
                let truth = |condition: bool| if condition { 1.0 } else { 0.0 };
                match opcode {
                    Opcode::Add => a + b,
                    Opcode::Subtract => a - b,
                    Opcode::Times => a * b,
                    Opcode::Divide => a / b,
                    Opcode::Equal => truth(a == b),
                    Opcode::NotEqual => truth(a != b),
                    Opcode::Abs => a.abs(),
                    Opcode::Sign if a == 0.0 => 0.0,
                    Opcode::Sign => a.signum(),
                    Opcode::Round => a.round(),
                    Opcode::Mod => {
                        let quotient = a / b;
                        let nearest = (quotient + 0.5).floor();
                        let whole = (b + 0.5).floor() != b
                            && ((quotient - nearest) / nearest).abs() < <$type>::EPSILON;
                        let rest = if whole { 0.0 } else { a - b * quotient.floor() };
                        if b == 0.0 {
                            a
                        } else if a == b {
                            rest
                        } else {
                            rest.copysign(b)
                        }
                    }
                    Opcode::Negate => -a,
                    Opcode::Not => truth(a == 0.0),
                    Opcode::Floor => a.floor(),
                    Opcode::Ceil => a.ceil(),
                    Opcode::Fix => a.trunc(),
                    Opcode::Sqrt => a.sqrt(),
                    Opcode::Exp => a.exp(),
                    Opcode::Expm1 => a.exp_m1(),
                    Opcode::Log => a.ln(),
                    Opcode::Log2 => a.log2(),
                    Opcode::Log10 => a.log10(),
                    Opcode::Log1p => a.ln_1p(),
                    Opcode::Tan => a.tan(),
                    Opcode::Asin => a.asin(),
                    Opcode::Acos => a.acos(),
                    Opcode::Atan => a.atan(),
                    Opcode::Sinh => a.sinh(),
                    Opcode::Cosh => a.cosh(),
                    Opcode::Tanh => a.tanh(),
                    // Rust's own standard library computes these three by formulas of its own.
                    Opcode::Asinh => library::$asinh(a),
                    Opcode::Acosh => library::$acosh(a),
                    Opcode::Atanh => library::$atanh(a),
                    Opcode::IsNan => truth(a.is_nan()),
                    Opcode::IsInf => truth(a.is_infinite()),
                    Opcode::IsFinite => truth(a.is_finite()),
                    Opcode::Less => truth(a < b),
                    Opcode::LessEqual => truth(a <= b),
                    Opcode::Greater => truth(a > b),
                    Opcode::GreaterEqual => truth(a >= b),
                    Opcode::And => truth(a != 0.0 && b != 0.0),
                    Opcode::Or => truth(a != 0.0 || b != 0.0),
                    Opcode::Max if a == b => a,
                    Opcode::Min if a == b => a,
                    Opcode::Max | Opcode::MaxRight if a != b => a.max(b),
                    Opcode::Min | Opcode::MinRight if a != b => a.min(b),
                    Opcode::MaxRight | Opcode::MinRight => b,
                    Opcode::Rem => {
                        let quotient = a / b;
                        let nearest = (quotient + 0.5).floor();
                        let whole = (b + 0.5).floor() != b
                            && ((quotient - nearest) / nearest).abs() < <$type>::EPSILON;
                        let rest = if whole { 0.0 } else { a - b * quotient.trunc() };
                        if b == 0.0 {
                            Self::NAN
                        } else if a == b {
                            rest
                        } else {
                            rest.copysign(a)
                        }
                    }
                    Opcode::Atan2 => a.atan2(b),
                    Opcode::Hypot => a.hypot(b),
                    _ => unreachable!("{opcode:?} has no exact definition"),
                }
            }
        }
    };
}

number!(f32, asinhf, acoshf, atanhf);
number!(f64, asinh, acosh, atanh);

/// Values that differ between neighbours, with the awkward ones among them.
pub fn value<T: Number>(i: usize, j: usize, seed: usize) -> T {
    const SPECIAL: [f64; 12] =
        [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.5, -0.5, 1.0, -1.0, 2.5, 1e30, -3.0];
    let index = i * 7 + j * 31 + seed * 101;
    if index.is_multiple_of(5) {
        T::from_f64(SPECIAL[index / 5 % SPECIAL.len()])
    } else {
        T::from_f64(((index * 7919) % 2003) as f64 / 64.0 - 15.0)
    }
}

pub fn small<T: Number>(i: usize, j: usize, seed: usize) -> T {
    T::from_f64(((i * 5 + j * 11 + seed * 3) % 17) as f64 / 4.0 - 2.0)
}

/// The operand, or another one that lies in the operation's domain.
pub fn inside<T: Number>(opcode: Opcode, x: T) -> T {
    let double: f64 = x.into();
    match opcode {
        Opcode::Not | Opcode::And | Opcode::Or if double.is_nan() => T::from_f64(0.0),
        Opcode::Sqrt | Opcode::Log | Opcode::Log2 | Opcode::Log10 | Opcode::Log1p if double < 0.0 => {
            T::from_f64(-double)
        }
        Opcode::Asin | Opcode::Acos | Opcode::Atanh if double.abs() > 1.0 => T::from_f64(double.recip()),
        Opcode::Acosh if double < 1.0 => T::from_f64(double.abs() + 1.0),
        _ => x,
    }
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
