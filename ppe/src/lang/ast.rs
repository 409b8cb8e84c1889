//! A parsed program.
//!
//! An expression is a flat list in postfix order: first operands, then their operator. So evaluating or
//! dropping a chain of a million additions takes a loop only.

use super::error::Position;
use super::functions::Function;

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `|`
    Or,
    /// `&`
    And,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `.*`
    Times,
    /// `/`
    Over,
    /// `./`
    Divide,
    /// `.^`
    Power,
}

impl Operator {
    /// The operator that is written so.
    #[must_use]
    pub fn from_mark(mark: &str) -> Option<Operator> {
        Some(match mark {
            "|" => Operator::Or,
            "&" => Operator::And,
            "<" => Operator::Less,
            "<=" => Operator::LessEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterEqual,
            "==" => Operator::Equal,
            "!=" => Operator::NotEqual,
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            ".*" => Operator::Times,
            "/" => Operator::Over,
            "./" => Operator::Divide,
            ".^" => Operator::Power,
            _ => return None,
        })
    }

    /// How tightly it binds, as in Octave; signs and `!` stand between 5 and 6.
    #[must_use]
    pub fn precedence(self) -> u8 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual => 3,
            Operator::Add | Operator::Subtract => 4,
            Operator::Multiply | Operator::Times | Operator::Over | Operator::Divide => 5,
            Operator::Power => 6,
        }
    }
}

/// A matrix written out.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// The elements, row by row.
    pub elements: Vec<f64>,
}

/// A step of an expression in postfix order.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A number.
    Number(f64),
    /// Text in quotes.
    Text(String),
    /// A variable, or one of the named numbers.
    Name(String),
    /// A matrix written out.
    Matrix(Literal),
    /// Unary minus.
    Negate,
    /// `!`
    Not,
    /// An operator on the last two values.
    Operator(Operator),
    /// A function of the last so many values.
    Call(&'static Function, u32),
    /// So many subscripts of the last value follow.
    Subject(u32),
    /// `:` as a subscript.
    All,
    /// `first:last` of the last two values; with a step `first:step:last` of the last three.
    Range {
        /// Whether there is a step.
        step: bool,
    },
    /// `end` in the subscript of this number, from 0 on.
    End(u32),
    /// Takes the elements that so many subscripts say.
    Index {
        /// The variable's name, empty for another expression; for messages.
        name: String,
        /// Number of subscripts.
        count: u32,
    },
}

/// An expression: steps in postfix order, each with its place.
pub type Expression = Vec<(Step, Position)>;

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// `name = expression`, shown unless a semicolon follows.
    Assign {
        /// The variable.
        name: String,
        /// Its new value.
        expression: Expression,
        /// Show it.
        show: bool,
    },
    /// An expression alone: a variable is shown under its name, everything else becomes `ans`.
    Evaluate {
        /// The expression.
        expression: Expression,
        /// Show it.
        show: bool,
    },
    /// `print (x, ...)`: the elements alone, one row a line.
    Print(Vec<Expression>),
    /// `force (x, ...)`: execute what these values need, now.
    Force(Vec<Expression>),
    /// `save (file, x)`
    Save {
        /// The file's name.
        file: Expression,
        /// What to write.
        value: Expression,
    },
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Where it begins.
    pub position: Position,
    /// What it does.
    pub action: Action,
}

/// A parsed program.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Its file, for messages.
    pub file: String,
    /// Its statements, in order.
    pub statements: Vec<Statement>,
    /// Its text, for messages.
    pub source: String,
}
