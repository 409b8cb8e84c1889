//! In which Cell's memory the blocks of commands lie, when the machine has several Cells.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Command;
use crate::lower::{LoweredGraph, Placement, Target};
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

    /// An MEU of this target is going to execute a command.
    pub(super) fn offered(&mut self, command: &Command<'_>, meu: usize, target: &Target) {
        let Some(placement) = self.placement else { return };
        let cell = placement.cell_of(meu, target.meus) as u8;
        for block in command.results {
            if self.of_matrix(block.ea).is_none() {
                self.temporaries.insert(block.ea, cell);
            }
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
