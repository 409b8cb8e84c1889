//! Prints the speed of every kernel beside the machine's peak, which is measured in the same run.
//!
//! `cargo bench -p spe-kernels`; a word on the command line selects the lines that contain it.

mod timing;

use std::hint::black_box;

use spe_kernels::{Block, BlockMut, Element, Form, Opcode, VectorWidth, execute_with};
use timing::nanoseconds;

const SAMPLES: u32 = 7;

#[cfg(target_arch = "x86_64")]
mod peak {
    use std::arch::x86_64::*;
    use std::hint::black_box;

    const ROUNDS: u32 = 4096;
    const CHAINS: usize = 16;

    #[target_feature(enable = "avx512f")]
    fn single_512() -> __m512 {
        let factor = black_box(_mm512_set1_ps(0.5));
        let mut sums = [factor; CHAINS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, factor, factor);
            }
        }
        sums.into_iter().fold(factor, |a, b| _mm512_add_ps(a, b))
    }

    #[target_feature(enable = "avx2,fma")]
    fn single_256() -> __m256 {
        let factor = black_box(_mm256_set1_ps(0.5));
        let mut sums = [factor; 12];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(*sum, factor, factor);
            }
        }
        sums.into_iter().fold(factor, |a, b| _mm256_add_ps(a, b))
    }

    /// The peak of single-precision GFLOP/s that fused multiply-adds in registers reach; double has half of
    /// it.
    pub(super) fn gflops() -> Option<f64> {
        if is_x86_feature_detected!("avx512f") {
            let time = super::nanoseconds(super::SAMPLES, || {
                // SAFETY: as just asked.
                black_box(unsafe { single_512() });
            });
            return Some(f64::from(ROUNDS) * (CHAINS * 16 * 2) as f64 / time);
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            let time = super::nanoseconds(super::SAMPLES, || {
                // SAFETY: as just asked.
                black_box(unsafe { single_256() });
            });
            return Some(f64::from(ROUNDS) * (12 * 8 * 2) as f64 / time);
        }
        None
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod peak {
    pub(super) fn gflops() -> Option<f64> {
        None
    }
}

fn padded<T: Element>(rows: usize) -> usize {
    rows.next_multiple_of(16 / size_of::<T>())
}

fn multiply<T: Element>(
    name: &str,
    width: VectorWidth,
    (m, k, n): (usize, usize, usize),
    value: T,
    peak: Option<f64>,
) {
    let (column, inner) = (padded::<T>(m), padded::<T>(k));
    let (a, b) = (vec![value; column * k], vec![value; inner * n]);
    let mut result = vec![value; column * n];
    let time = nanoseconds(SAMPLES, || {
        let (a, b) = (Block::new(&a, m, k, column), Block::new(&b, k, n, inner));
        let result = BlockMut::new(black_box(&mut result), m, n, column);
        execute_with(Some(width), Opcode::Multiply, Form::Blocks, 0.0, a, Some(b), result)
            .expect("shapes fit");
    });
    let gflops = 2.0 * (m * k * n) as f64 / time;
    let share =
        peak.map_or(String::new(), |peak| format!(" {:5.1} % of the FMA peak", 100.0 * gflops / peak));
    println!("multiply {name} {width:?} {m:>3} x {k:>3} x {n:>3} {time:9.0} ns {gflops:8.2} GFLOP/s{share}");
}

fn elementwise<T: Element>(name: &str, width: VectorWidth, opcode: Opcode, x: &[T], y: &[T], rows: usize) {
    let columns = x.len() / rows;
    let mut result = x.to_vec();
    let time = nanoseconds(SAMPLES, || {
        let (a, b) = (Block::new(x, rows, columns, rows), Block::new(y, rows, columns, rows));
        let result = BlockMut::new(black_box(&mut result), rows, columns, rows);
        let b = opcode.is_binary().then_some(b);
        execute_with(Some(width), opcode, Form::Blocks, 0.0, a, b, result).expect("shapes fit");
    });
    println!("{opcode:?} {name} {width:?} {:8.3} ns/element", time / x.len() as f64);
}

/// A number in the operation's domain.
fn in_domain(opcode: Opcode, x: f64) -> f64 {
    match opcode {
        Opcode::Power | Opcode::Sqrt | Opcode::Log | Opcode::Log2 | Opcode::Log10 | Opcode::Log1p => {
            x.abs() + 0.01
        }
        Opcode::Acosh => x.abs() + 1.0,
        Opcode::Asin | Opcode::Acos | Opcode::Atanh => x / 11.0,
        _ => x,
    }
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let wanted = |line: &str| line.to_lowercase().contains(&filter.to_lowercase());
    let peak = peak::gflops();
    if let Some(peak) = peak {
        println!("FMA peak of one thread {peak:.1} GFLOP/s single, {:.1} double", peak / 2.0);
    }
    for width in VectorWidth::available() {
        if !wanted("multiply") {
            break;
        }
        for shape in [
            (96, 96, 96),
            (64, 64, 64),
            (97, 97, 97),
            (96, 3, 96),
            (4, 96, 96),
            (96, 96, 1),
            (1, 96, 96),
            (4, 4, 4),
        ] {
            multiply("single", width, shape, 1.0_f32, peak);
        }
        for shape in [
            (68, 68, 68),
            (64, 64, 64),
            (67, 67, 67),
            (69, 69, 69),
            (68, 3, 68),
            (4, 68, 68),
            (68, 68, 1),
            (4, 4, 4),
        ] {
            multiply("double", width, shape, 1.0_f64, peak.map(|peak| peak / 2.0));
        }
    }

    let (singles, doubles) = (96 * 96, 68 * 68);
    let wave = |i: usize| ((i * 7919 % 10007) as f64 / 500.0) - 10.0;
    let x64: Vec<f64> = (0..doubles).map(wave).collect();
    let y64: Vec<f64> = (0..doubles).map(|i| wave(i + 3) + 0.25).collect();
    let x32: Vec<f32> = (0..singles).map(|i| wave(i) as f32).collect();
    let y32: Vec<f32> = (0..singles).map(|i| wave(i + 3) as f32 + 0.25).collect();
    let mut copy = y64.clone();
    let time = nanoseconds(SAMPLES, || black_box(&mut copy).copy_from_slice(black_box(&x64)));
    println!("copy double {:.3} ns/element", time / doubles as f64);
    for opcode in Opcode::ALL {
        if matches!(opcode, Opcode::Multiply | Opcode::Convert) || !wanted(&format!("{opcode:?}")) {
            continue;
        }
        let base64: Vec<f64> = x64.iter().map(|x| in_domain(opcode, *x)).collect();
        let base32: Vec<f32> = x32.iter().map(|x| in_domain(opcode, f64::from(*x)) as f32).collect();
        for width in VectorWidth::available() {
            elementwise("double", width, opcode, &base64, &y64, 68);
            elementwise("single", width, opcode, &base32, &y32, 96);
        }
    }
}
