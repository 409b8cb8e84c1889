//! Products in main memory have the bits of their definition, whatever way the kernels take: with few rows or
//! columns, with operands that are stored transposed, and with several parts of the inner side.

mod common;

use common::{Matrix, Ppe, record};
use spe_kernels::sys::{
    MEMORY_TRANSPOSED_LENGTH, MEU_FLAG_MEMORY, MEU_STATUS_OK, MEU_STATUS_SHAPE, meu_product, meu_record,
};
use spe_kernels::{Element, Form, MeuOptions, Opcode, VectorWidth};

trait Real: Element + std::ops::Add<Output = Self> {
    fn of(value: f64) -> Self;
    fn fused(self, b: Self, c: Self) -> Self;
    fn bits(self) -> u64;
}

impl Real for f32 {
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn fused(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Real for f64 {
    fn of(value: f64) -> f64 {
        value
    }
    fn fused(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// Numbers whose sums are rounded, so that the order of the sum shows.
fn rough<T: Real>(row: usize, column: usize, seed: usize) -> T {
    let number = (row * 7919 + column * 104_729 + seed * 1_299_709) % 100_003;
    T::of(number as f64 / 777.0 - 60.0)
}

/// A product whose operands may be stored transposed, in parts of the inner side.
struct Product<T> {
    stored: [Matrix<T>; 2],
    result: Matrix<T>,
    transposed: u8,
    parts: u16,
    inner: usize,
}

impl<T: Real> Product<T> {
    /// Elements of a quadword. Lengths of parts are multiples of it.
    const DIVISOR: usize = 16 / size_of::<T>();

    fn new((m, k, n): (usize, usize, usize), transposed: u8, parts: u16) -> Self {
        let stored = |number: usize, rows: usize, columns: usize| {
            let turned = transposed >> number & 1 == 1;
            let (rows, columns) = if turned { (columns, rows) } else { (rows, columns) };
            Matrix::new(rows, columns, 3 * number, |i, j| rough(i, j, number))
        };
        Self {
            stored: [stored(0, m, k), stored(1, k, n)],
            result: Matrix::new(m, n, 0, |_, _| T::of(7.0)),
            transposed,
            parts,
            inner: k,
        }
    }

    fn element(&self, number: usize, row: usize, column: usize) -> T {
        match self.transposed >> number & 1 {
            0 => self.stored[number].get(row, column),
            _ => self.stored[number].get(column, row),
        }
    }

    fn record(&self) -> meu_record {
        let blocks = self.stored.each_ref().map(Matrix::block);
        let mut record = record(Opcode::Multiply, Form::Blocks, 0.0, self.result.block(), &blocks);
        let (mut parts, mut first) = (meu_product { parts: 1, ..Default::default() }, self.inner);
        if self.parts > 1 {
            let (divisor, groups) = (Self::DIVISOR as u16, self.inner.div_ceil(Self::DIVISOR) as u16);
            let (base, longer) = (groups / self.parts, groups % self.parts);
            parts = meu_product { parts: self.parts, longer, divisor, base, ..Default::default() };
            (record.inner, first) = (self.inner as u32, self.lengths()[0]);
        }
        for (number, block) in record.blocks[..2].iter_mut().enumerate() {
            let turned = self.transposed >> number & 1 == 1;
            *(if turned == (number == 0) { &mut block.rows } else { &mut block.columns }) = first as u32;
        }
        let opcode = Opcode::Multiply as u8;
        record.work.product = meu_product { opcode, transposed: self.transposed, ..parts };
        meu_record { flags: MEU_FLAG_MEMORY as u8, ..record }
    }

    /// The lengths of the parts, the longer ones first.
    fn lengths(&self) -> Vec<usize> {
        let (groups, parts) = (self.inner.div_ceil(Self::DIVISOR), usize::from(self.parts));
        let mut left = self.inner;
        let lengths = (0..parts).map(|part| {
            let longest = Self::DIVISOR * (groups / parts + usize::from(part < groups % parts));
            let length = if parts == 1 { left } else { longest.min(left) };
            left -= length;
            length
        });
        lengths.collect()
    }

    fn check(&self, what: &str) {
        for j in 0..self.result.columns {
            for i in 0..self.result.rows {
                let (mut sum, mut at) = (T::of(0.0), 0);
                for length in self.lengths() {
                    let part = (at..at + length)
                        .fold(T::of(0.0), |part, l| self.element(0, i, l).fused(self.element(1, l, j), part));
                    (sum, at) = (sum + part, at + length);
                }
                let got = self.result.get(i, j);
                assert_eq!(got.bits(), sum.bits(), "{what} ({i}, {j}): {got:?}, not {sum:?}");
            }
        }
    }
}

fn products_are_as_defined<T: Real>() {
    let shapes: [(usize, usize, usize); 20] = [
        (1, 1, 1),
        (1, 40, 1),
        (1, 70, 37),
        (1, 1000, 1),
        (6, 517, 2),
        (2, 33, 50),
        (3, 70, 21),
        (4, 130, 19),
        (19, 40, 4),
        (37, 70, 1),
        (50, 9, 2),
        (131, 66, 3),
        (130, 21, 4),
        (43, 130, 7),
        (700, 11, 16),
        (26, 300, 17),
        (9, 64, 70),
        (70, 600, 33),
        (300, 35, 40),
        (9, 150, 200),
    ];
    for width in VectorWidth::available() {
        for shape in shapes {
            for transposed in 0..4 {
                let most = shape.1.div_ceil(Product::<T>::DIVISOR);
                for parts in [1, 3, 5].into_iter().filter(|&parts| usize::from(parts) <= most) {
                    let product = Product::<T>::new(shape, transposed, parts);
                    let ppe = Ppe::new(None);
                    ppe.offer(product.record());
                    ppe.terminate();
                    ppe.run(&MeuOptions { vector: Some(width), ..Default::default() })
                        .expect("the parameters are right");
                    let what = format!("{width:?} {shape:?} transposed {transposed} parts {parts}");
                    assert_eq!(u32::from(ppe.completion().report.status), MEU_STATUS_OK, "{what}");
                    product.check(&what);
                }
            }
        }
    }
}

#[test]
fn products_in_main_memory_are_as_defined_single() {
    products_are_as_defined::<f32>();
}

#[test]
fn products_in_main_memory_are_as_defined_double() {
    products_are_as_defined::<f64>();
}

#[test]
fn operands_stored_transposed_are_refused_where_they_cannot_be_read() {
    let product = Product::<f64>::new((4, 6, 5), 1, 1).record();
    let long = MEMORY_TRANSPOSED_LENGTH as usize + 2;
    let (too_long, fits) =
        (Product::<f64>::new((2, long, 1), 1, 1), Product::<f64>::new((2, long - 2, 1), 1, 1));
    let mut unknown = product;
    unknown.work.product =
        meu_product { opcode: Opcode::Multiply as u8, transposed: 4, parts: 1, ..Default::default() };
    let in_local_store = meu_record { flags: 0, ..product };
    for (record, status) in [
        (unknown, MEU_STATUS_SHAPE),
        (in_local_store, MEU_STATUS_SHAPE),
        (too_long.record(), MEU_STATUS_SHAPE),
        (fits.record(), MEU_STATUS_OK),
    ] {
        let ppe = Ppe::new(None);
        ppe.offer(record);
        ppe.terminate();
        ppe.run(&MeuOptions::default()).expect("the parameters are right");
        assert_eq!(u32::from(ppe.completion().report.status), status);
    }
}
