//! From tokens to a program: recursive descent, whose depth is bounded.

use std::collections::HashSet;

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

    /// Arguments in parentheses.
    fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        let mut arguments = Vec::new();
        self.open("(");
        if self.take_closing(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if self.take_closing(")") {
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
        self.element_of(steps)?;
        loop {
            let position = self.position();
            if self.take_mark("'") {
                if let Some(transpose) = function("transpose") {
                    steps.push((Step::Call(transpose, 1), position));
                }
                while self.is_mark("(") {
                    self.nested(|parser| parser.subscripts("", steps))?;
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
        self.element_of(steps)
    }

    /// A primary, and the elements that are taken of it.
    fn element_of(&mut self, steps: &mut Expression) -> Parsed<()> {
        let constant = matches!(self.token().lexeme, Lexeme::Number(_) | Lexeme::Text(_));
        self.primary(steps)?;
        while self.is_mark("(") && !constant {
            let name = match steps.as_slice() {
                [.., (Step::Name(name), _)] => name.clone(),
                _ => String::new(),
            };
            self.nested(|parser| parser.subscripts(&name, steps))?;
        }
        Ok(())
    }

    /// Subscripts in parentheses, of the value whose steps come before them.
    fn subscripts(&mut self, name: &str, steps: &mut Expression) -> Parsed<()> {
        let (start, position) = (steps.len(), self.position());
        steps.push((Step::Subject(0), position));
        self.open("(");
        let outer = self.subscript;
        let mut count = 0;
        while !self.take_closing(")") {
            if count > 0 && !self.take_mark(",") {
                return self.unexpected("',' or ')'");
            }
            self.subscript = Some(count);
            self.one_subscript(steps)?;
            count += 1;
        }
        self.subscript = outer;
        steps[start].0 = Step::Subject(count);
        steps.push((Step::Index { name: name.to_owned(), count }, position));
        Ok(())
    }

    fn one_subscript(&mut self, steps: &mut Expression) -> Parsed<()> {
        let position = self.position();
        if self.is_mark(":") && matches!(self.following().lexeme, Lexeme::Mark("," | ")")) {
            self.step();
            steps.push((Step::All, position));
            return Ok(());
        }
        self.binary(1, steps)?;
        let mut parts = 1;
        while parts < 3 && self.take_mark(":") {
            self.binary(1, steps)?;
            parts += 1;
        }
        if parts > 1 {
            steps.push((Step::Range { step: parts == 3 }, position));
        }
        Ok(())
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
                self.open("(");
                self.nested(|parser| parser.binary(1, steps))?;
                if self.take_closing(")") { Ok(()) } else { self.unexpected("')'") }
            }
            Lexeme::Mark("[") => {
                self.open("[");
                let literal = self.literal()?;
                steps.push((Step::Matrix(literal), position));
                Ok(())
            }
            Lexeme::Name(name) => {
                self.step();
                if name == "end" {
                    let Some(number) = self.subscript else { return Err((position, END.into())) };
                    steps.push((Step::End(number), position));
                    return Ok(());
                }
                let variable = self.variables.contains(&name) || named_number(&name).is_some();
                if self.is_mark("(") && !variable {
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
                false => format!("there is no function and no variable '{name}'"),
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
    fn literal(&mut self) -> Parsed<Literal> {
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

#[cfg(test)]
mod tests;
