//! Truth values in bytes: kernels on bytes, programs that widen bytes and narrow truth values to bytes, and
//! moves and reductions of bytes. Each is compared with the operation on numbers.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use fastrand::Rng;
use spe_kernels::definition::Number as _;
use spe_kernels::program::{Place, Program, Step};
use spe_kernels::sys::{self, meu_block};
use spe_kernels::{
    Block, BlockMut, Element, Form, Opcode, Precision, Status, VectorWidth, convert, execute_direct,
    execute_with,
};

const OF_BYTES: [Opcode; 16] = [
    Opcode::Equal,
    Opcode::NotEqual,
    Opcode::Not,
    Opcode::IsNan,
    Opcode::IsInf,
    Opcode::IsFinite,
    Opcode::Less,
    Opcode::LessEqual,
    Opcode::Greater,
    Opcode::GreaterEqual,
    Opcode::And,
    Opcode::Or,
    Opcode::Max,
    Opcode::Min,
    Opcode::MaxRight,
    Opcode::MinRight,
];

fn truths(random: &mut Rng, count: usize) -> Vec<u8> {
    (0..count).map(|_| u8::from(random.bool())).collect()
}

#[test]
fn kernels_on_bytes_give_what_numbers_give() {
    let mut random = Rng::with_seed(1);
    for width in VectorWidth::available() {
        for (opcode, length) in
            OF_BYTES.into_iter().flat_map(|opcode| [1usize, 15, 16, 100, 333].map(|n| (opcode, n)))
        {
            let padded = length.next_multiple_of(16);
            let [a, b] = [(); 2].map(|()| truths(&mut random, padded));
            for form in [Form::Blocks, Form::ScalarRight, Form::ScalarLeft] {
                if form != Form::Blocks && !opcode.is_binary() {
                    continue;
                }
                let scalar = f64::from(u8::from(random.bool()));
                let mut result = vec![9u8; padded];
                let second =
                    (form == Form::Blocks && opcode.is_binary()).then(|| Block::new(&b, length, 1, padded));
                let to = BlockMut::new(&mut result, length, 1, padded);
                let first = Block::new(&a, length, 1, padded);
                execute_with(Some(width), opcode, form, scalar, first, second, to).unwrap();
                for i in 0..length {
                    let (x, y) = match form {
                        Form::Blocks => (a[i].into(), b[i].into()),
                        Form::ScalarRight => (a[i].into(), scalar),
                        Form::ScalarLeft => (scalar, a[i].into()),
                    };
                    let want = f64::element(opcode, x, y);
                    assert_eq!(f64::from(result[i]), want, "{opcode:?} {form:?} of {x} and {y}, {width:?}");
                }
            }
        }
    }
}

#[test]
fn operations_that_give_numbers_have_no_kernel_on_bytes() {
    let a = [1u8; 16];
    for opcode in
        Opcode::ALL.into_iter().filter(|opcode| !OF_BYTES.contains(opcode) && *opcode != Opcode::Multiply)
    {
        let mut result = [0u8; 16];
        let second = opcode.is_binary().then(|| Block::new(&a, 16, 1, 16));
        let to = BlockMut::new(&mut result, 16, 1, 16);
        let first = Block::new(&a, 16, 1, 16);
        let status = execute_with(None, opcode, Form::Blocks, 0.0, first, second, to);
        assert_eq!(status, Err(Status::Opcode), "{opcode:?}");
    }
}

#[test]
fn a_conversion_knows_no_bytes() {
    let (numbers, truths, mut to) = ([0f64; 16], [0u8; 16], [0f32; 16]);
    let refused = convert(Block::new(&truths, 16, 1, 16), BlockMut::new(&mut to, 16, 1, 16));
    assert_eq!(refused, Err(Status::Opcode));
    let mut to = [0u8; 16];
    let refused = convert(Block::new(&numbers, 16, 1, 16), BlockMut::new(&mut to, 16, 1, 16));
    assert_eq!(refused, Err(Status::Opcode));
    let refused = convert(Block::new(&truths, 16, 1, 16), BlockMut::new(&mut to, 16, 1, 16));
    assert_eq!(refused, Err(Status::Opcode));
}

/// A matrix in memory whose columns begin anywhere.
struct Stored<T> {
    elements: Vec<T>,
    shape: (usize, usize),
    offset: usize,
    stride: usize,
}

impl<T: Element> Stored<T> {
    fn new(
        shape: (usize, usize),
        offset: usize,
        more: usize,
        mut element: impl FnMut(usize, usize) -> T,
    ) -> Self {
        let stride = shape.0.next_multiple_of(16 / size_of::<T>()) * usize::from(more == 0)
            + (shape.0 + more) * usize::from(more != 0);
        let mut elements = vec![T::default(); offset + stride * shape.1 + 16];
        for (c, r) in (0..shape.1).flat_map(|c| (0..shape.0).map(move |r| (c, r))) {
            elements[offset + c * stride + r] = element(r, c);
        }
        Stored { elements, shape, offset, stride }
    }

    fn block(&mut self) -> meu_block {
        meu_block {
            ea: self.elements[self.offset..].as_mut_ptr().expose_provenance() as u64,
            stride_bytes: (self.stride * size_of::<T>()) as u32,
            rows: self.shape.0 as u32,
            columns: self.shape.1 as u32,
            precision: T::PRECISION as u8,
            ..meu_block::default()
        }
    }

    fn get(&self, row: usize, column: usize) -> T {
        self.elements[self.offset + column * self.stride + row]
    }
}

/// A program on a number x, and on truth values p and q, each of which may be repeated along a side:
/// result 1 is x > 0.25, result 2 is result 1 and p, result 0 is result 2 * x + q.
fn steps() -> Vec<Step> {
    let (input, result) = (Place::Input, Place::Result);
    let step = |opcode, operands, result| Step { opcode, form: Form::Blocks, operands, result, scalar: 0.0 };
    vec![
        Step { form: Form::ScalarRight, scalar: 0.25, ..step(Opcode::Greater, [input(0); 2], result(1)) },
        step(Opcode::And, [result(1), input(1)], result(2)),
        step(Opcode::Times, [result(2), input(0)], Place::Strip(0)),
        step(Opcode::Add, [Place::Strip(0), input(2)], result(0)),
    ]
}

fn mixed<T: spe_kernels::definition::Number + Element>(width: VectorWidth, of: impl Fn(f64) -> T, seed: u64) {
    let mut random = Rng::with_seed(seed);
    let program = Program::new(3, 3, &steps()).unwrap();
    let shapes =
        [(1, 1), (3, 5), (16, 4), (17, 3), (500, 3), (1024, 2), (1, 700), (4099, 2), (64, 65), (600, 7)];
    for (shape, more) in shapes.into_iter().flat_map(|shape| [(shape, 0), (shape, 1), (shape, 16)]) {
        let (rows, columns) = shape;
        let repeated = [(rows, columns), (1, columns), (rows, 1), (1, 1)];
        let mut x = Stored::new(shape, 0, 0, |_, _| of(random.f64()));
        let [p_shape, q_shape] = [(); 2].map(|()| repeated[random.usize(..4)]);
        let [mut p, mut q] = [p_shape, q_shape].map(|shape| {
            let offset = more * random.usize(..3);
            Stored::new(shape, offset, more, |_, _| u8::from(random.bool()))
        });
        let mut sums = Stored::new(shape, 0, 0, |_, _| of(7.0));
        let [mut greater, mut both] = [(); 2].map(|()| Stored::new(shape, more, more, |_, _| 9u8));
        let untouched = 3u8;
        let beyond = both.offset + both.stride * (columns - 1) + rows;
        both.elements[beyond] = untouched;
        let blocks = [x.block(), p.block(), q.block(), sums.block(), greater.block(), both.block()];
        // SAFETY: the blocks lie in these vectors, which nobody else uses.
        unsafe { program.execute_at(Some(width), &blocks) }.unwrap();
        for (c, r) in (0..columns).flat_map(|c| (0..rows).map(move |r| (c, r))) {
            let [met_p, met_q] = [(&p, p_shape), (&q, q_shape)]
                .map(|(of, (rows, columns))| of.get(r.min(rows - 1), c.min(columns - 1)));
            let is_greater = x.get(r, c).double() > 0.25;
            let is_both = is_greater && met_p == 1;
            let (is_both, is_greater) = (u8::from(is_both), u8::from(is_greater));
            let sum = T::element(Opcode::Times, of(is_both.into()), x.get(r, c));
            let sum = T::element(Opcode::Add, sum, of(met_q.into()));
            let place = format!("({r}, {c}) of {shape:?}, p {p_shape:?}, q {q_shape:?}, more {more}");
            assert_eq!((greater.get(r, c), both.get(r, c)), (is_greater, is_both), "{place}");
            assert_eq!(sums.get(r, c).double().to_bits(), sum.double().to_bits(), "{place}");
        }
        assert_eq!(
            both.elements[beyond], untouched,
            "no byte beyond the last element of {shape:?} is written"
        );
    }
}

#[test]
fn programs_widen_and_narrow_bytes_of_any_shape_and_alignment() {
    for width in VectorWidth::available() {
        mixed::<f64>(width, |x| x, 3);
        mixed::<f32>(width, |x| x as f32, 4);
    }
}

#[test]
fn a_program_of_bytes_alone_is_computed_in_numbers_where_it_needs_them() {
    let step = Step {
        opcode: Opcode::Add,
        form: Form::ScalarRight,
        operands: [Place::Input(0); 2],
        result: Place::Strip(0),
        scalar: 1e-12,
    };
    let last = Step {
        opcode: Opcode::Equal,
        operands: [Place::Strip(0); 2],
        result: Place::Result(0),
        scalar: 1.0,
        ..step
    };
    let program = Program::new(1, 1, &[step, last]).unwrap();
    for (precision, expected) in
        [(Precision::Single, Ok(1)), (Precision::Double, Ok(0)), (Precision::Byte, Err(Status::Opcode))]
    {
        let (mut a, mut result) =
            (Stored::new((5, 1), 1, 1, |_, _| 1u8), Stored::new((5, 1), 1, 1, |_, _| 9u8));
        let program = program.clone().of_bytes_in(precision);
        // SAFETY: the blocks lie in these vectors, which nobody else uses.
        let outcome = unsafe { program.execute_at(None, &[a.block(), result.block()]) };
        assert_eq!(
            outcome.map(|()| result.get(4, 0)).map_err(|failure| failure.status),
            expected,
            "{precision:?}"
        );
    }
}

#[test]
fn a_domain_is_that_of_the_elements() {
    // NaN in a pad, and beside what is narrowed, is nobody's fault.
    let step = Step {
        opcode: Opcode::And,
        form: Form::Blocks,
        operands: [Place::Input(0), Place::Input(1)],
        result: Place::Result(0),
        scalar: 0.0,
    };
    let program = Program::new(2, 1, &[step]).unwrap();
    for bad in [None, Some(2)] {
        let mut x = Stored::new((3, 2), 0, 0, |_, _| 1f64);
        x.elements[3] = f64::NAN;
        if let Some(row) = bad {
            x.elements[row] = f64::NAN;
        }
        let (mut p, mut result) =
            (Stored::new((3, 2), 0, 0, |_, _| 1u8), Stored::new((3, 2), 0, 0, |_, _| 9u8));
        // SAFETY: the blocks lie in these vectors, which nobody else uses.
        let outcome = unsafe { program.execute_at(None, &[x.block(), p.block(), result.block()]) };
        assert_eq!(
            outcome.map_err(|failure| failure.status),
            if bad.is_some() { Err(Status::Domain) } else { Ok(()) }
        );
    }
}

fn matrix(block: meu_block) -> sys::direct_matrix {
    sys::direct_matrix {
        ea: block.ea,
        stride_bytes: block.stride_bytes.into(),
        rows: block.rows,
        columns: block.columns,
    }
}

/// The number of a move or reduction, which follow the element-wise operations in their order.
fn direct(place: u32) -> u32 {
    Opcode::ALL.len() as u32 + place
}

#[test]
fn reductions_of_bytes_count() {
    let [sum, product, sum_of_squares, cumulative_sum, any, all, maximum, minimum, norm] =
        [5, 6, 7, 8, 9, 10, 11, 12, 13].map(direct);
    let mut random = Rng::with_seed(5);
    let shapes = [(1, 1), (3, 2), (16, 9), (17, 8), (300, 23), (1, 40), (700, 1), (20_000, 2)];
    for (rows, columns) in shapes {
        for (opcode, side, goes_on, share) in
            [sum, product, sum_of_squares, cumulative_sum, any, all, maximum, minimum]
                .into_iter()
                .flat_map(|opcode| [0, 1].map(|side| (opcode, side)))
                .flat_map(|(opcode, side)| [false, true].map(|goes_on| (opcode, side, goes_on)))
                .flat_map(|(opcode, side, goes_on)| {
                    [0.02, 0.5, 0.98].map(|share| (opcode, side, goes_on, share))
                })
        {
            if opcode == cumulative_sum && rows > 1000 {
                continue;
            }
            let mut a = Stored::new((rows, columns), 1, 3, |_, _| u8::from(random.f64() < share));
            let reduced = if side == 0 { (1, columns) } else { (rows, 1) };
            let is_number = opcode < any;
            let cumulative = opcode == cumulative_sum;
            let result_shape = if cumulative { (rows, columns) } else { reduced };
            let mut numbers = Stored::new(result_shape, 1, 1, |_, _| 77f64);
            let mut truths = Stored::new(result_shape, 1, 1, |_, _| 77u8);
            let most = if opcode == product { 2 } else { 5 };
            let mut before = Stored::new(reduced, 1, 1, |_, _| f64::from(random.u8(..most)));
            let mut decided = Stored::new(reduced, 1, 1, |_, _| u8::from(random.bool()));
            let operation = sys::direct_operation {
                opcode,
                precision: if is_number { sys::MEU_DOUBLE } else { sys::MEU_BYTE },
                counts_bytes: is_number.into(),
                operand_count: 1 + u32::from(goes_on),
                parameters: [side, 0, 0],
                result: matrix(if is_number { numbers.block() } else { truths.block() }),
                operands: [
                    matrix(a.block()),
                    matrix(if is_number { before.block() } else { decided.block() }),
                ],
                ..sys::direct_operation::default()
            };
            // SAFETY: the matrices lie in these vectors, which nobody else uses.
            unsafe { execute_direct(&operation) }.unwrap();
            for (c, r) in (0..result_shape.1).flat_map(|c| (0..result_shape.0).map(move |r| (c, r))) {
                let along: Vec<u8> = match (side, cumulative) {
                    (0, false) => (0..rows).map(|k| a.get(k, c)).collect(),
                    (0, true) => (0..=r).map(|k| a.get(k, c)).collect(),
                    (_, false) => (0..columns).map(|k| a.get(r, k)).collect(),
                    (_, true) => (0..=c).map(|k| a.get(r, k)).collect(),
                };
                let (row, column) = (r.min(reduced.0 - 1), c.min(reduced.1 - 1));
                let count = along.iter().map(|&x| f64::from(x)).sum::<f64>();
                let whole = f64::from(u8::from(along.iter().all(|&x| x == 1)));
                let some = f64::from(u8::from(along.contains(&1)));
                let number = |otherwise| if goes_on { before.get(row, column) } else { otherwise };
                let truth =
                    |otherwise: f64| if goes_on { f64::from(decided.get(row, column)) } else { otherwise };
                let expected = match opcode {
                    opcode if opcode == product => number(1.0) * whole,
                    opcode if opcode < any => number(0.0) + count,
                    opcode if opcode == any || opcode == maximum => truth(0.0).max(some),
                    _ => truth(1.0).min(whole),
                };
                let found = if is_number { numbers.get(r, c) } else { truths.get(r, c).into() };
                assert_eq!(found, expected, "{opcode} along {side} at ({r}, {c}) of {rows} x {columns}");
            }
        }
    }
    for (opcode, precision, counts_bytes) in [
        (sum, sys::MEU_BYTE, 0),
        (sum, sys::MEU_SINGLE, 1),
        (any, sys::MEU_DOUBLE, 1),
        (norm, sys::MEU_BYTE, 0),
    ] {
        let operation =
            sys::direct_operation { opcode, precision, counts_bytes, ..sys::direct_operation::default() };
        // SAFETY: it is refused before anything is read.
        assert_eq!(unsafe { execute_direct(&operation) }, Err(Status::Opcode), "{opcode} {precision}");
    }
}
