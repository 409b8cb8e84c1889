//! pmatrix.
