//! What a local store has room for.

use spe_kernels::sys;

use crate::error::{Error, Result};
use crate::lower::{BlockLimits, MAX_STEPS, Room, Target};
use crate::matrix::QUADWORD_BYTES;
use crate::operation::{KindSet, Precision};

/// Blocks of 96x96 single or 64x64 double elements, whose columns are whole DMA lines. A chain saves writing
/// products out and fetching them again to add them. It ends after 32 products, because a long inner side is
/// better divided among several MEUs. The long sides of thin matrices are stretched.
pub(super) const BLOCKS: BlockLimits =
    BlockLimits { block_elements: [9216, 4096], divisor: [4, 2], chain: 32, stretch: true };

/// The target of an engine whose MEUs execute these kinds in their local stores. MEUs that lack a kind stand for
/// SPEs.
#[must_use]
pub(super) fn target(meus: usize, kinds: KindSet) -> Target {
    Target {
        meus,
        blocks: BLOCKS,
        room: Room::LOCAL_STORE,
        memory: None,
        kinds,
        spes: kinds != KindSet::ALL,
        steps: MAX_STEPS,
        even: true,
        cells: 1,
        bandwidth: None,
        huge_pages: false,
        shards: None,
    }
}

/// Bytes that a Cell moves from and to its memory in a nanosecond (Cell Broadband Engine Programming
/// Handbook, memory interface controller).
const CELL_BANDWIDTH: f64 = 25.6;

/// Between them there is one link.
pub(super) const CELLS_OF_A_BLADE: usize = 2;

/// As many Cells, each with a memory of its own, as [`cell`] is one.
#[must_use]
pub(super) fn blade(cells: usize, meus: usize, kinds: KindSet) -> Target {
    Target { cells, bandwidth: Some(CELL_BANDWIDTH * cells as f64), ..cell(meus, kinds) }
}

/// A Cell, whose SPEs execute these kinds as far as their program can.
#[must_use]
pub(super) fn cell(meus: usize, kinds: KindSet) -> Target {
    Target { bandwidth: Some(CELL_BANDWIDTH), spes: true, ..target(meus, kinds.and(KindSet::SPE)) }
}

/// Checks that blocks fit the buffers of the local store, and that they begin at whole quadwords.
///
/// # Errors
/// [`Error::Argument`] says what does not fit.
pub(super) fn check(target: &Target) -> Result<()> {
    target.validate()?;
    Precision::ALL.into_iter().try_for_each(|precision| check_precision(&target.blocks, precision))
}

fn check_precision(limits: &BlockLimits, precision: Precision) -> Result<()> {
    let (side, name) = (limits.side(precision), precision.name());
    let divisor_bytes = limits.divisor[precision as usize] * precision.element_bytes();
    if !divisor_bytes.is_multiple_of(QUADWORD_BYTES) {
        let divisor = limits.divisor[precision as usize];
        return Err(Error::Argument(format!(
            "divisor {divisor} ({name}): rows of a block begin at multiples of {divisor_bytes} bytes, but DMA needs multiples of 16"
        )));
    }
    let elements = if limits.stretch { limits.block_elements[precision as usize] } else { side * side };
    let bytes = elements * precision.element_bytes();
    if bytes > sys::MEU_BLOCK_BYTES as usize {
        return Err(Error::Argument(format!(
            "blocks of {side}x{side} {name} elements take {bytes} bytes; an MEU's local store has room for {}",
            sys::MEU_BLOCK_BYTES
        )));
    }
    let converted = limits.side(Precision::Single).pow(2) * Precision::Double.element_bytes();
    if precision == Precision::Single && converted > sys::MEU_BUFFER_BYTES as usize {
        return Err(Error::Argument(format!(
            "converting blocks of {side}x{side} elements takes {converted} bytes of local store"
        )));
    }
    Ok(())
}
