//! The processes that hold the matrices of a session together, on StarPU and MPI.
//!
//! A session starts them with mpirun. The first rank connects to the session's socket. What the session asks there, all
//! ranks get, and all of them do the same (`rank.rs`): they lower each trace alike and walk over its block operations in
//! the same order. The owner of a result executes the operation, and StarPU sends it the shards that it reads.
//!
//! With the feature `simulation` this is a library for a program in C, which executes a trace on a simulated cluster
//! (`simulation.rs`).

#[cfg(all(starpu, not(feature = "simulation")))]
mod control;
#[cfg(starpu)]
mod insert;
#[cfg(starpu)]
mod own;
#[cfg(all(starpu, not(feature = "simulation")))]
mod rank;
#[cfg(starpu)]
mod record;
#[cfg(all(starpu, not(feature = "simulation")))]
mod report;
#[cfg(starpu)]
mod room;
#[cfg(starpu)]
mod shards;
#[cfg(starpu)]
mod shim;
#[cfg(all(starpu, feature = "simulation"))]
mod simulation;

#[cfg(all(starpu, not(feature = "simulation")))]
pub use rank::run;
