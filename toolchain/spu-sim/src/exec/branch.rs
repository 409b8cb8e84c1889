//! Branches. A target is a word address: the low two bits are dropped, the rest wraps in the local store.

use super::Flow;
use crate::{instruction::decode::Instruction, local_store::LS_MASK, quad::Quad, spu::Spu};

#[inline]
fn jump(target: u32) -> Flow {
    Flow::Jump(target & LS_MASK & !3)
}

#[inline]
fn relative(spu: &Spu, i: &Instruction) -> Flow {
    jump(spu.pc.wrapping_add_signed(i.immediate))
}

#[inline]
fn link(spu: &mut Spu, i: &Instruction) {
    let next = (spu.pc + 4) & LS_MASK;
    spu.set(i.t, Quad::scalar(next));
}

/// Jumps to the address in register `a`, with the interrupt bits of the instruction.
#[inline]
fn indirect(spu: &mut Spu, i: &Instruction, target: u32) -> Flow {
    let features = i.features();
    if features.enable {
        spu.set_interrupts(true);
    }
    if features.disable {
        spu.set_interrupts(false);
    }
    jump(target)
}

#[inline(always)]
pub(super) fn br(spu: &mut Spu, i: &Instruction) -> Flow {
    relative(spu, i)
}

#[inline(always)]
pub(super) fn bra(_: &mut Spu, i: &Instruction) -> Flow {
    jump(i.immediate as u32)
}

#[inline(always)]
pub(super) fn brsl(spu: &mut Spu, i: &Instruction) -> Flow {
    link(spu, i);
    relative(spu, i)
}

#[inline(always)]
pub(super) fn brasl(spu: &mut Spu, i: &Instruction) -> Flow {
    link(spu, i);
    jump(i.immediate as u32)
}

#[inline(always)]
pub(super) fn bi(spu: &mut Spu, i: &Instruction) -> Flow {
    let target = spu.scalar(i.a);
    indirect(spu, i, target)
}

pub(super) fn iret(spu: &mut Spu, i: &Instruction) -> Flow {
    let target = spu.srr0;
    indirect(spu, i, target)
}

#[inline(always)]
pub(super) fn bisl(spu: &mut Spu, i: &Instruction) -> Flow {
    let target = spu.scalar(i.a);
    link(spu, i);
    indirect(spu, i, target)
}

pub(super) fn bisled(spu: &mut Spu, i: &Instruction) -> Flow {
    let target = spu.scalar(i.a);
    link(spu, i);
    if spu.channels.event_pending() { indirect(spu, i, target) } else { Flow::Next }
}

macro_rules! conditional {
    ($($direct:ident $indirect:ident |$value:ident| $condition:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $direct(spu: &mut Spu, i: &Instruction) -> Flow {
            let $value = spu.scalar(i.t);
            if $condition { relative(spu, i) } else { Flow::Next }
        }

        #[inline(always)]
        pub(super) fn $indirect(spu: &mut Spu, i: &Instruction) -> Flow {
            let $value = spu.scalar(i.t);
            let target = spu.scalar(i.a);
            if $condition { indirect(spu, i, target) } else { Flow::Next }
        }
    )*};
}
conditional! {
    brz biz |value| value == 0;
    brnz binz |value| value != 0;
    brhz bihz |value| value & 0xffff == 0;
    brhnz bihnz |value| value & 0xffff != 0;
}

/// Hints change the timing only; the pipeline model reads them from the instruction.
#[inline(always)]
pub(super) fn hint(_: &mut Spu, _: &Instruction) {}
