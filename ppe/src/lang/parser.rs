//! From tokens to a program: recursive descent, whose depth is bounded.

mod expression;
mod literal;

use std::collections::HashSet;

use super::ast::{Action, Program, Statement};
use super::error::{Cause, Position, ProgramError};
use super::functions::{STATEMENTS, function};
use super::lexer::{Lexeme, SyntaxError, Token, tokens};

/// Parentheses, calls and signs within each other: far more than anybody writes, and far less than the stack
/// holds.
pub const MAX_NESTING: u32 = 200;

/// Parses a program.  `file` is its name in messages.
///
/// # Errors
/// The first mistake, with its place.
pub fn parse(source: &[u8], file: &str) -> Result<Program, ProgramError> {
    let text = String::from_utf8_lossy(source);
    let error = |(position, what): SyntaxError| ProgramError::new(file, &text, position, Cause::Syntax(what));
    let tokens = tokens(source).map_err(error)?;
    let mut parser =
        Parser { tokens, next: 0, nesting: 0, open: Vec::new(), variables: HashSet::new(), subscript: None };
    let statements = parser.program().map_err(error)?;
    Ok(Program { file: file.to_owned(), statements, source: text.into_owned() })
}

/// What `end` is, where it stands elsewhere.
const END: &str = "'end' stands for the last element, in the subscripts of a variable";

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    nesting: u32,
    /// Parentheses and brackets that have not been closed, and where they stand.
    open: Vec<(&'static str, Position)>,
    /// Variables that have been assigned to.  A program is a straight line, so no other exists.
    variables: HashSet<String>,
    /// Number of the subscript that is being parsed, if it is one.
    subscript: Option<u32>,
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
        let what = format!("{wanted} is needed here, not {found}");
        let Some(&(mark, opened)) = self.open.last() else { return Err((self.position(), what)) };
        if self.token().lexeme == Lexeme::End {
            let closing = if mark == "(" { ")" } else { "]" };
            return Err((opened, format!("this '{mark}' has no closing '{closing}'")));
        }
        // What follows an unclosed one is blamed for it, so both places are named.
        let astray = matches!(self.token().lexeme, Lexeme::Mark("=" | ";" | ")" | "]"));
        if astray || self.position().line > opened.line {
            return Err((self.position(), format!("{what}; the '{mark}' at {opened} is still open")));
        }
        Err((self.position(), what))
    }

    /// Takes a parenthesis or bracket that has to be closed.
    fn open(&mut self, mark: &'static str) {
        self.open.push((mark, self.position()));
        self.step();
    }

    /// Takes what closes the last one, if it is there.
    fn take_closing(&mut self, mark: &str) -> bool {
        let found = self.take_mark(mark);
        if found {
            self.open.pop();
        }
        found
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
                if name == "end" {
                    return Err((position, END.into()));
                }
                self.step();
                self.step();
                let expression = self.expression()?;
                let show = self.end_of_statement()?;
                self.variables.insert(name.clone());
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
        self.variables.insert("ans".into());
        Ok(Action::Evaluate { expression, show })
    }

    fn statement_call(&mut self, name: &str, position: Position) -> Parsed<Action> {
        if !self.is_mark("(") {
            return self.unexpected("'('");
        }
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
            Lexeme::Mark(":") => {
                let what = "'range (first, last)' makes a row of numbers; ':' stands in subscripts only";
                Err((self.position(), what.into()))
            }
            Lexeme::Mark("=") => {
                Err((self.position(), "only a whole variable can be assigned to, not elements of it".into()))
            }
            Lexeme::Name(_) | Lexeme::Number(_) | Lexeme::Text(_) | Lexeme::Mark(_) => {
                self.unexpected("an operator or the end of the statement")
            }
        }
    }
}

#[cfg(test)]
mod tests;
