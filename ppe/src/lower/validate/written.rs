//! Which block operation writes which element of a trace's results.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::Region;
use super::needs::Elements;
use crate::trace::Trace;

const NOBODY: u32 = u32::MAX;

/// What the block operations of a trace have written, chunk by chunk.
#[derive(Debug, Default)]
pub struct Written {
    /// The parts of each operation's result that have been written.
    covers: HashMap<u32, Cover>,
    /// Operations of which the present chunk writes pieces of results.
    changed: HashSet<u32>,
    /// Operations that were executed as steps of a program, and whose results were not written.
    steps: HashSet<u32>,
}

impl Written {
    pub(super) fn steps(&mut self, operations: Vec<u32>) {
        self.steps.extend(operations);
    }

    /// Notes that block operation `writer` of the present chunk writes a region of an operation's result.
    pub(super) fn insert(&mut self, operation: u32, region: Region, writer: u32) {
        let cover = self.covers.entry(operation).or_default();
        cover.pieces.push(Piece { region, writer: Some(writer) });
        self.changed.insert(operation);
    }

    /// Makes the inserted regions known to [`writers`](Self::writers).
    ///
    /// # Errors
    /// Two pieces overlap.
    pub(super) fn index(&mut self) -> Result<(), String> {
        for operation in &self.changed {
            let Some(cover) = self.covers.get_mut(operation) else { continue };
            if let Err(pair) = cover.index() {
                let [a, b] = pair.map(|piece| match piece.writer {
                    Some(writer) => format!("b{writer} at {:?}", piece.region),
                    None => format!("an earlier chunk at {:?}", piece.region),
                });
                return Err(format!("{a} and {b} write the same elements of %{operation}"));
            }
        }
        Ok(())
    }

    /// The block operations of the present chunk that write at least one of these elements of an operation's
    /// result.
    ///
    /// # Errors
    /// An element has no writer.
    pub(super) fn writers(&self, operation: u32, elements: &Elements) -> Result<BTreeSet<u32>, String> {
        let cover = self
            .covers
            .get(&operation)
            .ok_or_else(|| format!("nobody writes what it reads of %{operation}"))?;
        let mut writers = BTreeSet::new();
        let unwritten = |(row, column)| {
            format!("nobody writes element ({row}, {column}) of %{operation}, which it reads")
        };
        match elements {
            Elements::Region(region) => cover.writers(*region, &mut writers).map_err(unwritten)?,
            Elements::List(list) => {
                let mut last: Option<&Piece> = None;
                for &(row, column) in list {
                    let piece = match last.filter(|piece| piece.contains(row, column)) {
                        Some(piece) => piece,
                        None => cover.piece(row, column).ok_or_else(|| unwritten((row, column)))?,
                    };
                    last = Some(piece);
                    writers.extend(piece.writer);
                }
            }
        }
        Ok(writers)
    }

    /// Ends the present chunk: all regions written so far are in memory from now on.
    pub(super) fn end_chunk(&mut self) {
        for operation in self.changed.drain() {
            let cover = self.covers.get_mut(&operation);
            cover.into_iter().flat_map(|cover| &mut cover.pieces).for_each(|piece| piece.writer = None);
        }
    }

    /// Checks that every operation has been executed, and that every result with a handle is whole.
    pub(super) fn check_whole(&self, trace: &Trace) -> Result<(), String> {
        for (index, operation) in trace.operations.iter().enumerate() {
            let index = index as u32;
            let written = self.covers.get(&index).map_or(0, Cover::elements);
            let is_step = written == 0 && operation.keep.is_none() && self.steps.contains(&index);
            if written != operation.shape.elements() && !is_step {
                let (name, shape) = (operation.kind.name(), operation.shape);
                return Err(format!("{written} elements of %{index} ({name}, {shape}) have been written"));
            }
        }
        Ok(())
    }
}

/// A piece of a result, and the block operation of the present chunk that writes it; None when an earlier
/// chunk has written it.
#[derive(Debug, Clone, Copy)]
struct Piece {
    region: Region,
    writer: Option<u32>,
}

impl Piece {
    fn contains(&self, row: u32, column: u32) -> bool {
        let (first_row, first_column, rows, columns) = self.region;
        (first_row..first_row + rows).contains(&row)
            && (first_column..first_column + columns).contains(&column)
    }
}

/// The pieces of one result. The borders of all pieces together cut the result into cells, none of which is
/// in two pieces.
#[derive(Debug, Default)]
struct Cover {
    pieces: Vec<Piece>,
    /// Rows at which a piece begins or ends, in ascending order.
    row_borders: Vec<u32>,
    /// Columns at which a piece begins or ends, in ascending order.
    column_borders: Vec<u32>,
    /// The piece that contains each cell, one column of cells after the other.
    cells: Vec<u32>,
}

fn borders(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let found: BTreeSet<u32> = pairs.flat_map(|(first, length)| [first, first + length]).collect();
    found.into_iter().collect()
}

/// The cells of a side that contain the elements `first .. first + length`. The first and the last cell may
/// contain further elements.
fn cells_of(borders: &[u32], first: u32, length: u32) -> std::ops::Range<usize> {
    let start = borders.partition_point(|&border| border <= first);
    let end = borders.partition_point(|&border| border < first + length);
    start..end + 1
}

impl Cover {
    fn elements(&self) -> u64 {
        let area =
            |&Piece { region: (_, _, rows, columns), .. }: &Piece| u64::from(rows) * u64::from(columns);
        self.pieces.iter().map(area).sum()
    }

    /// Cuts the cells anew.
    ///
    /// # Errors
    /// Two pieces that share a cell.
    fn index(&mut self) -> Result<(), [Piece; 2]> {
        self.row_borders = borders(self.pieces.iter().map(|piece| (piece.region.0, piece.region.2)));
        self.column_borders = borders(self.pieces.iter().map(|piece| (piece.region.1, piece.region.3)));
        self.cells = vec![NOBODY; (self.row_borders.len() + 1) * (self.column_borders.len() + 1)];
        let height = self.row_borders.len() + 1;
        for (number, piece) in self.pieces.iter().enumerate() {
            let (row, column, rows, columns) = piece.region;
            for j in cells_of(&self.column_borders, column, columns) {
                for i in cells_of(&self.row_borders, row, rows) {
                    let cell = &mut self.cells[j * height + i];
                    if *cell != NOBODY {
                        return Err([self.pieces[*cell as usize], *piece]);
                    }
                    *cell = number as u32;
                }
            }
        }
        Ok(())
    }

    fn piece(&self, row: u32, column: u32) -> Option<&Piece> {
        let i = self.row_borders.partition_point(|&border| border <= row);
        let j = self.column_borders.partition_point(|&border| border <= column);
        let cell = *self.cells.get(j * (self.row_borders.len() + 1) + i)?;
        self.pieces.get(cell as usize)
    }

    /// Adds the writers of a region. The error is an element without a writer.
    fn writers(
        &self,
        (row, column, rows, columns): Region,
        found: &mut BTreeSet<u32>,
    ) -> Result<(), (u32, u32)> {
        let height = self.row_borders.len() + 1;
        for j in cells_of(&self.column_borders, column, columns) {
            for i in cells_of(&self.row_borders, row, rows) {
                let cell = self.cells.get(j * height + i).copied().unwrap_or(NOBODY);
                let Some(piece) = self.pieces.get(cell as usize) else {
                    let start = |borders: &[u32], cell: usize| {
                        cell.checked_sub(1).map_or(0, |before| borders[before])
                    };
                    return Err((
                        row.max(start(&self.row_borders, i)),
                        column.max(start(&self.column_borders, j)),
                    ));
                };
                found.extend(piece.writer);
            }
        }
        Ok(())
    }
}
