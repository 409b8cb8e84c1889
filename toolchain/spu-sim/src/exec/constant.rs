//! Constant formation.

use super::integer::byte_mask;
use crate::{instruction::decode::Instruction, quad::Quad, spu::Spu};

#[inline(always)]
pub(super) fn ilh(spu: &mut Spu, i: &Instruction) {
    let half = i.immediate as u32;
    spu.set(i.t, Quad::splat(half << 16 | half));
}

#[inline(always)]
pub(super) fn ilhu(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, Quad::splat((i.immediate as u32) << 16));
}

#[inline(always)]
pub(super) fn il(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, Quad::splat(i.immediate as u32));
}

#[inline(always)]
pub(super) fn ila(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, Quad::splat(i.immediate as u32));
}

#[inline(always)]
pub(super) fn iohl(spu: &mut Spu, i: &Instruction) {
    let value = spu.get(i.t).0 | Quad::splat(i.immediate as u32).0;
    spu.set(i.t, Quad(value));
}

#[inline(always)]
pub(super) fn fsmbi(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, byte_mask(i.immediate as u32));
}
