//! Matrices that are written out.

use super::super::ast::Literal;
use super::super::functions::named_number;
use super::{Lexeme, Parsed, Parser};

impl Parser {
    /// The rows up to the closing bracket.
    pub(super) fn literal(&mut self) -> Parsed<Literal> {
        let mut literal = Literal { rows: 0, columns: 0, elements: Vec::new() };
        loop {
            let (position, before) = (self.position(), literal.elements.len());
            self.row(&mut literal.elements)?;
            let columns = literal.elements.len() - before;
            if columns > 0 {
                let columns =
                    u32::try_from(columns).map_err(|_| (position, "this row is too long".into()))?;
                if literal.rows > 0 && columns != literal.columns {
                    let (row, first) = (literal.rows + 1, literal.columns);
                    let what = format!("row {row} has {columns} elements; the rows before it have {first}");
                    return Err((position, what));
                }
                literal.rows += 1;
                literal.columns = columns;
            }
            if self.take_closing("]") {
                return Ok(literal);
            }
            if !matches!(self.token().lexeme, Lexeme::Mark(";") | Lexeme::Newline) {
                return self.unexpected("']'");
            }
            self.step();
        }
    }

    /// Elements up to the end of the row; commas and blanks separate them.
    fn row(&mut self, elements: &mut Vec<f64>) -> Parsed<()> {
        loop {
            // A comma may also end a row: `[1, 2, ]`.
            if matches!(self.token().lexeme, Lexeme::Newline | Lexeme::End | Lexeme::Mark("]" | ";")) {
                return Ok(());
            }
            elements.push(self.element()?);
            let ends = matches!(self.token().lexeme, Lexeme::Newline | Lexeme::End | Lexeme::Mark("]" | ";"));
            if !self.take_mark(",") && !self.token().after_blank && !ends {
                return self.unexpected("',', a blank, ';' or ']'");
            }
        }
    }

    /// A number with an optional sign, which must touch it: `[1 - 2]` would be an expression.
    fn element(&mut self) -> Parsed<f64> {
        let mut sign = 1.0;
        if self.is_mark("-") || self.is_mark("+") {
            if self.following().after_blank {
                return Err((self.position(), "a matrix literal takes numbers, not expressions".into()));
            }
            sign = if self.is_mark("-") { -1.0 } else { 1.0 };
            self.step();
        }
        let value = match &self.token().lexeme {
            Lexeme::Number(value) => *value,
            Lexeme::Name(name) => match named_number(name) {
                Some(value) => value,
                None => return self.unexpected("a number"),
            },
            _ => return self.unexpected("a number"),
        };
        self.step();
        Ok(sign * value)
    }
}
