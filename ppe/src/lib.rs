//! pmatrix: matrix programs, recorded lazily and executed in parallel by Matrix Execution Units.
//!
//! ```text
//!  Octave script: p_matrix type     trace language      Rust API / C API (pmatrix.h)
//!           \                          |                    /
//!            +-------------------------+-------------------+
//!                                      v
//!    trace      record operations: the data dependence graph grows, shapes and classes are checked
//!                                      v   forced by a needed value, or by a limit (number, depth, bytes)
//!    lower      matrices are cut into blocks, operations become block operations
//!                                      v
//!    schedule   a time model says how long each block operation takes; each goes to a stream
//!                                      v
//!    execute    execution queues and guard counts: offer what may run, acknowledge what has run
//!                                      v
//!    engine     Matrix Execution Units (MEUs): fetch by DMA, execute, write back
//! ```
//!
//! Data pass through the modules in this order: [`trace`], [`lower`], [`time`] and [`schedule`], [`execute`],
//! [`engine`]. [`session`] joins these stages, in one thread or in four.
//!
//! [`ranks`] executes traces of much work on several machines, in place of the last three; [`wire`] is what travels.
//!
//! [`operation`] says what can be computed; [`matrix`] and [`pool`] hold the numbers.
//! [`reference`](mod@reference) defines all results. [`immediate`] computes operations that are too small to
//! be recorded. [`capi`] is the front end for other languages: C, and through it Octave. [`lang`] is the
//! trace language.
//!
//! ```
//! use pmatrix::matrix::Matrix;
//! use pmatrix::operation::{Class, OpKind, Shape};
//! use pmatrix::session::{Options, Session};
//!
//! # fn main() -> pmatrix::error::Result<()> {
//! let session = Session::new(&Options::default())?;
//! let shape = Shape { rows: 100, columns: 100 };
//! let a = Matrix::from_fn(shape, session.pool(), |r, c| if r == c { 2.0 } else { 0.0 })?;
//! let a = session.constant(a, Class::Double)?;
//!
//! // B = A^3: recorded, not executed.
//! let mut b = a.clone();
//! for line in 1..3 {
//!     b = session.binary(OpKind::Multiply, &b, &a, "example", line)?;
//! }
//! assert!(!b.has_result());
//!
//! // Reading an element forces it.
//! assert_eq!(session.force(&b)?.value(7, 7), 8.0);
//! assert!(b.has_result());
//! # Ok(())
//! # }
//! ```

pub mod capi;
pub mod engine;
pub mod error;
pub mod execute;
pub mod immediate;
pub mod input;
pub mod lang;
pub mod lower;
pub mod matrix;
pub mod memory;
pub mod operation;
pub mod output;
pub mod pool;
pub mod process;
pub mod ranks;
pub mod reference;
pub mod schedule;
pub mod session;
#[cfg(feature = "highs")]
mod solver;
pub mod stats;
mod sync;
pub mod time;
pub mod timeline;
pub mod trace;
pub mod wire;
