//! What a forced step costs: a program that needs a number at each step, such as a norm or a residual.
//!
//! For each size the step is executed at once by the thread that forces it, or with its help, and handed over
//! to the stages' threads (`immediate` false), in turn in the same run. The least of several rounds counts.
//! `cone` forces one operation while many others are pending: its time must not grow with their number.
//! Run with `cargo bench -p pmatrix --bench force`.

use std::time::Instant;

use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, Form, OpKind, Shape, Side};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

const ROUNDS: u32 = 5;
const MOST_STEPS: u32 = 300;

/// A matrix of numbers below 1.
fn matrix(session: &Session, rows: u32, columns: u32) -> Value {
    let element = |r: usize, c: usize| ((7 * r + 3 * c) % 11) as f64 / 11.0;
    let matrix = Matrix::from_fn(Shape { rows, columns }, session.pool(), element).expect("memory");
    session.constant(matrix, Class::Double).expect("one process")
}

fn binary(session: &Session, kind: OpKind, a: &Value, b: &Value) -> Value {
    session.binary(kind, a, b, "bench.m", 1).expect("shapes fit")
}

fn scaled(session: &Session, kind: OpKind, a: &Value, scalar: f64) -> Value {
    let (form, class) = (Form::ScalarRight, Class::Double);
    session.binary_scalar(kind, form, a, scalar, class, "bench.m", 2).expect("shapes fit")
}

/// x = x .* x + x - 0.5, and its sum.
fn chain(session: &Session, (_, x): &(Value, Value)) -> (Value, f64) {
    let sum = binary(session, OpKind::Add, &binary(session, OpKind::Times, x, x), x);
    let next = scaled(session, OpKind::Subtract, &sum, 0.5);
    let total = session.record(|r| r.reduce(OpKind::Sum, &next, Side::Column, "bench.m", 3));
    let total = session.force(&total.expect("a column")).expect("computed").value(0, 0);
    (scaled(session, OpKind::Times, &next, 0.5), total)
}

/// y = A x, its norm, and x = y / norm: power iteration.
fn power(session: &Session, (a, x): &(Value, Value)) -> (Value, f64) {
    let y = binary(session, OpKind::Multiply, a, x);
    let norm = session.record(|r| r.norm(&y, "bench.m", 4)).expect("recorded");
    let norm = session.force(&norm).expect("computed").value(0, 0);
    (scaled(session, OpKind::Divide, &y, norm), norm)
}

type Step = fn(&Session, &(Value, Value)) -> (Value, f64);

/// Microseconds a step.
fn time(session: &Session, step: Step, rows: u32, columns: u32, steps: u32) -> f64 {
    let a = matrix(session, rows, if columns == 1 { 1 } else { rows });
    let mut values = (a, matrix(session, rows, 1));
    let start = Instant::now();
    for _ in 0..steps {
        values.1 = step(session, &values).0;
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(steps)
}

fn print(name: &str, step: Step, columns: u32, sessions: &[Session]) {
    println!("{name}: us a forced step; the last column is the ratio");
    println!("{:>10} {:>12} {:>12} {:>8}", "elements", "at once", "handed over", "ratio");
    for rows in [4, 16, 64, 65, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000] {
        if columns > 1 && rows > 3000 {
            continue;
        }
        let size = u64::from(rows) * u64::from(if columns == 1 { 1 } else { rows });
        let steps = (100_000_000 / size.max(1)).clamp(5, u64::from(MOST_STEPS)) as u32;
        let mut least = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (session, least) in sessions.iter().zip(&mut least) {
                *least = least.min(time(session, step, rows, columns, steps));
            }
        }
        println!("{rows:>10} {:>12.1} {:>12.1} {:>8.2}", least[0], least[1], least[1] / least[0]);
    }
}

/// Microseconds for forcing one operation, with so many others pending.
fn cone(session: &Session, pending: u32) -> f64 {
    let x = matrix(session, 10, 1);
    let _others: Vec<_> = (0..pending).map(|_| scaled(session, OpKind::Add, &x, 1.0)).collect();
    let mut least = f64::INFINITY;
    for _ in 0..100 {
        let value = scaled(session, OpKind::Add, &x, 2.0);
        let start = Instant::now();
        session.force(&value).expect("computed");
        least = least.min(start.elapsed().as_secs_f64() * 1e6);
    }
    least
}

fn main() {
    let sessions = [true, false].map(|immediate| {
        Session::new(&Options { immediate, ..Options::default() }).expect("the host engine")
    });
    print("chain of operations on a column, and its sum", chain, 1, &sessions);
    print("matrix times vector, norm, quotient", power, 2, &sessions);
    println!("one operation of 10 elements, with others pending: us");
    for pending in [0, 100, 9000] {
        println!("{pending:>10} {:>12.1} {:>12.1}", cone(&sessions[0], pending), cone(&sessions[1], pending));
    }
}
