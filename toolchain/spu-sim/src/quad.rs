//! A 128-bit register value and its lanes. Lane 0 is the leftmost (most significant), as the SPU numbers
//! them; the *preferred slot*, where scalars live, is word 0.

use std::fmt;

/// The value of one register, stored as the number whose big-endian bytes are the register's bytes. So lane
/// numbers do not depend on the host's byte order. The order in which a function on all lanes takes the lanes
/// is the host's.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Quad(pub u128);

impl fmt::Debug for Quad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [w0, w1, w2, w3] = self.words();
        write!(f, "{w0:08x}_{w1:08x}_{w2:08x}_{w3:08x}")
    }
}

impl Quad {
    /// All bits zero.
    pub const ZERO: Quad = Quad(0);

    /// From four words.
    #[inline]
    pub const fn from_words(w: [u32; 4]) -> Quad {
        Quad((w[0] as u128) << 96 | (w[1] as u128) << 64 | (w[2] as u128) << 32 | w[3] as u128)
    }

    /// The four words.
    #[inline]
    pub const fn words(self) -> [u32; 4] {
        [(self.0 >> 96) as u32, (self.0 >> 64) as u32, (self.0 >> 32) as u32, self.0 as u32]
    }

    /// From two doublewords.
    #[inline]
    pub const fn from_doubles(d: [u64; 2]) -> Quad {
        Quad((d[0] as u128) << 64 | d[1] as u128)
    }

    /// The two doublewords.
    #[inline]
    pub const fn doubles(self) -> [u64; 2] {
        [(self.0 >> 64) as u64, self.0 as u64]
    }

    /// From eight halfwords.
    #[inline]
    pub fn from_halves(h: [u16; 8]) -> Quad {
        Quad::from_words(std::array::from_fn(|k| u32::from(h[2 * k]) << 16 | u32::from(h[2 * k + 1])))
    }

    /// The eight halfwords.
    #[inline]
    pub fn halves(self) -> [u16; 8] {
        std::array::from_fn(|k| (self.0 >> (112 - 16 * k)) as u16)
    }

    /// From sixteen bytes.
    #[inline]
    pub const fn from_bytes(b: [u8; 16]) -> Quad {
        Quad(u128::from_be_bytes(b))
    }

    /// The sixteen bytes.
    #[inline]
    pub const fn bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// The same word in all four lanes.
    #[inline]
    pub const fn splat(word: u32) -> Quad {
        Quad::from_words([word; 4])
    }

    /// `word` in the preferred slot, zero elsewhere.
    #[inline]
    pub const fn scalar(word: u32) -> Quad {
        Quad((word as u128) << 96)
    }

    /// The word in the preferred slot.
    #[inline]
    pub const fn preferred(self) -> u32 {
        (self.0 >> 96) as u32
    }

    /// Applies `f` to each word.
    #[inline]
    pub fn map_words(self, f: impl Fn(u32) -> u32) -> Quad {
        let mut lanes: [u32; 4] = bytemuck::cast(self.0);
        for lane in &mut lanes {
            *lane = f(*lane);
        }
        Quad(bytemuck::cast(lanes))
    }

    /// Applies `f` to each pair of words.
    #[inline]
    pub fn zip_words(self, other: Quad, f: impl Fn(u32, u32) -> u32) -> Quad {
        let (mut lanes, others): ([u32; 4], [u32; 4]) = (bytemuck::cast(self.0), bytemuck::cast(other.0));
        for (lane, other) in lanes.iter_mut().zip(others) {
            *lane = f(*lane, other);
        }
        Quad(bytemuck::cast(lanes))
    }

    /// Applies `f` to each halfword.
    #[inline]
    pub fn map_halves(self, f: impl Fn(u16) -> u16) -> Quad {
        let mut lanes: [u16; 8] = bytemuck::cast(self.0);
        for lane in &mut lanes {
            *lane = f(*lane);
        }
        Quad(bytemuck::cast(lanes))
    }

    /// Applies `f` to each pair of halfwords.
    #[inline]
    pub fn zip_halves(self, other: Quad, f: impl Fn(u16, u16) -> u16) -> Quad {
        let (mut lanes, others): ([u16; 8], [u16; 8]) = (bytemuck::cast(self.0), bytemuck::cast(other.0));
        for (lane, other) in lanes.iter_mut().zip(others) {
            *lane = f(*lane, other);
        }
        Quad(bytemuck::cast(lanes))
    }

    /// Applies `f` to each byte.
    #[inline]
    pub fn map_bytes(self, f: impl Fn(u8) -> u8) -> Quad {
        let mut lanes: [u8; 16] = bytemuck::cast(self.0);
        for lane in &mut lanes {
            *lane = f(*lane);
        }
        Quad(bytemuck::cast(lanes))
    }

    /// Applies `f` to each pair of bytes.
    #[inline]
    pub fn zip_bytes(self, other: Quad, f: impl Fn(u8, u8) -> u8) -> Quad {
        let (mut lanes, others): ([u8; 16], [u8; 16]) = (bytemuck::cast(self.0), bytemuck::cast(other.0));
        for (lane, other) in lanes.iter_mut().zip(others) {
            *lane = f(*lane, other);
        }
        Quad(bytemuck::cast(lanes))
    }

    /// Applies `f` to each pair of doublewords.
    #[inline]
    pub fn zip_doubles(self, other: Quad, f: impl Fn(u64, u64) -> u64) -> Quad {
        let (x, y) = (self.doubles(), other.doubles());
        Quad::from_doubles([f(x[0], y[0]), f(x[1], y[1])])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_count_from_the_left() {
        let q = Quad::from_bytes(std::array::from_fn(|k| k as u8));
        assert_eq!(q.words(), [0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f]);
        assert_eq!(q.halves()[1], 0x0203);
        assert_eq!(q.doubles()[1], 0x0809_0a0b_0c0d_0e0f);
        assert_eq!(q.preferred(), 0x0001_0203);
        assert_eq!(Quad::from_words(q.words()), q);
        assert_eq!(Quad::from_halves(q.halves()), q);
        assert_eq!(Quad::from_doubles(q.doubles()), q);
        assert_eq!(format!("{q:?}"), "00010203_04050607_08090a0b_0c0d0e0f");
    }
}
