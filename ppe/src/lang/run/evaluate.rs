//! Values of expressions: numbers are computed at once, operations on matrices are recorded.

use std::path::Path;

use super::super::ast::{Expression, Literal, Operator, Step};
use super::super::functions::{Arguments, Function, Meaning, named_number};
use super::super::subscript::{self, Subscript};
use super::super::table::Table;
use super::super::{construct, direct, files};
use super::{Cause, Datum, Position, Run, Runner, argument};
use crate::error::{Error, Result};
use crate::matrix::{Constructor, Layout, Matrix};
use crate::operation::{Class, Form, OpKind, Precision, Shape};
use crate::trace::Value;

/// What the steps of an expression have left.
#[derive(Debug, Default)]
struct Stack {
    data: Vec<Datum>,
    /// Values whose subscripts are being computed: where they lie in `data`, and how many subscripts follow.
    subjects: Vec<(usize, u32)>,
}

impl Stack {
    /// Takes the top, which the parser has put there.
    fn pop(&mut self) -> Datum {
        self.data.pop().unwrap_or(Datum::Number(f64::NAN))
    }

    /// Takes so many from the top.
    fn take(&mut self, count: u32) -> Vec<Datum> {
        self.data.split_off(self.data.len() - count as usize)
    }
}

impl Runner<'_> {
    /// Runs the steps of an expression on a stack.
    pub(super) fn evaluate(&self, expression: &Expression) -> Run<Datum> {
        let mut stack = Stack::default();
        for (step, position) in expression {
            self.step(step, *position, &mut stack).map_err(|error| (*position, Cause::Runtime(error)))?;
        }
        Ok(stack.pop())
    }

    fn step(&self, step: &Step, position: Position, stack: &mut Stack) -> Result<()> {
        let line = position.line;
        let datum = match step {
            Step::Number(value) => Datum::Number(*value),
            Step::Text(text) => Datum::Text(text.clone()),
            Step::Name(name) => match (self.variables.get(name), named_number(name)) {
                (Some(datum), _) => datum.clone(),
                (None, Some(value)) => Datum::Number(value),
                (None, None) => return argument(format!("'{name}' is undefined")),
            },
            Step::Matrix(Literal { rows, columns, elements }) => {
                let shape = Shape::new(u64::from(*rows), u64::from(*columns))?;
                self.constant(&Table::from_rows(shape, elements)?)?
            }
            Step::Negate => self.negate(stack.pop(), line)?,
            Step::Not => self.unary(OpKind::Not, stack.pop(), line)?,
            Step::Operator(operator) => {
                let (b, a) = (stack.pop(), stack.pop());
                self.operator(*operator, a, b, line)?
            }
            Step::Call(function, count) => {
                let arguments = stack.take(*count);
                self.call(function, arguments, line)?
            }
            Step::Subject(count) => {
                stack.subjects.push((stack.data.len() - 1, *count));
                return Ok(());
            }
            Step::All => Datum::Subscript(Subscript::All),
            Step::Range { step } => {
                let number = |datum| size(datum, "a range");
                let last = number(stack.pop())?;
                let step = if *step { number(stack.pop())? } else { 1.0 };
                Datum::Subscript(Subscript::Range { first: number(stack.pop())?, step, last })
            }
            Step::End(number) => {
                let &(at, count) = stack.subjects.last().unwrap_or(&(0, 1));
                Datum::Number(subscript::last(shape_of(&stack.data[at]), *number, count))
            }
            Step::Index { name, count } => {
                let subscripts = stack.take(*count);
                stack.subjects.pop();
                self.index(name, stack.pop(), subscripts, line)?
            }
        };
        stack.data.push(datum);
        Ok(())
    }

    pub(super) fn constant(&self, table: &Table) -> Result<Datum> {
        let rows = table.shape.rows as usize;
        self.made(table.shape, table.class, |r, c| table.elements[c * rows + r])
    }

    /// A constant whose element (r, c) is `element(r, c)`, of this class, or in the precision of the program.
    pub(super) fn made(
        &self,
        shape: Shape,
        class: Option<Class>,
        element: impl Fn(usize, usize) -> f64,
    ) -> Result<Datum> {
        let class = class.unwrap_or(self.options.precision.into());
        let storage = match class {
            Class::Logical if self.session.storage(class) != Precision::Byte => self.options.precision,
            class => self.session.storage(class),
        };
        let pool = self.session.pool();
        if self.options.shapes_only {
            let matrix = Matrix::elsewhere(shape, storage, Layout::Touching);
            return Ok(Datum::Matrix(self.session.constant(matrix, class)?));
        }
        if self.options.dry && shape.elements() > 1 {
            return self.without_elements(shape, storage, class);
        }
        let matrix = match storage {
            Precision::Single => Matrix::from_fn(shape, pool, |r, c| element(r, c) as f32),
            Precision::Double => Matrix::from_fn(shape, pool, element),
            Precision::Byte => Matrix::from_fn(shape, pool, |r, c| u8::from(element(r, c) != 0.0)),
        }?;
        Ok(Datum::Matrix(self.session.constant(matrix, class)?))
    }

    /// A constant that this constructor, called by that name, makes in the precision of the program.
    fn constructed(&self, shape: Shape, constructor: Constructor, name: &str) -> Result<Datum> {
        if !self.options.shapes_only && !self.session.is_shared(shape) {
            construct::check_size(shape, name)?;
        }
        let class = self.options.precision.into();
        if self.options.shapes_only || (self.options.dry && shape.elements() > 1) {
            return self.made(shape, Some(class), |_, _| 0.0);
        }
        if self.options.record_only {
            let matrix = Matrix::constructed(shape, self.options.precision, constructor, self.session.pool());
            return Ok(Datum::Matrix(self.session.constant(matrix, class)?));
        }
        Ok(Datum::Matrix(self.session.constructed(constructor, shape, class)?))
    }

    /// A value that takes the memory of a constant, and whose elements nobody computes or writes.
    fn without_elements(&self, shape: Shape, storage: Precision, class: Class) -> Result<Datum> {
        let one = Matrix::zeros(Shape { rows: 1, columns: 1 }, storage, self.session.pool())?;
        let one = self.session.constant(one, class)?;
        let times = (shape.rows.into(), shape.columns.into());
        let value = self.session.record(|recorder| recorder.repeat(&one, times, &self.file, 0))?;
        self.execute(&value).map_err(|error| match error {
            Error::Memory { bytes, .. } => Error::Memory { bytes, purpose: format!("a {shape} matrix") },
            error => error,
        })?;
        Ok(Datum::Matrix(value))
    }

    /// A value to record operations on: a number becomes a 1x1 matrix.
    fn value(&self, datum: Datum) -> Result<Value> {
        match datum {
            Datum::Matrix(value) => Ok(value),
            Datum::Number(number) => {
                let element = |_, _| number;
                let matrix = Matrix::from_fn(Shape::new(1, 1)?, self.session.pool(), element)?;
                self.session.constant(matrix, Class::Double)
            }
            Datum::Text(_) | Datum::Subscript(_) => argument("a text cannot be an operand"),
        }
    }

    fn negate(&self, a: Datum, line: u32) -> Result<Datum> {
        if let Datum::Number(value) = a {
            return Ok(Datum::Number(-value));
        }
        self.unary(OpKind::Negate, a, line)
    }

    fn unary(&self, kind: OpKind, a: Datum, line: u32) -> Result<Datum> {
        Ok(Datum::Matrix(self.session.unary(kind, &self.value(a)?, &self.file, line)?))
    }

    fn operator(&self, operator: Operator, a: Datum, b: Datum, line: u32) -> Result<Datum> {
        let kind = match operator {
            Operator::Or => OpKind::Or,
            Operator::And => OpKind::And,
            Operator::Less => OpKind::Less,
            Operator::LessEqual => OpKind::LessEqual,
            Operator::Greater => OpKind::Greater,
            Operator::GreaterEqual => OpKind::GreaterEqual,
            Operator::Equal => OpKind::Equal,
            Operator::NotEqual => OpKind::NotEqual,
            Operator::Add => OpKind::Add,
            Operator::Subtract => OpKind::Subtract,
            Operator::Multiply => OpKind::Multiply,
            Operator::Times => OpKind::Times,
            Operator::Divide => OpKind::Divide,
            Operator::Power => OpKind::Power,
            Operator::Over => match &b {
                Datum::Matrix(value) if !value.shape().is_scalar() => {
                    let what = "operator /: the divisor must be a scalar; './' divides elements";
                    return argument(what);
                }
                _ => OpKind::Divide,
            },
        };
        if let (Datum::Number(a), Datum::Number(b)) = (&a, &b)
            && let Some(value) = of_numbers(kind, *a, *b)
        {
            return Ok(Datum::Number(value));
        }
        self.binary(kind, a, b, line)
    }

    fn binary(&self, kind: OpKind, a: Datum, b: Datum, line: u32) -> Result<Datum> {
        let (session, file) = (self.session, self.file.as_str());
        let (form, value, number) = match (a, b) {
            (Datum::Matrix(value), Datum::Number(number)) => (Form::ScalarRight, value, number),
            (Datum::Number(number), Datum::Matrix(value)) => (Form::ScalarLeft, value, number),
            (a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                return Ok(Datum::Matrix(session.binary(kind, &a, &b, file, line)?));
            }
        };
        let result = session.binary_scalar(kind, form, &value, number, Class::Double, file, line)?;
        Ok(Datum::Matrix(result))
    }

    /// The elements of a value that some subscripts take; without any it is the value.
    fn index(&self, name: &str, datum: Datum, subscripts: Vec<Datum>, line: u32) -> Result<Datum> {
        let subscripts = subscripts.into_iter().map(|subscript| match subscript {
            Datum::Number(value) => Ok(Subscript::At(value)),
            Datum::Subscript(subscript) => Ok(subscript),
            Datum::Matrix(_) | Datum::Text(_) => {
                argument("a subscript is a number that is known, a range such as 2:3, or ':'")
            }
        });
        let subscripts = subscripts.collect::<Result<Vec<Subscript>>>()?;
        if subscripts.is_empty() {
            return Ok(datum);
        }
        let (value, place) = (self.value(datum)?, (self.file.as_str(), line));
        Ok(Datum::Matrix(subscript::record(self.session, name, &value, &subscripts, place)?))
    }

    fn call(&self, function: &Function, arguments: Vec<Datum>, line: u32) -> Result<Datum> {
        let name = function.name;
        let mut arguments = arguments.into_iter();
        let mut next = || arguments.next().unwrap_or(Datum::Number(f64::NAN));
        match function.meaning {
            Meaning::Unary(OpKind::Negate) => self.negate(next(), line),
            Meaning::Unary(kind) => self.unary(kind, next(), line),
            Meaning::Binary(kind, allowed) => {
                let (a, b) = (next(), next());
                let numbers = [&a, &b].into_iter().filter(|datum| matches!(datum, Datum::Number(_))).count();
                match allowed {
                    Arguments::Matrices if numbers != 0 => {
                        argument(format!("{name} takes two matrices; the S functions take a number"))
                    }
                    Arguments::Scalar if numbers != 1 => {
                        argument(format!("{name} takes a matrix and a number"))
                    }
                    _ => self.binary(kind, a, b, line),
                }
            }
            Meaning::Convert(precision) => {
                let value = self.value(next())?;
                Ok(Datum::Matrix(self.session.convert(&value, precision, &self.file, line)?))
            }
            Meaning::Zeros | Meaning::Ones | Meaning::Eye => {
                let rows = size(next(), name)?;
                let columns = if let Some(datum) = arguments.next() { size(datum, name)? } else { rows };
                let shape = construct::shape(rows, columns, name)?;
                let constructor = match function.meaning {
                    Meaning::Zeros => Constructor::Zeros,
                    Meaning::Ones => Constructor::Ones,
                    _ => Constructor::Eye,
                };
                self.constructed(shape, constructor, name)
            }
            Meaning::Range => {
                let (first, last) = (size(next(), name)?, size(next(), name)?);
                self.constructed(construct::range(first, last)?, Constructor::Range(first), name)
            }
            Meaning::Rand => {
                let shape = construct::shape(size(next(), name)?, size(next(), name)?, name)?;
                self.constructed(shape, construct::rand(size(next(), name)?)?, name)
            }
            Meaning::Load => match next() {
                // What has been saved has not been written.
                Datum::Text(file) if self.options.dry && (self.shown || !Path::new(&file).is_file()) => {
                    argument(format!("load: {file} is not read in a dry run"))
                }
                Datum::Text(file) => self.constant(&files::load(Path::new(&file))?),
                _ => argument("load: the argument must be a file name"),
            },
            Meaning::Copy => self.copied(&next(), false),
            Meaning::Direct(direct) => {
                let values = (0..direct::matrices(direct)).map(|_| self.value(next()));
                let values = values.collect::<Result<Vec<Value>>>()?;
                let numbers = arguments.map(|datum| size(datum, name)).collect::<Result<Vec<f64>>>()?;
                let place = (self.file.as_str(), line);
                let value = direct::record(self.session, (direct, name), &values, &numbers, place)?;
                Ok(Datum::Matrix(value))
            }
            Meaning::Transposed => self.copied(&next(), true),
        }
    }
}

/// The shape of a value; a number is a matrix as well.
fn shape_of(datum: &Datum) -> Shape {
    match datum {
        Datum::Matrix(value) => value.shape(),
        _ => Shape { rows: 1, columns: 1 },
    }
}

/// A number among the arguments of a constructor.
fn size(datum: Datum, function: &str) -> Result<f64> {
    match datum {
        Datum::Number(value) => Ok(value),
        _ => argument(format!("{function} takes numbers that are known before anything is executed")),
    }
}

/// Operations on numbers that need no engine. All other operations on numbers are recorded on 1x1 matrices,
/// so that each operation is defined once.
fn of_numbers(kind: OpKind, a: f64, b: f64) -> Option<f64> {
    Some(match kind {
        OpKind::Add => a + b,
        OpKind::Subtract => a - b,
        OpKind::Multiply | OpKind::Times => a * b,
        OpKind::Divide => a / b,
        _ => return None,
    })
}
