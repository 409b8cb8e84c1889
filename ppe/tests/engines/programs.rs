//! Random programs over all operations.

use fastrand::Rng;
use pmatrix::error::Error;
use pmatrix::operation::{Class, Form, OpKind, Precision, Shape, Side, View};
use pmatrix::schedule::schedulers;
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

use crate::{bits, constant, same, small_blocks};

const SIDES: [u32; 8] = [1, 3, 4, 5, 15, 16, 17, 33];

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
            for scheduler in schedulers().iter().map(|scheduler| scheduler.name()) {
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

#[test]
fn the_ppe_executes_what_meus_do_not() {
    for seed in 30..36 {
        println!("seed {seed}");
        let expected = random_program(&Session::new(&small_blocks("reference", 1)).unwrap(), seed, &SIDES);
        for kinds in ["paper", "multiply,sum,view", "multiply,add,convert,power,sin,equal"] {
            for scheduler in schedulers().iter().map(|scheduler| scheduler.name()) {
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
