//! Shifts and rotations. "Rotate and mask" instructions shift right by the negated count. Counts are taken
//! modulo twice the lane width, so that a shift can empty its lane.

use crate::{instruction::decode::Instruction, quad::Quad, spu::Spu};

fn shift_left_half(x: u16, count: u32) -> u16 {
    x.checked_shl(count & 31).unwrap_or(0)
}

fn shift_left_word(x: u32, count: u32) -> u32 {
    x.checked_shl(count & 63).unwrap_or(0)
}

fn mask_half(x: u16, count: u32) -> u16 {
    x.checked_shr(count.wrapping_neg() & 31).unwrap_or(0)
}

fn mask_word(x: u32, count: u32) -> u32 {
    x.checked_shr(count.wrapping_neg() & 63).unwrap_or(0)
}

fn algebraic_half(x: u16, count: u32) -> u16 {
    ((x as i16) >> (count.wrapping_neg() & 31).min(15)) as u16
}

fn algebraic_word(x: u32, count: u32) -> u32 {
    ((x as i32) >> (count.wrapping_neg() & 63).min(31)) as u32
}

macro_rules! lane_shifts {
    ($($variable:ident $immediate:ident $zip:ident $map:ident $function:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $variable(spu: &mut Spu, i: &Instruction) {
            spu.set(i.t, spu.get(i.a).$zip(spu.get(i.b), |x, count| $function(x, u32::from(count))));
        }

        #[inline(always)]
        pub(super) fn $immediate(spu: &mut Spu, i: &Instruction) {
            spu.set(i.t, spu.get(i.a).$map(|x| $function(x, i.immediate as u32)));
        }
    )*};
}
lane_shifts! {
    shlh shlhi zip_halves map_halves shift_left_half;
    shl shli zip_words map_words shift_left_word;
    roth rothi zip_halves map_halves |x: u16, count| x.rotate_left(count & 15);
    rot roti zip_words map_words |x: u32, count| x.rotate_left(count & 31);
    rothm rothmi zip_halves map_halves mask_half;
    rotm rotmi zip_words map_words mask_word;
    rotmah rotmahi zip_halves map_halves algebraic_half;
    rotma rotmai zip_words map_words algebraic_word;
}

fn left_bytes(x: u128, count: u32) -> u128 {
    x.checked_shl((count & 31) * 8).unwrap_or(0)
}

fn right_bytes(x: u128, count: u32) -> u128 {
    x.checked_shr((count & 31) * 8).unwrap_or(0)
}

macro_rules! quad_shifts {
    ($($variable:ident $immediate:ident |$x:ident, $count:ident| $body:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $variable(spu: &mut Spu, i: &Instruction) {
            let ($x, $count) = (spu.get(i.a).0, spu.scalar(i.b));
            spu.set(i.t, Quad($body));
        }

        #[inline(always)]
        pub(super) fn $immediate(spu: &mut Spu, i: &Instruction) {
            let ($x, $count) = (spu.get(i.a).0, i.immediate as u32);
            spu.set(i.t, Quad($body));
        }
    )*};
}
quad_shifts! {
    shlqbi shlqbii |x, count| x << (count & 7);
    shlqby shlqbyi |x, count| left_bytes(x, count);
    rotqbi rotqbii |x, count| x.rotate_left(count & 7);
    rotqby rotqbyi |x, count| x.rotate_left((count & 15) * 8);
    rotqmbi rotqmbii |x, count| x >> (count.wrapping_neg() & 7);
    rotqmby rotqmbyi |x, count| right_bytes(x, count.wrapping_neg());
}

#[inline(always)]
pub(super) fn shlqbybi(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, Quad(left_bytes(spu.get(i.a).0, spu.scalar(i.b) >> 3)));
}

#[inline(always)]
pub(super) fn rotqbybi(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, Quad(spu.get(i.a).0.rotate_left((spu.scalar(i.b) >> 3 & 15) * 8)));
}

#[inline(always)]
pub(super) fn rotqmbybi(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, Quad(right_bytes(spu.get(i.a).0, (spu.scalar(i.b) >> 3).wrapping_neg())));
}
