//! The trace language: the front end for tests and benchmarks (paper, "Testing and Debugging").
//!
//! `ppe/TRACE_LANGUAGE.md` says what a program may say, and what it means. A test runs the programs of that
//! page.
//!
//! From text to results: `lexer` makes tokens, [`parse`] a [`Program`](ast::Program), whose expressions are
//! lists of steps in postfix order, and a [`Runner`] executes its statements. Numbers are computed at once;
//! operations on matrices are recorded.

pub mod ast;
pub mod construct;
pub mod direct;
pub mod display;
mod error;
pub mod files;
pub mod functions;
mod lexer;
mod parser;
pub mod programs;
pub mod random;
mod run;
pub mod saved;
pub mod subscript;
pub mod table;

pub use error::{Cause, Position, ProgramError};
pub use parser::{MAX_NESTING, parse};
pub use run::{RunOptions, Runner};
