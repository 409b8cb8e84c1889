//! What a block operation must read, and which part of a result it computes: from the definition of the operation that was
//! recorded, not from what lowering says.

use std::sync::Arc;

use super::super::graph::{BlockOperation, LoweredGraph, Place};
use super::super::{Region, Source};
use super::Origin;
use crate::operation::{Form, OpKind, Shape, Side};
use crate::trace::{Operand, Trace, TraceOperation};

/// Elements of a value.
#[derive(Debug)]
pub(super) enum Elements {
    Region(Region),
    /// Row and column of each.
    List(Vec<(u32, u32)>),
}

/// Something that a block operation reads.
#[derive(Debug)]
pub(super) enum Need {
    /// The temporary of this block operation.
    Temporary(u32),
    /// Elements of a value of the trace.
    Elements(Operand, Elements),
}

/// What has been found out about a block operation.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) reads: Vec<Need>,
    /// The region of its result that it writes; None for a temporary.
    pub(super) result: Option<Region>,
    /// The operations that it executes as steps before its own.
    pub(super) steps: Vec<u32>,
}

/// A sum on its way, which a block operation hands on in a temporary.
#[derive(Debug, Clone, PartialEq)]
struct Sum {
    operation: u32,
    /// The part of the result that it will be.
    region: Region,
    /// The terms that it has: ranges of the inner side of a product, of a column or row that is reduced, or of all elements.
    terms: Vec<(u64, u64)>,
}

/// The block operations of a chunk, one after the other.
#[derive(Debug)]
pub(super) struct Needs<'g> {
    graph: &'g LoweredGraph,
    sums: Vec<Option<Sum>>,
}

type Checked<T> = Result<T, String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Checked<()> {
    if holds { Ok(()) } else { Err(what()) }
}

fn parameters(operation: &TraceOperation) -> [i64; 4] {
    operation.parameters.as_deref().copied().unwrap_or_default()
}

/// The part of a value that meets `block` of a result: a side of length 1 is repeated along a longer side of the result.
fn met(value: Shape, result: Shape, (row, column, rows, columns): Region) -> Region {
    let (row, rows) = if value.rows == result.rows { (row, rows) } else { (0, 1) };
    let (column, columns) = if value.columns == result.columns { (column, columns) } else { (0, 1) };
    (row, column, rows, columns)
}

/// The rows `first .. first + count` that lie within `start .. end`.
fn within(first: u32, count: u32, start: u32, end: u32) -> Option<(u32, u32)> {
    let (from, to) = (first.max(start), (first + count).min(end));
    (from < to).then(|| (from - start, to - from))
}

impl<'g> Needs<'g> {
    pub(super) fn new(graph: &'g LoweredGraph) -> Needs<'g> {
        Needs { graph, sums: Vec::with_capacity(graph.len()) }
    }

    /// What the next block operation, with this index, must read and write.
    ///
    /// # Errors
    /// The graph says something else.
    pub(super) fn of(&mut self, index: u32) -> Checked<Found> {
        let graph = self.graph;
        let block = &graph.operations[index as usize];
        let recorded = graph.trace.operations.get(block.operation as usize);
        let recorded = recorded.ok_or("the trace has no such operation")?;
        ensure(block.precision == recorded.precision, || format!("the result is {:?}", recorded.precision))?;
        ensure(block.rows > 0 && block.columns > 0, || "the block is empty".into())?;
        let mut sum = None;
        let found = match recorded.kind {
            _ if block.fusion.is_some() => self.fusion(block, recorded)?,
            OpKind::Multiply => self.product(index, block, recorded, &mut sum)?,
            kind => {
                ensure(block.kind == kind, || format!("{} was recorded", kind.name()))?;
                match kind {
                    OpKind::CumulativeSum => self.cumulative(block, recorded)?,
                    kind if kind.is_reduction() || kind == OpKind::Norm => {
                        self.reduction(index, block, recorded, &mut sum)?
                    }
                    kind if kind.is_direct() => self.moved(block, recorded)?,
                    _ => self.elementwise(block, recorded)?,
                }
            }
        };
        self.sums.push(sum);
        Ok(found)
    }

    fn trace(&self) -> &'g Trace {
        &self.graph.trace
    }

    fn shape(&self, operand: Operand) -> Shape {
        self.trace().operand(operand).0
    }

    /// The part of the whole result that a block operation writes in its matrix.
    fn result(&self, block: &BlockOperation) -> Checked<Region> {
        let (rows, columns) = (block.rows.into(), block.columns.into());
        let (origin, row, column) = self.located(block.result, (rows, columns))?;
        ensure(origin.0 == Operand::Operation(block.operation), || {
            "it writes the matrix of another value".into()
        })?;
        Ok((row, column, rows, columns))
    }

    /// The value in whose matrix a block lies, and where the block begins in that value.
    fn located(&self, place: Place, (rows, columns): (u32, u32)) -> Checked<(Origin, u32, u32)> {
        let Place::Matrix { matrix, row, column } = place else {
            return Err(format!("{place:?} is in no matrix"));
        };
        let table = (self.graph.matrices.get(matrix as usize), self.graph.origins.get(matrix as usize));
        let (Some(holder), Some(&origin)) = table else { return Err("there is no such matrix".into()) };
        let shape = holder.shape();
        let end = |first: u32, count: u32| first.saturating_add(count);
        ensure(end(row, rows) <= shape.rows && end(column, columns) <= shape.columns, || {
            format!("a block leaves its {shape} matrix")
        })?;
        Ok((origin, row, column + origin.1))
    }

    /// Checks that a place is this region of an operand.
    fn is_at(&self, place: Place, counted: (u32, u32), operand: Operand, region: Region) -> Checked<()> {
        let (row, column, rows, columns) = region;
        let (origin, at_row, at_column) = self.located(place, (rows, columns))?;
        ensure(self.is_value(place, origin.0, operand), || {
            format!("an operand is {operand:?}, not {:?}", origin.0)
        })?;
        ensure((at_row, at_column) == (row, column) && counted == (rows, columns), || {
            let (counted_rows, counted_columns) = counted;
            format!(
                "an operand is {counted_rows}x{counted_columns} at ({at_row}, {at_column}), not {rows}x{columns} at ({row}, {column})"
            )
        })
    }

    /// Whether the matrix at a place, which is entered for one value, is another's as well: constants may share one.
    fn is_value(&self, place: Place, entered: Operand, operand: Operand) -> bool {
        let Place::Matrix { matrix, .. } = place else { return false };
        let held = |constant: u32| self.trace().constants[constant as usize].slot.get();
        entered == operand
            || match operand {
                Operand::Constant(constant) => held(constant)
                    .is_some_and(|held| Arc::ptr_eq(held, &self.graph.matrices[matrix as usize])),
                _ => false,
            }
    }

    /// A region of an operand that the block has at `position`.
    fn read(
        &self,
        block: &BlockOperation,
        position: usize,
        operand: Operand,
        region: Region,
    ) -> Checked<Need> {
        let (rows, columns) = block.operand_sides[position];
        self.is_at(block.operands[position], (rows.into(), columns.into()), operand, region)?;
        Ok(Need::Elements(operand, Elements::Region(region)))
    }

    fn has_no_operand(&self, block: &BlockOperation, position: usize) -> Checked<()> {
        ensure(block.operands[position] == Place::None, || format!("there is no operand {position}"))
    }

    fn elementwise(&self, block: &BlockOperation, recorded: &TraceOperation) -> Checked<Found> {
        let result = self.result(block)?;
        ensure(block.form == recorded.form && block.scalar.to_bits() == recorded.scalar.to_bits(), || {
            format!("it was recorded as {:?} with {:?}", recorded.form, recorded.scalar)
        })?;
        let precision = self.trace().operand(recorded.operands[0]).1;
        ensure(block.operand_precision == precision, || format!("the operands are {precision:?}"))?;
        let mut reads = Vec::new();
        for (position, &operand) in recorded.operands.iter().enumerate() {
            match operand {
                Operand::None => self.has_no_operand(block, position)?,
                operand => {
                    let region = met(self.shape(operand), recorded.shape, result);
                    reads.push(self.read(block, position, operand, region)?);
                }
            }
        }
        Ok(Found { reads, result: Some(result), ..Found::default() })
    }

    /// Operations executed one after the other on the elements of a block: each reads what was recorded, an input or what
    /// an earlier step has left in a strip.
    fn fusion(&self, block: &BlockOperation, recorded: &TraceOperation) -> Checked<Found> {
        let result = self.result(block)?;
        let fusion = self.graph.fusion(block).ok_or("there is no such fusion")?;
        let inputs: Vec<_> = self.graph.inputs(block).collect();
        let mut reads: Vec<Option<Need>> = inputs.iter().map(|_| None).collect();
        // What each strip holds: the step of an operation, of which a product over an inner side of length 1 has two.
        let mut strips: Vec<Option<(u32, bool)>> = vec![None; fusion.steps.len()];
        let mut steps = Vec::new();
        for (number, step) in fusion.steps.iter().enumerate() {
            let of = self.trace().operations.get(step.operation as usize).ok_or("a step of no operation")?;
            ensure(of.shape == recorded.shape && of.precision == recorded.precision, || {
                format!("step {number} has another shape or precision")
            })?;
            let is_product = of.kind == OpKind::Multiply;
            let is_second = is_product && step.kind == OpKind::Add;
            let (kind, form, scalar, operands) = match (is_product, is_second) {
                (true, true) => {
                    (OpKind::Add, Form::ScalarRight, 0.0, [Operand::Operation(step.operation), Operand::None])
                }
                (true, false) => (OpKind::Times, Form::Values, 0.0, of.operands),
                _ => (of.kind, of.form, of.scalar, of.operands),
            };
            ensure(
                step.kind == kind && step.form == form && step.scalar.to_bits() == scalar.to_bits(),
                || format!("step {number} is not what was recorded"),
            )?;
            for (source, operand) in step.operands.into_iter().zip(operands) {
                match (source, operand) {
                    (Source::None, Operand::None) => {}
                    (Source::Strip(strip), Operand::Operation(operation)) => {
                        // Within a product, the first of its steps; otherwise a whole operation.
                        let whole = !is_second;
                        ensure(strips.get(usize::from(strip)) == Some(&Some((operation, whole))), || {
                            format!("step {number} reads strip {strip}, which does not hold %{operation}")
                        })?;
                    }
                    (Source::Input(input), operand) if operand != Operand::None => {
                        let &(place, (rows, columns)) = inputs
                            .get(usize::from(input))
                            .ok_or("a step reads an input that is not there")?;
                        let region = met(self.shape(operand), recorded.shape, result);
                        self.is_at(place, (rows.into(), columns.into()), operand, region)?;
                        reads[usize::from(input)] = Some(Need::Elements(operand, Elements::Region(region)));
                    }
                    _ => return Err(format!("step {number} reads {source:?} for {operand:?}")),
                }
            }
            let whole = !is_product || is_second;
            if let Some(strip) = strips.get_mut(usize::from(step.result)) {
                *strip = Some((step.operation, whole));
            }
            if whole {
                steps.push(step.operation);
            }
        }
        ensure(steps.pop() == Some(block.operation), || "the last step is another operation".into())?;
        let reads = reads.into_iter().collect::<Option<_>>().ok_or("an input is not read")?;
        Ok(Found { reads, result: Some(result), steps })
    }

    /// Sums of products: one or a chain of them, or the addition of two such sums.
    fn product(
        &self,
        index: u32,
        block: &BlockOperation,
        recorded: &TraceOperation,
        sum: &mut Option<Sum>,
    ) -> Checked<Found> {
        let sides = (u32::from(block.rows), u32::from(block.columns));
        let mut reads = Vec::new();
        let (region, mut terms) = match block.kind {
            OpKind::Multiply => {
                let [left, right] = recorded.operands;
                let first = u32::from(block.inner());
                let length = block.chain.map_or(first, |chain| chain.length());
                ensure(
                    block.chain.is_none_or(|chain| chain.parts() > 1 && chain.logical(0) == first),
                    || "the chain does not begin with the operands".into(),
                )?;
                // A product's place in the result is where its operands are.
                let (_, row, offset) = self.located(block.operands[0], (sides.0, length))?;
                let (_, _, column) = self.located(block.operands[1], (length, sides.1))?;
                for (position, (operand, region)) in
                    [(left, (row, offset, sides.0, length)), (right, (offset, column, length, sides.1))]
                        .into_iter()
                        .enumerate()
                {
                    let (rows, columns) = block.operand_sides[position];
                    let mut counted = (u32::from(rows), u32::from(columns));
                    let inner = if position == 0 { &mut counted.1 } else { &mut counted.0 };
                    ensure(*inner == first, || "the operands have different inner sides".into())?;
                    *inner = length;
                    self.is_at(block.operands[position], counted, operand, region)?;
                    reads.push(Need::Elements(operand, Elements::Region(region)));
                }
                ((row, column, sides.0, sides.1), vec![(u64::from(offset), u64::from(offset + length))])
            }
            OpKind::Add => {
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
                ensure(block.form == Form::Values, || "it adds a scalar".into())?;
                (region, terms)
            }
            kind => return Err(format!("{} is no part of a product", kind.name())),
        };
        terms.sort_unstable();
        let inner = u64::from(self.shape(recorded.operands[0]).columns);
        let result =
            self.end_of_sum(index, block, Sum { operation: block.operation, region, terms }, inner, sum)?;
        Ok(Found { reads, result, ..Found::default() })
    }

    /// The block operation whose temporary is the operand at `position`, with as many rows and columns.
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

    /// Hands a sum on in a temporary, or writes it where it belongs: then it has all of its terms, each once.
    fn end_of_sum(
        &self,
        index: u32,
        block: &BlockOperation,
        part: Sum,
        all: u64,
        sum: &mut Option<Sum>,
    ) -> Checked<Option<Region>> {
        if let Place::Temporary(number) = block.result {
            ensure(number == index, || "it writes the temporary of another".into())?;
            *sum = Some(part);
            return Ok(None);
        }
        let result = self.result(block)?;
        ensure(result == part.region, || format!("it writes {result:?}, not {:?}", part.region))?;
        let mut next = 0;
        for &(first, end) in &part.terms {
            ensure(first == next, || format!("its terms are {:?} of {all}", part.terms))?;
            next = end;
        }
        ensure(next == all, || format!("its terms are {:?} of {all}", part.terms))?;
        Ok(Some(result))
    }

    /// Columns or rows reduced to one element each, or all elements to one: in order, by one operation or by several that
    /// hand on what they have.
    fn reduction(
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
        let (region, term, all) = match Side::of(&parameters(recorded)) {
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
        let result =
            self.end_of_sum(index, block, Sum { operation: block.operation, region, terms }, all, sum)?;
        Ok(Found { reads, result, ..Found::default() })
    }

    /// Cumulative sums: a block goes on from the row or column before it in the result.
    fn cumulative(&self, block: &BlockOperation, recorded: &TraceOperation) -> Checked<Found> {
        let result = self.result(block)?;
        let (row, column, rows, columns) = result;
        let mut reads = vec![self.read(block, 0, recorded.operands[0], result)?];
        let before = match Side::of(&parameters(recorded)) {
            Side::Column => row.checked_sub(1).map(|row| (row, column, 1, columns)),
            Side::Row => column.checked_sub(1).map(|column| (row, column, rows, 1)),
        };
        match before {
            Some(region) => reads.push(self.read(block, 1, Operand::Operation(block.operation), region)?),
            None => self.has_no_operand(block, 1)?,
        }
        Ok(Found { reads, result: Some(result), ..Found::default() })
    }

    /// Operations that move elements.
    fn moved(&self, block: &BlockOperation, recorded: &TraceOperation) -> Checked<Found> {
        let result = self.result(block)?;
        let (row, column, rows, columns) = result;
        let [first, second] = recorded.operands;
        let (shape, parameters) = (self.shape(first), parameters(recorded));
        let reads = if recorded.kind.reads_anywhere() {
            let (origin, at_row, at_column) = self.located(block.operands[0], (shape.rows, shape.columns))?;
            ensure(
                (at_row, at_column) == (0, 0) && self.is_value(block.operands[0], origin.0, first),
                || format!("its operand is not the whole {first:?}"),
            )?;
            ensure(block.operand_sides[0] == (0, 0), || "an operand that is read anywhere has sides".into())?;
            self.has_no_operand(block, 1)?;
            let all = (column..column + columns).flat_map(|j| (row..row + rows).map(move |i| (i, j)));
            let source = |(i, j)| source_element(recorded.kind, &parameters, shape, (i, j));
            vec![Need::Elements(first, Elements::List(all.filter_map(source).collect()))]
        } else {
            let parts = match recorded.kind {
                OpKind::Join => {
                    let other = self.shape(second);
                    match Side::of(&parameters) {
                        Side::Column => {
                            [(first, 0, shape.rows), (second, shape.rows, shape.rows + other.rows)].map(
                                |(operand, start, end)| {
                                    let part = within(row, rows, start, end);
                                    (operand, part.map(|(row, rows)| (row, column, rows, columns)))
                                },
                            )
                        }
                        Side::Row => [
                            (first, 0, shape.columns),
                            (second, shape.columns, shape.columns + other.columns),
                        ]
                        .map(|(operand, start, end)| {
                            let part = within(column, columns, start, end);
                            (operand, part.map(|(column, columns)| (row, column, rows, columns)))
                        }),
                    }
                }
                _ => [(first, Some(result)), (second, None)],
            };
            let there = parts.into_iter().filter_map(|(operand, region)| Some((operand, region?)));
            let reads: Vec<_> = there
                .enumerate()
                .map(|(position, (operand, region))| self.read(block, position, operand, region))
                .collect::<Checked<_>>()?;
            (reads.len()..2).try_for_each(|position| self.has_no_operand(block, position))?;
            reads
        };
        Ok(Found { reads, result: Some(result), ..Found::default() })
    }
}

/// The element of its operand that element (i, j) of a view, a repetition or a diagonal matrix is; None for a zero.
fn source_element(
    kind: OpKind,
    parameters: &[i64; 4],
    shape: Shape,
    (i, j): (u32, u32),
) -> Option<(u32, u32)> {
    match kind {
        OpKind::View => {
            let [offset, row_step, column_step, _] = *parameters;
            let number = (offset + row_step * i64::from(i) + column_step * i64::from(j)) as u64;
            let rows = u64::from(shape.rows);
            Some(((number % rows) as u32, (number / rows) as u32))
        }
        OpKind::Repeat => Some((i % shape.rows, j % shape.columns)),
        _ => {
            let [diagonal, ..] = *parameters;
            let number = i64::from(i) - (-diagonal).max(0);
            let on_diagonal = i64::from(j) - i64::from(i) == diagonal && number >= 0;
            let number = u32::try_from(number).ok().filter(|_| on_diagonal)?;
            Some(if shape.columns == 1 { (number, 0) } else { (0, number) })
        }
    }
}
