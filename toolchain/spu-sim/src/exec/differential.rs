//! Floating-point instructions against definitions by whole numbers, with random and edge operands: on the
//! host's vector instructions where it has them, and without.
//!
//! `FLOAT_OPERANDS=10000000 cargo test --release -p spu-sim differential` tries as many operands for each
//! instruction.

use std::sync::Arc;

use super::{soft_double, vector::Host};
use crate::{
    fpscr::{Rounding, double_flags, single_flags as flag},
    instruction::decode::Instruction,
    instruction::encode::{blank, encode},
    instruction::isa::Opcode::{self, *},
    memory::Ram,
    quad::Quad,
    spe::{Spe, SpeConfig},
    spu::{Cpu, Unobserved},
};

/// Operands an instruction if `FLOAT_OPERANDS` does not say otherwise.
const SAMPLE: u64 = 20_000;

fn operands() -> u64 {
    std::env::var("FLOAT_OPERANDS").ok().and_then(|count| count.parse().ok()).unwrap_or(SAMPLE)
}

/// Pseudo-random numbers, which are equal in every run.
struct Random(fastrand::Rng);

impl Random {
    fn new(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0.u64(..limit)
    }

    /// A fraction of `bits` bits: any, or with a long run of zeros or ones at its end, where roundings go
    /// wrong.
    fn fraction(&mut self, bits: u32) -> u64 {
        let any = self.next() & ((1 << bits) - 1);
        let run = (1u64 << self.below(u64::from(bits) + 1)) - 1;
        match self.below(4) {
            0 => any & !run,
            1 => any | run,
            _ => any,
        }
    }

    fn single(&mut self) -> u32 {
        const EDGES: [u32; 12] = [
            0,
            1,
            0x7f_ffff,
            0x80_0000,
            0x80_0001,
            0x3f80_0000,
            0x3f7f_ffff,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7f80_0001,
            0x7fc0_0000,
            0x7fff_ffff,
        ];
        let sign = (self.next() as u32) & 0x8000_0000;
        let exponent = match self.below(8) {
            0 => return sign | EDGES[self.below(12) as usize],
            // Products near the ends of the range.
            1 => 60 + self.below(8),
            2 => 188 + self.below(8),
            3 => self.below(256),
            // Sums that cancel or absorb.
            4 => 127 + self.below(30),
            _ => 125 + self.below(5),
        };
        sign | (exponent as u32) << 23 | self.fraction(23) as u32
    }

    fn double(&mut self) -> u64 {
        const EDGES: [u64; 12] = [
            0,
            1,
            0xf_ffff_ffff_ffff,
            0x10_0000_0000_0000,
            0x10_0000_0000_0001,
            0x3ff0_0000_0000_0000,
            0x3fef_ffff_ffff_ffff,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff0_0000_0000_0001,
            0x7ff8_0000_0000_0000,
            0x7fff_ffff_ffff_ffff,
        ];
        let sign = self.next() & (1 << 63);
        let exponent = match self.below(8) {
            0 => return sign | EDGES[self.below(12) as usize],
            1 => 508 + self.below(8),
            2 => 1532 + self.below(8),
            3 => self.below(2048),
            4 => 1023 + self.below(120),
            5 => self.below(4),
            _ => 1021 + self.below(5),
        };
        sign | exponent << 52 | self.fraction(52)
    }
}

/// The number `±significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Number {
    negative: bool,
    significand: u128,
    exponent: i32,
}

impl Number {
    fn of_single(x: u32) -> Number {
        let (exponent, fraction) = ((x >> 23 & 0xff) as i32, x & 0x7f_ffff);
        let significand = if exponent == 0 { 0 } else { u128::from(fraction | 0x80_0000) };
        Number { negative: x >> 31 != 0, significand, exponent: exponent - 150 }
    }

    fn negated(self) -> Number {
        Number { negative: !self.negative, ..self }
    }

    fn times(self, other: Number) -> Number {
        Number {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The sum; what is far below the larger operand leaves a one in the lowest bit.
    fn plus(self, other: Number) -> Number {
        if self.significand == 0 {
            return other;
        }
        if other.significand == 0 {
            return self;
        }
        let lift = |x: Number| {
            let shift = x.significand.leading_zeros() as i32 - 2;
            Number { significand: x.significand << shift, exponent: x.exponent - shift, ..x }
        };
        let (x, y) = (lift(self), lift(other));
        let (large, small) = if x.exponent >= y.exponent { (x, y) } else { (y, x) };
        let shift = (large.exponent - small.exponent) as u32;
        let (kept, lost) = match shift {
            0 => (small.significand, 0),
            1..128 => (small.significand >> shift, small.significand << (128 - shift)),
            _ => (0, 1),
        };
        let aligned = (kept | u128::from(lost != 0)) as i128;
        let signed = |negative: bool, x: i128| if negative { -x } else { x };
        let sum = signed(large.negative, large.significand as i128) + signed(small.negative, aligned);
        Number { negative: sum < 0, significand: sum.unsigned_abs(), exponent: large.exponent }
    }

    /// Truncated to a single, with flags.
    fn to_single(self) -> (u32, u32) {
        if self.significand == 0 {
            return (0, 0);
        }
        let leading = 127 - self.significand.leading_zeros() as i32;
        let sign = u32::from(self.negative) << 31;
        let field = self.exponent + leading + 127;
        let shift = leading - 23;
        let fraction = if shift >= 0 { self.significand >> shift } else { self.significand << -shift };
        match field {
            ..=0 => (0, flag::UNDERFLOW | flag::DIFFERENT),
            1..=255 => (sign | (field as u32) << 23 | fraction as u32 & 0x7f_ffff, 0),
            _ => (sign | 0x7fff_ffff, flag::OVERFLOW | flag::DIFFERENT),
        }
    }

    /// Truncated to a whole number within `low..=high`.
    fn to_integer(self, scale: i32, low: i64, high: i64) -> i64 {
        let shift = self.exponent + scale;
        let magnitude = match shift {
            ..=-128 => 0,
            -127..=0 => self.significand >> -shift,
            1..=100 => self.significand << shift,
            _ if self.significand == 0 => 0,
            _ => 1 << 100,
        } as i128;
        let value = if self.negative { -magnitude } else { magnitude };
        value.clamp(i128::from(low), i128::from(high)) as i64
    }

    /// Order and equality of singles, by a whole number that grows with the value.
    fn rank(x: u32) -> i64 {
        let magnitude = if x & 0x7f80_0000 == 0 { 0 } else { i64::from(x & 0x7fff_ffff) };
        if x >> 31 != 0 { -magnitude } else { magnitude }
    }
}

/// One lane of a single-precision instruction by definition: result and flags.
fn single(opcode: Opcode, scale: i32, [a, b, c]: [u32; 3]) -> (u32, u32) {
    let [x, y, z] = [a, b, c].map(Number::of_single);
    let mask = |set: bool| (if set { u32::MAX } else { 0 }, 0);
    let [rank_a, rank_b] = [a, b].map(Number::rank);
    let (exact, read) = match opcode {
        Fa => (x.plus(y), &[a, b][..]),
        Fs => (x.plus(y.negated()), &[a, b][..]),
        Fm => (x.times(y), &[a, b][..]),
        Fma => (x.times(y).plus(z), &[a, b, c][..]),
        Fms => (x.times(y).plus(z.negated()), &[a, b, c][..]),
        Fnms => (x.times(y).negated().plus(z), &[a, b, c][..]),
        Csflt => {
            let significand = u128::from((a as i32).unsigned_abs());
            return (Number { negative: (a as i32) < 0, significand, exponent: -scale }.to_single().0, 0);
        }
        Cuflt => {
            return (Number { negative: false, significand: a.into(), exponent: -scale }.to_single().0, 0);
        }
        Cflts => return (x.to_integer(scale, i32::MIN.into(), i32::MAX.into()) as u32, 0),
        Cfltu => return (x.to_integer(scale, 0, u32::MAX.into()) as u32, 0),
        Fceq => return mask(rank_a == rank_b),
        Fcmeq => return mask(rank_a.abs() == rank_b.abs()),
        Fcgt => return mask(rank_a > rank_b),
        Fcmgt => return mask(rank_a.abs() > rank_b.abs()),
        other => unreachable!("{other:?} is not among the instructions under test"),
    };
    let (bits, mut flags) = exact.to_single();
    let unlike_ieee = |x: u32| {
        let exponent = x >> 23 & 0xff;
        exponent == 255 || (exponent == 0 && x << 9 != 0)
    };
    if bits >> 23 & 0xff == 255 || read.iter().any(|&x| unlike_ieee(x)) {
        flags |= flag::DIFFERENT;
    }
    (bits, flags)
}

/// One slice of a double-precision instruction by definition.
fn double(opcode: Opcode, [a, b, t]: [u64; 3], rounding: Rounding) -> (u64, u32) {
    let minus = |x: u64| if f64::from_bits(x).is_nan() { x } else { x ^ 1 << 63 };
    let negated = |(x, flags): (u64, u32)| (minus(x), flags);
    let mirrored = match rounding {
        Rounding::Up => Rounding::Down,
        Rounding::Down => Rounding::Up,
        other => other,
    };
    match opcode {
        Dfa => soft_double::add(a, b, rounding),
        Dfs => soft_double::add(a, minus(b), rounding),
        Dfm => soft_double::multiply(a, b, rounding),
        Dfma => soft_double::multiply_add(a, b, t, rounding),
        Dfms => soft_double::multiply_add(a, b, minus(t), rounding),
        Dfnms => negated(soft_double::multiply_add(a, b, minus(t), mirrored)),
        Dfnma => negated(soft_double::multiply_add(a, b, t, mirrored)),
        Frds => {
            let (single, flags) = soft_double::to_single(a, rounding);
            (u64::from(single) << 32, flags)
        }
        other => unreachable!("{other:?} is not among the instructions under test"),
    }
}

/// Runs the instruction at address 0, the last time without the host's vector instructions, and hands out the
/// target register and the FPSCR each time.
fn run(spe: &mut Spe, operands: [Quad; 3], fpscr: Quad, mut check: impl FnMut(&str, Quad, Quad)) {
    for path in ["vector", "portable"] {
        let spu = spe.spu_mut();
        for (register, value) in (10..).zip(operands) {
            spu.set(register, value);
        }
        spu.fpscr.write(fpscr);
        spu.pc = 0;
        spu.set_host(if path == "vector" { Host::detect() } else { Host::PORTABLE });
        spu.run(&mut Unobserved, 1, u64::MAX);
        check(path, spu.get(12), spu.fpscr.read());
    }
}

fn spe(cpu: Cpu) -> Spe {
    Spe::new(&SpeConfig { cpu, ..SpeConfig::default() }, Arc::new(Ram::new(0, 128)))
}

#[test]
fn singles() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut spe = spe(Cpu::CellBe);
    for opcode in [Fa, Fs, Fm, Fma, Fms, Fnms, Fceq, Fcmeq, Fcgt, Fcmgt, Csflt, Cuflt, Cflts, Cfltu] {
        let mut immediate = 0;
        for round in 0..operands() / 4 {
            if round % 64 == 0 {
                // Scales of the conversions, mostly near the scales that put the whole numbers into range.
                let field = if random.below(4) == 0 { random.below(256) } else { 130 + random.below(50) };
                immediate = if matches!(opcode, Cflts | Cfltu) { 173 } else { 155 } - field as i32;
                let word = encode(&Instruction { t: 12, a: 10, b: 11, c: 12, immediate, ..blank(opcode) });
                spe.ls().store_word(0, word);
            }
            let (mut a, mut b, mut c) = ([0; 4], [0; 4], [0; 4]);
            for lane in 0..4 {
                (a[lane], b[lane], c[lane]) = (random.single(), random.single(), random.single());
                match random.below(8) {
                    // An addend that nearly cancels the product.
                    0 => {
                        let product = Number::of_single(a[lane]).times(Number::of_single(b[lane]));
                        c[lane] = product.to_single().0.wrapping_add(random.below(3) as u32).wrapping_sub(1);
                        c[lane] ^= (random.next() as u32) & 0x8000_0000;
                    }
                    1 => b[lane] = a[lane] ^ ((random.next() as u32) & 0x8000_0001),
                    _ => {}
                }
            }
            let [qa, qb, qc] = [a, b, c].map(Quad::from_words);
            let expected: [(u32, u32); 4] =
                std::array::from_fn(|lane| single(opcode, immediate, [a[lane], b[lane], c[lane]]));
            run(&mut spe, [qa, qb, qc], Quad::ZERO, |path, result, fpscr| {
                assert_eq!(
                    (result.words(), fpscr.words()),
                    (expected.map(|(bits, _)| bits), expected.map(|(_, flags)| flags)),
                    "{opcode:?} {immediate} {path} {qa:?} {qb:?} {qc:?} gave {result:?}"
                );
            });
        }
    }
}

#[test]
fn doubles() {
    let mut random = Random::new(0xd1b5_4a32_d192_ed03);
    let (mut cell, mut power) = (spe(Cpu::CellBe), spe(Cpu::PowerXCell8i));
    for opcode in [Dfa, Dfs, Dfm, Dfma, Dfms, Dfnms, Dfnma, Frds] {
        let word = encode(&Instruction { t: 12, a: 10, b: 11, ..blank(opcode) });
        cell.ls().store_word(0, word);
        power.ls().store_word(0, word);
        for _ in 0..operands() / 2 {
            let (mut a, mut b, mut t) = ([0; 2], [0; 2], [0; 2]);
            for slice in 0..2 {
                (a[slice], b[slice], t[slice]) = (random.double(), random.double(), random.double());
                match random.below(8) {
                    0 => {
                        let product = f64::from_bits(a[slice]) * f64::from_bits(b[slice]);
                        t[slice] = product.to_bits().wrapping_add(random.below(3)).wrapping_sub(1);
                        t[slice] ^= random.next() & 1 << 63;
                    }
                    1 => b[slice] = a[slice] ^ (random.next() & (1 << 63 | 1)),
                    // Small whole numbers: nothing is inexact.
                    2 => {
                        [a[slice], b[slice], t[slice]] =
                            std::array::from_fn(|_| (random.below(65) as f64 - 32.0).to_bits());
                    }
                    _ => {}
                }
            }
            // Half of the time all round to nearest, as programs do; half of the time something inexact came
            // before.
            let modes = if random.below(2) == 0 { 0 } else { random.next() as u32 & 0xf00 };
            let before: [u32; 2] =
                std::array::from_fn(|_| if random.below(2) == 0 { 0 } else { double_flags::INEXACT });
            let fpscr = Quad::from_words([modes, before[0], before[1], 0]);
            let [qa, qb, qt] = [a, b, t].map(Quad::from_doubles);
            for spe in [&mut cell, &mut power] {
                let cpu = spe.spu().cpu;
                let expected: [(u64, u32); 2] = std::array::from_fn(|slice| {
                    let rounding = match modes >> (10 - 2 * slice) & 3 {
                        0 => Rounding::Nearest,
                        1 => Rounding::Zero,
                        2 => Rounding::Up,
                        _ => Rounding::Down,
                    };
                    let mut flags = before[slice];
                    let read = match opcode {
                        Frds => 1,
                        Dfa | Dfs | Dfm => 2,
                        _ => 3,
                    };
                    let mut operands = [a[slice], b[slice], t[slice]];
                    for operand in &mut operands[..read] {
                        if cpu == Cpu::CellBe && f64::from_bits(*operand).is_subnormal() {
                            *operand &= 1 << 63;
                            flags |= double_flags::DENORMAL;
                        }
                    }
                    let (bits, raised) = double(opcode, operands, rounding);
                    (bits, flags | raised)
                });
                run(spe, [qa, qb, qt], fpscr, |path, result, after| {
                    let flags = expected.map(|(_, flags)| flags);
                    assert_eq!(
                        (result.doubles(), after.words()),
                        (expected.map(|(bits, _)| bits), [modes, flags[0], flags[1], 0]),
                        "{opcode:?} {cpu:?} {path} {qa:?} {qb:?} {qt:?} fpscr {fpscr:?} gave {result:?}"
                    );
                });
            }
        }
    }
}

/// Estimates as programs use them, with the interpolation that follows: the ISA asks for 12 good bits. All
/// fractions are tried if there are as many operands.
#[test]
fn estimates_interpolate_to_twelve_bits() {
    let mut spe = spe(Cpu::CellBe);
    // The exact value of an SPU single, also beyond the range of IEEE.
    let value = |x: u32| {
        let Number { negative, significand, exponent } = Number::of_single(x);
        let magnitude = significand as f64 * 2f64.powi(exponent);
        if negative { -magnitude } else { magnitude }
    };
    let fractions = operands().min(1 << 23);
    for opcode in [Frest, Frsqest] {
        let code = [
            encode(&Instruction { t: 12, a: 10, ..blank(opcode) }),
            encode(&Instruction { t: 12, a: 10, b: 12, ..blank(Fi) }),
        ];
        for (at, word) in (0..).step_by(4).zip(code) {
            spe.ls().store_word(at, word);
        }
        let mut worst: f64 = 0.0;
        for index in 0..fractions {
            let fraction = (index * ((1 << 23) / fractions)) as u32;
            let lanes = [2u32, 127, 128, 251].map(|exponent| exponent << 23 | fraction);
            let spu = spe.spu_mut();
            spu.set(10, Quad::from_words(lanes));
            spu.pc = 0;
            spu.run(&mut Unobserved, 2, u64::MAX);
            for (x, result) in lanes.into_iter().zip(spu.get(12).words()) {
                let exact = if opcode == Frest { 1.0 / value(x) } else { 1.0 / value(x).sqrt() };
                worst = worst.max((value(result) / exact - 1.0).abs());
            }
        }
        println!("{opcode:?}: worst relative error 2^{:.2} over {fractions} fractions", worst.log2());
        assert!(worst < 1.0 / 4096.0, "{opcode:?}: {worst}");
    }
}
