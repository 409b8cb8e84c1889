//! Programs as saved traces: what `pmatrix save-trace` makes of a recorded program, and how `pmatrix run` runs it.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use super::construct;
use super::display::{Digits, write_named, write_rows};
use super::table::Table;
use crate::error::{Error, Result};
use crate::operation::{Class, Precision, Shape};
use crate::session::Session;
use crate::trace::{Operand, Trace, Value};
use crate::wire::elements;
use crate::wire::saved::{Content, Given, Saved, Shown};
use crate::wire::trace::Numbered;

/// What a recorded program shows.
#[derive(Debug, Clone)]
pub enum Stated {
    /// A line of text.
    Text(String),
    /// A number, with this name if it has one.
    Number(Option<String>, f64),
    /// The rows of a value, or the value with this name.
    Value(Option<String>, Value),
}

fn is_shown(name: Option<String>, number: u64) -> Shown {
    match name {
        Some(name) => Shown::Named(name, number),
        None => Shown::Rows(number),
    }
}

/// What is saved of a program: the trace that has been taken from its session, and what it shows. Of the values that
/// are known only shapes are saved if `shapes_only`.
///
/// # Errors
/// Why the elements of a value cannot be had.
pub fn save(trace: Trace, stated: Vec<Stated>, shapes_only: bool) -> Result<Saved> {
    let mut given = Vec::new();
    for (constant, number) in trace.constants.iter().zip(1..) {
        given.push(match constant.slot.get().filter(|_| !shapes_only) {
            Some(matrix) => Given::of(number, matrix)?,
            None => {
                let (shape, precision) = (constant.shape, constant.precision);
                Given { number, shape, precision, content: Content::Unknown }
            }
        });
    }
    let constants: Vec<u64> = given.iter().map(|given| given.number).collect();
    let mut results = vec![0; trace.operations.len()];
    let mut next = constants.len() as u64 + 1;
    let mut shown = Vec::new();
    for stated in stated {
        let (name, value) = match stated {
            Stated::Text(text) => {
                shown.push(Shown::Text(text));
                continue;
            }
            Stated::Number(name, number) => {
                next += 1;
                let (shape, precision) = (Shape { rows: 1, columns: 1 }, Precision::Double);
                let content = Content::Elements(number.to_le_bytes().to_vec());
                given.push(Given { number: next, shape, precision, content });
                shown.push(is_shown(name, next));
                continue;
            }
            Stated::Value(name, value) => (name, value),
        };
        let known = value.matrix();
        let is_slot = |slot: &crate::trace::ResultSlot| match (slot.get(), &known) {
            (Some(matrix), Some(known)) => Arc::ptr_eq(matrix, known),
            _ => false,
        };
        let computed = trace.operations.iter().position(|o| known.is_none() && o.id == value.id());
        let read = trace.constants.iter().position(|constant| is_slot(&constant.slot));
        let number = match (computed, read, &known) {
            (Some(index), ..) if results[index] != 0 => results[index],
            (_, Some(index), _) => constants[index],
            _ => {
                next += 1;
                match (computed, &known) {
                    (Some(index), _) => results[index] = next,
                    (None, Some(matrix)) if !shapes_only => given.push(Given::of(next, matrix)?),
                    _ => {
                        let (shape, precision) = (value.shape(), value.value_type().precision);
                        given.push(Given { number: next, shape, precision, content: Content::Unknown });
                    }
                }
                next
            }
        };
        shown.push(is_shown(name, number));
    }
    Ok(Saved { trace: Numbered { trace, constants, results }, given, shown })
}

/// Runs a saved trace, and shows on `out` what its program shows. `file` names it in messages; the line of a message is
/// the number of the operation. `progress` gets this number before each operation.
///
/// # Errors
/// What is wrong with the trace, or the failure of an operation; [`Error::Argument`] too when `out` fails.
pub fn run(
    saved: &Saved,
    session: &Session,
    file: &str,
    digits: Digits,
    out: &mut dyn Write,
    progress: impl Fn(usize),
) -> Result<()> {
    let mut known: HashMap<u64, Value> = HashMap::new();
    for given in &saved.given {
        let class = match given.precision {
            Precision::Single => Class::Single,
            Precision::Double => Class::Double,
            Precision::Byte => Class::Logical,
        };
        let value = match given.content {
            Content::Constructed(constructor) => {
                if !session.is_shared(given.shape) {
                    construct::check_size(given.shape, file)?;
                }
                session.constructed(constructor, given.shape, class)
            }
            Content::Elements(ref bytes) => {
                let matrix = elements::decode(given.shape, given.precision, bytes, session.pool())?;
                session.constant(matrix, class)
            }
            Content::Unknown => {
                let what = "the trace was saved with --shapes, without the elements of what it reads";
                return Err(Error::Argument(format!("{file}: {what}")));
            }
        };
        known.insert(given.number, value?);
    }
    let Numbered { trace, constants, results } = &saved.trace;
    let mut computed: Vec<Option<Value>> = Vec::with_capacity(trace.operations.len());
    // A value is given up behind its last reader, so that it takes no memory for longer.
    let mut last_reader = vec![usize::MAX; trace.operations.len()];
    for (reader, operation) in trace.operations.iter().enumerate() {
        for operand in operation.operands {
            if let Operand::Operation(index) = operand {
                last_reader[index as usize] = reader;
            }
        }
    }
    for (index, operation) in trace.operations.iter().enumerate() {
        progress(index + 1);
        let operand = |operand| match operand {
            Operand::None => Ok(None),
            Operand::Operation(index) => Ok(computed[index as usize].as_ref()),
            Operand::Constant(index) => {
                let missing =
                    || Error::Argument(format!("{file}: nobody gives a value that the trace reads"));
                known.get(&constants[index as usize]).map(Some).ok_or_else(missing)
            }
        };
        let [a, b] = operation.operands;
        let operands = [operand(a)?, operand(b)?];
        let line = index as u32 + 1;
        let value = session.record(|recorder| recorder.restate(operation, operands, file, line));
        let value = value.map_err(|error| match error {
            Error::Argument(what) => Error::Argument(format!("{file}: operation {line}: {what}")),
            error => error,
        })?;
        if results[index] != 0 {
            known.insert(results[index], value.clone());
        }
        computed.push(Some(value));
        for operand in [a, b] {
            if let Operand::Operation(read) = operand
                && last_reader[read as usize] == index
            {
                computed[read as usize] = None;
            }
        }
    }
    drop(computed);
    let output = |error: std::io::Error| Error::Argument(format!("the output cannot be written: {error}"));
    let table = |number: &u64| {
        let missing = || Error::Argument(format!("{file}: nobody has a value that is shown"));
        let value = known.get(number).ok_or_else(missing)?;
        Table::from_matrix(&*session.force(value)?, value.class())
    };
    for shown in &saved.shown {
        match shown {
            Shown::Text(text) => writeln!(out, "{text}").map_err(output)?,
            Shown::Rows(number) => write_rows(out, &table(number)?, digits).map_err(output)?,
            Shown::Named(name, number) => write_named(out, name, &table(number)?, digits).map_err(output)?,
        }
    }
    Ok(())
}
