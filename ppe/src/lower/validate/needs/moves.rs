//! What moves must read.

use super::super::super::gathered::{gathered_sides, is_gathered};
use super::super::super::graph::BlockOperation;
use super::super::super::target::Venue;
use super::{Checked, Elements, Found, Need, Needs, ensure};
use crate::operation::{OpKind, Shape, Side, View};
use crate::trace::TraceOperation;

/// The rows `first .. first + count` that lie within `start .. end`.
fn within(first: u32, count: u32, start: u32, end: u32) -> Option<(u32, u32)> {
    let (from, to) = (first.max(start), (first + count).min(end));
    (from < to).then(|| (from - start, to - from))
}

impl Needs<'_> {
    /// Checks an operation that moves elements.
    pub(super) fn moved(&self, block: &BlockOperation, recorded: &TraceOperation) -> Checked<Found> {
        let result = self.result(block)?;
        let (row, column, rows, columns) = result;
        let [first, second] = recorded.operands;
        let (shape, parameters) = (self.shape(first), recorded.parameters());
        let reads = if recorded.kind.reads_anywhere() {
            let (origin, at_row, at_column) = self.located(block.operands[0], (shape.rows, shape.columns))?;
            ensure(
                (at_row, at_column) == (0, 0) && self.is_value(block.operands[0], origin.0, first),
                || format!("its operand is not the whole {first:?}"),
            )?;
            // In a local store the sides say what DMA transfers.
            let is_gathered = is_gathered(recorded.kind, &parameters, shape, recorded.shape);
            let taken = View::of_rectangle(&parameters, shape, recorded.shape).filter(|_| !is_gathered);
            let transferred = match (block.venue, taken) {
                (Venue::LocalStore, Some(taken)) => taken.fetched((rows, columns)),
                (Venue::LocalStore, None) => {
                    let of = (recorded.kind, &parameters, recorded.precision);
                    gathered_sides(of, shape, result)
                }
                _ => (0, 0),
            };
            let sides = block.operand_sides[0];
            ensure((u32::from(sides.0), u32::from(sides.1)) == transferred, || {
                "an operand that is read anywhere has wrong sides".into()
            })?;
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
        Ok(Found { reads, results: vec![(block.operation, result)], ..Found::default() })
    }
}

/// The operand's element that becomes element (i, j) of a view, a repetition or a diagonal matrix; None for a
/// zero.
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
