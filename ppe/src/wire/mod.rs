//! Traces, values and messages as bytes, for other processes and for files.
//!
//! All numbers are little-endian on every machine. Elements follow each other column by column without gaps. A
//! number that does not fit, or bytes that end early, are an error that says which part is wrong.
//!
//! * [`trace`](mod@trace): a sealed trace, whose values have numbers instead of memory;
//! * [`elements`]: the elements of a matrix;
//! * [`saved`]: a trace in a file, with the values that it reads;
//! * [`message`]: what a session and the first of its ranks say to each other;
//! * [`configuration`]: how ranks lower and execute traces.

pub mod configuration;
pub mod elements;
pub mod message;
mod reader;
pub mod saved;
pub mod trace;

/// The version of everything in this module. Both sides of a connection, and a file and its reader, must have the same.
pub const VERSION: u32 = 4;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
