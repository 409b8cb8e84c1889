//! CSV: numbers between commas, a row a line, no header.

use super::{Malformed, lines, number, rows_text};
use crate::error::{Error, Result};
use crate::lang::table::Table;
use crate::trace::Shape;

/// Reads CSV.
///
/// # Errors
/// The line that is not a row of numbers, or not as long as the first.
pub fn parse(bytes: &[u8]) -> Result<Table, Malformed> {
    let (mut elements, mut rows, mut columns) = (Vec::new(), 0u64, 0usize);
    for line in lines(bytes) {
        let (index, line) = line?;
        if line.trim().is_empty() || line.trim_start().starts_with(['#', '%']) {
            continue;
        }
        let before = elements.len();
        for field in line.split(',').map(str::trim) {
            if field.is_empty() {
                return Err(Malformed::Line(index, "an element is missing between commas".into()));
            }
            elements.push(number(field, index)?);
        }
        let count = elements.len() - before;
        if rows > 0 && count != columns {
            let what = format!("this row has {count} elements; the rows before it have {columns}");
            return Err(Malformed::Line(index, what));
        }
        columns = count;
        rows += 1;
    }
    Ok(Table::from_rows(Shape::new(rows, columns as u64)?, &elements)?)
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
