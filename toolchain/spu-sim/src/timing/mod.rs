//! Timing: the dual-issue pipeline of one SPU ([`pipeline`]), the shared memory system ([`bandwidth`]), and
//! the constants of both ([`constants`]).

pub mod bandwidth;
pub mod constants;
mod hints;
pub mod pipeline;
