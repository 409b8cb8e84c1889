//! Bitwise operations, bit selection and byte shuffling.

use super::vector;
use crate::{instruction::decode::Instruction, quad::Quad, spu::Spu};

macro_rules! bitwise {
    ($($name:ident |$x:ident, $y:ident| $body:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(spu: &mut Spu, i: &Instruction) {
            let ($x, $y) = (spu.get(i.a).0, spu.get(i.b).0);
            spu.set(i.t, Quad($body));
        }
    )*};
}
bitwise! {
    and |x, y| x & y;
    andc |x, y| x & !y;
    or |x, y| x | y;
    orc |x, y| x | !y;
    xor |x, y| x ^ y;
    nand |x, y| !(x & y);
    nor |x, y| !(x | y);
    eqv |x, y| !(x ^ y);
}

/// The immediate repeated in every byte, halfword and word.
macro_rules! bitwise_immediate {
    ($($byte:ident $half:ident $word:ident |$x:ident, $i:ident| $body:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $byte(spu: &mut Spu, i: &Instruction) {
            let ($x, $i) = (spu.get(i.a).0, Quad::splat((i.immediate as u32 & 0xff) * 0x0101_0101).0);
            spu.set(i.t, Quad($body));
        }

        #[inline(always)]
        pub(super) fn $half(spu: &mut Spu, i: &Instruction) {
            let ($x, $i) = (spu.get(i.a).0, Quad::splat((i.immediate as u32 & 0xffff) * 0x0001_0001).0);
            spu.set(i.t, Quad($body));
        }

        #[inline(always)]
        pub(super) fn $word(spu: &mut Spu, i: &Instruction) {
            let ($x, $i) = (spu.get(i.a).0, Quad::splat(i.immediate as u32).0);
            spu.set(i.t, Quad($body));
        }
    )*};
}
bitwise_immediate! {
    andbi andhi andi |x, i| x & i;
    orbi orhi ori |x, i| x | i;
    xorbi xorhi xori |x, i| x ^ i;
}

#[inline(always)]
pub(super) fn orx(spu: &mut Spu, i: &Instruction) {
    let [w0, w1, w2, w3] = spu.get(i.a).words();
    spu.set(i.t, Quad::scalar(w0 | w1 | w2 | w3));
}

#[inline(always)]
pub(super) fn selb(spu: &mut Spu, i: &Instruction) {
    let (a, b, c) = (spu.get(i.a).0, spu.get(i.b).0, spu.get(i.c).0);
    spu.set(i.t, Quad(a ^ ((a ^ b) & c)));
}

#[inline(always)]
pub(super) fn shufb(spu: &mut Spu, i: &Instruction) {
    if !vector::shuffle_bytes(spu.host(), spu.registers_mut(), i) {
        spu.set(i.t, shuffle(spu, i));
    }
}

#[inline(never)]
fn shuffle(spu: &Spu, i: &Instruction) -> Quad {
    let mut sources = [0; 32];
    sources[..16].copy_from_slice(&spu.get(i.a).bytes());
    sources[16..].copy_from_slice(&spu.get(i.b).bytes());
    let choose = |control: u8| {
        if control < 0x80 {
            sources[usize::from(control & 31)]
        } else if control < 0xc0 {
            0x00
        } else if control < 0xe0 {
            0xff
        } else {
            0x80
        }
    };
    spu.get(i.c).map_bytes(choose)
}
