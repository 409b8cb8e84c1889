//! In which Cell's memory the blocks of commands lie, when the machine has several Cells.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::lower::{LoweredGraph, Placement};
use crate::matrix::Matrix;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Homes {
    /// None before the first graph, and with one Cell.
    placement: Option<Placement>,
    /// The matrices of the graph, by the addresses of their first elements.
    matrices: BTreeMap<u64, Arc<Matrix>>,
    /// Temporary blocks lie where their writers are. An address that is used again is written again before.
    temporaries: HashMap<u64, u8>,
}

impl Homes {
    /// All further commands are block operations of this graph.
    pub(super) fn begin(&mut self, graph: &LoweredGraph) {
        if graph.placement.cells() == 1 {
            return;
        }
        self.placement = Some(graph.placement);
        let matrices = graph.matrices.iter().filter(|matrix| matrix.shape().elements() > 0);
        self.matrices = matrices.map(|matrix| (matrix.ea(0, 0), Arc::clone(matrix))).collect();
        self.temporaries.clear();
    }

    /// An MEU of this Cell is going to write a block.
    pub(super) fn write(&mut self, ea: u64, cell: u8) {
        if self.placement.is_some() && self.of_matrix(ea).is_none() {
            self.temporaries.insert(ea, cell);
        }
    }

    /// The Cell in whose memory the column lies that contains this address, of the block at `block_ea`. None if
    /// there is but one Cell.
    pub(super) fn of(&self, ea: u64, block_ea: u64) -> Option<u8> {
        self.placement?;
        self.of_matrix(ea).or_else(|| self.temporaries.get(&block_ea).copied())
    }

    fn of_matrix(&self, ea: u64) -> Option<u8> {
        let (&start, matrix) = self.matrices.range(..=ea).next_back()?;
        let column = (ea - start) / matrix.stride_bytes().max(1) as u64;
        let column = u32::try_from(column).ok().filter(|&column| column < matrix.shape().columns)?;
        Some(self.placement?.home(matrix, column) as u8)
    }
}
