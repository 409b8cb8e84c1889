//! Loads, stores and the shuffle controls that insert scalars into quadwords.

use crate::{instruction::decode::Instruction, quad::Quad, spu::Spu};

#[inline]
fn displaced(spu: &Spu, i: &Instruction) -> u32 {
    spu.scalar(i.a).wrapping_add_signed(i.immediate)
}

#[inline]
fn indexed(spu: &Spu, i: &Instruction) -> u32 {
    spu.scalar(i.a).wrapping_add(spu.scalar(i.b))
}

#[inline]
fn relative(spu: &Spu, i: &Instruction) -> u32 {
    spu.pc.wrapping_add_signed(i.immediate)
}

#[inline(always)]
pub(super) fn lqd(spu: &mut Spu, i: &Instruction) {
    let value = spu.ls.load_quad(displaced(spu, i));
    spu.set(i.t, value);
}

#[inline(always)]
pub(super) fn lqx(spu: &mut Spu, i: &Instruction) {
    let value = spu.ls.load_quad(indexed(spu, i));
    spu.set(i.t, value);
}

#[inline(always)]
pub(super) fn lqa(spu: &mut Spu, i: &Instruction) {
    let value = spu.ls.load_quad(i.immediate as u32);
    spu.set(i.t, value);
}

#[inline(always)]
pub(super) fn lqr(spu: &mut Spu, i: &Instruction) {
    let value = spu.ls.load_quad(relative(spu, i));
    spu.set(i.t, value);
}

#[inline(always)]
pub(super) fn stqd(spu: &mut Spu, i: &Instruction) {
    spu.ls.store_quad(displaced(spu, i), spu.get(i.t));
}

#[inline(always)]
pub(super) fn stqx(spu: &mut Spu, i: &Instruction) {
    spu.ls.store_quad(indexed(spu, i), spu.get(i.t));
}

#[inline(always)]
pub(super) fn stqa(spu: &mut Spu, i: &Instruction) {
    spu.ls.store_quad(i.immediate as u32, spu.get(i.t));
}

#[inline(always)]
pub(super) fn stqr(spu: &mut Spu, i: &Instruction) {
    spu.ls.store_quad(relative(spu, i), spu.get(i.t));
}

/// The shuffle control that takes all bytes from the second operand, except the `SIZE` bytes at the naturally
/// aligned place of `address`, which come from the preferred slot of the first.
#[inline]
fn insertion_control<const SIZE: usize>(address: u32) -> Quad {
    let mut control: [u8; 16] = std::array::from_fn(|k| 0x10 + k as u8);
    let place = address as usize & 15 & !(SIZE - 1);
    // A byte or halfword lives at the right end of the preferred word.
    let first = 4usize.saturating_sub(SIZE);
    for k in 0..SIZE {
        control[place + k] = (first + k) as u8;
    }
    Quad::from_bytes(control)
}

macro_rules! insertion_controls {
    ($($d:ident $x:ident $size:literal;)*) => {$(
        #[inline(always)]
        pub(super) fn $d(spu: &mut Spu, i: &Instruction) {
            spu.set(i.t, insertion_control::<$size>(displaced(spu, i)));
        }

        #[inline(always)]
        pub(super) fn $x(spu: &mut Spu, i: &Instruction) {
            spu.set(i.t, insertion_control::<$size>(indexed(spu, i)));
        }
    )*};
}
insertion_controls! {
    cbd cbx 1;
    chd chx 2;
    cwd cwx 4;
    cdd cdx 8;
}
