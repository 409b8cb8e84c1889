//! Text tables: numbers between blanks, a row a line; `#` and `%` begin a comment.
//!
//! A matrix without elements is saved as the comments `# rows: 0` and `# columns: 3`, which Octave's own text
//! format has too.

use super::{Malformed, lines, number, rows_text};
use crate::lang::table::Table;
use crate::operation::Shape;

/// Reads a text table.
///
/// # Errors
/// The line that is not a row of numbers, or not as long as the first.
pub fn parse(bytes: &[u8]) -> Result<Table, Malformed> {
    let (mut elements, mut rows, mut columns) = (Vec::new(), 0u64, 0usize);
    let mut sides = [None; 2];
    for line in lines(bytes) {
        let (index, line) = line?;
        if let Some(comment) = line.trim_start().strip_prefix(['#', '%']) {
            for (side, key) in sides.iter_mut().zip(["rows:", "columns:"]) {
                if let Some(value) = comment.trim_start().strip_prefix(key) {
                    *side = value.trim().parse::<u64>().ok();
                }
            }
            continue;
        }
        let data = line.split(['#', '%']).next().unwrap_or_default();
        let before = elements.len();
        for (column, field) in data.split_whitespace().enumerate() {
            elements.push(number(field, index, column + 1)?);
        }
        let count = elements.len() - before;
        if count == 0 {
            continue;
        }
        if rows > 0 && count != columns {
            let what = format!("this row has {count} elements; the rows before it have {columns}");
            return Err(Malformed::Line(index, what));
        }
        columns = count;
        rows += 1;
    }
    let shape = match (rows, sides) {
        (0, [Some(rows), Some(columns)]) if rows == 0 || columns == 0 => Shape::new(rows, columns)?,
        _ => Shape::new(rows, columns as u64)?,
    };
    Ok(Table::from_rows(shape, &elements)?)
}

/// The table as text.
#[must_use]
pub fn to_bytes(table: &Table) -> Vec<u8> {
    if table.shape.is_empty() {
        return format!("# rows: {}\n# columns: {}\n", table.shape.rows, table.shape.columns).into_bytes();
    }
    rows_text(table, " ").into_bytes()
}
