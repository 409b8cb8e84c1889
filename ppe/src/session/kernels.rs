//! Sizes of the MEU's program, and the vectors that the host's kernels can use, for `pmatrix info`.

use spe_kernels::{VectorWidth, sys};

/// Sizes of the MEU program, and the host's vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernels {
    /// Widths of the vectors that the host's kernels can use, in bytes.
    pub vector_bytes: Vec<usize>,
    /// Bytes of a local store.
    pub local_store_bytes: usize,
    /// Bytes for code and constants, at most.
    pub code_bytes: usize,
    /// Buffers for the pipeline's stages.
    pub buffers: usize,
    /// Bytes of a buffer, which holds the operands of an operation, or its result.
    pub buffer_bytes: usize,
    /// Bytes of a block of a two-operand operation, at most.
    pub block_bytes: usize,
}

/// See [`Kernels`].
#[must_use]
pub fn kernels() -> Kernels {
    Kernels {
        vector_bytes: VectorWidth::available().into_iter().map(|width| width as usize).collect(),
        local_store_bytes: sys::MEU_LOCAL_STORE_BYTES as usize,
        code_bytes: sys::MEU_CODE_BYTES as usize,
        buffers: sys::MEU_BUFFER_COUNT as usize,
        buffer_bytes: sys::MEU_BUFFER_BYTES as usize,
        block_bytes: sys::MEU_BLOCK_BYTES as usize,
    }
}
