//! Expressions: operators by precedence, signs, calls and subscripts, as steps in postfix order.

use super::super::ast::{Expression, Operator, Step};
use super::super::functions::{STATEMENTS, function, named_number};
use super::{END, Lexeme, MAX_NESTING, Parsed, Parser, Position};

impl Parser {
    /// Arguments in parentheses.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expression>> {
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

    pub(super) fn expression(&mut self) -> Parsed<Expression> {
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
}
