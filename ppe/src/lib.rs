//! pmatrix.
pub mod engine;
pub mod error;
pub mod execute;
pub mod lang;
pub mod lower;
pub mod matrix;
pub mod pool;
pub mod schedule;
pub mod session;
pub mod stats;
pub mod time;
pub mod trace;
