//! What [`RandomOptions::wild`](super::RandomOptions::wild) adds to random programs.

use super::{Generator, Variable};
use crate::operation::OpKind;

/// Fewest variables that a program keeps.
const LEAST_VARIABLES: usize = 4;

/// Most elements of what is shown in between, and of vectors that become other shapes: a diagonal has the square.
const FEW: u64 = 300;

impl Generator {
    /// A constant with NaN, infinities and zeros of both signs.
    pub(super) fn wild_constant(&mut self, rows: u32, columns: u32) -> String {
        if (1..=12).contains(&(u64::from(rows) * u64::from(columns))) {
            let marks = ["NaN", "Inf", "-Inf", "-0", "0", "1", "-2", "3"];
            let mut row = || -> String {
                let marks: Vec<_> = (0..columns).map(|_| marks[self.random.below(marks.len())]).collect();
                marks.join(", ")
            };
            let rows: Vec<_> = (0..rows).map(|_| row()).collect();
            return format!("[{}]", rows.join("; "));
        }
        let (seed, other) = (self.random.below(1000), self.random.below(1000));
        let some = if self.random.chance(50) { 0.48 } else { 0.0 };
        // A few quotients by 0.
        format!(
            "copy(round(rand({rows}, {columns}, {seed}) * 8 - 4) ./ round(rand({rows}, {columns}, {other}) + {some}))"
        )
    }

    /// Now and then the program forces values, shows one, or forgets one.
    pub(super) fn demand(&mut self) {
        if self.random.chance(10) {
            let count = 1 + self.random.below(3);
            let names: Vec<_> = (0..count).map(|_| self.any().name).collect();
            self.line(format_args!("force({});", names.join(", ")));
        }
        if self.random.chance(5) {
            let shown = self.any();
            if elements(&shown) <= FEW {
                self.line(format_args!("print({});", shown.name));
            }
        }
        if self.random.chance(15) && self.variables.len() > LEAST_VARIABLES {
            let index = self.random.below(self.variables.len());
            let name = self.variables.remove(index).name;
            self.line(format_args!("{name} = 0;"));
        }
    }

    /// Adds a view or a join. False where [`Generator::direct`] is to make what it makes without.
    pub(super) fn wild_direct(&mut self, kind: OpKind, a: &Variable) -> bool {
        let (name, rows, columns) = (a.name.as_str(), a.rows, a.columns);
        let is_vector = rows == 1 || columns == 1;
        let (mut bound, mut whole) = (a.bound, a.whole);
        let (expression, (rows, columns)) = match kind {
            OpKind::View if rows > 0 && columns > 0 && self.random.chance(60) => {
                let ((down, height), (right, width)) = (self.some(rows), self.some(columns));
                (format!("{name}({down}, {right})"), (height, width))
            }
            OpKind::View if elements(a) <= FEW && self.random.chance(50) => {
                (format!("{name}(:)"), (rows * columns, 1))
            }
            OpKind::Join if columns < 500 && self.random.chance(60) => {
                let other = self.matching(rows, columns, |v| v.rows == rows && v.columns < 500);
                (bound, whole) = (bound.max(other.bound), whole && other.whole);
                (format!("horzcat({name}, {})", other.name), (rows, columns + other.columns))
            }
            OpKind::Diagonal if is_vector && elements(a) > FEW => (format!("{name}'"), (columns, rows)),
            _ => return false,
        };
        self.push(&expression, rows, columns, bound, whole);
        true
    }

    /// A subscript that takes some of a side, and how many.
    fn some(&mut self, length: u32) -> (String, u32) {
        if self.random.chance(30) {
            return (":".into(), length);
        }
        let first = 1 + self.random.below(length as usize) as u32;
        let step = 1 + self.random.below(3) as u32;
        let count = 1 + self.random.below(((length - first) / step + 1) as usize) as u32;
        let last = first + (count - 1) * step;
        match self.random.chance(70) {
            true => (format!("{first}:{step}:{last}"), count),
            false => (format!("{last}:-{step}:{first}"), count),
        }
    }
}

fn elements(variable: &Variable) -> u64 {
    u64::from(variable.rows) * u64::from(variable.columns)
}
