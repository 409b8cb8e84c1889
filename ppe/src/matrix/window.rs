//! Windows: matrices of which a part is in memory.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use super::{Foreign, Matrix, Storage};
use crate::operation::{Precision, Shape};

impl Matrix {
    /// A matrix of which some elements alone are in memory, for the addresses of these elements
    /// ([`ea`](Self::ea)). `origin` is where element (0, 0) would be, and columns lie `stride_bytes` apart, a multiple
    /// of the bytes of an element. Such a matrix is never complete, so no safe function reads it.
    #[must_use]
    pub fn window(shape: Shape, precision: Precision, origin: u64, stride_bytes: usize) -> Matrix {
        let pointer = std::ptr::with_exposed_provenance(origin as usize);
        Matrix {
            precision,
            shape,
            leading_elements: stride_bytes / precision.element_bytes(),
            storage: Storage::Foreign(Foreign { pointer, release: None }),
            complete: AtomicBool::new(false),
            copies: [OnceLock::new(), OnceLock::new()],
            home: OnceLock::new(),
        }
    }
}
