//! Floating-point instructions: results, flags and rounding modes.

use super::*;
use crate::fpscr::{double_flags, single_flags};

fn d(left: f64, right: f64) -> Quad {
    Quad::from_doubles([left.to_bits(), right.to_bits()])
}

#[test]
fn doubles() {
    let cases = [
        (Dfa, d(1.0, -0.0), d(2.0, 0.0), Z, d(3.0, 0.0)),
        (Dfs, d(1.0, 0.5), d(2.0, 0.5), Z, d(-1.0, 0.0)),
        (Dfm, d(3.0, -0.0), d(2.0, 5.0), Z, d(6.0, -0.0)),
        (Dfma, d(3.0, 1.0), d(2.0, 1.0), d(1.0, -1.0), d(7.0, 0.0)),
        (Dfms, d(3.0, 1.0), d(2.0, 1.0), d(1.0, 1.0), d(5.0, 0.0)),
        (Dfnms, d(3.0, 1.0), d(2.0, 1.0), d(1.0, 1.0), d(-5.0, -0.0)),
        (Dfnma, d(3.0, 1.0), d(2.0, 1.0), d(1.0, -1.0), d(-7.0, -0.0)),
    ];
    for (opcode, a, b, t, expected) in cases {
        for cpu in [Cpu::CellBe, Cpu::PowerXCell8i] {
            let (spe, _) = execute_one(cpu, opcode, 0, [a, b, Z, t]);
            assert_eq!(spe.spu().get(13), expected, "{opcode:?}");
        }
    }
    let nan = f64::from_bits(0xfff0_0000_0000_0001);
    let (spe, _) = execute_one(Cpu::CellBe, Dfa, 0, [d(nan, f64::INFINITY), d(1.0, f64::NEG_INFINITY), Z, Z]);
    assert_eq!(spe.spu().get(13).doubles(), [0x7ff8_0000_0000_0000; 2]);
    assert_eq!(spe.spu().fpscr().double(0), double_flags::INVALID | double_flags::NAN);
    assert_eq!(spe.spu().fpscr().double(1), double_flags::INVALID);
}

#[test]
fn denormal_doubles_are_zeros_on_the_cell_be_only() {
    let tiny = f64::from_bits(1);
    let (cell, _) = execute_one(Cpu::CellBe, Dfa, 0, [d(tiny, -tiny), d(0.0, -0.0), Z, Z]);
    assert_eq!(cell.spu().get(13), d(0.0, -0.0));
    assert_eq!(cell.spu().fpscr().double(0), double_flags::DENORMAL);
    let (power, _) = execute_one(Cpu::PowerXCell8i, Dfa, 0, [d(tiny, -tiny), d(0.0, -0.0), Z, Z]);
    assert_eq!(power.spu().get(13), d(tiny, -tiny));
    assert_eq!(power.spu().fpscr().double(0), 0);
}

#[test]
fn double_comparisons_exist_on_the_powerxcell_only() {
    let mask =
        |left: bool, right: bool| Quad::from_doubles([left, right].map(|set| if set { u64::MAX } else { 0 }));
    let cases = [
        (Dfceq, d(0.0, f64::NAN), d(-0.0, f64::NAN), mask(true, false)),
        (Dfcmeq, d(-2.0, 1.0), d(2.0, 2.0), mask(true, false)),
        (Dfcgt, d(1.0, f64::INFINITY), d(1.0, 1.0), mask(false, true)),
        (Dfcmgt, d(-3.0, 1.0), d(2.0, -2.0), mask(true, false)),
    ];
    for (opcode, a, b, expected) in cases {
        assert_eq!(result(opcode, 0, [a, b, Z, Z]), expected, "{opcode:?}");
        let (_, reason) = execute_one(Cpu::CellBe, opcode, 0, [a, b, Z, Z]);
        assert!(matches!(reason, StopReason::InvalidInstruction(_)), "{opcode:?}");
    }
    for (bit, value) in [
        (0x40, f64::NAN),
        (0x20, f64::INFINITY),
        (0x10, f64::NEG_INFINITY),
        (0x08, 0.0),
        (0x04, -0.0),
        (0x02, f64::from_bits(1)),
        (0x01, -f64::from_bits(1)),
    ] {
        // The immediate is a signed field of seven bits.
        let immediate = if bit == 0x40 { -64 } else { bit };
        assert_eq!(result(Dftsv, immediate, [d(value, 1.0), Z, Z, Z]), mask(true, false), "{bit:#x}");
        assert_eq!(result(Dftsv, !immediate, [d(value, 1.0), Z, Z, Z]), mask(false, false), "{bit:#x}");
    }
}

#[test]
fn conversions_between_precisions() {
    let single = |x: f32| x.to_bits();
    let words = w([single(1.5), 77, single(-0.0), 77]);
    assert_eq!(result(Fesd, 0, [words, Z, Z, Z]), d(1.5, -0.0));
    let infinity = w([single(f32::INFINITY), 0, single(f32::NAN), 0]);
    assert_eq!(
        result(Fesd, 0, [infinity, Z, Z, Z]).doubles(),
        [f64::INFINITY.to_bits(), 0x7ff8_0000_0000_0000]
    );
    assert_eq!(result(Frds, 0, [d(0.1, 1e300), Z, Z, Z]), w([single(0.1), 0, single(f32::INFINITY), 0]));
}

#[test]
fn fpscr_rounds_slices_apart_and_masks_its_bits() {
    let mut spe = spe(Cpu::CellBe);
    let code = [
        encode(&Instruction { a: 10, ..blank(Fscrwr) }),
        encode(&Instruction { t: 13, ..blank(Fscrrd) }),
        encode(&Instruction { t: 14, a: 11, b: 12, ..blank(Dfa) }),
    ];
    for (at, word) in (0..).step_by(4).zip(code) {
        spe.ls().store_word(at, word);
    }
    spe.spu_mut().set(10, Quad(u128::MAX));
    spe.run(2);
    assert_eq!(spe.spu().get(13), w([0xf07, 0x3f07, 0x3f07, 0xf07]));
    // Slice 0 rounds up (2), slice 1 down (3).
    spe.spu_mut().set(10, w([2 << 10 | 3 << 8, 0, 0, 0]));
    spe.spu_mut().set(11, d(1.0, 1.0));
    spe.spu_mut().set(12, d(1e-30, -1e-30));
    spe.set_pc(0);
    spe.run(3);
    assert_eq!(spe.spu().get(14), d(1.0f64.next_up(), 1.0f64.next_down()));
    assert_eq!(spe.spu().fpscr().double(0), double_flags::INEXACT);
}

#[test]
fn single_precision_flags() {
    let flags = |opcode, a, b| {
        let (spe, _) = execute_one(Cpu::CellBe, opcode, 0, [s(a), s(b), Z, Z]);
        spe.spu().fpscr().read().words()
    };
    use single_flags::{DIFFERENT, OVERFLOW, UNDERFLOW};
    assert_eq!(flags(Fa, 0x3f80_0000, 0x3f80_0000), [0; 4]);
    assert_eq!(flags(Fm, MAX, MAX), [OVERFLOW | DIFFERENT; 4]);
    assert_eq!(flags(Fm, 0x0080_0000, 0x0080_0000), [UNDERFLOW | DIFFERENT; 4]);
    assert_eq!(flags(Fa, 0x0000_0001, 0), [DIFFERENT; 4]);
    let (spe, _) = execute_one(Cpu::CellBe, Frest, 0, [w([0, 0x3f80_0000, 1, 0x3f80_0000]), Z, Z, Z]);
    assert_eq!(spe.spu().fpscr().read().words()[3], 0xa00);
}

#[test]
fn estimates_at_the_ends_of_the_range() {
    assert_eq!(result(Fi, 0, [s(0x7_ffff), s(0x3f80_0000), Z, Z]), s(0x3f80_0000));
    assert_eq!(result(Fi, 0, [s(0x7_ffff), s(0xbf80_03ff), Z, Z]), s(0x3f60_0803 | MIN));
    assert_eq!(result(Fi, 0, [s(0), s(0x007f_ffff), Z, Z]), s(0));
    assert_eq!(result(Frest, 0, [s(MIN), Z, Z, Z]), s(ONES));
    assert_eq!(result(Frest, 0, [s(MAX), Z, Z, Z]), s(0));
    assert_eq!(result(Frest, 0, [s(0xbf80_0000), Z, Z, Z]).preferred() >> 31, 1);
    assert_eq!(result(Frsqest, 0, [s(0), Z, Z, Z]), s(MAX));
    assert_eq!(result(Frsqest, 0, [s(0xc080_0000), Z, Z, Z]), result(Frsqest, 0, [s(0x4080_0000), Z, Z, Z]));
}
