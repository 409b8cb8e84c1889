//! In which Cell's memory a column of a matrix lies, when a machine has several Cells.
//!
//! Matrices are interleaved: one stripe of columns lies in the memory of the first Cell, the next one in the memory of
//! the second, and so on. So both memories are busy whichever matrix is read, and a block of the usual size lies in one
//! memory. An operating system places whole pages, so a stripe has at least the bytes of a page.

use super::graph::{BlockOperation, LoweredGraph, Place};
use super::target::Target;
use crate::matrix::Matrix;
use crate::operation::Precision;

/// A page of Linux on a blade, in bytes.
const PAGE_BYTES: usize = 64 << 10;

/// How matrices are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Number of Cells.
    cells: usize,
    /// Columns of a full block, by precision of numbers.
    sides: [usize; 2],
}

impl Placement {
    /// The placement of matrices for the Cells of a target.
    #[must_use]
    pub fn of(target: &Target) -> Placement {
        let sides = [Precision::Single, Precision::Double].map(|precision| target.blocks.side(precision));
        Placement { cells: target.cells, sides }
    }

    /// Number of Cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The Cell in whose memory a column lies.
    #[must_use]
    pub fn home(&self, matrix: &Matrix, column: u32) -> usize {
        let of_page = PAGE_BYTES.div_ceil(matrix.stride_bytes().max(1));
        let stripe = of_page.max(self.sides[matrix.precision().of_numbers() as usize]);
        column as usize / stripe % self.cells
    }

    /// The Cell of an MEU, of so many MEUs.
    #[must_use]
    pub fn cell_of(&self, meu: usize, meus: usize) -> usize {
        (meu * self.cells / meus.max(1)).min(self.cells - 1)
    }
}

impl LoweredGraph {
    /// The Cell in whose memory most of the blocks lie that a block operation reads and writes. None if there is
    /// but one Cell.
    #[must_use]
    pub fn nearest_cell(&self, operation: &BlockOperation) -> Option<usize> {
        if self.placement.cells() == 1 {
            return None;
        }
        let written = std::iter::once(operation.result).chain(self.more_results(operation));
        let written = written.map(|place| (place, (operation.rows, operation.columns)));
        let mut areas = vec![0; self.placement.cells()];
        for (place, (rows, columns)) in written.chain(self.inputs(operation)) {
            // A temporary block lies where its writer is.
            if let Place::Matrix { matrix, column, .. } = place {
                let home = self.placement.home(&self.matrices[matrix as usize], column);
                areas[home] += u64::from(rows) * u64::from(columns);
            }
        }
        // Of equal areas the first counts.
        (0..areas.len()).rev().max_by_key(|&cell| areas[cell])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::operation::Shape;
    use crate::pool::Pool;

    #[test]
    fn stripes_are_blocks_wide_and_have_a_page_at_least() {
        let target = Target { cells: 2, ..Target::paper(16) };
        let placement = Placement::of(&target);
        let pool = Pool::new(0, false);
        let homes = |rows, columns: &[u32]| -> Vec<usize> {
            let shape = Shape { rows, columns: 5000 };
            let matrix = Matrix::zeros(shape, Precision::Single, &pool).unwrap();
            columns.iter().map(|&column| placement.home(&matrix, column)).collect()
        };
        assert_eq!(homes(1024, &[0, 95, 96, 191, 192, 4999]), [0, 0, 1, 1, 0, 0]);
        // Columns of 32 bytes: 2048 of them fill a page.
        assert_eq!(homes(8, &[0, 2047, 2048, 4095, 4096]), [0, 0, 1, 1, 0]);
        assert_eq!([0, 7, 8, 15].map(|meu| placement.cell_of(meu, 16)), [0, 0, 1, 1]);
        let one = Placement::of(&Target::paper(16));
        assert_eq!([0, 15].map(|meu| one.cell_of(meu, 16)), [0, 0]);
    }
}
