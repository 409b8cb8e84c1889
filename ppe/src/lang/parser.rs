//! From tokens to a program: recursive descent, whose depth is bounded.

use super::ast::{Action, Expression, Literal, Operator, Program, Statement, Step};
use super::error::{Cause, Position, ProgramError};
use super::functions::{STATEMENTS, function, named_number};
use super::lexer::{Lexeme, SyntaxError, Token, tokens};

/// Parentheses, calls and signs within each other: far more than anybody writes, and far less than the stack holds.
pub const MAX_NESTING: u32 = 200;

/// Parses a program.  `file` is its name in messages.
///
/// # Errors
/// The first mistake, with its place.
pub fn parse(source: &[u8], file: &str) -> Result<Program, ProgramError> {
    let error = |(position, what): SyntaxError| ProgramError {
        file: file.to_owned(),
        position,
        cause: Cause::Syntax(what),
    };
    let tokens = tokens(source).map_err(error)?;
    let mut parser = Parser { tokens, next: 0, nesting: 0 };
    let statements = parser.program().map_err(error)?;
    Ok(Program { file: file.to_owned(), statements })
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    nesting: u32,
}

type Parsed<T> = Result<T, SyntaxError>;

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.next]
    }

    /// The token after the next one.
    fn following(&self) -> &Token {
        &self.tokens[(self.next + 1).min(self.tokens.len() - 1)]
    }

    fn position(&self) -> Position {
        self.token().position
    }

    /// Steps on; the last token, the end, stays.
    fn step(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn is_mark(&self, mark: &str) -> bool {
        matches!(self.token().lexeme, Lexeme::Mark(other) if other == mark)
    }

    fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.step();
        }
        found
    }

    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        let found = match &self.token().lexeme {
            Lexeme::Name(name) => format!("'{name}'"),
            Lexeme::Number(_) => "a number".into(),
            Lexeme::Text(_) => "a text".into(),
            Lexeme::Mark(mark) => format!("'{mark}'"),
            Lexeme::Newline => "the end of the line".into(),
            Lexeme::End => "the end of the program".into(),
        };
        Err((self.position(), format!("{wanted} is needed here, not {found}")))
    }

    fn expect_mark(&mut self, mark: &str) -> Parsed<()> {
        if self.take_mark(mark) { Ok(()) } else { self.unexpected(&format!("'{mark}'")) }
    }

    fn program(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            while matches!(self.token().lexeme, Lexeme::Newline | Lexeme::Mark(";" | ",")) {
                self.step();
            }
            if self.token().lexeme == Lexeme::End {
                return Ok(statements);
            }
            let position = self.position();
            let action = self.action()?;
            statements.push(Statement { position, action });
        }
    }

    fn action(&mut self) -> Parsed<Action> {
        let name = match &self.token().lexeme {
            Lexeme::Name(name) => Some(name.clone()),
            _ => None,
        };
        if let Some(name) = name {
            let position = self.position();
            if self.following().lexeme == Lexeme::Mark("=") {
                if function(&name).is_some() || STATEMENTS.contains(&name.as_str()) {
                    return Err((position, format!("'{name}' is a function; it cannot be a variable")));
                }
                self.step();
                self.step();
                let expression = self.expression()?;
                let show = self.end_of_statement()?;
                return Ok(Action::Assign { name, expression, show });
            }
            if STATEMENTS.contains(&name.as_str()) {
                self.step();
                let action = self.statement_call(&name, position)?;
                self.end_of_statement()?;
                return Ok(action);
            }
        }
        let expression = self.expression()?;
        let show = self.end_of_statement()?;
        Ok(Action::Evaluate { expression, show })
    }

    fn statement_call(&mut self, name: &str, position: Position) -> Parsed<Action> {
        self.expect_mark("(")?;
        let mut arguments = self.arguments()?;
        match name {
            "save" => {
                let (Some(value), Some(file), true) =
                    (arguments.pop(), arguments.pop(), arguments.is_empty())
                else {
                    return Err((position, "save takes 2 arguments: a file name and a value".into()));
                };
                Ok(Action::Save { file, value })
            }
            _ if arguments.is_empty() => Err((position, format!("{name} takes at least 1 argument"))),
            "print" => Ok(Action::Print(arguments)),
            _ => Ok(Action::Force(arguments)),
        }
    }

    /// Takes what ends a statement; false when it was a semicolon.
    fn end_of_statement(&mut self) -> Parsed<bool> {
        match self.token().lexeme {
            Lexeme::Mark(";") => {
                self.step();
                Ok(false)
            }
            Lexeme::Mark(",") | Lexeme::Newline => {
                self.step();
                Ok(true)
            }
            Lexeme::End => Ok(true),
            Lexeme::Mark("^") => {
                Err((self.position(), "matrix powers are not available; '.^' works on elements".into()))
            }
            Lexeme::Mark("=") => Err((self.position(), "only a variable can be assigned to".into())),
            Lexeme::Name(_) | Lexeme::Number(_) | Lexeme::Text(_) | Lexeme::Mark(_) => {
                self.unexpected("an operator or the end of the statement")
            }
        }
    }

    /// Arguments up to the closing parenthesis.
    fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        let mut arguments = Vec::new();
        if self.take_mark(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if self.take_mark(")") {
                return Ok(arguments);
            }
            if !self.take_mark(",") {
                return self.unexpected("',' or ')'");
            }
        }
    }

    fn expression(&mut self) -> Parsed<Expression> {
        let mut steps = Expression::new();
        self.binary(1, &mut steps)?;
        Ok(steps)
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Parser) -> Parsed<()>) -> Parsed<()> {
        if self.nesting == MAX_NESTING {
            return Err((self.position(), format!("more than {MAX_NESTING} levels within each other")));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// Operators that bind at least as tightly as `least`; all associate to the left.
    fn binary(&mut self, least: u8, steps: &mut Expression) -> Parsed<()> {
        self.signed(steps)?;
        loop {
            let position = self.position();
            let Lexeme::Mark(mark) = self.token().lexeme else { return Ok(()) };
            let Some(operator) = Operator::from_mark(mark) else { return Ok(()) };
            if operator.precedence() < least {
                return Ok(());
            }
            self.step();
            self.nested(|parser| parser.binary(operator.precedence() + 1, steps))?;
            steps.push((Step::Operator(operator), position));
        }
    }

    /// Signs and `!`, and what they apply to: a power, since `-a .^ b` is `-(a .^ b)`.
    fn signed(&mut self, steps: &mut Expression) -> Parsed<()> {
        let position = self.position();
        for (mark, step) in [("-", Step::Negate), ("!", Step::Not)] {
            if self.take_mark(mark) {
                self.nested(|parser| parser.signed(steps))?;
                steps.push((step, position));
                return Ok(());
            }
        }
        if self.take_mark("+") {
            return self.nested(|parser| parser.signed(steps));
        }
        self.primary(steps)?;
        loop {
            let position = self.position();
            if self.take_mark("'") {
                if let Some(transpose) = function("transpose") {
                    steps.push((Step::Call(transpose, 1), position));
                }
                continue;
            }
            if !self.take_mark(".^") {
                return Ok(());
            }
            self.exponent(steps)?;
            steps.push((Step::Operator(Operator::Power), position));
        }
    }

    /// An exponent may have signs of its own, which bind tighter than the next power.
    fn exponent(&mut self, steps: &mut Expression) -> Parsed<()> {
        let position = self.position();
        for (mark, step) in [("-", Step::Negate), ("!", Step::Not)] {
            if self.take_mark(mark) {
                self.nested(|parser| parser.exponent(steps))?;
                steps.push((step, position));
                return Ok(());
            }
        }
        if self.take_mark("+") {
            return self.nested(|parser| parser.exponent(steps));
        }
        self.primary(steps)
    }

    fn primary(&mut self, steps: &mut Expression) -> Parsed<()> {
        let position = self.position();
        match self.token().lexeme.clone() {
            Lexeme::Number(value) => {
                self.step();
                steps.push((Step::Number(value), position));
                Ok(())
            }
            Lexeme::Text(text) => {
                self.step();
                steps.push((Step::Text(text), position));
                Ok(())
            }
            Lexeme::Mark("(") => {
                self.step();
                self.nested(|parser| parser.binary(1, steps))?;
                self.expect_mark(")")
            }
            Lexeme::Mark("[") => {
                self.step();
                let literal = self.literal(position)?;
                steps.push((Step::Matrix(literal), position));
                Ok(())
            }
            Lexeme::Name(name) => {
                self.step();
                if self.is_mark("(") {
                    self.step();
                    return self.nested(|parser| parser.call(&name, position, steps));
                }
                if function(&name).is_some() || STATEMENTS.contains(&name.as_str()) {
                    return Err((position, format!("'{name}' is a function: its arguments are missing")));
                }
                steps.push((Step::Name(name), position));
                Ok(())
            }
            Lexeme::Mark(_) | Lexeme::Newline | Lexeme::End => self.unexpected("a value"),
        }
    }

    fn call(&mut self, name: &str, position: Position, steps: &mut Expression) -> Parsed<()> {
        let Some(function) = function(name) else {
            let what = match STATEMENTS.contains(&name) {
                true => format!("{name} gives no value"),
                false => format!("there is no function '{name}'"),
            };
            return Err((position, what));
        };
        let arguments = self.arguments()?;
        let (least, most) = function.arguments;
        let count = arguments.len() as u32;
        if !(least..=most).contains(&count) {
            let wanted = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            return Err((position, format!("{name} takes {wanted} arguments, not {count}")));
        }
        arguments.into_iter().for_each(|argument| steps.extend(argument));
        steps.push((Step::Call(function, count), position));
        Ok(())
    }

    /// The rows up to the closing bracket.
    fn literal(&mut self, start: Position) -> Parsed<Literal> {
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
            match self.token().lexeme {
                Lexeme::Mark(";") | Lexeme::Newline => self.step(),
                Lexeme::Mark("]") => {
                    self.step();
                    return Ok(literal);
                }
                _ => return Err((start, "this '[' has no closing ']'".into())),
            }
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

#[cfg(test)]
mod tests;
