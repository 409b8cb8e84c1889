//! What lowering needs to know about an engine.

use super::cut::partition::BlockLimits;
use super::cut::shards::ShardLimits;
use super::program::{MAX_STEPS, met_sides};
use crate::error::{Error, Result};
use crate::matrix::Layout;
use crate::operation::{KindSet, OpKind, Precision};
use spe_kernels::sys;

/// Where a block operation is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Venue {
    /// In the local store of an MEU: DMA copies the operands there and the result back.
    LocalStore,
    /// By an MEU, in main memory.
    Memory,
    /// By the PPE, in main memory.
    Ppe,
}

impl Venue {
    /// Its name in a dump.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Venue::LocalStore => "local store",
            Venue::Memory => "memory",
            Venue::Ppe => "PPE",
        }
    }
}

/// An engine as lowering and scheduling see it. The venue and the cut of an operation follow from these
/// numbers, the trace and the time model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Matrix Execution Units, at least 1.
    pub meus: usize,
    /// How large a block may be.
    pub blocks: BlockLimits,
    /// Room for a program's blocks in a local store.
    pub room: Room,
    /// How operations in memory are cut, for MEUs that address main memory. None for MEUs with local stores.
    pub memory: Option<MemoryLimits>,
    /// The kinds that MEUs execute. The PPE executes all other kinds.
    pub kinds: KindSet,
    /// Whether MEUs are SPEs, or stand for SPEs: they compute in their local stores only, and there is a PPE beside
    /// them.
    pub spes: bool,
    /// Most steps of a program; 1 executes each element-wise operation alone.
    pub steps: usize,
    /// Whether rows and columns are cut with regard to the number of MEUs, in the venue
    /// [`Venue::LocalStore`].
    pub even: bool,
    /// Cells that the MEUs are divided among, each with a memory of its own.
    pub cells: usize,
    /// Bytes that all MEUs together can move from and to main memory in a nanosecond, where that limits them.
    pub bandwidth: Option<f64>,
    /// Whether the engine is faster with huge pages.
    pub huge_pages: bool,
    /// How matrices are cut that several ranks hold, for MEUs that address main memory. None on one machine.
    pub shards: Option<ShardLimits>,
}

/// Bytes that a local store has for the blocks of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// For all inputs of a block operation together; as many again for all results and strips together.
    pub bytes: usize,
    /// Bytes of one strip.
    pub strip_bytes: usize,
    /// Bytes that a record of several lines takes in the buffer of the inputs.
    pub record_bytes: usize,
}

/// How operations in memory are cut. Caches limit these cuts, a local store does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Most bytes of the result of a block operation.
    pub piece_bytes: usize,
    /// Bytes of the panels of a group of operations on wide matrices.
    pub panel_bytes: usize,
    /// Limits of products. None cuts products as for a local store.
    pub product: Option<ProductLimits>,
    /// Most pieces of a result that are made for the sake of MEUs, where an operation does not have all MEUs to itself.
    pub pieces: Option<u32>,
}

/// Limits of products in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProductLimits {
    /// Rows of a block of the result, unless it is thin.
    pub rows: usize,
    /// Columns of a block of the result, by precision, unless it is thin.
    pub columns: [usize; 2],
    /// Longest part of the inner side in single precision. In double precision the inner side is cut as for a
    /// local store, so that results have the bits of a Cell's results.
    pub inner: usize,
    /// The number of columns of a block is a multiple of this where that is possible.
    pub tile_columns: usize,
}

impl Default for MemoryLimits {
    /// Pieces and panels that fit a second-level cache together with their operands.
    fn default() -> MemoryLimits {
        MemoryLimits { piece_bytes: 256 << 10, panel_bytes: 1 << 20, product: None, pieces: None }
    }
}

impl Target {
    /// The paper's lowering for an engine whose MEUs execute everything in their local stores: each operation
    /// alone, no chains.
    #[must_use]
    pub fn paper(meus: usize) -> Target {
        Target {
            meus,
            blocks: BlockLimits::paper(),
            room: Room::LOCAL_STORE,
            memory: None,
            kinds: KindSet::ALL,
            spes: false,
            steps: 1,
            even: false,
            cells: 1,
            bandwidth: None,
            huge_pages: false,
            shards: None,
        }
    }

    /// The venue of operations of this kind.
    #[must_use]
    pub fn venue(&self, kind: OpKind) -> Venue {
        if !self.kinds.contains(kind) {
            Venue::Ppe
        } else if self.memory.is_some() || (kind.is_direct() && !self.is_direct_local(kind)) {
            Venue::Memory
        } else {
            Venue::LocalStore
        }
    }

    /// Whether blocks may be of bytes: no processor has to move them into a local store.
    #[must_use]
    pub fn has_bytes(&self) -> bool {
        self.memory.is_some() && self.kinds == KindSet::ALL
    }

    /// The layout of the matrices that the processors read and write.
    #[must_use]
    pub fn layout(&self) -> Layout {
        if self.memory.is_some() { Layout::Touching } else { Layout::Apart }
    }

    /// Whether there is a PPE that executes operations.
    #[must_use]
    pub fn has_ppe(&self) -> bool {
        self.spes || self.kinds != KindSet::ALL
    }

    /// Whether MEUs execute this move or reduction in their local stores. All other MEUs are threads, which reach
    /// the operand where it is.
    fn is_direct_local(&self, kind: OpKind) -> bool {
        KindSet::SPE.contains(kind) && self.spes
    }

    /// Most steps of a program.
    pub(super) fn most_steps(&self) -> u8 {
        self.steps.clamp(1, MAX_STEPS) as u8
    }

    /// Checks that the values make sense.
    ///
    /// # Errors
    /// [`Error::Argument`] for zero MEUs, for MEUs that cannot be divided among Cells, for MEUs without products, or for a block
    /// that cannot hold delta x delta elements.
    pub fn validate(&self) -> Result<()> {
        if self.meus == 0 {
            return Err(Error::Argument("the number of MEUs is 0; at least 1 is needed".into()));
        }
        if self.cells == 0 || !self.meus.is_multiple_of(self.cells) {
            let Target { meus, cells, .. } = self;
            return Err(Error::Argument(format!("{meus} MEUs cannot be divided among {cells} Cells")));
        }
        if !self.kinds.contains(OpKind::Multiply) {
            let what = "the operations of MEUs lack multiply: the PPE does not execute matrix products";
            return Err(Error::Argument(what.into()));
        }
        self.shards.map_or(Ok(()), |shards| shards.validate())?;
        self.blocks.validate()
    }
}

impl Room {
    /// What the MEU's program leaves (spe-kernels/README.md).
    pub const LOCAL_STORE: Room = Room {
        bytes: sys::MEU_BUFFER_BYTES as usize,
        strip_bytes: sys::PROGRAM_STRIP_BYTES as usize,
        record_bytes: (sys::MEU_RECORD_LINES * sys::MEU_LINE_BYTES) as usize,
    };

    /// Whether the blocks of a program fit, when a result has these sides. `inputs` says of each input
    /// which of its sides are repeated.
    pub(super) fn fits(
        &self,
        sides: (usize, usize),
        precision: Precision,
        inputs: impl Iterator<Item = (bool, bool)>,
        results: usize,
        strips: usize,
    ) -> bool {
        let read: usize = inputs.map(|repeats| block_bytes(met_sides(repeats, sides), precision)).sum();
        let written = results * block_bytes(sides, precision);
        read + self.record_bytes <= self.bytes && written + strips * self.strip_bytes <= self.bytes
    }

    /// Whether the results, strips and further inputs of the epilogue of a product fit together. Result 0
    /// takes the place of the product.
    pub(super) fn fits_epilogue(
        &self,
        sides: (usize, usize),
        precision: Precision,
        further: impl Iterator<Item = (bool, bool)>,
        results: usize,
        strips: usize,
    ) -> bool {
        let read: usize = further.map(|repeats| block_bytes(met_sides(repeats, sides), precision)).sum();
        let written = results * block_bytes(sides, precision) + strips * self.strip_bytes;
        read + written + self.record_bytes <= self.bytes
    }
}

/// Bytes of a block in a local store.
fn block_bytes((rows, columns): (usize, usize), precision: Precision) -> usize {
    (rows * precision.element_bytes()).next_multiple_of(crate::matrix::QUADWORD_BYTES) * columns
}
