//! MatrixMarket: array and coordinate; real, integer and pattern; general, symmetric and skew-symmetric.
//!
//! A coordinate file becomes a full matrix; entries that are given twice are added up. Saved are general real
//! arrays.

use super::{Malformed, lines, number};
use crate::lang::display;
use crate::lang::table::{MAX_ELEMENTS, Table, room};
use crate::operation::Shape;

/// How such a file begins.
pub const BANNER: &[u8] = b"%%MatrixMarket";

/// What the entries below the diagonal say about the entries above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// The first line.
#[derive(Debug, Clone, Copy)]
struct Header {
    coordinate: bool,
    pattern: bool,
    symmetry: Symmetry,
}

fn header(line: &str) -> Result<Header, Malformed> {
    let error = |what: String| Err(Malformed::Line(1, what));
    let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
    let [_, object, layout, field, symmetry] = words.as_slice() else {
        return error("the first line must be '%%MatrixMarket matrix LAYOUT FIELD SYMMETRY'".into());
    };
    if !words[0].as_bytes().eq_ignore_ascii_case(BANNER) || object != "matrix" {
        return error("this is not a MatrixMarket matrix".into());
    }
    let coordinate = match layout.as_str() {
        "coordinate" => true,
        "array" => false,
        other => return error(format!("layout '{other}' is neither 'array' nor 'coordinate'")),
    };
    let pattern = match field.as_str() {
        "real" | "double" | "integer" => false,
        "pattern" if coordinate => true,
        "complex" => return error("complex matrices are not available".into()),
        other => return error(format!("field '{other}' is not possible here")),
    };
    let symmetry = match symmetry.as_str() {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" if !pattern => Symmetry::Skew,
        other => return error(format!("symmetry '{other}' is not possible here")),
    };
    Ok(Header { coordinate, pattern, symmetry })
}

fn whole(field: &str, line: usize) -> Result<u64, Malformed> {
    field.parse().map_err(|_| Malformed::Line(line, format!("'{field}' is not a whole number")))
}

/// Reads a MatrixMarket file.
///
/// # Errors
/// The line that is wrong.
pub fn parse(bytes: &[u8]) -> Result<Table, Malformed> {
    let mut lines = lines(bytes);
    let first = lines.next().transpose()?.map_or("", |(_, line)| line);
    let header = header(first)?;
    let is_data = |line: &Result<(usize, &str), Malformed>| match line {
        Ok((_, line)) => !(line.trim().is_empty() || line.starts_with('%')),
        Err(_) => true,
    };
    let mut lines = lines.filter(is_data);
    let Some((index, sizes)) = lines.next().transpose()? else {
        return Err(Malformed::Line(1, "the sizes are missing".into()));
    };
    let fields: Vec<u64> =
        sizes.split_whitespace().map(|field| whole(field, index)).collect::<Result<_, _>>()?;
    let (rows, columns, entries) = match (fields.as_slice(), header.coordinate) {
        (&[rows, columns, entries], true) => (rows, columns, Some(entries)),
        (&[rows, columns], false) => (rows, columns, None),
        (_, coordinate) => {
            let wanted = if coordinate { "rows, columns and entries" } else { "rows and columns" };
            return Err(Malformed::Line(index, format!("{wanted} are needed here")));
        }
    };
    let shape = Shape::new(rows, columns).map_err(|error| Malformed::Line(index, error.to_string()))?;
    if header.symmetry != Symmetry::General && rows != columns {
        return Err(Malformed::Line(index, format!("a {shape} matrix cannot be symmetric")));
    }
    let promised = entries.unwrap_or_else(|| array_entries(shape, header.symmetry));
    // An entry takes at least one character and the end of its line.
    if promised > bytes.len() as u64 / 2 + 1 {
        let what = format!("{promised} entries are promised, but the file has {} bytes", bytes.len());
        return Err(Malformed::Line(index, what));
    }
    if shape.elements() > MAX_ELEMENTS {
        let what = format!("a full {shape} matrix is too large (at most {MAX_ELEMENTS} elements)");
        return Err(Malformed::Line(index, what));
    }
    let mut elements = room(shape.elements(), "a MatrixMarket file")?;
    elements.resize(shape.elements() as usize, 0.0);
    let mut table = Table { shape, class: None, elements };
    let mut place = (0, u64::from(header.symmetry == Symmetry::Skew));
    let (mut found, mut last) = (0u64, index);
    for line in lines {
        let (index, line) = line?;
        last = index;
        if found == promised {
            return Err(Malformed::Line(
                index,
                format!("there are more than the {promised} entries promised"),
            ));
        }
        if header.coordinate {
            coordinate_entry(line, index, header, &mut table)?;
        } else {
            let value = number(line.trim(), index, 1)?;
            place = array_entry(value, place, header.symmetry, &mut table);
        }
        found += 1;
    }
    if found < promised {
        return Err(Malformed::Line(last, format!("the file ends after {found} of {promised} entries")));
    }
    Ok(table)
}

/// Entries of an array file.
fn array_entries(shape: Shape, symmetry: Symmetry) -> u64 {
    let side = u64::from(shape.rows);
    match symmetry {
        Symmetry::General => shape.elements(),
        Symmetry::Symmetric => side * (side + 1) / 2,
        Symmetry::Skew => side * side.saturating_sub(1) / 2,
    }
}

/// Puts the entry of an array file at (column, row), and gives the place of the next one.
fn array_entry(value: f64, (column, row): (u64, u64), symmetry: Symmetry, table: &mut Table) -> (u64, u64) {
    add(table, row, column, value, symmetry);
    if row + 1 < u64::from(table.shape.rows) {
        return (column, row + 1);
    }
    match symmetry {
        Symmetry::General => (column + 1, 0),
        Symmetry::Symmetric => (column + 1, column + 1),
        Symmetry::Skew => (column + 1, column + 2),
    }
}

fn coordinate_entry(line: &str, index: usize, header: Header, table: &mut Table) -> Result<(), Malformed> {
    let mut fields = line.split_whitespace();
    let mut next = || {
        fields.next().ok_or_else(|| {
            let wanted = if header.pattern { "row and column" } else { "row, column and value" };
            Malformed::Line(index, format!("{wanted} are needed here"))
        })
    };
    let (row, column) = (whole(next()?, index)?, whole(next()?, index)?);
    let value = if header.pattern { 1.0 } else { number(next()?, index, 3)? };
    if fields.next().is_some() {
        return Err(Malformed::Line(index, "there is more than one entry in this line".into()));
    }
    let (rows, columns) = (u64::from(table.shape.rows), u64::from(table.shape.columns));
    if !(1..=rows).contains(&row) || !(1..=columns).contains(&column) {
        let what = format!("entry ({row}, {column}) lies outside of the {} matrix", table.shape);
        return Err(Malformed::Line(index, what));
    }
    if header.symmetry != Symmetry::General && row < column {
        let what = format!("entry ({row}, {column}) lies above the diagonal of a symmetric matrix");
        return Err(Malformed::Line(index, what));
    }
    if header.symmetry == Symmetry::Skew && row == column {
        return Err(Malformed::Line(index, "a skew-symmetric matrix has no entries on its diagonal".into()));
    }
    add(table, row - 1, column - 1, value, header.symmetry);
    Ok(())
}

/// Adds a value at (row, column), and at its mirror image.
fn add(table: &mut Table, row: u64, column: u64, value: f64, symmetry: Symmetry) {
    let rows = u64::from(table.shape.rows);
    let mut put = |row: u64, column: u64, value: f64| {
        let element = &mut table.elements[(column * rows + row) as usize];
        // The first value is stored as it is: adding it to 0 would lose the sign of -0.
        *element = if *element == 0.0 { value } else { *element + value };
    };
    put(row, column, value);
    match symmetry {
        Symmetry::Symmetric if row != column => put(column, row, value),
        Symmetry::Skew => put(column, row, -value),
        Symmetry::General | Symmetry::Symmetric => {}
    }
}

/// The table as a general real array.
#[must_use]
pub fn to_bytes(table: &Table) -> Vec<u8> {
    let Shape { rows, columns } = table.shape;
    let mut text = format!("%%MatrixMarket matrix array real general\n{rows} {columns}\n");
    for &element in &table.elements {
        text.push_str(&display::number(element, table.is_single()));
        text.push('\n');
    }
    text.into_bytes()
}
