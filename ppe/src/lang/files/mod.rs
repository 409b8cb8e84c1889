//! Matrix files: text, CSV, MatrixMarket and NPY, one module each.
//!
//! The format of a file is found by its first bytes, or else by the extension of its name (`.csv`, `.tsv`,
//! `.mtx`, `.npy`), or else by its first line: a line with a comma or a semicolon is CSV, any other line is a
//! text table. Saving uses the extension alone.
//!
//! A double that is saved and loaded keeps its bits. No header is trusted: memory is taken only for elements
//! that the file can hold.

pub mod csv;
pub mod matrix_market;
pub mod npy;
pub mod text;

use std::path::Path;

use super::table::{MAX_ELEMENTS, Table};
use crate::error::{Error, Result};
use crate::operation::SideTooLong;

/// What is wrong with the contents of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Malformed {
    /// In a line, counted from 1.
    Line(usize, String),
    /// At a byte, counted from 0.
    Byte(usize, String),
    /// It cannot be taken into memory.
    Memory(Error),
}

impl From<Error> for Malformed {
    fn from(error: Error) -> Malformed {
        Malformed::Memory(error)
    }
}

impl From<SideTooLong> for Malformed {
    fn from(shape: SideTooLong) -> Malformed {
        Malformed::Memory(shape.into())
    }
}

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Numbers between blanks, a row a line.
    Text,
    /// Numbers between commas or other separators, a row a line, perhaps below headers.
    Csv,
    /// MatrixMarket.
    MatrixMarket,
    /// NumPy's.
    Npy,
}

impl Format {
    /// The format that a name's extension stands for.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" | "tsv" => Some(Format::Csv),
            "mtx" | "mm" => Some(Format::MatrixMarket),
            "npy" => Some(Format::Npy),
            _ => None,
        }
    }

    /// The format of a file with this name and these contents.
    #[must_use]
    pub fn of_file(path: &Path, bytes: &[u8]) -> Format {
        if bytes.starts_with(npy::MAGIC) {
            return Format::Npy;
        }
        let start = &bytes[..bytes.len().min(matrix_market::BANNER.len())];
        if start.eq_ignore_ascii_case(matrix_market::BANNER) {
            return Format::MatrixMarket;
        }
        Format::of_name(path).unwrap_or_else(|| {
            let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
            let first =
                lines.find(|line| !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"%"));
            if first.is_some_and(|line| line.contains(&b',') || line.contains(&b';')) {
                Format::Csv
            } else {
                Format::Text
            }
        })
    }
}

/// Reads a matrix from bytes.
///
/// # Errors
/// Where the bytes are not of this format.
pub fn parse(format: Format, bytes: &[u8]) -> Result<Table, Malformed> {
    match format {
        Format::Text => text::parse(bytes),
        Format::Csv => csv::parse(bytes),
        Format::MatrixMarket => matrix_market::parse(bytes),
        Format::Npy => npy::parse(bytes),
    }
}

/// As many numbers as a matrix may have, in the longest text that anybody writes for one.
const MOST_FILE_BYTES: u64 = MAX_ELEMENTS * 32;

/// Loads a matrix from a file.
///
/// # Errors
/// [`Error::File`] with the line, or the byte, that is wrong; [`Error::Memory`].
pub fn load(path: &Path) -> Result<Table> {
    let error = |line, what| Error::File { path: path.display().to_string(), line, what };
    let bytes =
        crate::input::read(path, MOST_FILE_BYTES).map_err(|failure| error(None, failure.to_string()))?;
    parse(Format::of_file(path, &bytes), &bytes).map_err(|malformed| match malformed {
        Malformed::Line(line, what) => error(Some(line), what),
        Malformed::Byte(byte, what) => error(None, format!("byte {byte}: {what}")),
        Malformed::Memory(error) => error,
    })
}

/// A matrix in the format that a file's extension names, as a text table without one.
///
/// # Errors
/// [`Error::Argument`] when the format cannot hold the matrix.
pub fn to_bytes(path: &Path, table: &Table) -> Result<Vec<u8>> {
    Ok(match Format::of_name(path).unwrap_or(Format::Text) {
        Format::Text => text::to_bytes(table),
        Format::Csv => csv::to_bytes(table)?,
        Format::MatrixMarket => matrix_market::to_bytes(table),
        Format::Npy => npy::to_bytes(table),
    })
}

/// A number in a line of text, the field with this number, from 1 on.
fn number(field: &str, line: usize, column: usize) -> Result<f64, Malformed> {
    // Rust's parser reads what `display::number` writes, Octave's and NumPy's spellings of NaN and Inf
    // included.
    field.parse().map_err(|_| {
        let shown: String = field.chars().take(40).collect();
        Malformed::Line(line, format!("column {column}: '{}' is not a number", shown.escape_debug()))
    })
}

/// The lines of a text, counted from 1, without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Result<(usize, &str), Malformed>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|&byte| byte == b'\n').enumerate().map(|(index, line)| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = std::str::from_utf8(line);
        text.map(|text| (index + 1, text))
            .map_err(|_| Malformed::Line(index + 1, "this is not text (UTF-8)".into()))
    })
}

/// The elements of a table row by row, each row as text with `separator` between its numbers.
fn rows_text(table: &Table, separator: &str) -> String {
    let (rows, columns) = (table.shape.rows as usize, table.shape.columns as usize);
    let mut text = String::new();
    for r in 0..rows {
        for c in 0..columns {
            if c > 0 {
                text.push_str(separator);
            }
            text.push_str(&super::display::number(table.elements[c * rows + r], table.is_single()));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
