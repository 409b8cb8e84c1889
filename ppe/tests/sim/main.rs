//! The simulated Cell: the MEU's SPE program computes what the reference in the arithmetic of SPEs computes,
//! to the bit.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod cells;
mod kinds;
mod moves;
mod ppe_time;
mod reductions;
mod singles;
mod truth;

use pmatrix::lang::random::{RandomOptions, program};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::operation::{KindSet, OpKind, Precision};
use pmatrix::session::{Options, Processor, Session};

const PROCESSORS: [Processor; 2] = [Processor::CellBe, Processor::PowerXCell8i];

/// Whether the engine can be tested: without a compiler for SPEs there is no MEU image.
fn can_run() -> bool {
    match Session::new(&Options { engine: "sim".into(), meus: 1, ..Options::default() }) {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var("REQUIRE_ALL").is_err(), "{error}");
            println!("skipped: {error}");
            false
        }
    }
}

/// The output of a program. All engines get equal limits, which fix the order of the sums.
fn output(text: &str, precision: Precision, options: &Options) -> String {
    let options = Options { block_elements: Some(256), divisor: Some(4), chain: Some(3), ..options.clone() };
    let session = Session::new(&options).unwrap();
    let program = parse(text.as_bytes(), "test").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut out = Vec::new();
    let run = RunOptions { precision, ..RunOptions::default() };
    let result = Runner::new(&session, run, &mut out).run(&program, |_| ());
    result.unwrap_or_else(|error| panic!("{error}\n{text}"));
    String::from_utf8(out).unwrap()
}

/// Compares two outputs, and shows the first line in which they differ.
fn same(found: &str, expected: &str, what: &str) {
    let different =
        found.lines().zip(expected.lines()).enumerate().find(|(_, (found, expected))| found != expected);
    assert!(found == expected, "{what}\nfirst difference: {different:#?}");
}

/// Products, conversions and element-wise operations that SPEs execute.
fn spe_operations() -> Vec<OpKind> {
    OpKind::ALL.into_iter().filter(|&kind| KindSet::SPE.contains(kind) && !kind.is_direct()).collect()
}

/// The reference in the arithmetic of SPEs, in place of another engine.
fn reference(options: &Options) -> Options {
    Options { engine: "reference".into(), arithmetic: "spu".into(), ..options.clone() }
}

/// A program of these operations; the seed also chooses how large its matrices are.
fn random_program(seed: u64, operations: Vec<OpKind>) -> String {
    let max_side = [1, 7, 24, 40][seed as usize % 4];
    program(&RandomOptions {
        length: 30,
        min_side: 0,
        max_side,
        seed,
        operations,
        ..RandomOptions::default()
    })
}

#[test]
fn random_programs_in_double_precision_give_the_bits_of_the_reference_in_spu_arithmetic() {
    if !can_run() {
        return;
    }
    // Under qemu, which interprets it, a simulator is slow.
    let seeds = if cfg!(target_arch = "powerpc64") { 4 } else { 16 };
    for seed in 0..seeds {
        let operations: Vec<OpKind> =
            OpKind::ALL.into_iter().filter(|&kind| kind != OpKind::Convert).collect();
        let text = random_program(seed, operations).replace("single(", "(");
        for processor in PROCESSORS {
            let options = Options {
                engine: "sim".into(),
                processor,
                meus: 1 + seed as usize % 3,
                timing: seed % 4 == 3,
                chaos: (seed % 2 == 1).then_some(seed),
                poison: true,
                ..Options::default()
            };
            let expected = output(&text, Precision::Double, &reference(&options));
            let found = output(&text, Precision::Double, &options);
            same(&found, &expected, &format!("seed {seed}, {options:?}:\n{text}"));
        }
    }
}

/// Kinds that the trace language has no name for.
const RIGHT: [OpKind; 2] = [OpKind::MaxRight, OpKind::MinRight];

/// Operands around everything that doubles have: zeros of both signs, halves, large, small and huge numbers,
/// infinities.
const SPECIAL: &str = "[0, -0, 1, -1, 0.5, -0.5, 2, 2.5, -2.5, 0.49999999999999994, 3, -3, 0.1, -0.1, 7.3, 1e15, \
     4503599627370497, -9007199254740993, 1e300, -1e300, 1e-300, -2.5e-300, 1e22, 12345.678, 1073741824.5, 1e999, -1e999, \
     3.141592653589793, 1e308, 5e-307]";

#[test]
fn each_operation_in_double_precision_has_the_bits_of_the_reference_in_spu_arithmetic() {
    if !can_run() {
        return;
    }
    let mut wrong = String::new();
    for processor in PROCESSORS {
        for kind in spe_operations().into_iter().filter(|kind| !RIGHT.contains(kind)) {
            let name = kind.name();
            let operation = match kind {
                OpKind::Negate => "-a".to_owned(),
                OpKind::Sqrt | OpKind::Log | OpKind::Log2 | OpKind::Log10 | OpKind::Log1p => {
                    format!("{name}(abs(a))")
                }
                OpKind::Acosh => "acosh(abs(a) + 1)".to_owned(),
                OpKind::Atanh | OpKind::Asin | OpKind::Acos => format!("{name}(min(max(a, -1), 1))"),
                OpKind::Convert => "single(a)".to_owned(),
                OpKind::Multiply => "a * a".to_owned(),
                OpKind::Power => "abs(a) .^ a".to_owned(),
                OpKind::Times => "a .* a".to_owned(),
                OpKind::Divide => "a ./ a".to_owned(),
                OpKind::Add => "a + a".to_owned(),
                OpKind::Subtract => "a - a".to_owned(),
                OpKind::Equal => "a == a".to_owned(),
                OpKind::NotEqual => "a != a".to_owned(),
                OpKind::Less => "a < a".to_owned(),
                OpKind::LessEqual => "a <= a".to_owned(),
                OpKind::Greater => "a > a".to_owned(),
                OpKind::GreaterEqual => "a >= a".to_owned(),
                OpKind::And => "a & a".to_owned(),
                OpKind::Or => "a | a".to_owned(),
                OpKind::Not => "!a".to_owned(),
                kind if kind.is_unary() => format!("{name}(a)"),
                _ => format!("{name}(a, a)"),
            };
            // Each with each, by broadcasting.
            let (left, right) = operation.rsplit_once('a').unwrap();
            let text = format!("a = {SPECIAL}; b = transposed(a); print({left}b{right});");
            let options = Options { engine: "sim".into(), processor, meus: 1, ..Options::default() };
            let found = output(&text, Precision::Double, &options);
            let expected = output(&text, Precision::Double, &reference(&options));
            for (row, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
                for (column, (found, expected)) in
                    found.split_whitespace().zip(expected.split_whitespace()).enumerate()
                {
                    if found != expected {
                        wrong += &format!(
                            "{processor:?} {operation} ({row}, {column}): {found} instead of {expected}\n"
                        );
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What the SPU's arithmetic makes of a program, on both processors.
fn prints(text: &str, precision: Precision, processors: &[Processor], expected: &str) {
    for &processor in processors {
        let options = Options { engine: "sim".into(), processor, meus: 1, ..Options::default() };
        let found = output(text, precision, &options);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&found), words(expected), "{processor:?}: {text}");
    }
}

#[test]
fn single_precision_is_the_spus() {
    if !can_run() {
        return;
    }
    let single = |text: &str, expected: &str| prints(text, Precision::Single, &PROCESSORS, expected);
    // Results are truncated.
    single("print([1 2 0.1] ./ [3 3 0.3]);", "0.3333333 0.6666666 0.3333333");
    single("print([0.1 1] + [0.2 2]);", "0.29999998 3");
    // Beyond the range of IEEE's singles numbers go on; the largest stands for everything larger, and for a /
    // 0.
    single("a = [3e38 -3e38]; print(a * 2 * 0.5 == a, a * 2 * 0.5);", "1 1 3e38 -3e38");
    single("a = [1 -1 0] ./ [0 0 0]; print(a * 1e-30, a == a * 2);", "680564672 -680564672 0 1 1 1");
    single("a = [1e30 -1e30] ./ [1e-30 1e-30]; print(a * 1e-30);", "680564672 -680564672");
    // There are no infinities and no NaN: these are large numbers like others.
    single("n = [1e999 -1e999]; print(n - n, n == n, n * 0);", "0 0 1 1 0 0");
    // Denormal numbers count as zero, and a result that is zero is +0.
    single(
        "d = [1e-40 -1e-40 -0]; print(d + 0, d == 0, d * 1e30, 1e-30 .* [1e-30 -1e-30 1]);",
        "0 0 0 1 1 1 0 0 0 0 0 1e-30",
    );
}

#[test]
fn denormal_operands_count_as_zero_on_a_cell_be_only() {
    if !can_run() {
        return;
    }
    let text = "m = [5e-324 -1e-310 2.2250738585072014e-308]; print(m + 0, m * 1, m ./ m, 2.5e-308 .* [0.5 -0.5 1], abs(m));";
    let cell = "0 0 2.2250738585072014e-308  0 -0 2.2250738585072014e-308  NaN NaN 1
                1.2499999999999996e-308 -1.2499999999999996e-308 2.5e-308  5e-324 1e-310 2.2250738585072014e-308";
    prints(text, Precision::Double, &[Processor::CellBe], cell);
    let host = output(text, Precision::Double, &Options { meus: 1, ..Options::default() });
    prints(text, Precision::Double, &[Processor::PowerXCell8i], &host);
}

#[test]
fn sums_and_extrema_run_on_spes_and_not_on_the_ppe() {
    if !can_run() {
        return;
    }
    let session = Session::new(&Options { engine: "sim".into(), meus: 2, ..Options::default() }).unwrap();
    let text = "a = rand(200, 150, 1) - 0.5; \
                print(maximum(sum(exp(floor(a * 9)), 2)), minimum(sumsq(log(abs(a) + 1)), 2));";
    let mut out = Vec::new();
    let run = RunOptions { precision: Precision::Double, ..RunOptions::default() };
    Runner::new(&session, run, &mut out).run(&parse(text.as_bytes(), "test").unwrap(), |_| ()).unwrap();
    let reports = session.reports();
    let ppe = reports.iter().find(|report| report.meu.is_none()).unwrap();
    let meus: u64 =
        reports.iter().filter(|report| report.meu.is_some()).map(|report| report.operations).sum();
    assert!(ppe.operations == 0 && meus > 10, "{reports:?}");
}

#[test]
fn random_programs_in_single_precision_give_the_bits_of_the_reference_in_spu_arithmetic() {
    if !can_run() {
        return;
    }
    let seeds = if cfg!(target_arch = "powerpc64") { 4 } else { 16 };
    for seed in 0..seeds {
        // All operations: the PPE executes what SPEs do not have.
        let text = random_program(seed, OpKind::ALL.to_vec());
        for processor in PROCESSORS {
            let meus = 1 + seed as usize % 3;
            let options =
                Options { engine: "sim".into(), processor, meus, poison: true, ..Options::default() };
            let found = output(&text, Precision::Single, &options);
            let expected = output(&text, Precision::Single, &reference(&options));
            same(&found, &expected, &format!("seed {seed}, {options:?}:\n{text}"));
        }
    }
}

#[test]
fn the_reference_in_spu_arithmetic_is_not_ieees() {
    let text = "print([1 2] ./ [3 3], [1e999 -1] * 0 + 1, sin(-0) == 0);";
    let print = |arithmetic: &str| {
        let arithmetic = arithmetic.into();
        let options = Options { engine: "reference".into(), arithmetic, ..Options::default() };
        let text = output(text, Precision::Single, &options);
        text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(print("spu"), "0.3333333 0.6666666 1 1 1");
    assert_eq!(print("ieee"), "0.33333334 0.6666667 NaN 1 1");
}
