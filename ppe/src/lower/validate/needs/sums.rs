//! What products and reductions must read. They are sums of terms, computed by one block operation, or by
//! several block operations that hand on partial sums.

use super::super::super::graph::{BlockOperation, Place, Work};
use super::super::super::plan::in_place::{is_transpose, turned};
use super::super::super::program::Program;
use super::super::super::{Axis, Region};
use super::{Checked, Elements, Found, Need, Needs, ensure};
use crate::operation::{OpKind, Side};
use crate::trace::{Operand, TraceOperation};

/// A partial sum, which a block operation hands on in a temporary.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sum {
    operation: u32,
    /// The region of the result to which the sum belongs.
    region: Region,
    /// The terms that the sum has: ranges of the inner side of a product, of a reduced column or row, or of
    /// all elements.
    terms: Vec<(u64, u64)>,
}

/// The operands of a sum of products.
pub(super) struct Factors {
    /// The region of the result to which the sum belongs.
    pub(super) region: Region,
    /// The terms that the sum has: a range of the inner side.
    pub(super) terms: (u64, u64),
    /// What the sum reads.
    pub(super) reads: Vec<Need>,
    /// The transposes that it reads in place.
    pub(super) transposes: Vec<u32>,
}

impl Needs<'_> {
    /// Checks a sum of products, or an addition of two such sums.
    pub(super) fn product(
        &self,
        index: u32,
        block: &BlockOperation,
        recorded: &TraceOperation,
        sum: &mut Option<Sum>,
    ) -> Checked<Found> {
        let sides = (u32::from(block.rows), u32::from(block.columns));
        let (mut reads, mut steps) = (Vec::new(), Vec::new());
        ensure(recorded.kind == OpKind::Multiply, || format!("{} was recorded", recorded.kind.name()))?;
        let (region, mut terms) = match block.work {
            Work::Product(parts, _) => {
                let factors = self.factors(block, parts, recorded)?;
                reads.extend(factors.reads);
                steps = factors.transposes;
                (factors.region, vec![factors.terms])
            }
            _ => {
                let addition = Program::addition(block.operation, block.precision);
                ensure(self.graph.program(block).is_some_and(|program| program.is(&addition)), || {
                    "what is no addition reads temporaries".into()
                })?;
                let mut region = None;
                let mut terms = Vec::new();
                for position in 0..2 {
                    let writer = self.summand(index, block, position)?;
                    let part = self.sums[writer as usize].as_ref().ok_or("a summand is no sum")?;
                    ensure(part.operation == block.operation, || {
                        "it adds parts of different products".into()
                    })?;
                    ensure(region.replace(part.region).is_none_or(|other| other == part.region), || {
                        "it adds sums of different blocks".into()
                    })?;
                    terms.extend(&part.terms);
                    reads.push(Need::Temporary(writer));
                }
                let region = region.ok_or("it adds nothing")?;
                ensure((region.2, region.3) == sides, || "it adds sums of other sides".into())?;
                (region, terms)
            }
        };
        terms.sort_unstable();
        let inner = u64::from(self.shape(recorded.operands[0]).columns);
        let results =
            self.end_of_sum(index, block, Sum { operation: block.operation, region, terms }, inner, sum)?;
        Ok(Found { reads, results, steps })
    }

    /// Row and column at which operand `position` of a product, which has these sides, begins in its value.
    fn first_of_factor(
        &self,
        block: &BlockOperation,
        position: usize,
        (rows, columns): (u32, u32),
    ) -> Checked<(u32, u32)> {
        if block.transposed[position] {
            let (_, row, column) = self.located(block.operands[position], (columns, rows))?;
            return Ok((column, row));
        }
        let (_, row, column) = self.located(block.operands[position], (rows, columns))?;
        Ok((row, column))
    }

    /// A transpose that a product reads in place: its operation, and what the transpose reads.
    fn transpose(&self, operand: Operand) -> Checked<(u32, Operand)> {
        let Operand::Operation(index) = operand else { return Err("a constant is no transpose".into()) };
        let operation = self.trace().operations.get(index as usize).ok_or("there is no such operation")?;
        ensure(is_transpose(self.trace(), operation), || format!("%{index} is no transpose"))?;
        Ok((index, operation.operands[0]))
    }

    /// Checks the two operands of a sum of products. The region of the result follows from the operands.
    pub(super) fn factors(
        &self,
        block: &BlockOperation,
        parts: Axis,
        recorded: &TraceOperation,
    ) -> Checked<Factors> {
        let sides = (u32::from(block.rows), u32::from(block.columns));
        let (length, first) = (parts.length(), u32::from(block.operand_sides[0].1));
        ensure(parts.parts() > 0 && parts.logical(0) == first, || {
            "the chain does not begin with the operands".into()
        })?;
        let (row, offset) = self.first_of_factor(block, 0, (sides.0, length))?;
        let (_, column) = self.first_of_factor(block, 1, (length, sides.1))?;
        let regions = [(row, offset, sides.0, length), (offset, column, length, sides.1)];
        let (mut reads, mut transposes) = (Vec::new(), Vec::new());
        for (position, mut region) in regions.into_iter().enumerate() {
            let (rows, columns) = block.operand_sides[position];
            let mut counted = (u32::from(rows), u32::from(columns));
            let inner = if position == 0 { &mut counted.1 } else { &mut counted.0 };
            ensure(*inner == first, || "the operands have different inner sides".into())?;
            *inner = length;
            let mut operand = recorded.operands[position];
            if block.transposed[position] {
                let (index, source) = self.transpose(operand)?;
                transposes.push(index);
                (operand, region, counted) = (source, turned(region), (counted.1, counted.0));
            }
            self.is_at(block.operands[position], counted, operand, region)?;
            reads.push(Need::Elements(operand, Elements::Region(region)));
        }
        let terms = (u64::from(offset), u64::from(offset + length));
        Ok(Factors { region: (row, column, sides.0, sides.1), terms, reads, transposes })
    }

    /// The block operation whose temporary is the operand at `position`, and has this operation's rows and
    /// columns.
    fn summand(&self, index: u32, block: &BlockOperation, position: usize) -> Checked<u32> {
        let Place::Temporary(writer) = block.operands[position] else {
            return Err(format!("operand {position} is no temporary"));
        };
        ensure(writer < index, || format!("t{writer} comes later"))?;
        let left = &self.graph.operations[writer as usize];
        ensure(left.result == Place::Temporary(writer), || format!("b{writer} writes no temporary"))?;
        ensure(block.operand_sides[position] == (left.rows, left.columns), || {
            format!("t{writer} has other sides")
        })?;
        Ok(writer)
    }

    /// Notes that a sum is handed on in a temporary, or checks that a sum written to the result has every
    /// term exactly once.
    fn end_of_sum(
        &self,
        index: u32,
        block: &BlockOperation,
        part: Sum,
        all: u64,
        sum: &mut Option<Sum>,
    ) -> Checked<Vec<(u32, Region)>> {
        if let Place::Temporary(number) = block.result {
            ensure(number == index, || "it writes the temporary of another".into())?;
            *sum = Some(part);
            return Ok(Vec::new());
        }
        let result = self.result(block)?;
        ensure(result == part.region, || format!("it writes {result:?}, not {:?}", part.region))?;
        let mut next = 0;
        for &(first, end) in &part.terms {
            ensure(first == next, || format!("its terms are {:?} of {all}", part.terms))?;
            next = end;
        }
        ensure(next == all, || format!("its terms are {:?} of {all}", part.terms))?;
        Ok(vec![(block.operation, result)])
    }

    /// Checks a reduction of columns or rows to one element each, or of all elements to one element. One
    /// block operation takes all terms in order, or several block operations hand on partial sums.
    pub(super) fn reduction(
        &self,
        index: u32,
        block: &BlockOperation,
        recorded: &TraceOperation,
        sum: &mut Option<Sum>,
    ) -> Checked<Found> {
        let source = recorded.operands[0];
        let shape = self.shape(source);
        let (rows, columns) = block.operand_sides[0];
        let (rows, columns) = (u32::from(rows), u32::from(columns));
        let (_, row, column) = self.located(block.operands[0], (rows, columns))?;
        let range = |first: u32, count: u32| (u64::from(first), u64::from(first) + u64::from(count));
        let (region, term, all) = match Side::of(&recorded.parameters()) {
            _ if recorded.kind == OpKind::Norm => {
                ensure(rows == shape.rows || columns == 1, || "the elements are not in order".into())?;
                let first = u64::from(column) * u64::from(shape.rows) + u64::from(row);
                let count = u64::from(rows) * u64::from(columns);
                ((0, 0, 1, 1), (first, first + count), shape.elements())
            }
            Side::Column => ((0, column, 1, columns), range(row, rows), shape.rows.into()),
            Side::Row => ((row, 0, rows, 1), range(column, columns), shape.columns.into()),
        };
        let mut reads = vec![self.read(block, 0, source, (row, column, rows, columns))?];
        let mut terms = Vec::new();
        if block.operands[1] != Place::None {
            let writer = self.summand(index, block, 1)?;
            let part = self.sums[writer as usize].as_ref().ok_or("it goes on from no sum")?;
            ensure((part.operation, part.region) == (block.operation, region), || {
                "it goes on from another sum".into()
            })?;
            terms.extend(&part.terms);
            reads.push(Need::Temporary(writer));
        }
        let before = terms.last().map_or(0, |&(_, end): &(u64, u64)| end);
        ensure(term.0 == before, || format!("it goes on with {term:?} after {terms:?}"))?;
        terms.push(term);
        // The norm's temporary holds the scale and the squares.
        let sides = match (recorded.kind, block.result) {
            (OpKind::Norm, Place::Temporary(_)) => (2, 1),
            _ => (region.2, region.3),
        };
        ensure((u32::from(block.rows), u32::from(block.columns)) == sides, || {
            "the sides are not those of the sum".into()
        })?;
        let results =
            self.end_of_sum(index, block, Sum { operation: block.operation, region, terms }, all, sum)?;
        Ok(Found { reads, results, ..Found::default() })
    }

    /// Checks a cumulative sum: a block continues from the preceding row or column of the result.
    pub(super) fn cumulative(&self, block: &BlockOperation, recorded: &TraceOperation) -> Checked<Found> {
        let result = self.result(block)?;
        let (row, column, rows, columns) = result;
        let mut reads = vec![self.read(block, 0, recorded.operands[0], result)?];
        let before = match Side::of(&recorded.parameters()) {
            Side::Column => row.checked_sub(1).map(|row| (row, column, 1, columns)),
            Side::Row => column.checked_sub(1).map(|column| (row, column, rows, 1)),
        };
        match before {
            Some(region) => reads.push(self.read(block, 1, Operand::Operation(block.operation), region)?),
            None => self.has_no_operand(block, 1)?,
        }
        Ok(Found { reads, results: vec![(block.operation, result)], ..Found::default() })
    }
}
