//! Which regions of matrices a block operation reads and writes: what has to travel when several ranks hold them.

use super::super::Region;
use super::super::moves::moved_regions;
use super::super::plan::in_place::turned;
use super::{LoweredGraph, Place, Work};

/// Where a region lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// In a matrix of the graph's table: first row, first column, rows and columns.
    Matrix(u32, Region),
    /// In the temporary block that the block operation of this index writes.
    Temporary(u32),
}

/// Whether two regions of a matrix have an element in common.
pub(in crate::lower) fn meet(a: Region, b: Region) -> bool {
    let sides_meet = |first: u32, length: u32, other: u32, other_length: u32| {
        first < other + other_length && other < first + length
    };
    sides_meet(a.0, a.2, b.0, b.2) && sides_meet(a.1, a.3, b.1, b.3)
}

fn held(place: Place, (rows, columns): (u32, u32)) -> Option<Held> {
    match place {
        Place::None => None,
        Place::Matrix { matrix, row, column } => Some(Held::Matrix(matrix, (row, column, rows, columns))),
        Place::Temporary(writer) => Some(Held::Temporary(writer)),
    }
}

impl LoweredGraph {
    /// What a block operation reads, operand by operand, in the order of its [`inputs`](Self::inputs). Of a product
    /// these are the operands of all its parts, as they are stored. Of a move it is a rectangle with all elements that
    /// it takes; none for an operand of which it takes no element.
    #[must_use]
    pub fn regions_read(&self, index: u32) -> Vec<Option<Held>> {
        let operation = &self.operations[index as usize];
        let block =
            |(place, (rows, columns)): (Place, (u16, u16))| held(place, (rows.into(), columns.into()));
        match operation.work {
            Work::Product(parts, _) => {
                let (rows, columns) = (operation.rows.into(), operation.columns.into());
                let whole = [(rows, parts.length()), (parts.length(), columns)];
                let inputs = self.inputs(operation).enumerate();
                let region = |(position, input): (usize, (Place, (u16, u16)))| match whole.get(position) {
                    Some(&(rows, columns)) => {
                        let (_, _, rows, columns) = match operation.transposed[position] {
                            true => turned((0, 0, rows, columns)),
                            false => (0, 0, rows, columns),
                        };
                        held(input.0, (rows, columns))
                    }
                    None => block(input),
                };
                inputs.map(region).collect()
            }
            Work::Move(kind) if kind.reads_anywhere() => {
                let recorded = self.recorded(operation);
                let shape = self.trace.operand(recorded.operands[0]).0;
                let (_, (row, column)) = self.parameters(index);
                let (rows, columns) = (operation.rows.into(), operation.columns.into());
                let [region, _] = moved_regions(recorded, shape, (row, column, rows, columns));
                let Place::Matrix { matrix, .. } = operation.operands[0] else { return vec![None] };
                vec![region.map(|region| Held::Matrix(matrix, region))]
            }
            _ => self.inputs(operation).map(block).collect(),
        }
    }

    /// What a block operation writes: its result, and what its program writes in addition.
    #[must_use]
    pub fn regions_written(&self, index: u32) -> Vec<Held> {
        let operation = &self.operations[index as usize];
        let sides = (operation.rows.into(), operation.columns.into());
        let places = std::iter::once(operation.result).chain(self.more_results(operation));
        places.filter_map(|place| held(place, sides)).collect()
    }
}
