//! CSV: numbers between commas, semicolons, tabs or blanks, a row a line.
//!
//! The separator is found in the first line of data.  Lines in front whose fields are no numbers are headers,
//! and are skipped; so are empty lines and lines that begin with `#` or `%`.  A field may stand in quotes.

use csv::{ByteRecord, ReaderBuilder, Trim};

use super::{Malformed, number, rows_text};
use crate::error::{Error, Result};
use crate::lang::table::Table;
use crate::operation::Shape;

/// Reads CSV.
///
/// # Errors
/// The line that is not a row of numbers, or not as long as the first.
pub fn parse(bytes: &[u8]) -> Result<Table, Malformed> {
    let bytes = without_comments(bytes);
    let separator = separator(&bytes);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .delimiter(separator)
        .from_reader(bytes.as_slice());
    let (mut elements, mut rows, mut columns) = (Vec::new(), 0u64, 0usize);
    let mut record = ByteRecord::new();
    let mut header = None;
    let (mut line, mut counted) = (1, 0);
    loop {
        // The reader takes bytes from memory, and rows of any length.
        let more = reader.read_byte_record(&mut record);
        if !more.map_err(|error| Malformed::Line(1, error.to_string()))? {
            break;
        }
        // A record's position is the end of the record before it, before any empty lines.
        let end = record.position().map_or(0, |position| position.byte() as usize);
        let empty = bytes[end..].iter().take_while(|&&byte| matches!(byte, b'\r' | b'\n')).count();
        line += bytes[counted..end + empty].iter().filter(|&&byte| byte == b'\n').count();
        counted = end + empty;
        let before = elements.len();
        let mut fields = Vec::new();
        for field in &record {
            let field = text(field, line)?;
            // Any number of blanks are one separator, also in front and at the end.
            if separator != b' ' || !field.is_empty() {
                fields.push(field);
            }
        }
        if fields.iter().all(|field| field.is_empty()) && fields.len() < 2 {
            continue;
        }
        if rows == 0 && fields.iter().all(|field| field.parse::<f64>().is_err()) {
            header.get_or_insert(line);
            continue;
        }
        for (index, field) in fields.iter().enumerate() {
            elements.push(element(field, line, index + 1)?);
        }
        let count = elements.len() - before;
        if rows > 0 && count != columns {
            let what = format!("this row has {count} elements; the rows before it have {columns}");
            return Err(Malformed::Line(line, what));
        }
        columns = count;
        rows += 1;
    }
    match header {
        Some(line) if rows == 0 => Err(Malformed::Line(line, "no row of numbers follows this header".into())),
        _ => Ok(Table::from_rows(Shape::new(rows, columns as u64)?, &elements)?),
    }
}

/// The text with empty lines in the place of comments, so that what they quote means nothing and lines keep
/// their numbers.
fn without_comments(bytes: &[u8]) -> Vec<u8> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut kept = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.trim_ascii_start().starts_with(b"#") || line.trim_ascii_start().starts_with(b"%") {
            kept.extend(line.strip_suffix(b"\n").map(|_| b'\n'));
        } else {
            kept.extend(line);
        }
    }
    kept
}

/// What separates fields: outside of quotes a semicolon, or else a tab, a comma, a blank, in the last line
/// among the first few that has one of them: what stands in front of the data may be a title.
fn separator(bytes: &[u8]) -> u8 {
    const LINES: usize = 20;
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let of_line = |line: &[u8]| {
        let mut quoted = false;
        let outside = line.iter().filter(|&&byte| {
            quoted ^= byte == b'"';
            !quoted
        });
        let outside: Vec<u8> = outside.copied().collect();
        b";\t, ".iter().copied().find(|separator| outside.contains(separator))
    };
    let found: Vec<Option<u8>> = lines.take(LINES).map(of_line).collect();
    found.into_iter().rev().flatten().next().unwrap_or(b',')
}

/// A field as text, without quotes that blanks have kept from being taken for such.
fn text(field: &[u8], line: usize) -> Result<&str, Malformed> {
    let text = std::str::from_utf8(field)
        .map_err(|_| Malformed::Line(line, "this is not text (UTF-8)".into()))?
        .trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    Ok(inner.unwrap_or(text).trim())
}

fn element(field: &str, line: usize, column: usize) -> Result<f64, Malformed> {
    let error = |what: &str| Err(Malformed::Line(line, format!("column {column}: {what}")));
    if field.is_empty() {
        return error("an element is missing");
    }
    if field.contains('\n') {
        return error("a field in quotes has no closing quote in its line");
    }
    number(field, line, column)
}

/// The table as CSV.
///
/// # Errors
/// [`Error::Argument`] for a matrix without elements but with a side, which CSV cannot hold.
pub fn to_bytes(table: &Table) -> Result<Vec<u8>> {
    let shape = table.shape;
    if shape.is_empty() && shape.rows + shape.columns > 0 {
        return Err(Error::Argument(format!("a {shape} matrix has no CSV form")));
    }
    Ok(rows_text(table, ",").into_bytes())
}
