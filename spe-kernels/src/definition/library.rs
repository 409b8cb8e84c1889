//! The operations that are functions of the C library, as the table of operations names them (`LIBRARY`).
//!
//! Rust's standard library computes some of these by formulas of its own, so all are called by their names in
//! C.  The build makes the declarations, the macro `library` (a pattern of these opcodes), and a function for
//! each precision.

use crate::Opcode;

include!(concat!(env!("OUT_DIR"), "/library.rs"));
