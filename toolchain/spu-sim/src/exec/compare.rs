//! Integer comparisons, and the halt instructions, which compare too.

use super::Flow;
use crate::{instruction::decode::Instruction, spu::Spu};

fn mask8(condition: bool) -> u8 {
    if condition { u8::MAX } else { 0 }
}

fn mask16(condition: bool) -> u16 {
    if condition { u16::MAX } else { 0 }
}

fn mask32(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

/// Per line: register form, immediate form, how to walk the lanes, their unsigned type, the type compared in.
macro_rules! comparisons {
    ($($register:ident $immediate:ident $zip:ident $map:ident $lane:ty, $as:ty, $mask:ident $operator:tt;)*) => {$(
        #[inline(always)]
        pub(super) fn $register(spu: &mut Spu, i: &Instruction) {
            spu.set(i.t, spu.get(i.a).$zip(spu.get(i.b), |x: $lane, y: $lane| $mask((x as $as) $operator (y as $as))));
        }

        #[inline(always)]
        pub(super) fn $immediate(spu: &mut Spu, i: &Instruction) {
            let y = i.immediate as $as;
            spu.set(i.t, spu.get(i.a).$map(|x: $lane| $mask((x as $as) $operator y)));
        }
    )*};
}
comparisons! {
    ceqb ceqbi zip_bytes map_bytes u8, u8, mask8 ==;
    ceqh ceqhi zip_halves map_halves u16, u16, mask16 ==;
    ceq ceqi zip_words map_words u32, u32, mask32 ==;
    cgtb cgtbi zip_bytes map_bytes u8, i8, mask8 >;
    cgth cgthi zip_halves map_halves u16, i16, mask16 >;
    cgt cgti zip_words map_words u32, i32, mask32 >;
    clgtb clgtbi zip_bytes map_bytes u8, u8, mask8 >;
    clgth clgthi zip_halves map_halves u16, u16, mask16 >;
    clgt clgti zip_words map_words u32, u32, mask32 >;
}

fn halt_if(condition: bool) -> Flow {
    if condition { Flow::Halt } else { Flow::Next }
}

macro_rules! halts {
    ($($register:ident $immediate:ident $as:ty, $operator:tt;)*) => {$(
        #[inline(always)]
        pub(super) fn $register(spu: &mut Spu, i: &Instruction) -> Flow {
            halt_if((spu.scalar(i.a) as $as) $operator (spu.scalar(i.b) as $as))
        }

        #[inline(always)]
        pub(super) fn $immediate(spu: &mut Spu, i: &Instruction) -> Flow {
            halt_if((spu.scalar(i.a) as $as) $operator (i.immediate as $as))
        }
    )*};
}
halts! {
    heq heqi u32, ==;
    hgt hgti i32, >;
    hlgt hlgti u32, >;
}
