//! Logical values: every operation on them has the reference's bits and Octave's class, stored in bytes or in
//! the precision of numbers, alone or in one program with others.

use fastrand::Rng;
use pmatrix::error::Error;
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, Form, OpKind, Part, Precision, Shape, Side, View};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

use crate::{bits, constant, same, small_blocks};

const TRUTHS: [OpKind; 8] = [
    OpKind::Equal,
    OpKind::NotEqual,
    OpKind::Less,
    OpKind::LessEqual,
    OpKind::Greater,
    OpKind::GreaterEqual,
    OpKind::And,
    OpKind::Or,
];

const REDUCTIONS: [OpKind; 8] = [
    OpKind::Sum,
    OpKind::Product,
    OpKind::SumSquares,
    OpKind::CumulativeSum,
    OpKind::Any,
    OpKind::All,
    OpKind::Maximum,
    OpKind::Minimum,
];

fn shape(rows: u32, columns: u32) -> Shape {
    Shape { rows, columns }
}

/// A logical value as the session stores it.
fn mask(session: &Session, shape: Shape, random: &mut Rng) -> Value {
    let mut truth = |_, _| u8::from(random.bool());
    let matrix = match session.storage(Class::Logical) {
        Precision::Byte => Matrix::from_fn(shape, session.pool(), truth),
        _ => Matrix::from_fn(shape, session.pool(), |r, c| f64::from(truth(r, c))),
    };
    session.constant(matrix.unwrap(), Class::Logical).unwrap()
}

/// Values of all kinds that masks take part in.
struct Recorded<'s> {
    session: &'s Session,
    /// Whether each value is computed as soon as it is recorded.
    at_once: bool,
    values: Vec<Value>,
}

impl Recorded<'_> {
    fn keep(&mut self, value: Value) -> Value {
        if self.at_once {
            self.session.force(&value).unwrap();
        }
        self.values.push(value.clone());
        value
    }

    fn one(&mut self, kind: OpKind, a: &Value) -> Value {
        let value = self.session.unary(kind, a, "m", 1).unwrap();
        self.keep(value)
    }

    fn two(&mut self, kind: OpKind, a: &Value, b: &Value) -> Value {
        let value = self.session.binary(kind, a, b, "m", 2).unwrap();
        self.keep(value)
    }

    fn scalar(&mut self, kind: OpKind, form: Form, a: &Value, scalar: f64, class: Class) -> Value {
        let value = self.session.binary_scalar(kind, form, a, scalar, class, "m", 3).unwrap();
        self.keep(value)
    }

    fn comparisons(&mut self, x: &Value, y: &Value, masks: &[Value]) {
        for kind in TRUTHS {
            self.two(kind, x, y);
            for mask in masks {
                self.two(kind, x, mask);
                self.two(kind, mask, y);
                for other in masks {
                    self.two(kind, mask, other);
                }
            }
            for form in [Form::ScalarRight, Form::ScalarLeft] {
                for (scalar, class) in [
                    (0.0, Class::Double),
                    (1.0, Class::Logical),
                    (1.0 + 1e-12, Class::Double),
                    (0.5, Class::Single),
                    (-3.0, Class::Double),
                ] {
                    self.scalar(kind, form, &masks[0], scalar, class);
                    self.scalar(kind, form, x, scalar, class);
                }
            }
        }
        for mask in masks {
            for kind in [OpKind::Not, OpKind::IsNan, OpKind::IsInf, OpKind::IsFinite] {
                self.one(kind, mask);
            }
            for kind in [OpKind::Max, OpKind::Min] {
                self.two(kind, mask, &masks[0]);
                self.two(kind, x, mask);
                self.scalar(kind, Form::ScalarLeft, mask, 1.0, Class::Logical);
                self.scalar(kind, Form::ScalarRight, mask, 0.25, Class::Double);
            }
        }
    }

    fn arithmetic(&mut self, x: &Value, masks: &[Value]) {
        for mask in masks {
            for kind in [OpKind::Times, OpKind::Add, OpKind::Subtract, OpKind::Divide, OpKind::Power] {
                self.two(kind, mask, x);
                self.two(kind, mask, &masks[0]);
            }
            self.one(OpKind::Negate, mask);
            self.one(OpKind::Exp, mask);
            self.scalar(OpKind::Times, Form::ScalarRight, mask, 2.5, Class::Single);
            self.scalar(OpKind::Subtract, Form::ScalarLeft, mask, 0.1, Class::Double);
            for to in Precision::ALL {
                let value = self.session.convert(mask, to, "m", 4).unwrap();
                self.keep(value);
            }
        }
    }

    /// `(((x > 0) & p) | (x <= 0.5) == q) .* x + (p & !q)`: one program, with results of both kinds.
    fn chain(&mut self, x: &Value, p: &Value, q: &Value) {
        let positive = self.scalar(OpKind::Greater, Form::ScalarRight, x, 0.0, Class::Double);
        let both = self.session.binary(OpKind::And, &positive, p, "m", 5).unwrap();
        let small =
            self.session.binary_scalar(OpKind::LessEqual, Form::ScalarRight, x, 0.5, Class::Double, "m", 5);
        let alike = self.session.binary(OpKind::Equal, &small.unwrap(), q, "m", 5).unwrap();
        let either = self.session.binary(OpKind::Or, &both, &alike, "m", 5).unwrap();
        let chosen = self.session.binary(OpKind::Times, &either, x, "m", 5).unwrap();
        let not = self.session.unary(OpKind::Not, q, "m", 5).unwrap();
        let other = self.session.binary(OpKind::And, p, &not, "m", 5).unwrap();
        self.two(OpKind::Add, &chosen, &other);
        self.two(OpKind::NotEqual, &either, &other);
    }

    fn reductions(&mut self, a: &Value) {
        for (kind, side) in REDUCTIONS.into_iter().flat_map(|kind| [(kind, Side::Column), (kind, Side::Row)])
        {
            let value = self.session.record(|r| r.reduce(kind, a, side, "m", 6)).unwrap();
            self.keep(value);
        }
        let norm = self.session.record(|r| r.norm(a, "m", 6)).unwrap();
        self.keep(norm);
    }

    fn moves(&mut self, p: &Value, q: &Value, x: &Value) {
        let of = p.shape();
        let turned = shape(of.columns, of.rows);
        let transposed = self.session.record(|r| r.view(p, turned, View::transpose(of), "m", 7)).unwrap();
        self.keep(transposed.clone());
        let back = self.session.record(|r| r.view(&transposed, of, View::transpose(turned), "m", 7)).unwrap();
        self.two(OpKind::Times, &back, x);
        let flat = shape(of.rows * of.columns, 1);
        let column = self.session.record(|r| r.view(p, flat, View::reshape(flat.rows), "m", 7)).unwrap();
        self.keep(column.clone());
        // Every second element from the last but one on.
        let half = shape(flat.rows.div_ceil(2), 1);
        let view = View { offset: i64::from(flat.rows) - 1, row_step: -2, column_step: 0, part: Part::Whole };
        if i64::from(half.rows - 1) * 2 <= view.offset {
            let part = self.session.record(|r| r.view(&column, half, view, "m", 7)).unwrap();
            self.keep(part);
        }
        let repeated = self.session.record(|r| r.repeat(p, (2, 3), "m", 7)).unwrap();
        self.keep(repeated);
        let band = self.session.record(|r| r.band(p, -2, 3, "m", 7)).unwrap();
        self.keep(band);
        if flat.rows <= 300 {
            let diagonal = self.session.record(|r| r.diagonal(&column, -1, "m", 7)).unwrap();
            self.keep(diagonal);
        }
        for (a, b) in [(p, q), (p, x), (x, q)] {
            for side in [Side::Column, Side::Row] {
                let joined = self.session.record(|r| r.join(a, b, side, "m", 8)).unwrap();
                self.keep(joined);
            }
        }
        // `any` of numbers beside a mask.
        let any = self.session.record(|r| r.reduce(OpKind::Any, x, Side::Column, "m", 9)).unwrap();
        for (a, b) in [(&any, p), (p, &any)] {
            let joined = self.session.record(|r| r.join(a, b, Side::Column, "m", 9)).unwrap();
            self.keep(joined);
        }
        self.two(OpKind::And, &any, p);
        self.two(OpKind::Multiply, x, &transposed);
        self.two(OpKind::Multiply, p, &transposed);
    }
}

/// Everything above on operands of these shapes; each result begins with its class.
fn run(options: &Options, at_once: bool, shapes: &[(u32, u32)]) -> Vec<Vec<u64>> {
    let session = Session::new(options).unwrap();
    let mut found = Vec::new();
    for (&(rows, columns), class) in
        shapes.iter().flat_map(|shape| [(shape, Class::Single), (shape, Class::Double)])
    {
        let mut random = Rng::with_seed(u64::from(rows * 1000 + columns));
        let mut numbers = |special: f64| {
            constant(&session, shape(rows, columns), class, |_, _| match random.u8(..8) {
                0 => special,
                1 => 0.0,
                2 => 1.0,
                _ => (random.f64() * 4.0 - 2.0) as f32 as f64,
            })
        };
        // Domains are no matter here: NaN is neither true nor false, and a negative base needs an integer.
        let (x, y, with_nan) = (numbers(-0.0), numbers(0.5), numbers(f64::NAN));
        let of = [(rows, columns), (rows, columns), (1, columns), (rows, 1), (1, 1)];
        let masks = of.map(|(rows, columns)| mask(&session, shape(rows, columns), &mut random));
        let mut recorded = Recorded { session: &session, at_once, values: Vec::new() };
        recorded.comparisons(&x, &y, &masks);
        for kind in TRUTHS.into_iter().filter(|kind| !matches!(kind, OpKind::And | OpKind::Or)) {
            recorded.two(kind, &with_nan, &x);
            recorded.two(kind, &masks[1], &with_nan);
        }
        recorded.arithmetic(&with_nan, &masks);
        recorded.chain(&with_nan, &masks[0], &masks[1]);
        recorded.chain(&with_nan, &masks[2], &masks[3]);
        for value in &masks[..4] {
            recorded.reductions(value);
        }
        let greater = recorded.scalar(OpKind::Greater, Form::ScalarRight, &with_nan, 0.0, Class::Double);
        recorded.reductions(&greater);
        recorded.moves(&masks[0], &masks[1], &x);
        for value in recorded.values {
            let matrix = session.force(&value).unwrap();
            found.push(std::iter::once(value.class() as u64).chain(bits(&matrix)).collect());
        }
    }
    found
}

const SHAPES: [(u32, u32); 7] = [(1, 1), (3, 5), (17, 9), (15, 16), (100, 33), (1, 130), (261, 1)];

#[test]
fn operations_on_logical_values_have_one_result_in_every_storage() {
    let in_numbers = Options { meus: 2, memory: None, ..Options::default() };
    assert_eq!(Session::new(&in_numbers).unwrap().storage(Class::Logical), Precision::Double);
    assert_eq!(Session::new(&Options::default()).unwrap().storage(Class::Logical), Precision::Byte);
    let reference = Options { engine: "reference".into(), ..Options::default() };
    let expected = run(&reference, false, &SHAPES);
    same(&run(&in_numbers, false, &SHAPES), &expected, "in numbers, in local stores");
    let host = Options { meus: 3, poison: true, validate: true, ..Options::default() };
    for at_once in [false, true] {
        same(&run(&host, at_once, &SHAPES), &expected, &format!("in bytes, at once: {at_once}"));
    }
    // Blocks of other sizes give products other bits.
    let [host, reference] = ["host", "reference"].map(|engine| run(&small_blocks(engine, 2), false, &SHAPES));
    same(&host, &reference, "in bytes, in small blocks");
}

#[test]
fn large_masks_are_cut_for_several_meus() {
    let shapes = [(1001, 300), (70_001, 3), (3, 66_000)];
    let run = |engine: &str, meus| {
        let options =
            Options { engine: engine.into(), meus, poison: true, validate: true, ..Options::default() };
        let session = Session::new(&options).unwrap();
        let mut found = Vec::new();
        for (rows, columns) in shapes {
            let mut random = Rng::with_seed(3);
            let x = constant(&session, shape(rows, columns), Class::Double, |_, _| random.f64() - 0.5);
            let [p, q] = [(); 2].map(|()| mask(&session, shape(rows, columns), &mut random));
            let mut recorded = Recorded { session: &session, at_once: false, values: Vec::new() };
            recorded.chain(&x, &p, &q);
            let both = recorded.two(OpKind::And, &p, &q);
            recorded.reductions(&both);
            let positive = recorded.scalar(OpKind::Greater, Form::ScalarRight, &x, 0.0, Class::Double);
            recorded.reductions(&positive);
            for value in recorded.values {
                found.push(bits(&session.force(&value).unwrap()));
            }
        }
        found
    };
    let expected = run("reference", 1);
    for meus in [1, 3] {
        same(&run("host", meus), &expected, &format!("{meus} MEUs"));
    }
}

#[test]
fn a_nan_beside_a_mask_is_neither_true_nor_false() {
    for options in [Options::default(), Options { engine: "reference".into(), ..Options::default() }] {
        let session = Session::new(&options).unwrap();
        let x = constant(
            &session,
            shape(5, 3),
            Class::Double,
            |r, c| if (r, c) == (4, 2) { f64::NAN } else { 1.0 },
        );
        let p = mask(&session, shape(5, 3), &mut Rng::with_seed(1));
        for (a, b) in [(&x, &p), (&p, &x)] {
            let value = session.binary(OpKind::And, a, b, "n.m", 1).unwrap();
            assert!(matches!(session.force(&value), Err(Error::Domain { .. })));
        }
        let value = session.binary(OpKind::And, &p, &p, "n.m", 2).unwrap();
        assert!(session.force(&value).is_ok());
    }
}

/// On an SPE a NaN is a number, also in the reference's arithmetic of SPEs.
#[test]
fn comparisons_of_an_spe_are_not_those_of_bytes() {
    let spu = Options { engine: "reference".into(), arithmetic: "spu".into(), ..Options::default() };
    for (options, expected) in
        [(spu, 1.0), (Options { engine: "reference".into(), ..Options::default() }, 0.0)]
    {
        let session = Session::new(&options).unwrap();
        let x = constant(&session, shape(1, 1), Class::Single, |_, _| f64::NAN);
        let equal = session.binary(OpKind::Equal, &x, &x, "s.m", 1).unwrap();
        assert_eq!(session.force(&equal).unwrap().value(0, 0), expected);
    }
}
