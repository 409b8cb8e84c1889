//! The floating-point status and control register (SPU ISA chapter 9): rounding modes of the two
//! double-precision slices, and sticky exception flags per slice.

use crate::quad::Quad;

/// Rounding mode of a double-precision slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Toward zero.
    Zero,
    /// Toward plus infinity.
    Up,
    /// Toward minus infinity.
    Down,
}

/// Sticky flags of one single-precision slice.
pub mod single_flags {
    /// Overflow.
    pub const OVERFLOW: u32 = 4;
    /// Underflow.
    pub const UNDERFLOW: u32 = 2;
    /// The result may differ from the IEEE one: an operand was a denormal or had the largest exponent (which
    /// IEEE uses for infinities and NaNs), or the result is not an IEEE number.
    pub const DIFFERENT: u32 = 1;
}

/// Sticky flags of one double-precision slice.
pub mod double_flags {
    /// Overflow.
    pub const OVERFLOW: u32 = 0x2000;
    /// Underflow.
    pub const UNDERFLOW: u32 = 0x1000;
    /// Inexact.
    pub const INEXACT: u32 = 0x0800;
    /// Invalid operation.
    pub const INVALID: u32 = 0x0400;
    /// A NaN result other than the NaN that IEEE recommends (the SPU always gives the default NaN).
    pub const NAN: u32 = 0x0200;
    /// A denormal operand was treated as zero.
    pub const DENORMAL: u32 = 0x0100;
}

/// Bits that exist; all other bits read as zero.
const MASK: Quad = Quad::from_words([0x0f07, 0x3f07, 0x3f07, 0x0f07]);

/// The register.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fpscr {
    words: [u32; 4],
}

impl Fpscr {
    /// The register as `fscrrd` reads it.
    pub fn read(&self) -> Quad {
        Quad::from_words(self.words)
    }

    /// Sets it as `fscrwr` does.
    pub fn write(&mut self, value: Quad) {
        self.words = Quad(value.0 & MASK.0).words();
    }

    /// Rounding mode of the double-precision slice `slice` (0 or 1).
    #[inline]
    pub fn rounding(&self, slice: usize) -> Rounding {
        match self.words[0] >> (10 - 2 * slice) & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Zero,
            2 => Rounding::Up,
            _ => Rounding::Down,
        }
    }

    /// Whether both double-precision slices round to nearest.
    #[inline]
    pub fn rounds_to_nearest(&self) -> bool {
        self.words[0] & 0xf00 == 0
    }

    /// Raises single-precision flags of slice `slice` (0 to 3).
    #[inline]
    pub fn raise_single(&mut self, slice: usize, flags: u32) {
        self.words[slice] |= flags;
    }

    /// Raises the divide-by-zero flag of single-precision slice `slice` (0 to 3).
    pub fn raise_divide_by_zero(&mut self, slice: usize) {
        self.words[3] |= 0x800 >> slice;
    }

    /// Raises double-precision flags of slice `slice` (0 or 1).
    #[inline]
    pub fn raise_double(&mut self, slice: usize, flags: u32) {
        self.words[1 + slice] |= flags;
    }

    /// Flags of double-precision slice `slice`.
    #[inline]
    pub fn double(&self, slice: usize) -> u32 {
        self.words[1 + slice] & 0x3f00
    }
}
