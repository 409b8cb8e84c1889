//! A sealed trace as bytes.
//!
//! | field | bytes |
//! |---|---|
//! | version ([`VERSION`]) | 4 |
//! | number of the trace | 8 |
//! | how many kinds of operations; the name of each | 4; text |
//! | how many constants; of each its number, rows, columns, precision | 4; 8, 4, 4, 1 |
//! | how many operations | 4 |
//!
//! A text is its length in 4 bytes, and UTF-8. Each operation follows:
//!
//! | field | bytes |
//! |---|---|
//! | kind, an index into the names | 4 |
//! | form, precision, class, whether there are parameters | 1 each |
//! | rows and columns of the result | 4 each |
//! | for both operands: 0 none, 1 an operation, 2 a constant; its index | 1, 4 |
//! | the bits of the scalar as a double | 8 |
//! | number of the result, 0 for an intermediate result | 8 |
//! | parameters, where there are some | 4 times 8 |
//!
//! Sites are not part of it: who has the trace knows them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::VERSION;
use super::reader::{Reader, put_shape, put_text, put_value};
use crate::error::{Result, Site};
use crate::operation::{Class, Form, OpId, OpKind};
use crate::trace::{Operand, Trace, TraceConstant, TraceOperation};

/// A trace whose values have numbers.
#[derive(Debug)]
pub struct Numbered {
    /// The trace. After decoding its slots are empty, and nothing says where its operations were recorded.
    pub trace: Trace,
    /// The number of each constant.
    pub constants: Vec<u64>,
    /// The number of each operation's result; 0 for an intermediate result.
    pub results: Vec<u64>,
}

const OPERATION_BYTES: usize = 4 + 4 + 8 + 10 + 8 + 8;

/// The bytes of a trace whose values have these numbers.
#[must_use]
pub fn encode(trace: &Trace, constants: &[u64], results: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64 + trace.operations.len() * OPERATION_BYTES);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(trace.id.to_le_bytes());
    let mut kinds = HashMap::new();
    let mut names = Vec::new();
    for operation in &trace.operations {
        kinds.entry(operation.kind).or_insert_with(|| {
            names.push(operation.kind.name());
            names.len() as u32 - 1
        });
    }
    bytes.extend((names.len() as u32).to_le_bytes());
    names.iter().for_each(|name| put_text(&mut bytes, name));
    bytes.extend((trace.constants.len() as u32).to_le_bytes());
    for (constant, number) in trace.constants.iter().zip(constants) {
        put_value(&mut bytes, *number, constant.shape, constant.precision);
    }
    bytes.extend((trace.operations.len() as u32).to_le_bytes());
    for (operation, number) in trace.operations.iter().zip(results) {
        bytes.extend(kinds[&operation.kind].to_le_bytes());
        let TraceOperation { form, precision, class, ref parameters, .. } = *operation;
        bytes.extend([form as u8, precision as u8, class as u8, u8::from(parameters.is_some())]);
        put_shape(&mut bytes, operation.shape);
        for operand in operation.operands {
            let (tag, index) = match operand {
                Operand::None => (0, 0),
                Operand::Operation(index) => (1, index),
                Operand::Constant(index) => (2, index),
            };
            bytes.push(tag);
            bytes.extend(index.to_le_bytes());
        }
        bytes.extend(operation.scalar.to_bits().to_le_bytes());
        bytes.extend(number.to_le_bytes());
        for parameter in parameters.as_deref().into_iter().flatten() {
            bytes.extend(parameter.to_le_bytes());
        }
    }
    bytes
}

/// The trace that these bytes are.
///
/// # Errors
/// [`Error::Argument`](crate::error::Error::Argument) says what is wrong with the bytes.
pub fn decode(bytes: &[u8]) -> Result<Numbered> {
    let mut reader = Reader::new(bytes, "a trace");
    let version = reader.u32()?;
    if version != VERSION {
        return Err(reader.wrong(format!("it has version {version}, and this program has version {VERSION}")));
    }
    let mut trace = Trace { id: reader.u64()?, constants: Vec::new(), operations: Vec::new(), bytes: 0 };
    let kinds = (0..reader.count(4)?).map(|_| {
        let name = reader.text()?;
        OpKind::from_name(name).ok_or_else(|| reader.wrong(format!("there is no operation '{name}'")))
    });
    let kinds = kinds.collect::<Result<Vec<_>>>()?;
    let mut constants = Vec::new();
    for _ in 0..reader.count(8 + 8 + 1)? {
        let (number, shape, precision) = reader.value()?;
        constants.push(number);
        trace.constants.push(TraceConstant { slot: Arc::default(), shape, precision });
    }
    let mut results = Vec::new();
    let site = Arc::new(Site::default());
    for index in 0..reader.count(OPERATION_BYTES)? {
        let (operation, number) = operation(&mut reader, &kinds, &trace, index as u32, &site)?;
        trace.operations.push(operation);
        results.push(number);
    }
    reader.end()?;
    Ok(Numbered { trace, constants, results })
}

fn operation(
    reader: &mut Reader<'_>,
    kinds: &[OpKind],
    trace: &Trace,
    index: u32,
    site: &Arc<Site>,
) -> Result<(TraceOperation, u64)> {
    let kind = reader.u32()?;
    let kind = *kinds.get(kind as usize).ok_or_else(|| reader.wrong(format!("there is no kind {kind}")))?;
    let form = reader.one_of(&[Form::Values, Form::ScalarRight, Form::ScalarLeft])?;
    let precision = reader.precision()?;
    let class = reader.one_of(&[Class::Single, Class::Double, Class::Logical])?;
    let has_parameters = reader.one_of(&[false, true])?;
    let shape = reader.shape()?;
    let mut operands = [Operand::None; 2];
    for operand in &mut operands {
        let (tag, number) = (reader.u8()?, reader.u32()?);
        *operand = match tag {
            0 => Operand::None,
            1 if number < index => Operand::Operation(number),
            2 if (number as usize) < trace.constants.len() => Operand::Constant(number),
            _ => return Err(reader.wrong(format!("operation {index} reads what is not there"))),
        };
    }
    let values = operands.map(|operand| operand != Operand::None);
    if values != [true, form == Form::Values && kind.operand_count() == 2] {
        return Err(reader.wrong(format!("operation {index} has too many operands or too few")));
    }
    let scalar = f64::from_bits(reader.u64()?);
    let number = reader.u64()?;
    let parameters = match has_parameters {
        true => Some(Box::new([reader.i64()?, reader.i64()?, reader.i64()?, reader.i64()?])),
        false => None,
    };
    let keep = (number != 0).then(|| Arc::new(OnceLock::new()));
    let (id, site) = (OpId(index), Arc::clone(site));
    let operation =
        TraceOperation { id, kind, form, precision, class, shape, operands, scalar, parameters, keep, site };
    Ok((operation, number))
}
