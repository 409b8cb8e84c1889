//! Integer arithmetic, mask formation and gathering.

use crate::{instruction::decode::Instruction, quad::Quad, spu::Spu};

macro_rules! words {
    ($($name:ident |$x:ident, $y:ident| $body:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(spu: &mut Spu, i: &Instruction) {
            spu.set(i.t, spu.get(i.a).zip_words(spu.get(i.b), |$x: u32, $y: u32| $body));
        }
    )*};
}

macro_rules! words_immediate {
    ($($name:ident |$x:ident, $i:ident| $body:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(spu: &mut Spu, i: &Instruction) {
            let $i = i.immediate as u32;
            spu.set(i.t, spu.get(i.a).map_words(|$x: u32| $body));
        }
    )*};
}

/// Word operations that also read the target register.
macro_rules! words_extended {
    ($($name:ident |$x:ident, $y:ident, $t:ident| $body:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(spu: &mut Spu, i: &Instruction) {
            let (a, b, t) = (spu.get(i.a).words(), spu.get(i.b).words(), spu.get(i.t).words());
            spu.set(i.t, Quad::from_words(std::array::from_fn(|k| {
                let ($x, $y, $t): (u32, u32, u32) = (a[k], b[k], t[k]);
                $body
            })));
        }
    )*};
}

fn carry(x: u32, y: u32, carry_in: u32) -> u32 {
    ((u64::from(x) + u64::from(y) + u64::from(carry_in)) >> 32) as u32
}

/// Signed product of the low halves.
fn product_low(x: u32, y: u32) -> u32 {
    (i32::from(x as i16) * i32::from(y as i16)) as u32
}

/// Signed product of the high halves.
fn product_high(x: u32, y: u32) -> u32 {
    product_low(x >> 16, y >> 16)
}

/// Unsigned product of the high halves.
fn product_high_unsigned(x: u32, y: u32) -> u32 {
    (x >> 16) * (y >> 16)
}

words! {
    a |x, y| x.wrapping_add(y);
    sf |x, y| y.wrapping_sub(x);
    cg |x, y| carry(x, y, 0);
    bg |x, y| carry(!x, y, 1);
    mpy |x, y| product_low(x, y);
    mpyu |x, y| (x & 0xffff) * (y & 0xffff);
    mpyh |x, y| (x >> 16).wrapping_mul(y) << 16;
    mpys |x, y| ((product_low(x, y) as i32) >> 16) as u32;
    mpyhh |x, y| product_high(x, y);
    mpyhhu |x, y| product_high_unsigned(x, y);
}

words_immediate! {
    ai |x, i| x.wrapping_add(i);
    sfi |x, i| i.wrapping_sub(x);
    mpyi |x, i| product_low(x, i);
    mpyui |x, i| (x & 0xffff) * (i & 0xffff);
}

words_extended! {
    addx |x, y, t| x.wrapping_add(y).wrapping_add(t & 1);
    sfx |x, y, t| y.wrapping_add(!x).wrapping_add(t & 1);
    cgx |x, y, t| carry(x, y, t & 1);
    bgx |x, y, t| carry(!x, y, t & 1);
    mpyhha |x, y, t| product_high(x, y).wrapping_add(t);
    mpyhhau |x, y, t| product_high_unsigned(x, y).wrapping_add(t);
}

#[inline(always)]
pub(super) fn mpya(spu: &mut Spu, i: &Instruction) {
    let product = spu.get(i.a).zip_words(spu.get(i.b), product_low);
    spu.set(i.t, product.zip_words(spu.get(i.c), u32::wrapping_add));
}

#[inline(always)]
pub(super) fn ah(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).zip_halves(spu.get(i.b), u16::wrapping_add));
}

#[inline(always)]
pub(super) fn ahi(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).map_halves(|x| x.wrapping_add(i.immediate as u16)));
}

#[inline(always)]
pub(super) fn sfh(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).zip_halves(spu.get(i.b), |x, y| y.wrapping_sub(x)));
}

#[inline(always)]
pub(super) fn sfhi(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).map_halves(|x| (i.immediate as u16).wrapping_sub(x)));
}

#[inline(always)]
pub(super) fn clz(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).map_words(u32::leading_zeros));
}

#[inline(always)]
pub(super) fn cntb(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).map_bytes(|x| x.count_ones() as u8));
}

/// Expands sixteen bits to sixteen bytes, 0x00 for a zero and 0xff for a one. The leftmost bit becomes byte
/// 0.
#[inline(always)]
pub(super) fn byte_mask(bits: u32) -> Quad {
    Quad::from_bytes(std::array::from_fn(|k| if bits >> (15 - k) & 1 != 0 { 0xff } else { 0 }))
}

#[inline(always)]
pub(super) fn fsmb(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, byte_mask(spu.scalar(i.a)));
}

#[inline(always)]
pub(super) fn fsmh(spu: &mut Spu, i: &Instruction) {
    let bits = spu.scalar(i.a);
    let lanes = std::array::from_fn(|k| if bits >> (7 - k) & 1 != 0 { 0xffff } else { 0 });
    spu.set(i.t, Quad::from_halves(lanes));
}

#[inline(always)]
pub(super) fn fsm(spu: &mut Spu, i: &Instruction) {
    let bits = spu.scalar(i.a);
    let lanes = std::array::from_fn(|k| if bits >> (3 - k) & 1 != 0 { u32::MAX } else { 0 });
    spu.set(i.t, Quad::from_words(lanes));
}

#[inline(always)]
pub(super) fn gbb(spu: &mut Spu, i: &Instruction) {
    let bits = spu.get(i.a).bytes().iter().fold(0, |bits, lane| bits << 1 | u32::from(lane & 1));
    spu.set(i.t, Quad::scalar(bits));
}

#[inline(always)]
pub(super) fn gbh(spu: &mut Spu, i: &Instruction) {
    let bits = spu.get(i.a).halves().iter().fold(0, |bits, lane| bits << 1 | u32::from(lane & 1));
    spu.set(i.t, Quad::scalar(bits));
}

#[inline(always)]
pub(super) fn gb(spu: &mut Spu, i: &Instruction) {
    let bits = spu.get(i.a).words().iter().fold(0, |bits, lane| bits << 1 | (lane & 1));
    spu.set(i.t, Quad::scalar(bits));
}

#[inline(always)]
pub(super) fn avgb(spu: &mut Spu, i: &Instruction) {
    let mean = |x: u8, y: u8| ((u16::from(x) + u16::from(y) + 1) >> 1) as u8;
    spu.set(i.t, spu.get(i.a).zip_bytes(spu.get(i.b), mean));
}

#[inline(always)]
pub(super) fn absdb(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).zip_bytes(spu.get(i.b), u8::abs_diff));
}

#[inline(always)]
pub(super) fn sumb(spu: &mut Spu, i: &Instruction) {
    let sum = |word: u32| word.to_be_bytes().iter().map(|&byte| u32::from(byte)).sum::<u32>();
    spu.set(i.t, spu.get(i.a).zip_words(spu.get(i.b), |x, y| sum(y) << 16 | sum(x)));
}

#[inline(always)]
pub(super) fn xsbh(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).map_halves(|x| x as i8 as u16));
}

#[inline(always)]
pub(super) fn xshw(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.get(i.a).map_words(|x| x as i16 as u32));
}

#[inline(always)]
pub(super) fn xswd(spu: &mut Spu, i: &Instruction) {
    let [left, right] = spu.get(i.a).doubles();
    spu.set(i.t, Quad::from_doubles([left as i32 as u64, right as i32 as u64]));
}
