//! Stops, no-operations, synchronisation and special registers.

use super::Flow;
use crate::{instruction::decode::Instruction, quad::Quad, spu::Spu};

/// Code that `stopd` signals (SPU ISA, Stop and Signal with Dependencies).
const STOPD_CODE: u16 = 0x3fff;

#[inline(always)]
pub(super) fn stop(_: &mut Spu, i: &Instruction) -> Flow {
    Flow::Stop(i.immediate as u16)
}

pub(super) fn stopd(_: &mut Spu, _: &Instruction) -> Flow {
    Flow::Stop(STOPD_CODE)
}

/// `nop`, `lnop`, and the synchronising instructions: stores are visible at once here, and the
/// decoded-instruction cache compares words, so nothing is left to synchronise.
#[inline(always)]
pub(super) fn nop(_: &mut Spu, _: &Instruction) {}

/// The Cell implementation has no special registers; reading one gives zero.
pub(super) fn mfspr(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, Quad::ZERO);
}

/// The Cell implementation has no special registers; writing one changes nothing.
pub(super) fn mtspr(_: &mut Spu, _: &Instruction) {}
