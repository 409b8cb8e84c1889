//! The terms of each form: what the coefficients of the model are multiplied by.
//!
//! The terms follow the programs that are timed: the tiles of a product (`spe-kernels/kernels/spu/product`), the
//! calls of element-wise kernels (`spe-kernels/kernels/program.c`), the lists of transfers
//! (`spe-kernels/meu/dma.c`). A term that a machine does not need gets the coefficient 0. Products have other
//! kernels on a host, so they have other terms there ([`Machine`]).

use super::BlockSize;
use super::memory::Memory;
use crate::operation::{OpKind, Precision, Shape};

/// Number of coefficients of a form, at most.
pub const TERMS: usize = 6;

/// A form's coefficients, in nanoseconds; 0 for a term that it does not have.
pub type Coefficients = [f64; TERMS];

/// Whose kernels are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// An SPE.
    Spe,
    /// A host, whose kernels compute products in main memory (`spe-kernels/kernels/host/memory_product.c`).
    Host,
}

impl Machine {
    /// The machine with this memory: a host has no MFC.
    pub(super) fn of(memory: Option<&Memory>) -> Machine {
        if memory.is_some() { Machine::Spe } else { Machine::Host }
    }
}

/// Bytes of a line, the unit of memory and of DMA.
const LINE_BYTES: usize = 128;

/// Bytes of a vector of an SPE.
const VECTOR_BYTES: u32 = 16;

/// Vectors that an element-wise kernel takes at a time.
const TURN_VECTORS: u32 = 4;

/// Bytes of a strip (`PROGRAM_STRIP_BYTES`).
const STRIP_BYTES: u32 = spe_kernels::sys::PROGRAM_STRIP_BYTES;

/// Bytes of a column that a tile of a product has.
const TILE_BYTES: u32 = 64;

/// Bytes of the vectors in which products of a host are counted: those of the widest kernels.
const HOST_VECTOR_BYTES: u32 = 64;

/// The most columns of B for which a host streams through A (`spe-kernels/kernels/host/memory_product.c`).
const HOST_THIN_COLUMNS: u32 = 16;

pub(super) fn evaluate(coefficients: &Coefficients, terms: &Coefficients) -> f64 {
    coefficients.iter().zip(terms).map(|(a, g)| a * g).sum()
}

/// Lines of a block whose columns begin at lines.
#[must_use]
pub fn lines((rows, columns): (u16, u16), precision: Precision) -> f64 {
    let column = (usize::from(rows) * precision.element_bytes()).div_ceil(LINE_BYTES);
    (column * usize::from(columns)) as f64
}

/// The terms of the transfers of one operation: 1; blocks; columns that are list elements of their own; lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transfers {
    /// What is fetched; of a chain, for one part.
    pub fetched: Coefficients,
    /// What is written back.
    pub written: Coefficients,
}

impl Transfers {
    /// Of blocks with these sides, whose columns lie apart and begin at lines; both with their precisions.
    #[must_use]
    pub fn of_blocks(
        (fetched, of_fetched): (impl Iterator<Item = (u16, u16)>, Precision),
        (written, of_written): (impl Iterator<Item = (u16, u16)>, Precision),
    ) -> Transfers {
        Transfers {
            fetched: transfer_terms(fetched, of_fetched),
            written: transfer_terms(written, of_written),
        }
    }
}

/// Of transfers of blocks with these sides, whose columns lie apart and begin at lines: 1, blocks, columns, lines.
#[must_use]
pub fn transfer_terms(blocks: impl Iterator<Item = (u16, u16)>, precision: Precision) -> Coefficients {
    let mut terms = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for block in blocks {
        terms[1] += 1.0;
        terms[2] += f64::from(block.1);
        terms[3] += lines(block, precision);
    }
    terms
}

/// Adds the transfer of a block of so many columns to such terms. A column has `column_bytes`, and is moved in whole
/// quadwords. The next one begins `stride_bytes` later, and the first one begins `offset` bytes behind a line.
/// Columns that touch are one element of a list.
pub fn add_transfer(
    terms: &mut Coefficients,
    columns: u16,
    column_bytes: usize,
    stride_bytes: usize,
    offset: usize,
) {
    terms[1] += 1.0;
    let column_bytes = column_bytes.next_multiple_of(VECTOR_BYTES as usize);
    let touching = columns <= 1 || stride_bytes == column_bytes;
    let (elements, bytes) = match touching {
        true => (1, column_bytes * usize::from(columns)),
        false => (columns, column_bytes),
    };
    let each = match touching || stride_bytes.is_multiple_of(LINE_BYTES) {
        true => (offset % LINE_BYTES + bytes).div_ceil(LINE_BYTES) as f64,
        // Columns begin anywhere in a line.
        false => (bytes + LINE_BYTES - VECTOR_BYTES as usize) as f64 / LINE_BYTES as f64,
    };
    terms[2] += f64::from(elements);
    terms[3] += f64::from(elements) * each;
}

/// Terms of the execution of one operation. `accumulates`: a product is added to what the result holds.
#[must_use]
pub fn execute_terms(machine: Machine, size: &BlockSize, accumulates: bool) -> Coefficients {
    let shape = |(rows, columns): (u16, u16)| Shape { rows: rows.into(), columns: columns.into() };
    let (result, operand) = (shape(size.result), shape(size.operands[0]));
    match (size.kind, size.precision) {
        (OpKind::Multiply, precision) => product(machine, precision, result, operand.columns, accumulates),
        (kind, precision) if kind.is_direct() => direct(kind, precision, result, operand),
        (kind, precision) => Strips::new(size.result, precision, true, 1).step_terms(kind),
    }
}

/// As [`execute_terms`], for whole matrices.
pub(super) fn whole_terms(
    machine: Machine,
    kind: OpKind,
    precision: Precision,
    result: Shape,
    operand: Shape,
) -> Coefficients {
    match (kind, precision) {
        (OpKind::Multiply, _) => product(machine, precision, result, operand.columns, false),
        (kind, precision) if kind.is_direct() => direct(kind, precision, result, operand),
        (_, precision) => kernel(1.0, result.elements() as f64 * precision.element_bytes() as f64),
    }
}

fn product(
    machine: Machine,
    precision: Precision,
    result: Shape,
    inner: u32,
    accumulates: bool,
) -> Coefficients {
    match (machine, precision) {
        (Machine::Host, _) => host_product(precision, result, inner),
        (Machine::Spe, Precision::Double) => double_product(result, inner),
        (Machine::Spe, _) => single_product(result, inner, accumulates),
    }
}

/// Of a product on a host: 1; of a thin product, which streams through A, the vectors of A, and its multiply-adds; of a
/// product with one row the steps of its dot products, one for each vector of columns, each of which waits for the step
/// before; of any other product its multiply-adds, and the vectors of the result.
fn host_product(precision: Precision, result: Shape, inner: u32) -> Coefficients {
    let lanes = HOST_VECTOR_BYTES / precision.element_bytes() as u32;
    let vectors = |rows: u32, columns: u32| f64::from(rows.div_ceil(lanes)) * f64::from(columns);
    if result.rows == 1 {
        return [1.0, 0.0, 0.0, vectors(result.columns, inner), 0.0, 0.0];
    }
    let of_a = vectors(result.rows, inner);
    let multiply_adds = of_a * f64::from(result.columns);
    if result.columns <= HOST_THIN_COLUMNS {
        return [1.0, of_a, multiply_adds, 0.0, 0.0, 0.0];
    }
    [1.0, 0.0, 0.0, 0.0, multiply_adds, vectors(result.rows, result.columns)]
}

/// Of a product in single precision: 1; rectangles, each with a plan of its own: whole strips of rows and the
/// last one, whole tiles of columns and the last one; tiles of 16 rows and 8 columns; their turns of four
/// steps; columns whose pad is cleared; tiles that are added to the result.
fn single_product(result: Shape, inner: u32, accumulates: bool) -> Coefficients {
    const ROWS: u32 = TILE_BYTES / 4;
    const COLUMNS: u32 = 8;
    const STEPS: u32 = 4;
    // Columns are whole vectors.
    let rows = result.rows.next_multiple_of(VECTOR_BYTES / 4);
    let (strips, across) = (rows.div_ceil(ROWS), result.columns.div_ceil(COLUMNS));
    let whole = if inner <= STEPS { rows / ROWS } else { u32::from(rows >= ROWS) };
    let down = whole + u32::from(!rows.is_multiple_of(ROWS));
    let right = u32::from(result.columns >= COLUMNS) + u32::from(!result.columns.is_multiple_of(COLUMNS));
    let (tiles, cleared) = (f64::from(strips) * f64::from(across), !inner.is_multiple_of(STEPS));
    [
        1.0,
        f64::from(down) * f64::from(right),
        tiles,
        tiles * f64::from(inner.div_ceil(STEPS)),
        if cleared { f64::from(result.columns) } else { 0.0 },
        if accumulates { tiles } else { 0.0 },
    ]
}

/// Of a product in double precision: 1; calls for tiles side by side; calls for a tile alone, whose result is
/// copied: tiles at the ragged edges, and all tiles where the inner side is odd; tiles of 8 rows and 4
/// columns; their steps; tiles with a last step of an odd inner side.
fn double_product(result: Shape, inner: u32) -> Coefficients {
    const ROWS: u32 = TILE_BYTES / 8;
    const COLUMNS: u32 = 4;
    let odd = !inner.is_multiple_of(2);
    let rows = result.rows.next_multiple_of(VECTOR_BYTES / 8);
    let (strips, across) = (rows.div_ceil(ROWS), result.columns.div_ceil(COLUMNS));
    let whole = if odd { 0 } else { rows / ROWS };
    let together = whole * u32::from(result.columns >= COLUMNS);
    let last = whole * u32::from(!result.columns.is_multiple_of(COLUMNS));
    let alone = f64::from(last) + f64::from(strips - whole) * f64::from(across);
    let tiles = f64::from(strips) * f64::from(across);
    let steps = tiles * f64::from(inner / 2);
    [1.0, f64::from(together), alone, tiles, steps, if odd { tiles } else { 0.0 }]
}

/// Of moves and reductions (`spe-kernels/kernels/spu/move.c`, `reduction.c`). A move: 1; columns and vectors of the
/// result; columns and vectors of the operand. A reduction of columns: 1; groups of columns that share a vector;
/// vectors of these groups. A reduction of rows: 1; 0; 0; groups of rows; their columns.
fn direct(kind: OpKind, precision: Precision, result: Shape, operand: Shape) -> Coefficients {
    let lanes = VECTOR_BYTES / precision.element_bytes() as u32;
    let vectors = |shape: Shape| f64::from(shape.rows.div_ceil(lanes)) * f64::from(shape.columns);
    if !kind.is_reduction() {
        let columns = [result, operand].map(|shape| f64::from(shape.columns));
        return [1.0, columns[0], vectors(result), columns[1], vectors(operand), 0.0];
    }
    if result.columns == 1 && operand.columns > 1 {
        let groups = f64::from(operand.rows.div_ceil(lanes * TURN_VECTORS));
        return [1.0, 0.0, 0.0, groups, groups * f64::from(operand.columns), 0.0];
    }
    let groups = f64::from(operand.columns.div_ceil(lanes));
    [1.0, groups, groups * f64::from(operand.rows.div_ceil(lanes)), 0.0, 0.0, 0.0]
}

/// Of an element-wise kernel, which is called for each strip: calls; vectors; vectors that fill no turn.
pub(super) fn kernel(calls: f64, bytes: f64) -> Coefficients {
    let vectors = (bytes / f64::from(VECTOR_BYTES)).ceil();
    [calls, vectors, vectors % f64::from(TURN_VECTORS), 0.0, 0.0, 0.0]
}

/// A block as an element-wise program goes through it, strip by strip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strips {
    /// Number of strips.
    pub count: f64,
    /// Bytes of all elements, with the pads of columns.
    pub bytes: f64,
    /// Columns.
    pub columns: f64,
    /// Whether columns end within a vector.
    pub ragged: bool,
}

impl Strips {
    /// Of a block with these sides. `whole`: all columns touch in all blocks of the program, so that a strip may end
    /// within a column. A program of one step has nothing to pass on, and takes all columns at once.
    #[must_use]
    pub fn new((rows, columns): (u16, u16), precision: Precision, whole: bool, steps: usize) -> Strips {
        let column = (u32::from(rows) * precision.element_bytes() as u32).next_multiple_of(VECTOR_BYTES);
        let (columns, all) = (u32::from(columns), column * u32::from(columns));
        let count = match (steps, whole) {
            (..=1, _) => 1,
            (_, true) => all.div_ceil(STRIP_BYTES),
            _ if column < STRIP_BYTES => columns.div_ceil(STRIP_BYTES / column.max(1)),
            _ => columns * column.div_ceil(STRIP_BYTES),
        };
        let ragged = column != u32::from(rows) * precision.element_bytes() as u32;
        Strips { count: f64::from(count.max(1)), bytes: f64::from(all), columns: f64::from(columns), ragged }
    }

    /// Terms of the program's own work: 1, strips, further calls of kernels, for steps whose columns do not
    /// touch.
    #[must_use]
    pub fn program_terms(&self, by_column: f64) -> Coefficients {
        [1.0, self.count, by_column * (self.columns - self.count).max(0.0), 0.0, 0.0, 0.0]
    }

    /// Terms of one step: calls, vectors, vectors that fill no turn, and further columns that have calls of their own. A
    /// pad may be outside of an operation's domain, so columns that end within a vector are computed one by one
    /// where the operation has a domain. A conversion always goes column by column.
    #[must_use]
    pub fn step_terms(&self, kind: OpKind) -> Coefficients {
        let [_, vectors, rest, ..] = kernel(0.0, self.bytes / self.count);
        let one_by_one = kind == OpKind::Convert || (self.ragged && kind.is_partial());
        let columns = if one_by_one { self.columns - 1.0 } else { 0.0 };
        [self.count, vectors * self.count, rest * self.count, columns, 0.0, 0.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_spe(precision: Precision, (rows, inner, columns): (u16, u16, u16)) -> Coefficients {
        let size = BlockSize {
            kind: OpKind::Multiply,
            precision,
            operand_precision: precision,
            result: (rows, columns),
            operands: [(rows, inner), (inner, columns)],
            products: 1,
        };
        execute_terms(Machine::Spe, &size, true)
    }

    #[test]
    fn ragged_edges_of_products_are_tiles_and_rectangles_of_their_own() {
        let single = |sides| of_spe(Precision::Single, sides);
        assert_eq!(single((96, 96, 96)), [1.0, 1.0, 72.0, 72.0 * 24.0, 0.0, 72.0]);
        assert_eq!(single((97, 94, 100)), [1.0, 4.0, 7.0 * 13.0, 91.0 * 24.0, 100.0, 91.0]);
        assert_eq!(single((64, 4, 8)), [1.0, 4.0, 4.0, 4.0, 0.0, 4.0]);
        let double = |sides| of_spe(Precision::Double, sides);
        assert_eq!(double((64, 64, 64)), [1.0, 8.0, 0.0, 128.0, 128.0 * 32.0, 0.0]);
        assert_eq!(double((65, 64, 62)), [1.0, 8.0, 24.0, 144.0, 144.0 * 32.0, 0.0]);
        assert_eq!(double((8, 3, 4)), [1.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn products_of_a_host_are_thin_or_of_dots_or_of_tiles() {
        let of_host = |rows, inner, columns| host_product(Precision::Single, Shape { rows, columns }, inner);
        assert_eq!(of_host(160, 100, 1), [1.0, 1000.0, 1000.0, 0.0, 0.0, 0.0]);
        assert_eq!(of_host(160, 100, 16), [1.0, 1000.0, 16000.0, 0.0, 0.0, 0.0]);
        assert_eq!(of_host(1, 160, 100), [1.0, 0.0, 0.0, 160.0 * 7.0, 0.0, 0.0]);
        assert_eq!(of_host(161, 100, 60), [1.0, 0.0, 0.0, 0.0, 66000.0, 660.0]);
    }

    #[test]
    fn programs_go_strip_by_strip() {
        let strips = |sides, whole, steps| Strips::new(sides, Precision::Single, whole, steps).count;
        assert_eq!(strips((96, 96), true, 1), 1.0);
        assert_eq!(strips((96, 96), true, 2), 9.0);
        assert_eq!(strips((96, 96), false, 2), 10.0);
        assert_eq!(strips((2000, 3), false, 2), 6.0);
        let strips = Strips::new((96, 96), Precision::Single, false, 2);
        assert_eq!(strips.program_terms(2.0), [1.0, 10.0, 172.0, 0.0, 0.0, 0.0]);
        assert_eq!(strips.step_terms(OpKind::Log)[..4], [10.0, 2310.0, 30.0, 0.0]);
        let ragged = Strips::new((95, 96), Precision::Single, true, 1);
        assert_eq!(ragged.step_terms(OpKind::Log)[3], 95.0);
        assert_eq!(ragged.step_terms(OpKind::Exp)[3], 0.0);
    }

    #[test]
    fn columns_that_touch_are_one_element_and_others_may_begin_within_a_line() {
        let of = |columns, column_bytes, stride_bytes, offset| {
            let mut terms = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            add_transfer(&mut terms, columns, column_bytes, stride_bytes, offset);
            terms[1..4].to_vec()
        };
        assert_eq!(of(64, 32, 32, 0), [1.0, 1.0, 16.0]);
        assert_eq!(of(64, 32, 32, 64), [1.0, 1.0, 17.0]);
        assert_eq!(of(8, 128, 1024, 0), [1.0, 8.0, 8.0]);
        assert_eq!(of(8, 128, 1024, 16), [1.0, 8.0, 16.0]);
        assert_eq!(of(8, 128, 208, 0), [1.0, 8.0, 8.0 * 1.875]);
        assert_eq!(of(1, 16, 4096, 0), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn transfers_have_blocks_columns_and_lines() {
        let blocks = [(96, 4), (33, 2)].into_iter();
        assert_eq!(transfer_terms(blocks, Precision::Single), [1.0, 2.0, 6.0, 16.0, 0.0, 0.0]);
    }
}
