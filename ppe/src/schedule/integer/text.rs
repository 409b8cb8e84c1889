//! An integer program as a file for solvers.

use std::fmt::{self, Display, Formatter};

use super::IntegerProgram;

/// The program in the LP format, as CPLEX, HiGHS, SCIP, Gurobi and others read it.
#[derive(Debug)]
pub struct Lp<'a>(pub &'a IntegerProgram);

/// The program in the free MPS format.
#[derive(Debug)]
pub struct Mps<'a>(pub &'a IntegerProgram);

/// Terms in a line. Readers of the LP format may have a limit for the length of a line.
const TERMS_IN_LINE: usize = 8;

impl Display for Lp<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let IntegerProgram { columns, rows, .. } = self.0;
        writeln!(f, "Minimize\n makespan: {}\nSubject To", columns[0].name)?;
        for row in rows {
            write!(f, " {}:", row.name)?;
            for (position, &(column, factor)) in row.terms.iter().enumerate() {
                if position > 0 && position % TERMS_IN_LINE == 0 {
                    write!(f, "\n ")?;
                }
                let sign = if factor < 0 { '-' } else { '+' };
                write!(f, " {sign} {} {}", factor.unsigned_abs(), columns[column].name)?;
            }
            writeln!(f, " {} {}", if row.equal { "=" } else { "<=" }, row.right)?;
        }
        // Any number from 0 on is the default.
        writeln!(f, "Binary")?;
        for column in columns.iter().filter(|column| column.binary) {
            writeln!(f, " {}", column.name)?;
        }
        writeln!(f, "End")
    }
}

impl Display for Mps<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let IntegerProgram { columns, rows, .. } = self.0;
        writeln!(f, "NAME schedule\nROWS\n N objective")?;
        for row in rows {
            writeln!(f, " {} {}", if row.equal { 'E' } else { 'L' }, row.name)?;
        }
        let mut by_column = vec![Vec::new(); columns.len()];
        for row in rows {
            for &(column, factor) in &row.terms {
                by_column[column].push((&row.name, factor));
            }
        }
        writeln!(f, "COLUMNS\n {} objective 1", columns[0].name)?;
        let mut binary = false;
        for (column, entries) in columns.iter().zip(by_column) {
            if column.binary != binary {
                binary = column.binary;
                let marker = if binary { "INTORG" } else { "INTEND" };
                writeln!(f, " MARKER 'MARKER' '{marker}'")?;
            }
            for (row, factor) in entries {
                writeln!(f, " {} {row} {factor}", column.name)?;
            }
        }
        if binary {
            writeln!(f, " MARKER 'MARKER' 'INTEND'")?;
        }
        writeln!(f, "RHS")?;
        for row in rows.iter().filter(|row| row.right != 0) {
            writeln!(f, " RHS {} {}", row.name, row.right)?;
        }
        writeln!(f, "BOUNDS")?;
        for column in columns.iter().filter(|column| column.binary) {
            writeln!(f, " BV BOUND {}", column.name)?;
        }
        writeln!(f, "ENDATA")
    }
}
