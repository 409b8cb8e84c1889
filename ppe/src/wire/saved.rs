//! A trace in a file, with the values that it reads: `pmatrix save-trace` writes it, `pmatrix run` reads it.
//!
//! | field | bytes |
//! |---|---|
//! | [`MAGIC`] | 8 |
//! | length of the trace, and the trace ([`trace`](mod@super::trace)) | 8; that many |
//! | how many values; each follows | 4 |
//! | number, rows, columns, precision of the value | 8, 4, 4, 1 |
//! | 0: its elements are not there; 1: a constructor makes them; 2: they follow | 1 |
//! | the constructor and its number, or the elements ([`elements`]) | 1, 8; as many as there are |
//! | how much is shown, in order; each follows | 4 |
//! | 0: a text; 1: rows of a value; 2: a value with a name | 1 |
//! | the text or the name; the number of the value | text; 8 |
//!
//! The values are the constants of the trace, and what is shown without an operation. The file names no other file,
//! and what it says is checked when its operations are stated again.

use super::elements::{self, element_bytes};
use super::reader::{Reader, put_text, put_value};
use super::trace::{self, Numbered};
use crate::error::Result;
use crate::matrix::{Constructor, Matrix};
use crate::operation::{Precision, Shape};

/// The first bytes of such a file.
pub const MAGIC: [u8; 8] = *b"\x7fpmtrace";

/// A value that a saved trace reads or shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// Its number.
    pub number: u64,
    /// Its shape.
    pub shape: Shape,
    /// Its precision. Bytes are of class logical.
    pub precision: Precision,
    /// Its elements.
    pub content: Content,
}

/// Where the elements of a value come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Nobody knows them: the trace was saved for its shapes.
    Unknown,
    /// A constructor.
    Constructed(Constructor),
    /// They are in the file ([`elements`]).
    Elements(Vec<u8>),
}

/// What the program shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A line of text.
    Text(String),
    /// The rows of the value with this number.
    Rows(u64),
    /// A value with its name.
    Named(String, u64),
}

/// A trace, what it reads, and what it shows.
#[derive(Debug)]
pub struct Saved {
    /// The trace and the numbers of its values.
    pub trace: Numbered,
    /// The values that are not computed.
    pub given: Vec<Given>,
    /// What is shown, in order.
    pub shown: Vec<Shown>,
}

impl Given {
    /// The value of a matrix: what makes it, or its elements.
    ///
    /// # Errors
    /// Why its elements cannot be had.
    pub fn of(number: u64, matrix: &Matrix) -> Result<Given> {
        let content = if let Some(constructor) = matrix.constructor() {
            Content::Constructed(constructor)
        } else {
            matrix.bring(&|| false)?;
            Content::Elements(elements::encode(matrix))
        };
        Ok(Given { number, shape: matrix.shape(), precision: matrix.precision(), content })
    }
}

impl Saved {
    /// The bytes of the file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let Numbered { trace, constants, results } = &self.trace;
        let trace = trace::encode(trace, constants, results);
        let mut bytes = MAGIC.to_vec();
        bytes.extend((trace.len() as u64).to_le_bytes());
        bytes.extend(trace);
        bytes.extend((self.given.len() as u32).to_le_bytes());
        for Given { number, shape, precision, content } in &self.given {
            put_value(&mut bytes, *number, *shape, *precision);
            match content {
                Content::Unknown => bytes.push(0),
                Content::Constructed(constructor) => {
                    bytes.push(1);
                    elements::put_constructor(&mut bytes, *constructor);
                }
                Content::Elements(elements) => {
                    bytes.push(2);
                    bytes.extend(elements);
                }
            }
        }
        bytes.extend((self.shown.len() as u32).to_le_bytes());
        for shown in &self.shown {
            let (tag, text, number) = match shown {
                Shown::Text(text) => (0, Some(text), None),
                Shown::Rows(number) => (1, None, Some(number)),
                Shown::Named(name, number) => (2, Some(name), Some(number)),
            };
            bytes.push(tag);
            text.into_iter().for_each(|text| put_text(&mut bytes, text));
            number.into_iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        bytes
    }

    /// What these bytes of a file are.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::error::Error::Argument) says what is wrong with them.
    pub fn decode(bytes: &[u8]) -> Result<Saved> {
        let mut reader = Reader::new(bytes, "a saved trace");
        if reader.slice(MAGIC.len())? != MAGIC {
            return Err(reader.wrong("it does not begin as one"));
        }
        let length = usize::try_from(reader.u64()?).map_err(|_| reader.wrong("it ends early"))?;
        let trace = trace::decode(reader.slice(length)?)?;
        let mut given = Vec::new();
        for _ in 0..reader.count(8 + 8 + 1 + 1)? {
            let (number, shape, precision) = reader.value()?;
            let content = match reader.u8()? {
                0 => Content::Unknown,
                1 => Content::Constructed(elements::constructor(&mut reader)?),
                2 => {
                    let length = usize::try_from(element_bytes(shape, precision)).unwrap_or(usize::MAX);
                    Content::Elements(reader.slice(length)?.to_vec())
                }
                other => return Err(reader.wrong(format!("there are no elements of sort {other}"))),
            };
            given.push(Given { number, shape, precision, content });
        }
        let mut shown = Vec::new();
        for _ in 0..reader.count(1 + 4)? {
            shown.push(match reader.u8()? {
                0 => Shown::Text(reader.text()?.to_owned()),
                1 => Shown::Rows(reader.u64()?),
                2 => Shown::Named(reader.text()?.to_owned(), reader.u64()?),
                other => return Err(reader.wrong(format!("nothing is shown in way {other}"))),
            });
        }
        reader.end()?;
        Ok(Saved { trace, given, shown })
    }
}
