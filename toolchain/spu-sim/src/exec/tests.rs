//! Each instruction with edge values. A case is: the instruction, the registers that it reads, the result.

mod float;

use std::{collections::HashSet, sync::Arc};

use super::*;
use crate::{
    instruction::encode::{blank, encode},
    instruction::isa::{
        INSTRUCTIONS,
        Opcode::{self, *},
    },
    memory::Ram,
    quad::Quad,
    spe::{Spe, SpeConfig, StopReason},
    spu::Cpu,
};

fn spe(cpu: Cpu) -> Spe {
    Spe::new(&SpeConfig { cpu, ..SpeConfig::default() }, Arc::new(Ram::new(0, 4096)))
}

/// Runs one instruction at address 0x100 with a = r10, b = r11, c = r12, t = r13; gives the SPE.
fn execute_one(cpu: Cpu, opcode: Opcode, immediate: i32, [a, b, c, t]: [Quad; 4]) -> (Spe, StopReason) {
    let mut spe = spe(cpu);
    let word = encode(&Instruction { t: 13, a: 10, b: 11, c: 12, immediate, ..blank(opcode) });
    spe.ls().store_word(0x100, word);
    spe.set_pc(0x100);
    for (number, value) in (10..).zip([a, b, c, t]) {
        spe.spu_mut().set(number, value);
    }
    let reason = spe.run(1);
    (spe, reason)
}

fn result(opcode: Opcode, immediate: i32, operands: [Quad; 4]) -> Quad {
    let (spe, reason) = execute_one(Cpu::PowerXCell8i, opcode, immediate, operands);
    assert_eq!(reason, StopReason::Limit, "{opcode:?}");
    spe.spu().get(13)
}

fn w(words: [u32; 4]) -> Quad {
    Quad::from_words(words)
}

fn s(word: u32) -> Quad {
    Quad::splat(word)
}

const Z: Quad = Quad::ZERO;
const MIN: u32 = 0x8000_0000;
const MAX: u32 = 0x7fff_ffff;
const ONES: u32 = 0xffff_ffff;

/// Cases with one word in all lanes: opcode, immediate, a, b, c, t before, t after.
type Case = (Opcode, i32, u32, u32, u32, u32, u32);

const LANE_CASES: &[Case] = &[
    (Ilh, 0xfedc, 0, 0, 0, 0, 0xfedc_fedc),
    (Ilhu, 0x8001, 0, 0, 0, 0, 0x8001_0000),
    (Il, -2, 0, 0, 0, 0, 0xffff_fffe),
    (Ila, 0x3_ffff, 0, 0, 0, 0, 0x3_ffff),
    (Iohl, 0x8001, 0, 0, 0, 0x1234_0000, 0x1234_8001),
    (Fsmbi, 0xa5a5, 0, 0, 0, 0, 0),
    (Ah, 0, 0xffff_7fff, 0x0001_0001, 0, 0, 0x0000_8000),
    (Ahi, -1, 0x0000_8000, 0, 0, 0, 0xffff_7fff),
    (A, 0, ONES, 1, 0, 0, 0),
    (Ai, -512, 0, 0, 0, 0, 0xffff_fe00),
    (Sfh, 0, 0x0001_0000, 0x0000_8000, 0, 0, 0xffff_8000),
    (Sfhi, 511, 0x0001_ffff, 0, 0, 0, 0x01fe_0200),
    (Sf, 0, 1, 0, 0, 0, ONES),
    (Sfi, -1, MIN, 0, 0, 0, MAX),
    (Addx, 0, ONES, 0, 0, 3, 0),
    (Addx, 0, ONES, 0, 0, 2, ONES),
    (Cg, 0, ONES, 1, 0, 0, 1),
    (Cg, 0, MAX, MIN, 0, 0, 0),
    (Cgx, 0, ONES, 0, 0, 1, 1),
    (Cgx, 0, ONES, 0, 0, 0, 0),
    (Sfx, 0, 5, 7, 0, 1, 2),
    (Sfx, 0, 5, 7, 0, 0, 1),
    (Bg, 0, 5, 5, 0, 0, 1),
    (Bg, 0, 6, 5, 0, 0, 0),
    (Bgx, 0, 5, 5, 0, 1, 1),
    (Bgx, 0, 5, 5, 0, 0, 0),
    (Mpy, 0, 0x1234_8000, 0x5678_8000, 0, 0, 0x4000_0000),
    (Mpyu, 0, 0x1234_ffff, 0x5678_ffff, 0, 0, 0xfffe_0001),
    (Mpyi, -512, 0x0000_8000, 0, 0, 0, 0x0100_0000),
    (Mpyui, -1, 0x0000_ffff, 0, 0, 0, 0xfffe_0001),
    (Mpya, 0, 0x0000_ffff, 0x0000_0002, 1, 0, ONES),
    (Mpyh, 0, 0xffff_0000, 0x0000_ffff, 0, 0, 0x0001_0000),
    (Mpys, 0, 0x0000_8000, 0x0000_0001, 0, 0, ONES),
    (Mpyhh, 0, 0x8000_0000, 0x8000_0000, 0, 0, 0x4000_0000),
    (Mpyhha, 0, 0xffff_0000, 0x0002_0000, 0, 1, ONES),
    (Mpyhhu, 0, 0xffff_0000, 0xffff_0000, 0, 0, 0xfffe_0001),
    (Mpyhhau, 0, 0xffff_0000, 0xffff_0000, 0, 0x0001_ffff, 0),
    (Clz, 0, 0, 0, 0, 0, 32),
    (Clz, 0, 1, 0, 0, 0, 31),
    (Cntb, 0, 0xff00_0180, 0, 0, 0, 0x0800_0101),
    (Avgb, 0, 0xff00_01fe, 0xff01_01ff, 0, 0, 0xff01_01ff),
    (Absdb, 0, 0xff00_0180, 0x00ff_0100, 0, 0, 0xffff_0080),
    (Sumb, 0, 0xffff_ffff, 0x0102_0304, 0, 0, 0x000a_03fc),
    (Xsbh, 0, 0x1280_127f, 0, 0, 0, 0xff80_007f),
    (Xshw, 0, 0x1234_8000, 0, 0, 0, 0xffff_8000),
    (And, 0, 0xff00_ff00, 0x0ff0_0ff0, 0, 0, 0x0f00_0f00),
    (Andc, 0, 0xff00_ff00, 0x0ff0_0ff0, 0, 0, 0xf000_f000),
    (Andbi, 0x1f0 - 0x200, 0xffff_ffff, 0, 0, 0, 0xf0f0_f0f0),
    (Andhi, -512, ONES, 0, 0, 0, 0xfe00_fe00),
    (Andi, 0x1ff, ONES, 0, 0, 0, 0x1ff),
    (Or, 0, 0xff00_0000, 0x0000_00ff, 0, 0, 0xff00_00ff),
    (Orc, 0, 0, 0xffff_0000, 0, 0, 0x0000_ffff),
    (Orbi, 0x81, 0x0102_0304, 0, 0, 0, 0x8183_8385),
    (Orhi, -512, 0x0001_0002, 0, 0, 0, 0xfe01_fe02),
    (Ori, -1, 0, 0, 0, 0, ONES),
    (Xor, 0, 0xffff_0000, 0xff00_ff00, 0, 0, 0x00ff_ff00),
    (Xorbi, 0xff, 0x00ff_1234, 0, 0, 0, 0xff00_edcb),
    (Xorhi, -1, 0x00ff_1234, 0, 0, 0, 0xff00_edcb),
    (Xori, 1, 0, 0, 0, 0, 1),
    (Nand, 0, ONES, 0x0f0f_0f0f, 0, 0, 0xf0f0_f0f0),
    (Nor, 0, 0xf000_0000, 0x0000_000f, 0, 0, 0x0fff_fff0),
    (Eqv, 0, 0xffff_0000, 0xff00_ff00, 0, 0, 0xff00_00ff),
    (Selb, 0, 0x1111_1111, 0x2222_2222, 0xffff_0000, 0, 0x2222_1111),
    (Shlh, 0, 0x8001_8001, 0x000f_0010, 0, 0, 0x8000_0000),
    (Shlhi, 17, 0xffff_ffff, 0, 0, 0, 0),
    (Shl, 0, ONES, 31, 0, 0, MIN),
    (Shl, 0, ONES, 32, 0, 0, 0),
    (Shl, 0, ONES, 64, 0, 0, ONES),
    (Shli, 33, ONES, 0, 0, 0, 0),
    (Roth, 0, 0x8001_8001, 0x0001_0011, 0, 0, 0x0003_0003),
    (Rothi, -1, 0x0001_0001, 0, 0, 0, 0x8000_8000),
    (Rot, 0, 0x8000_0001, 33, 0, 0, 3),
    (Roti, 4, 0xf000_000f, 0, 0, 0, 0x0000_00ff),
    (Rothm, 0, 0x8000_8000, 0xffff_fff0, 0, 0, 0x4000_0000),
    (Rothmi, -15, 0x8000_8000, 0, 0, 0, 0x0001_0001),
    (Rotm, 0, MIN, (-31i32) as u32, 0, 0, 1),
    (Rotm, 0, MIN, (-32i32) as u32, 0, 0, 0),
    (Rotmi, -1, MIN, 0, 0, 0, 0x4000_0000),
    (Rotmah, 0, 0x8000_7fff, 0xffe1_ffe1, 0, 0, 0xffff_0000),
    (Rotmahi, -15, 0x8000_7fff, 0, 0, 0, 0xffff_0000),
    (Rotma, 0, MIN, (-40i32) as u32, 0, 0, ONES),
    (Rotmai, -31, MAX, 0, 0, 0, 0),
    (Ceqb, 0, 0x0102_0304, 0x0100_0300, 0, 0, 0xff00_ff00),
    (Ceqbi, -1, 0xff00_01ff, 0, 0, 0, 0xff00_00ff),
    (Ceqh, 0, 0x0102_0304, 0x0102_0305, 0, 0, 0xffff_0000),
    (Ceqhi, -1, 0xffff_0001, 0, 0, 0, 0xffff_0000),
    (Ceq, 0, 5, 5, 0, 0, ONES),
    (Ceqi, -512, 0xffff_fe00, 0, 0, 0, ONES),
    (Cgtb, 0, 0x7f80_0100, 0x807f_0000, 0, 0, 0xff00_ff00),
    (Cgtbi, -1, 0x00ff_fe01, 0, 0, 0, 0xff00_00ff),
    (Cgth, 0, 0x7fff_8000, 0x8000_7fff, 0, 0, 0xffff_0000),
    (Cgthi, -1, 0x0000_ffff, 0, 0, 0, 0xffff_0000),
    (Cgt, 0, 0, ONES, 0, 0, ONES),
    (Cgt, 0, MIN, MAX, 0, 0, 0),
    (Cgti, -1, 0, 0, 0, 0, ONES),
    (Clgtb, 0, 0x7f80_0100, 0x807f_0000, 0, 0, 0x00ff_ff00),
    (Clgtbi, -2, 0xff00_feff, 0, 0, 0, 0xff00_00ff),
    (Clgth, 0, 0x7fff_8000, 0x8000_7fff, 0, 0, 0x0000_ffff),
    (Clgthi, -2, 0xffff_7fff, 0, 0, 0, 0xffff_0000),
    (Clgt, 0, MIN, MAX, 0, 0, ONES),
    (Clgti, -2, ONES, 0, 0, 0, ONES),
    // Single precision: truncation, saturation, no denormals, an exponent of 255 is a number.
    (Fa, 0, 0x3f80_0000, 0x3380_0000, 0, 0, 0x3f80_0000),
    (Fa, 0, 0x3f80_0000, 0xb300_0000, 0, 0, 0x3f7f_ffff),
    (Fa, 0, MAX, MAX, 0, 0, MAX),
    (Fa, 0, 0x7f80_0000, 0x7f80_0000, 0, 0, MAX),
    (Fa, 0, 0x7f00_0000, 0x7f00_0000, 0, 0, 0x7f80_0000),
    (Fa, 0, 0x8000_0000, 0x8000_0000, 0, 0, 0),
    (Fa, 0, 0x007f_ffff, 0x0080_0000, 0, 0, 0x0080_0000),
    (Fs, 0, 0x3f80_0000, 0x3f80_0000, 0, 0, 0),
    (Fs, 0, 0x0080_0001, 0x0080_0000, 0, 0, 0),
    (Fs, 0, 0, 0x3f80_0000, 0, 0, 0xbf80_0000),
    (Fm, 0, 0x3f80_0001, 0x3f80_0001, 0, 0, 0x3f80_0002),
    (Fm, 0, 0x7f80_0000, 0xc000_0000, 0, 0, ONES),
    (Fm, 0, 0x0080_0000, 0x3f00_0000, 0, 0, 0),
    (Fm, 0, 0x8000_0000, 0x3f80_0000, 0, 0, 0),
    (Fma, 0, 0x3f80_0001, 0x3f80_0001, 0xbf80_0002, 0, 0x2880_0000),
    (Fnms, 0, 0x4000_0000, 0x4000_0000, 0x4080_0000, 0, 0),
    (Fnms, 0, 0x4000_0000, 0x4000_0000, 0x3f80_0000, 0, 0xc040_0000),
    (Fms, 0, 0x4000_0000, 0x4000_0000, 0x3f80_0000, 0, 0x4040_0000),
    (Csflt, 0, ONES, 0, 0, 0, 0xbf80_0000),
    (Csflt, 31, MIN, 0, 0, 0, 0xbf80_0000),
    (Csflt, 0, MAX, 0, 0, 0, 0x4eff_ffff),
    (Cuflt, 0, ONES, 0, 0, 0, 0x4f7f_ffff),
    (Cflts, 0, 0xbfff_ffff, 0, 0, 0, ONES),
    (Cflts, 0, 0x4f00_0000, 0, 0, 0, MAX),
    (Cflts, 0, 0xff80_0000, 0, 0, 0, MIN),
    (Cflts, 4, 0x3f80_0000, 0, 0, 0, 16),
    (Cfltu, 0, 0xbf80_0000, 0, 0, 0, 0),
    (Cfltu, 0, MAX, 0, 0, 0, ONES),
    (Fceq, 0, 0x8000_0000, 0x0000_0001, 0, 0, ONES),
    (Fceq, 0, 0x7fc0_0000, 0x7fc0_0000, 0, 0, ONES),
    (Fcmeq, 0, 0xbf80_0000, 0x3f80_0000, 0, 0, ONES),
    (Fcgt, 0, 0x7f80_0001, 0x7f80_0000, 0, 0, ONES),
    (Fcgt, 0, 0x0000_0001, 0x8000_0000, 0, 0, 0),
    (Fcmgt, 0, 0xc000_0000, 0x3f80_0000, 0, 0, ONES),
];

#[test]
fn lanes() {
    for &(opcode, immediate, a, b, c, before, after) in LANE_CASES {
        let expected = match opcode {
            Fsmbi => w([0xff00_ff00, 0x00ff_00ff, 0xff00_ff00, 0x00ff_00ff]),
            _ => s(after),
        };
        let got = result(opcode, immediate, [s(a), s(b), s(c), s(before)]);
        assert_eq!(got, expected, "{opcode:?} {immediate} a={a:08x} b={b:08x} c={c:08x} t={before:08x}");
    }
}

/// Instructions whose lanes differ: opcode, immediate, a, b, result.
#[test]
fn quadwords() {
    let q = w([0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f]);
    let cases = [
        (Xswd, 0, w([1, MIN, 1, MAX]), Z, w([ONES, MIN, 0, MAX])),
        (Orx, 0, w([1, 2, 4, 8]), Z, Quad::scalar(15)),
        (Fsm, 0, Quad::scalar(0b1001), Z, w([ONES, 0, 0, ONES])),
        (Fsmh, 0, Quad::scalar(0b1000_0001), Z, w([0xffff_0000, 0, 0, 0xffff])),
        (Fsmb, 0, Quad::scalar(0x8001), Z, w([0xff00_0000, 0, 0, 0xff])),
        (Gb, 0, w([1, 2, 3, 5]), Z, Quad::scalar(0b1011)),
        (Gbh, 0, w([0x0001_0000, 0, 0, 0x0002_0003]), Z, Quad::scalar(0x81)),
        (Gbb, 0, w([0x0100_0000, 0, 0, 0x0000_0003]), Z, Quad::scalar(0x8001)),
        (Cbd, 1, Quad::scalar(2), Z, w([0x1011_1203, 0x1415_1617, 0x1819_1a1b, 0x1c1d_1e1f])),
        (Chd, 1, Quad::scalar(2), Z, w([0x1011_0203, 0x1415_1617, 0x1819_1a1b, 0x1c1d_1e1f])),
        (Cwd, 7, Quad::scalar(0), Z, w([0x1011_1213, 0x0001_0203, 0x1819_1a1b, 0x1c1d_1e1f])),
        (Cdd, 8, Quad::scalar(0), Z, w([0x1011_1213, 0x1415_1617, 0x0001_0203, 0x0405_0607])),
        (Cbx, 0, Quad::scalar(14), Quad::scalar(1), w([0x1011_1213, 0x1415_1617, 0x1819_1a1b, 0x1c1d_1e03])),
        (Chx, 0, Quad::scalar(14), Quad::scalar(1), w([0x1011_1213, 0x1415_1617, 0x1819_1a1b, 0x1c1d_0203])),
        (Cwx, 0, Quad::scalar(14), Quad::scalar(1), w([0x1011_1213, 0x1415_1617, 0x1819_1a1b, 0x0001_0203])),
        (Cdx, 0, Quad::scalar(14), Quad::scalar(1), w([0x1011_1213, 0x1415_1617, 0x0001_0203, 0x0405_0607])),
        (Shlqbi, 0, q, Quad::scalar(12), Quad(q.0 << 4)),
        (Shlqbii, 7, q, Z, Quad(q.0 << 7)),
        (Shlqby, 0, q, Quad::scalar(15), Quad(q.0 << 120)),
        (Shlqby, 0, q, Quad::scalar(16), Z),
        (Shlqbyi, 1, q, Z, Quad(q.0 << 8)),
        (Shlqbybi, 0, q, Quad::scalar(9 << 3 | 7), Quad(q.0 << 72)),
        (Rotqby, 0, q, Quad::scalar(20), Quad(q.0.rotate_left(32))),
        (Rotqbyi, -1, q, Z, Quad(q.0.rotate_right(8))),
        (Rotqbybi, 0, q, Quad::scalar(4 << 3 | 7), Quad(q.0.rotate_left(32))),
        (Rotqbi, 0, q, Quad::scalar(9), Quad(q.0.rotate_left(1))),
        (Rotqbii, 3, q, Z, Quad(q.0.rotate_left(3))),
        (Rotqmby, 0, q, Quad::scalar((-3i32) as u32), Quad(q.0 >> 24)),
        (Rotqmby, 0, q, Quad::scalar((-16i32) as u32), Z),
        (Rotqmbyi, -4, q, Z, Quad(q.0 >> 32)),
        (Rotqmbybi, 0, q, Quad::scalar((-16i32) as u32), Quad(q.0 >> 16)),
        (Rotqmbi, 0, q, Quad::scalar((-1i32) as u32), Quad(q.0 >> 1)),
        (Rotqmbii, -7, q, Z, Quad(q.0 >> 7)),
    ];
    for (opcode, immediate, a, b, expected) in cases {
        assert_eq!(result(opcode, immediate, [a, b, Z, s(0xdead_beef)]), expected, "{opcode:?} {immediate}");
    }
    let control = w([0x0010_1f0f, 0x80bf_c0df, 0xe0ff_2030, 0x4050_6070]);
    let b = w([0x1011_1213, 0x1415_1617, 0x1819_1a1b, 0x1c1d_1e1f]);
    let expected = w([0x0010_1f0f, 0x0000_ffff, 0x8080_0010, 0x0010_0010]);
    assert_eq!(result(Shufb, 0, [q, b, control, Z]), expected);
}

#[test]
fn memory_and_addresses() {
    let value = w([1, 2, 3, 4]);
    for (opcode, immediate, a, b) in
        [(Lqd, -16, 0x2015, 0), (Lqx, 0, 0x1ff0, 0x1f), (Lqa, 0x2000, 0, 0), (Lqr, 0x1f00, 0, 0)]
    {
        let mut spe = spe(Cpu::CellBe);
        let word = encode(&Instruction { t: 13, a: 10, b: 11, immediate, ..blank(opcode) });
        spe.ls().store_word(0x100, word);
        spe.set_pc(0x100);
        spe.spu_mut().set(10, Quad::scalar(a));
        spe.spu_mut().set(11, Quad::scalar(b));
        spe.ls().store_quad(0x2000, value);
        assert_eq!(spe.run(1), StopReason::Limit);
        assert_eq!(spe.spu().get(13), value, "{opcode:?}");
    }
    for (opcode, immediate, a, b) in
        [(Stqd, -16, 0x4_2015, 0), (Stqx, 0, 0x1ff0, 0x1f), (Stqa, 0x2000, 0, 0), (Stqr, 0x1f00, 0, 0)]
    {
        let (spe, _) =
            execute_one(Cpu::CellBe, opcode, immediate, [Quad::scalar(a), Quad::scalar(b), Z, value]);
        assert_eq!(spe.ls().load_quad(0x2000), value, "{opcode:?}");
    }
}

#[test]
fn branches() {
    let next = 0x104;
    // Opcode, immediate, a, t, the address that follows, the link register if written.
    let cases = [
        (Br, 0x20, 0, 0, 0x120, None),
        (Br, -0x104, 0, 0, 0x3_fffc, None),
        (Bra, 0x3_fffc, 0, 0, 0x3_fffc, None),
        (Brsl, 8, 0, 7, 0x108, Some(next)),
        (Brasl, 0x400, 0, 7, 0x400, Some(next)),
        (Bi, 0, 0x4_0203, 0, 0x200, None),
        (Bisl, 0, 0x200, 7, 0x200, Some(next)),
        (Bisled, 0, 0x200, 7, next, Some(next)),
        (Brz, 8, 0, 0, 0x108, None),
        (Brz, 8, 0, 1, next, None),
        (Brnz, 8, 0, MIN, 0x108, None),
        (Brnz, 8, 0, 0, next, None),
        (Brhz, 8, 0, 0xffff_0000, 0x108, None),
        (Brhz, 8, 0, 1, next, None),
        (Brhnz, 8, 0, 0xffff_0000, next, None),
        (Brhnz, 8, 0, 1, 0x108, None),
        (Biz, 0, 0x200, 0, 0x200, None),
        (Biz, 0, 0x200, 1, next, None),
        (Binz, 0, 0x200, 1, 0x200, None),
        (Binz, 0, 0x200, 0, next, None),
        (Bihz, 0, 0x200, 0xffff_0000, 0x200, None),
        (Bihz, 0, 0x200, 1, next, None),
        (Bihnz, 0, 0x200, 1, 0x200, None),
        (Bihnz, 0, 0x200, 0x1_0000, next, None),
        (Iret, 0, 0x200, 0, 0, None),
        (Hbr, 0, 0x200, 0, next, None),
        (Hbra, 0x200, 0, 0, next, None),
        (Hbrr, 0x200, 0, 0, next, None),
        (Nop, 0, 0, 5, next, None),
        (Lnop, 0, 0, 5, next, None),
        (Sync, 0, 0, 5, next, None),
        (Dsync, 0, 0, 5, next, None),
        (Mtspr, 0, 0, 5, next, None),
        (Mfspr, 0, 0, 5, next, Some(0)),
    ];
    for (opcode, immediate, a, t, expected, link) in cases {
        let (spe, reason) =
            execute_one(Cpu::CellBe, opcode, immediate, [Quad::scalar(a), Z, Z, Quad::scalar(t)]);
        assert_eq!(reason, StopReason::Limit);
        assert_eq!(spe.pc(), expected, "{opcode:?} {immediate} a={a:x} t={t:x}");
        assert_eq!(spe.spu().get(13), Quad::scalar(link.unwrap_or(t)), "{opcode:?}");
    }
}

#[test]
fn stops_and_halts() {
    let one = |opcode, immediate, a, b| {
        let (spe, reason) =
            execute_one(Cpu::CellBe, opcode, immediate, [Quad::scalar(a), Quad::scalar(b), Z, Z]);
        (spe.pc(), reason)
    };
    assert_eq!(one(Stop, 0x2107, 0, 0), (0x104, StopReason::Stop(0x2107)));
    assert_eq!(one(Stopd, 0, 0, 0), (0x104, StopReason::Stop(0x3fff)));
    for (opcode, immediate, a, b, halts) in [
        (Heq, 0, 3, 3, true),
        (Heq, 0, 3, 4, false),
        (Heqi, -1, ONES, 0, true),
        (Hgt, 0, 0, ONES, true),
        (Hgt, 0, MIN, MAX, false),
        (Hgti, -2, ONES, 0, true),
        (Hlgt, 0, MIN, MAX, true),
        (Hlgt, 0, 0, ONES, false),
        (Hlgti, -2, ONES, 0, true),
    ] {
        let expected = if halts { (0x100, StopReason::Halt) } else { (0x104, StopReason::Limit) };
        assert_eq!(one(opcode, immediate, a, b), expected, "{opcode:?}");
    }
}

/// Channel instructions have their own tests; everything else in the table is executed above.
#[test]
fn every_instruction_of_the_table_has_a_case() {
    let source = concat!(include_str!("tests.rs"), include_str!("tests/float.rs"));
    let named: HashSet<&str> = source.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let missing: Vec<_> = INSTRUCTIONS
        .iter()
        .map(|row| format!("{:?}", row.opcode))
        .filter(|name| !named.contains(name.as_str()) && !["Rdch", "Wrch", "Rchcnt"].contains(&name.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn invalid_words_are_reported_with_their_address() {
    let mut spe = spe(Cpu::CellBe);
    let unused = (0..2048u32).find(|bits| crate::instruction::decode::decode(bits << 21).opcode == Invalid);
    let word = unused.unwrap() << 21;
    spe.ls().store_word(0x40, word);
    spe.set_pc(0x40);
    assert_eq!(spe.run(5), StopReason::InvalidInstruction(word));
    assert_eq!(spe.pc(), 0x40);
}
