//! Chains of element-wise operations, which become programs and panels.

use fastrand::Rng;
use pmatrix::error::Error;
use pmatrix::lower::{MAX_STEPS, MemoryLimits};
use pmatrix::operation::{Class, Form, OpKind, Shape, Side};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

use crate::{bits, constant, same, small_blocks};

/// A program of long chains of element-wise operations, few results of which are held, with products and
/// reductions between.
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
            let memory = Some(MemoryLimits { piece_bytes, panel_bytes, ..MemoryLimits::default() });
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
