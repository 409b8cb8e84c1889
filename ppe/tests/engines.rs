//! One check over every engine, scheduler, overlap and number of MEUs: the results have the reference engine's bits.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use fastrand::Rng;
use pmatrix::error::Error;
use pmatrix::lower::{MAX_STEPS, MemoryLimits};
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, Form, OpKind, Precision, Shape, Side, View};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

fn constant(
    session: &Session,
    shape: Shape,
    class: Class,
    mut element: impl FnMut(usize, usize) -> f64,
) -> Value {
    let matrix = match class {
        Class::Single => Matrix::from_fn(shape, session.pool(), |r, c| element(r, c) as f32),
        _ => Matrix::from_fn(shape, session.pool(), element),
    };
    session.constant(matrix.unwrap(), class).unwrap()
}

/// Bits of a result; all NaN are alike.
fn bits(matrix: &Matrix) -> Vec<u64> {
    matrix.values().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect()
}

/// A direct operation with random parameters.
fn direct_operation(
    session: &Session,
    kind: OpKind,
    a: &Value,
    b: &Value,
    random: &mut Rng,
    line: u32,
) -> Result<Value, Error> {
    let (shape, side) = (a.shape(), if random.u64(..2) == 0 { Side::Column } else { Side::Row });
    let near = |random: &mut Rng| random.u64(..40) as i64 - 20;
    // Some elements of a side: how many, the first, and the step.
    let some = |random: &mut Rng, length: u32| {
        let count = 1 + random.u64(..u64::from(length)) as i64;
        let step = 1 + random.u64(..(i64::from(length) / count) as u64) as i64;
        match random.u64(..2) {
            0 => (count as u32, (0, step)),
            _ => (count as u32, (i64::from(length) - 1, -step)),
        }
    };
    session.record(|recorder| match kind {
        OpKind::View if random.u64(..3) == 0 => {
            let transposed = Shape { rows: shape.columns, columns: shape.rows };
            recorder.view(a, transposed, View::transpose(shape), "random", line)
        }
        OpKind::View if random.u64(..2) == 0 => {
            let rows = (1..=shape.elements() as u32)
                .rev()
                .find(|rows| shape.elements() % u64::from(*rows) == 0 && random.u64(..3) == 0);
            let rows = rows.unwrap_or(1);
            let reshaped = Shape { rows, columns: (shape.elements() / u64::from(rows)) as u32 };
            recorder.view(a, reshaped, View::reshape(rows), "random", line)
        }
        OpKind::View => {
            let ((rows, down), (columns, right)) = (some(random, shape.rows), some(random, shape.columns));
            recorder.view(a, Shape { rows, columns }, View::slice(shape, down, right), "random", line)
        }
        OpKind::Repeat if shape.elements() > 300 => Err(Error::Argument("large".into())),
        OpKind::Repeat => recorder.repeat(a, (1 + random.u64(..3), 1 + random.u64(..3)), "random", line),
        OpKind::Join if shape.elements() > 2000 => Err(Error::Argument("large".into())),
        OpKind::Join => recorder.join(a, b, side, "random", line),
        OpKind::Band => {
            let least = near(random);
            recorder.band(a, least, least + random.u64(..20) as i64, "random", line)
        }
        OpKind::Diagonal => recorder.diagonal(a, near(random), "random", line),
        OpKind::Norm => recorder.norm(a, "random", line),
        kind => recorder.reduce(kind, a, side, "random", line),
    })
}

/// The operand brought into the operation's domain, now and then left as it is.
fn tamed(session: &Session, random: &mut Rng, kind: OpKind, a: Value) -> Value {
    let with = |kind, a: &Value, scalar| {
        session.binary_scalar(kind, Form::ScalarLeft, a, scalar, Class::Logical, "", 0).unwrap()
    };
    if random.u64(..10) == 0 {
        return a;
    }
    match kind {
        OpKind::Sqrt | OpKind::Log | OpKind::Log2 | OpKind::Log10 | OpKind::Log1p => {
            session.unary(OpKind::Abs, &a, "", 0).unwrap()
        }
        OpKind::Acosh => with(OpKind::Max, &a, 1.0),
        OpKind::Asin | OpKind::Acos | OpKind::Atanh => with(OpKind::Max, &with(OpKind::Min, &a, 1.0), -1.0),
        OpKind::Not | OpKind::And | OpKind::Or => with(OpKind::Less, &a, 0.0),
        _ => a,
    }
}

/// A random program over all operations; returns the bits of all its values.
fn random_program(session: &Session, seed: u64, sides: &[u32]) -> Vec<Vec<u64>> {
    let mut random = Rng::with_seed(seed);
    let side = |random: &mut Rng| sides[random.u64(..sides.len() as u64) as usize];
    let mut values: Vec<Value> = Vec::new();
    for _ in 0..4 {
        let shape = Shape { rows: side(&mut random), columns: side(&mut random) };
        let class = if random.u64(..2) == 0 { Class::Single } else { Class::Double };
        let mut element = Rng::with_seed(seed ^ random.u64(..1 << 30));
        values.push(constant(session, shape, class, |_, _| element.u64(..17) as f64 - 8.0));
    }
    for line in 0..48 {
        // A third of them are the paper's.
        let kinds = if random.u64(..3) == 0 { OpKind::Convert as usize + 1 } else { OpKind::ALL.len() };
        let kind = OpKind::ALL[random.u64(..kinds as u64) as usize];
        let a = values[random.u64(..values.len() as u64) as usize].clone();
        let b = values[random.u64(..values.len() as u64) as usize].clone();
        let (a, b) = (tamed(session, &mut random, kind, a), tamed(session, &mut random, kind, b));
        let scalar = random.u64(..9) as f64 - 4.0;
        let form = if random.u64(..2) == 0 { Form::ScalarRight } else { Form::ScalarLeft };
        let result = match kind {
            OpKind::Convert => {
                let to = if a.class() == Class::Single { Precision::Double } else { Precision::Single };
                session.convert(&a, to, "random", line)
            }
            kind if kind.is_direct() => direct_operation(session, kind, &a, &b, &mut random, line),
            kind if kind.is_unary() => session.unary(kind, &a, "random", line),
            OpKind::Multiply => session.binary(kind, &a, &b, "random", line),
            kind if random.u64(..3) == 0 => {
                session.binary_scalar(kind, form, &a, scalar, Class::Double, "random", line)
            }
            kind => session.binary(kind, &a, &b, "random", line),
        };
        match result {
            // Numbers stay small, so that products of products do not all overflow.
            Ok(value) if value.class() == Class::Logical => values.push(value),
            Ok(value) => values.push(
                session
                    .binary_scalar(OpKind::Mod, Form::ScalarRight, &value, 7.0, Class::Single, "", 0)
                    .unwrap(),
            ),
            Err(Error::Nonconformant { .. }) => {}
            // Joined matrices that do not fit, and diagonals of what is no vector.
            Err(Error::Argument(_)) if kind.is_direct() => {}
            Err(error) => panic!("{error}"),
        }
        if random.u64(..6) == 0 {
            values.remove(random.u64(..values.len() as u64) as usize);
        }
    }
    // A power of a negative number to a fraction, and what depends on it, fails; everything else does not.
    values
        .iter()
        .map(|value| match session.force(value) {
            Ok(matrix) => bits(&matrix),
            Err(Error::Domain { .. }) => vec![7],
            Err(error) => panic!("seed {seed}: {error}"),
        })
        .collect()
}

/// Compares the bits of two runs, and says which value differs.
fn same(found: &[Vec<u64>], expected: &[Vec<u64>], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let first = found.iter().zip(expected).position(|(a, b)| a != b);
        let show = |bits: &[u64]| first.and_then(|i| bits.get(i)).map(|&bits| f64::from_bits(bits));
        let (sizes, values) = ((found.len(), expected.len()), (show(found), show(expected)));
        assert!(
            found == expected,
            "{what}: value {index} of sizes {sizes:?} differs at {first:?}: {values:?}"
        );
    }
}

/// Options with small blocks, so that small matrices have many.
fn small_blocks(engine: &str, meus: usize) -> Options {
    let elements = Some(16 * 16);
    Options {
        engine: engine.into(),
        meus,
        block_elements: elements,
        divisor: Some(4),
        chain: Some(2),
        stretch: Some(false),
        poison: true,
        validate: true,
        chunk_operations: 100,
        ..Options::default()
    }
}

const SIDES: [u32; 8] = [1, 3, 4, 5, 15, 16, 17, 33];

#[test]
fn every_engine_gives_the_reference_bits() {
    for seed in 0..12 {
        println!("seed {seed}");
        // The paper's separate additions, and chains of two lengths.
        let chain = Some(1 + seed as usize % 3);
        let stretch = Some(seed % 2 == 0);
        let reference =
            Session::new(&Options { overlap: false, chain, stretch, ..small_blocks("reference", 1) })
                .unwrap();
        let expected = random_program(&reference, seed, &SIDES);
        for meus in [1, 2, 3, 8] {
            for scheduler in ["heuristic", "round-robin"] {
                for overlap in [false, true] {
                    for chaos in [None, Some(seed * 100 + meus as u64)] {
                        let options = Options {
                            scheduler: scheduler.into(),
                            overlap,
                            chaos,
                            chain,
                            stretch,
                            ..small_blocks("host", meus)
                        };
                        let session = Session::new(&options).unwrap();
                        let found = random_program(&session, seed, &SIDES);
                        same(
                            &found,
                            &expected,
                            &format!("seed {seed}, {meus} MEUs, {scheduler}, overlap {overlap}, {chaos:?}"),
                        );
                    }
                }
            }
        }
    }
}

/// A program of long chains of element-wise operations, few results of which are held, with products and reductions between.
fn random_chains(session: &Session, seed: u64, shapes: &[(u32, u32)]) -> Vec<Vec<u64>> {
    let mut random = Rng::with_seed(seed);
    let (rows, columns) = shapes[random.u64(..shapes.len() as u64) as usize];
    let class = if random.u64(..2) == 0 { Class::Single } else { Class::Double };
    let mut values: Vec<Value> = Vec::new();
    for (rows, columns) in [(rows, columns), (rows, columns), (rows, 1), (1, columns), (1, 1)] {
        let mut element = Rng::with_seed(seed ^ random.u64(..1 << 30));
        values.push(constant(session, Shape { rows, columns }, class, |_, _| {
            element.u64(..17) as f64 / 4.0 - 2.0
        }));
    }
    let mut held = Vec::new();
    for line in 0..80 {
        let pick = |random: &mut Rng| {
            // Mostly what was recorded last.
            let among = if random.u64(..4) == 0 { values.len() as u64 } else { 2 };
            let back = random.u64(..among);
            values[values.len() - 1 - back as usize].clone()
        };
        let (a, b) = (pick(&mut random), pick(&mut random));
        let unary =
            [OpKind::Abs, OpKind::Negate, OpKind::Sin, OpKind::Exp, OpKind::Round, OpKind::Sqrt, OpKind::Not];
        let binary = [
            OpKind::Add,
            OpKind::Times,
            OpKind::Divide,
            OpKind::Less,
            OpKind::Max,
            OpKind::Min,
            OpKind::Power,
        ];
        let result = match random.u64(..14) {
            12 | 13 if a.shape().rows <= 130 => {
                let side = a.shape().rows;
                let mut element = Rng::with_seed(line.into());
                let square = Shape { rows: side, columns: side };
                let square = constant(session, square, class, |_, _| element.u64(..5) as f64 / 4.0 - 0.5);
                session.binary(OpKind::Multiply, &square, &a, "chain", line)
            }
            0..4 => session.unary(unary[random.u64(..7) as usize], &a, "chain", line),
            4..9 => session.binary(binary[random.u64(..7) as usize], &a, &b, "chain", line),
            9 | 10 => {
                let form = if random.u64(..2) == 0 { Form::ScalarRight } else { Form::ScalarLeft };
                session.binary_scalar(
                    binary[random.u64(..6) as usize],
                    form,
                    &a,
                    0.5,
                    Class::Double,
                    "chain",
                    line,
                )
            }
            _ if random.u64(..2) == 0 => {
                let most =
                    |side| session.record(|r| r.reduce(OpKind::Maximum, &a, side, "chain", line)).unwrap();
                session.binary(OpKind::Multiply, &most(Side::Row), &most(Side::Column), "chain", line)
            }
            _ => session.record(|r| r.reduce(OpKind::Maximum, &a, Side::Row, "chain", line)),
        };
        // Shapes always fit here.
        values.push(result.unwrap());
        if random.u64(..8) == 0 {
            held.push(values[values.len() - 1].clone());
        }
        if values.len() > 12 {
            values.remove(5);
        }
    }
    held.extend(values.into_iter().rev().take(2));
    let outcome = |value| match session.force(value) {
        Ok(matrix) => bits(&matrix),
        // Of two operations that fail, either may be first.
        Err(Error::Domain { .. }) => vec![7],
        Err(error) => panic!("seed {seed}: {error}"),
    };
    held.iter().map(outcome).collect()
}

#[test]
fn fusions_give_the_reference_bits() {
    let shapes = [(1, 1), (1, 40), (40, 1), (5, 7), (16, 16), (33, 3), (130, 5), (3, 130), (17, 33)];
    for seed in 200..280 {
        println!("seed {seed}");
        let expected = random_chains(&Session::new(&small_blocks("reference", 1)).unwrap(), seed, &shapes);
        for (meus, piece_bytes, panel_bytes, steps) in [
            (1, 256 << 10, 1 << 20, MAX_STEPS),
            (2, 256, 200, 3),
            (2, 512, 900, MAX_STEPS),
            (3, 1024, 300, 1),
        ] {
            let overlap = seed % 2 == 0;
            let memory = Some(MemoryLimits { piece_bytes, panel_bytes, product: None });
            let session =
                Session::new(&Options { overlap, memory, steps, ..small_blocks("host", meus) }).unwrap();
            let found = random_chains(&session, seed, &shapes);
            same(&found, &expected, &format!("seed {seed}, pieces of {piece_bytes} bytes, {steps} steps"));
        }
        let session = Session::new(&Options { memory: None, ..small_blocks("host", 2) }).unwrap();
        same(&random_chains(&session, seed, &shapes), &expected, &format!("seed {seed}, in local stores"));
    }
}

#[test]
fn a_fusion_names_the_step_that_fails() {
    for rows in [5, 16, 3000] {
        let session = Session::new(&small_blocks("host", 2)).unwrap();
        let shape = Shape { rows, columns: 7 };
        let a = constant(&session, shape, Class::Double, |r, c| if (r, c) == (4, 6) { -4.0 } else { 4.0 });
        let scaled = |a: &Value, factor, line| {
            session
                .binary_scalar(OpKind::Times, Form::ScalarRight, a, factor, Class::Double, "f.m", line)
                .unwrap()
        };
        let root = session.unary(OpKind::Sqrt, &scaled(&a, 4.0, 1), "f.m", 2).unwrap();
        let doubled = scaled(&root, 2.0, 3);
        let other = scaled(&scaled(&a, 0.5, 4), 0.5, 5);
        drop(root);
        let error = session.force(&doubled).unwrap_err();
        let Error::Domain { blame } = &error else { panic!("{error}") };
        assert_eq!((blame.site.line, blame.kind), (2, OpKind::Sqrt), "{error}");
        assert_eq!(session.force(&other).unwrap().value(4, 6), -1.0);
        // The same without the one element: nothing of a pad is taken for an element.
        let root = session
            .unary(OpKind::Sqrt, &session.unary(OpKind::Abs, &a, "f.m", 6).unwrap(), "f.m", 7)
            .unwrap();
        assert_eq!(session.force(&scaled(&root, 2.0, 8)).unwrap().value(4, 6), 4.0);
    }
}

#[test]
fn long_strips_give_the_reference_bits() {
    for (seed, shape) in [
        (300, (3000, 5)),
        (301, (5, 3000)),
        (302, (8, 2500)),
        (303, (1027, 9)),
        (304, (40_001, 1)),
        (305, (64, 1500)),
        (306, (17, 2000)),
    ] {
        println!("seed {seed}");
        let session = |engine: &str| {
            let (engine, divisor) = (engine.into(), Some(4));
            let memory = Some(MemoryLimits { panel_bytes: 8 << 10, ..MemoryLimits::default() });
            Session::new(&Options { engine, divisor, meus: 2, poison: true, memory, ..Options::default() })
                .unwrap()
        };
        let expected = random_chains(&session("reference"), seed, &[shape]);
        same(&random_chains(&session("host"), seed, &[shape]), &expected, &format!("seed {seed}"));
    }
}

#[test]
fn the_ppe_executes_what_meus_do_not() {
    for seed in 30..36 {
        println!("seed {seed}");
        let expected = random_program(&Session::new(&small_blocks("reference", 1)).unwrap(), seed, &SIDES);
        for kinds in ["paper", "multiply,sum,view", "multiply,add,convert,power,sin,equal"] {
            for scheduler in ["heuristic", "round-robin"] {
                for overlap in [false, true] {
                    let options = Options {
                        scheduler: scheduler.into(),
                        overlap,
                        chaos: (seed % 2 == 0).then_some(seed),
                        meu_kinds: kinds.parse().unwrap(),
                        ..small_blocks("host", 1 + seed as usize % 3)
                    };
                    let session = Session::new(&options).unwrap();
                    let found = random_program(&session, seed, &SIDES);
                    same(&found, &expected, &format!("seed {seed}, {kinds}, {scheduler}, overlap {overlap}"));
                }
            }
        }
    }
}

#[test]
fn a_domain_error_on_the_ppe_leaves_the_session_usable() {
    for overlap in [false, true] {
        let kinds = "multiply,add,times".parse().unwrap();
        let session =
            Session::new(&Options { overlap, meu_kinds: kinds, ..small_blocks("host", 2) }).unwrap();
        let shape = Shape { rows: 40, columns: 40 };
        let a = constant(&session, shape, Class::Double, |r, c| if (r, c) == (39, 39) { -8.0 } else { 8.0 });
        let root = session
            .binary_scalar(OpKind::Power, Form::ScalarRight, &a, 1.0 / 3.0, Class::Double, "s.m", 2)
            .unwrap();
        let cos = session.unary(OpKind::Cos, &a, "s.m", 3).unwrap();
        let sum = session.binary(OpKind::Add, &root, &cos, "s.m", 4).unwrap();
        let error = session.force(&sum).unwrap_err();
        assert!(matches!(&error, Error::Domain { .. }) && error.to_string().contains("s.m:2"), "{error}");
        assert_eq!(session.force(&cos).unwrap().value(0, 0), 8f64.cos());
    }
}

#[test]
fn real_block_sizes_give_the_reference_bits() {
    let sides = [1, 2, 67, 68, 95, 96, 97, 137];
    for seed in 100..103 {
        println!("seed {seed}");
        let options = |engine: &str| Options {
            engine: engine.into(),
            meus: 4,
            block_elements: Some(4608),
            divisor: Some(4),
            poison: true,
            ..Options::default()
        };
        let expected = random_program(&Session::new(&options("reference")).unwrap(), seed, &sides);
        same(
            &random_program(&Session::new(&options("host")).unwrap(), seed, &sides),
            &expected,
            &format!("seed {seed}"),
        );
    }
}

#[test]
fn extrema_and_truth_know_nan_and_zeros() {
    let run = |engine: &str| {
        let session = Session::new(&Options { meus: 2, ..small_blocks(engine, 2) }).unwrap();
        let mut found = Vec::new();
        for (seed, among) in [
            &[-0.0, 0.0, f64::NAN, -1.0][..],
            &[0.0, -0.0, 1.0],
            &[-0.0, f64::NAN],
            &[0.0, 0.0, -0.0, f64::NAN, f64::INFINITY, -2.0],
            &[f64::NAN],
            &[-0.0, -0.0, -0.0, -0.0, 0.0],
        ]
        .into_iter()
        .enumerate()
        {
            for class in [Class::Single, Class::Double] {
                for (rows, columns) in [(1, 3), (63, 2), (64, 9), (150, 17), (300, 5), (517, 3)] {
                    let mut random = Rng::with_seed(seed as u64);
                    let shape = Shape { rows, columns };
                    let a = constant(&session, shape, class, |_, _| {
                        among[random.u64(..among.len() as u64) as usize]
                    });
                    for kind in [OpKind::Maximum, OpKind::Minimum, OpKind::Any, OpKind::All] {
                        for side in [Side::Column, Side::Row] {
                            let value = session.record(|r| r.reduce(kind, &a, side, "", 0)).unwrap();
                            found.push(bits(&session.force(&value).unwrap()));
                        }
                    }
                }
            }
        }
        found
    };
    same(&run("host"), &run("reference"), "special values");
}

#[test]
fn products_in_main_memory_give_the_reference_bits_on_any_number_of_meus() {
    let run = |engine: &str, meus| {
        let options =
            Options { engine: engine.into(), meus, poison: true, validate: true, ..Options::default() };
        let session = Session::new(&options).unwrap();
        let mut found = Vec::new();
        for class in [Class::Single, Class::Double] {
            // Blocks and parts of two lengths, thin operands, and an inner side longer than a chain.
            for (rows, inner, columns) in
                [(500, 257, 60), (50, 530, 800), (1, 700, 300), (600, 520, 1), (9, 9000, 5)]
            {
                let mut random = Rng::with_seed(u64::from(rows + inner + columns));
                let mut matrix = |rows, columns| {
                    constant(&session, Shape { rows, columns }, class, |_, _| {
                        random.u64(..1 << 20) as f64 / 3.0
                    })
                };
                let (a, b) = (matrix(rows, inner), matrix(inner, columns));
                let product = session.binary(OpKind::Multiply, &a, &b, "", 0).unwrap();
                found.push(bits(&session.force(&product).unwrap()));
            }
        }
        found
    };
    let expected = run("reference", 1);
    for meus in [1, 2, 3, 8] {
        same(&run("host", meus), &expected, &format!("{meus} MEUs"));
    }
}

#[test]
fn long_columns_and_rows_are_reduced_in_order() {
    // Longer than blocks can count, so that reductions become chains.
    let session = |engine: &str| {
        Session::new(&Options { engine: engine.into(), meus: 2, poison: true, ..Options::default() }).unwrap()
    };
    let run = |session: &Session| {
        let mut found = Vec::new();
        for class in [Class::Single, Class::Double] {
            for (shape, side) in [((70_001, 3), Side::Column), ((2, 66_000), Side::Row)] {
                let shape = Shape { rows: shape.0, columns: shape.1 };
                let mut random = Rng::with_seed(7);
                let a = constant(session, shape, class, |_, _| random.u64(..1 << 20) as f64 / 1024.0 - 300.0);
                for kind in OpKind::ALL {
                    let result = match kind {
                        OpKind::Norm => session.record(|recorder| recorder.norm(&a, "", 0)),
                        OpKind::CumulativeSum => session.record(|r| r.reduce(kind, &a, side, "", 0)),
                        kind if kind.is_reduction() => session.record(|r| r.reduce(kind, &a, side, "", 0)),
                        _ => continue,
                    };
                    found.push(bits(&session.force(&result.unwrap()).unwrap()));
                }
            }
        }
        found
    };
    same(&run(&session("host")), &run(&session("reference")), "long sides");
}

#[test]
fn limits_change_nothing_but_when_traces_are_executed() {
    let expected = random_program(&Session::new(&small_blocks("reference", 1)).unwrap(), 5, &SIDES);
    for operations in [1, 2, 3, 7] {
        let mut options = small_blocks("host", 3);
        options.limits.operations = operations;
        let session = Session::new(&options).unwrap();
        same(&random_program(&session, 5, &SIDES), &expected, &format!("limit {operations}"));
        assert!(session.statistics().flushes_operations > 0);
    }
}

#[test]
fn pads_never_influence_a_product() {
    // Padding is not neutral: cos, ==, + and .^ make something of it that a product must not see.
    let shape = |n| Shape { rows: n, columns: n };
    for engine in ["reference", "host"] {
        let session =
            Session::new(&Options { engine: engine.into(), poison: true, ..Options::default() }).unwrap();
        for n in [1, 2, 3, 5, 67, 68, 69, 95, 96, 97, 136, 137] {
            let ones = constant(&session, shape(n), Class::Double, |_, _| 1.0);
            let cos = session.unary(OpKind::Cos, &ones, "", 0).unwrap();
            let product =
                session.force(&session.binary(OpKind::Multiply, &cos, &cos, "", 0).unwrap()).unwrap();
            if n == 5 {
                assert!(
                    product.values().all(|x| x == 1.4596329086321445),
                    "{engine} {:?}",
                    product.value(0, 0)
                );
            }
            let equal = session.binary(OpKind::Equal, &ones, &ones, "", 0).unwrap();
            let more = session
                .binary_scalar(OpKind::Add, Form::ScalarRight, &ones, 1.0, Class::Double, "", 0)
                .unwrap();
            let power = session
                .binary_scalar(OpKind::Power, Form::ScalarRight, &ones, 0.0, Class::Double, "", 0)
                .unwrap();
            for (value, square) in [(equal, 1), (more, 4), (power, 1)] {
                let product =
                    session.force(&session.binary(OpKind::Multiply, &value, &value, "", 0).unwrap()).unwrap();
                assert!(product.values().all(|x| x == f64::from(square * n)), "{engine} {n}");
            }
        }
    }
}

#[test]
fn special_values_are_octaves() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for engine in ["reference", "host"] {
        let session =
            Session::new(&Options { engine: engine.into(), poison: true, ..Options::default() }).unwrap();
        let row = |values: &[f64]| {
            let shape = Shape { rows: 1, columns: values.len() as u32 };
            constant(&session, shape, Class::Double, |_, c| values[c])
        };
        let check = |result: Value, expected: &[f64]| {
            let found = bits(&session.force(&result).unwrap());
            let expected: Vec<u64> =
                expected.iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect();
            assert_eq!(found, expected, "{engine}");
        };
        let two = |kind, a: &[f64], b: &[f64]| session.binary(kind, &row(a), &row(b), "", 0).unwrap();
        let one = |kind, a: &[f64]| session.unary(kind, &row(a), "", 0).unwrap();
        check(two(OpKind::Mod, &[-1., -4., 0., 4.], &[1., 2., -3., -2.]), &[0., 0., -0., -0.]);
        check(
            two(OpKind::Mod, &[-0., -135., 5., -5., nan, inf, -inf], &[0., 360., 0., 0., 0., 0., 0.]),
            &[-0., 225., 5., -5., nan, inf, -inf],
        );
        let x = [0.49999999999999994, -0.49999999999999994, 4503599627370497., 0.5, -0.5, 2.5, -2.5];
        check(one(OpKind::Round, &x), &[0., -0., 4503599627370497., 1., -1., 3., -3.]);
        check(one(OpKind::Sign, &[nan, -0., 0., -inf, 5e-324]), &[nan, 0., 0., -1., 1.]);
        check(two(OpKind::Power, &[-5., -7., -3.], &[2., 2., 3.]), &[25., 49., -27.]);
        let tens = session.binary_scalar(
            OpKind::Power,
            Form::ScalarLeft,
            &row(&[-3., -2., -1., 0., 1., 2., 3.]),
            10.0,
            Class::Double,
            "",
            0,
        );
        check(tens.unwrap(), &[1e-3, 1e-2, 1e-1, 1., 10., 100., 1000.]);
        check(two(OpKind::Equal, &[nan, 0., inf], &[nan, -0., inf]), &[0., 1., 1.]);
        check(two(OpKind::Divide, &[0., inf, 2.], &[0., inf, 2.]), &[nan, nan, 1.]);
        let zeros = session.binary_scalar(
            OpKind::Multiply,
            Form::ScalarRight,
            &row(&[nan, inf, 1.]),
            0.0,
            Class::Double,
            "",
            0,
        );
        check(zeros.unwrap(), &[nan, nan, 0.]);
        let column = constant(&session, Shape { rows: 2, columns: 1 }, Class::Double, |r, _| [inf, nan][r]);
        check(session.binary(OpKind::Multiply, &column, &row(&[0., 0.]), "", 0).unwrap(), &[nan; 4]);
        let square = |values: [f64; 4]| {
            constant(&session, Shape { rows: 2, columns: 2 }, Class::Double, |r, c| values[2 * c + r])
        };
        check(
            session.binary(OpKind::Multiply, &square([0.; 4]), &square([inf, 1., 1., 1.]), "", 0).unwrap(),
            &[nan, nan, 0., 0.],
        );
        // single (0.1) == 0.1 is true: the comparison is made in single precision.
        let tenth = constant(&session, Shape { rows: 1, columns: 1 }, Class::Single, |_, _| 0.1);
        check(session.binary(OpKind::Equal, &tenth, &row(&[0.1]), "", 0).unwrap(), &[1.]);
        let small =
            constant(&session, Shape { rows: 1, columns: 1 }, Class::Single, |_, _| f64::from(0.49999997f32));
        check(session.unary(OpKind::Round, &small, "", 0).unwrap(), &[0.]);
        let a = square([1.5, 2., -3., 1e300]);
        let product = session.binary(OpKind::Times, &a, &a, "", 0).unwrap();
        check(session.binary(OpKind::Subtract, &product, &product, "", 0).unwrap(), &[0., 0., 0., nan]);
    }
}

#[test]
fn a_domain_error_fails_what_depends_on_it_and_nothing_else() {
    for overlap in [false, true] {
        let session = Session::new(&Options { overlap, ..small_blocks("host", 2) }).unwrap();
        let shape = Shape { rows: 40, columns: 40 };
        let a = constant(&session, shape, Class::Double, |r, c| if (r, c) == (39, 39) { -8.0 } else { 8.0 });
        let good = session.binary(OpKind::Add, &a, &a, "s.m", 1).unwrap();
        let root = session
            .binary_scalar(OpKind::Power, Form::ScalarRight, &a, 1.0 / 3.0, Class::Double, "s.m", 2)
            .unwrap();
        let sum = session.binary(OpKind::Add, &root, &good, "s.m", 3).unwrap();
        assert_eq!(session.force(&good).unwrap().value(0, 0), 16.0);
        let error = session.force(&sum).unwrap_err();
        assert!(matches!(&error, Error::Domain { .. }) && error.to_string().contains("s.m:2"), "{error}");
        assert!(sum.recorded().is_some() && root.recorded().is_some());
        let more = session.binary(OpKind::Multiply, &good, &good, "s.m", 4).unwrap();
        assert_eq!(session.force(&more).unwrap().value(3, 3), 16.0 * 16.0 * 40.0);
    }
}

#[test]
fn long_dependent_chains_and_shared_operands_do_not_deadlock() {
    for meus in [1, 4] {
        for overlap in [false, true] {
            let session = Session::new(&Options { overlap, meus, ..Options::default() }).unwrap();
            let mut a = constant(&session, Shape { rows: 3, columns: 3 }, Class::Double, |_, _| 1.0);
            for line in 0..100 {
                a = session.binary(OpKind::Add, &a, &a, "", line).unwrap();
            }
            assert!(session.force(&a).unwrap().values().all(|x| x == 2f64.powi(100)));
            // 300000 operations that are never read: limits execute them on the way, memory stays bounded.
            let mut b = constant(&session, Shape { rows: 1, columns: 1 }, Class::Double, |_, _| 0.0);
            for line in 0..30_000 {
                b = session
                    .binary_scalar(OpKind::Add, Form::ScalarRight, &b, 1.0, Class::Double, "", line)
                    .unwrap();
            }
            assert_eq!(session.force(&b).unwrap().value(0, 0), 30_000.0);
        }
    }
}

#[test]
fn sessions_end_with_work_pending_and_in_flight() {
    for engine in ["host", "reference", "null"] {
        let session =
            Arc::new(Session::new(&Options { engine: engine.into(), ..Options::default() }).unwrap());
        let a = constant(&session, Shape { rows: 500, columns: 500 }, Class::Double, |_, _| 1.0);
        let b = session.binary(OpKind::Multiply, &a, &a, "", 0).unwrap();
        session.flush().unwrap();
        let c = session.binary(OpKind::Multiply, &b, &a, "", 0).unwrap();
        session.close();
        assert!(matches!(session.force(&c), Err(Error::Closed)));
        drop(session);
        assert!(a.has_result() && b.has_result() && !c.has_result());
    }
}

#[test]
fn a_trace_is_taken_when_what_it_reads_has_been_computed() {
    for engine in ["null", "host", "reference"] {
        let session = Session::new(&Options { engine: engine.into(), ..Options::default() }).unwrap();
        let mut a = constant(&session, Shape { rows: 300, columns: 300 }, Class::Double, |_, _| 1.0);
        for line in 0..20 {
            a = session.binary(OpKind::Add, &a, &a, "", line).unwrap();
            session.flush().unwrap();
        }
        let b = session.binary(OpKind::Multiply, &a, &a, "", 20).unwrap();
        let graph = session.lower(session.take_trace().unwrap()).unwrap();
        assert!(!graph.is_empty() && !b.has_result(), "{engine}");
    }
}

#[test]
fn the_null_engine_gives_no_numbers() {
    let session = Session::new(&Options { engine: "null".into(), ..Options::default() }).unwrap();
    let a = constant(&session, Shape { rows: 2, columns: 2 }, Class::Double, |_, _| 1.0);
    let b = session.binary(OpKind::Add, &a, &a, "", 0).unwrap();
    assert!(session.force(&b).unwrap_err().to_string().contains("computes no values"));
}

#[test]
fn senseless_options_are_refused() {
    let check = |options: Options, expected: &str| {
        let error = Session::new(&options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(Options { meus: 0, ..Options::default() }, "meus is '0': it must be a whole number from 1 to 4096");
    check(
        Options { engine: "gpu".into(), ..Options::default() },
        "engine is 'gpu': it must be one of host, cell, sim, reference, null",
    );
    check(
        Options { scheduler: "magic".into(), ..Options::default() },
        "scheduler is 'magic': it must be one of",
    );
    check(Options { block_elements: Some(10_000), ..Options::default() }, "local store");
    check(Options { block_elements: Some(1024), divisor: Some(1), ..Options::default() }, "multiples of 16");
    check(Options { model: Some("/nonexistent".into()), ..Options::default() }, "/nonexistent");
}
