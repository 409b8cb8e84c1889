//! The simulated Cell: the MEU's SPE program computes what the reference in the arithmetic of SPEs computes, to
//! the bit.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use pmatrix::lang::random::{RandomOptions, program};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, Form, KindSet, OpKind, Precision, Shape};
use pmatrix::session::{Options, Processor, Session};
use pmatrix::trace::Value;

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
        let max_side = [1, 7, 24, 40][seed as usize % 4];
        let text = program(&RandomOptions { length: 30, min_side: 0, max_side, seed, operations });
        let text = text.replace("single(", "(");
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
                OpKind::Atanh => "atanh(min(abs(a), 1))".to_owned(),
                OpKind::Convert => "single(a)".to_owned(),
                OpKind::Multiply => "a * a".to_owned(),
                OpKind::Power => "abs(a) .^ a".to_owned(),
                OpKind::Times => "a .* a".to_owned(),
                OpKind::Divide => "a ./ a".to_owned(),
                OpKind::Add => "a + a".to_owned(),
                OpKind::Subtract => "a - a".to_owned(),
                OpKind::Equal => "a == a".to_owned(),
                OpKind::NotEqual => "a != a".to_owned(),
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

/// Bits of singles at every edge, and random ones.
fn singles(count: usize, seed: u64) -> Vec<f32> {
    let edges: [u32; 28] = [
        0x0000_0000, // zero, a denormal number, the largest one, the smallest normal one
        0x0000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x0100_0000,
        0x3f80_0000,
        0x3f7f_ffff,
        0x3f00_0000,
        0x3eff_ffff,
        0x4000_0000,
        0x4020_0000,
        0x4049_0fdb,
        0x4b00_0000,
        0x4b00_0001,
        0x4aff_ffff,
        0x4e80_0000,
        0x7e7f_ffff,
        0x7e80_0000,
        0x7f00_0000, // 2^127, the largest of IEEE, its infinity, NaN, the largest
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
        0x3dcc_cccd,
        0x4f00_0000,
        0x3380_0000,
    ];
    let mut generator = fastrand::Rng::with_seed(seed);
    let random = std::iter::repeat_with(move || {
        let bits = generator.u32(..);
        // Every second one near 1, so that sums cancel and quotients are whole.
        if generator.bool() { bits & 0x80ff_ffff | 0x3f00_0000 } else { bits }
    });
    let signed = edges.into_iter().flat_map(|bits| [bits, bits | 0x8000_0000]);
    signed.chain(random).take(count).map(f32::from_bits).collect()
}

/// The bits of a result.
fn bits(session: &Session, value: &Value) -> Vec<u64> {
    let matrix = session.force(value).unwrap();
    let columns = 0..matrix.shape().columns;
    match matrix.precision() {
        Precision::Single => {
            columns.flat_map(|c| matrix.column::<f32>(c).iter().map(|x| x.to_bits().into())).collect()
        }
        Precision::Double => {
            columns.flat_map(|c| matrix.column::<f64>(c).iter().map(|x| x.to_bits())).collect()
        }
        Precision::Byte => columns.flat_map(|c| matrix.column::<u8>(c).iter().map(|&x| x.into())).collect(),
    }
}

/// On a column of singles and a row of others, each operation of an SPE with each pair.
fn results(options: &Options, column: &[f32], row: &[f32]) -> Vec<(String, Vec<u64>)> {
    let session = Session::new(options).unwrap();
    let constant = |shape, elements: &[f32]| {
        let matrix = Matrix::from_columns(shape, elements, session.pool()).unwrap();
        session.constant(matrix, Class::Single).unwrap()
    };
    let (rows, columns) = (column.len() as u32, row.len() as u32);
    let a = constant(Shape { rows, columns: 1 }, column);
    let b = constant(Shape { rows: 1, columns }, row);
    let size = session.unary(OpKind::Abs, &a, "test", 1).unwrap();
    let with_one = |kind, value: &Value| {
        session.binary_scalar(kind, Form::ScalarRight, value, 1.0, Class::Double, "test", 1).unwrap()
    };
    // Sides that make chains, parts and pairs of sums.
    let inner = 101;
    let left =
        constant(Shape { rows: rows / inner, columns: inner }, &column[..(rows / inner * inner) as usize]);
    let right =
        constant(Shape { rows: inner, columns: columns / inner }, &row[..(columns / inner * inner) as usize]);
    let mut found = Vec::new();
    for kind in spe_operations() {
        let mut add =
            |name: &str, value: Value| found.push((format!("{kind:?} {name}"), bits(&session, &value)));
        match kind {
            OpKind::Convert => {
                let double = session.convert(&a, Precision::Double, "test", 1).unwrap();
                let scaled = session
                    .binary_scalar(OpKind::Times, Form::ScalarRight, &double, 1e-7, Class::Double, "test", 1)
                    .unwrap();
                add("to double", double);
                add("to single", session.convert(&scaled, Precision::Single, "test", 1).unwrap());
            }
            OpKind::Multiply => add("", session.binary(kind, &left, &right, "test", 1).unwrap()),
            OpKind::Power => add("", session.binary(kind, &size, &b, "test", 1).unwrap()),
            OpKind::Sqrt | OpKind::Log | OpKind::Log2 | OpKind::Log10 | OpKind::Log1p => {
                add("", session.unary(kind, &size, "test", 1).unwrap());
            }
            OpKind::Acosh => {
                let from_one = with_one(OpKind::Max, &size);
                add("", session.unary(kind, &from_one, "test", 1).unwrap());
            }
            OpKind::Atanh => {
                let to_one = with_one(OpKind::Min, &size);
                add("", session.unary(kind, &to_one, "test", 1).unwrap());
            }
            kind if kind.is_unary() => add("", session.unary(kind, &a, "test", 1).unwrap()),
            kind => {
                add("", session.binary(kind, &a, &b, "test", 1).unwrap());
                add(
                    "0.3",
                    session
                        .binary_scalar(kind, Form::ScalarRight, &a, 0.3, Class::Double, "test", 1)
                        .unwrap(),
                );
                add(
                    "1e300 left",
                    session
                        .binary_scalar(kind, Form::ScalarLeft, &a, 1e300, Class::Double, "test", 1)
                        .unwrap(),
                );
            }
        }
    }
    found
}

#[test]
fn each_operation_in_single_precision_has_the_bits_of_the_reference_in_spu_arithmetic() {
    if !can_run() {
        return;
    }
    // Under qemu, which interprets it, a simulator is slow.
    let side = if cfg!(target_arch = "powerpc64") { 110 } else { 404 };
    let (column, row) = (singles(side, 1), singles(side, 2));
    for processor in PROCESSORS {
        let options = Options {
            engine: "sim".into(),
            processor,
            meus: 2,
            block_elements: Some(256),
            divisor: Some(4),
            chain: Some(3),
            ..Options::default()
        };
        let (found, expected) =
            (results(&options, &column, &row), results(&reference(&options), &column, &row));
        let mut wrong = String::new();
        for ((name, found), (_, expected)) in found.iter().zip(&expected) {
            let different: Vec<usize> = (0..expected.len()).filter(|&at| found[at] != expected[at]).collect();
            if let Some(&at) = different.first() {
                let (a, b) = (column[at % side].to_bits(), row[at / side % side].to_bits());
                wrong += &format!(
                    "{name}: {} of {}, the first at {at} ({a:08x}, {b:08x}): {:08x} instead of {:08x}\n",
                    different.len(),
                    expected.len(),
                    found[at],
                    expected[at]
                );
            }
        }
        assert!(wrong.is_empty(), "{processor:?}\n{wrong}");
    }
}

#[test]
fn reductions_have_the_bits_of_the_reference_in_spu_arithmetic() {
    if !can_run() {
        return;
    }
    let mut text = String::new();
    // Blocks hold 256 elements, so long columns and rows are reduced part by part.
    for (number, (rows, columns)) in
        [(1, 1), (1, 300), (300, 1), (33, 17), (4, 5), (3, 70), (260, 3), (66, 66), (0, 3), (3, 0)]
            .into_iter()
            .enumerate()
    {
        text += &format!(
            "a = rand({rows}, {columns}, {number}) * 4 - 2; b = round(a) * 1e37; n = b ./ (round(a) + (b == 0));\n"
        );
        for value in ["a", "b", "n"] {
            for function in ["sum", "prod", "sumsq", "maximum", "minimum", "any", "all"] {
                text += &format!("print({function}({value}), {function}({value}, 2));\n");
            }
        }
    }
    text += "z = [0 -0; -0 0; 0 0] ./ 0; print(maximum(z), minimum(z), maximum([0 1; 1 0] ./ 0, 2), sum([-0; -0]));\n\
             t = [1 0; 0 0; 1 1] * 1e-30 * 1e-12; u = t ./ t; print(any(t), all(t), maximum(t, 2), any(u, 2), all(u), minimum(-t));\n";
    for precision in Precision::ALL {
        for processor in PROCESSORS {
            for chaos in [None, Some(7)] {
                let options =
                    Options { engine: "sim".into(), processor, meus: 3, chaos, ..Options::default() };
                let expected = output(&text, precision, &reference(&options));
                let found = output(&text, precision, &options);
                same(&found, &expected, &format!("{options:?}:\n{text}"));
            }
        }
    }
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
        let max_side = [1, 7, 24, 40][seed as usize % 4];
        // All operations: the PPE executes what SPEs do not have.
        let operations = OpKind::ALL.to_vec();
        let text = program(&RandomOptions { length: 30, min_side: 0, max_side, seed, operations });
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
