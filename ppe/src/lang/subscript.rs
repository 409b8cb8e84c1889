//! Subscripts: `A(2, :)`, `A(1:2:end, 3)`, `v(end)`.  Elements are taken by a view, which is recorded.

use super::display;
use crate::error::{Error, Result};
use crate::operation::{MAX_SIDE, Part, Shape, View};
use crate::session::Session;
use crate::trace::Value;

/// Which elements along a side are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subscript {
    /// `:`
    All,
    /// A number.
    At(f64),
    /// `first:last` and `first:step:last`.
    Range {
        /// Where it begins.
        first: f64,
        /// From one to the next.
        step: f64,
        /// Where it ends at the latest.
        last: f64,
    },
}

/// Some elements of a side, counted from 0.
#[derive(Debug, Clone, Copy)]
struct Section {
    first: i64,
    step: i64,
    count: u64,
}

/// What is indexed, for messages: a variable's name, or nothing.
#[derive(Debug, Clone, Copy)]
struct Place<'n> {
    name: &'n str,
    shape: Shape,
    /// Which of how many subscripts.
    position: usize,
    subscripts: usize,
}

impl Place<'_> {
    /// The subscript in its place, as Octave shows it: `A(_,4)`.
    fn text(&self, value: f64) -> String {
        let number = display::number(value, false);
        let fields: Vec<&str> =
            (0..self.subscripts).map(|at| if at == self.position { number.as_str() } else { "_" }).collect();
        let name = if self.name.is_empty() { "index " } else { self.name };
        format!("{name}({})", fields.join(","))
    }

    fn whole(&self, value: f64) -> Result<i64> {
        if value.fract() != 0.0 || value.abs() > MAX_SIDE as f64 * 2.0 {
            let what = format!("{}: a subscript must be a whole number", self.text(value));
            return Err(Error::Argument(what));
        }
        Ok(value as i64)
    }

    /// A number from 1 to `length`.
    fn inside(&self, value: i64, length: u64) -> Result<()> {
        let text = self.text(value as f64);
        if value < 1 {
            return Err(Error::Argument(format!("{text}: elements are counted from 1")));
        }
        if value.unsigned_abs() > length {
            let shape = self.shape;
            return Err(Error::Argument(format!("{text}: out of bound {length} (dimensions are {shape})")));
        }
        Ok(())
    }

    fn section(&self, subscript: Subscript, length: u64) -> Result<Section> {
        let (first, step, last) = match subscript {
            Subscript::All => return Ok(Section { first: 0, step: 1, count: length }),
            Subscript::At(value) => {
                let value = self.whole(value)?;
                (value, 1, value)
            }
            Subscript::Range { first, step, last } => {
                (self.whole(first)?, self.whole(step)?, self.whole(last)?)
            }
        };
        let section = range(first, last, step, &self.text(step as f64))?;
        if section.count > 0 {
            self.inside(first, length)?;
            self.inside(first + step * (section.count as i64 - 1), length)?;
        }
        Ok(section)
    }
}

/// The range `first, first + step, ...` up to `last` of a side, all counted from 1.
fn range(first: i64, last: i64, step: i64, name: &str) -> Result<Section> {
    if step == 0 {
        return Err(Error::Argument(format!("{name}: a step of 0 leads nowhere")));
    }
    let empty = (last - first).signum() == -step.signum();
    let count = if empty { 0 } else { ((last - first) / step + 1).unsigned_abs() };
    Ok(Section { first: first - 1, step, count })
}

/// What `end` is in the subscript of this number, from 0 on, of so many.
#[must_use]
pub fn last(shape: Shape, number: u32, subscripts: u32) -> f64 {
    match (number, subscripts) {
        (_, 1) => shape.elements() as f64,
        (0, _) => f64::from(shape.rows),
        (1, _) => f64::from(shape.columns),
        _ => 1.0,
    }
}

/// Records the elements of `value` that one or two subscripts take.  `name` is the variable's, if it has one.
///
/// # Errors
/// [`Error::Argument`] for subscripts that are no whole numbers, or lie outside.
pub fn record(
    session: &Session,
    name: &str,
    value: &Value,
    subscripts: &[Subscript],
    (file, line): (&str, u32),
) -> Result<Value> {
    let shape = value.shape();
    let place = |position| Place { name, shape, position, subscripts: subscripts.len() };
    let (taken, view) = match *subscripts {
        [one] => {
            let Section { first, step, count } = place(0).section(one, shape.elements())?;
            // As in Octave: a part of a vector lies as the vector does, and a range of a matrix is a row.
            let column = match one {
                Subscript::All => true,
                _ => shape.columns == 1 && shape.rows != 1,
            };
            let taken = if column { Shape::new(count, 1)? } else { Shape::new(1, count)? };
            (taken, View { offset: first, row_step: step, column_step: step, part: Part::Whole })
        }
        [row, column] => {
            let rows = place(0).section(row, shape.rows.into())?;
            let columns = place(1).section(column, shape.columns.into())?;
            let view = View::slice(shape, (rows.first, rows.step), (columns.first, columns.step));
            (Shape::new(rows.count, columns.count)?, view)
        }
        _ => {
            let what = "one or two subscripts are needed: A(row, column), A(number)";
            return Err(Error::Argument(what.into()));
        }
    };
    session.record(|recorder| recorder.view(value, taken, view, file, line))
}
