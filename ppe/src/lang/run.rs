//! Runs a program against a session.
//!
//! Statements are executed in order.  Numbers are computed at once; operations on matrices are recorded, and
//! executed when a value is shown, saved, forced or copied, or when the session reaches a limit.

mod evaluate;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use super::ast::{Action, Program, Step};
use super::display::{Digits, write_named, write_rows};
use super::error::{Cause, Position, ProgramError};
use super::files;
use super::saved::Stated;
use super::subscript::Subscript;
use super::table::Table;
use crate::error::{Error, Result};
use crate::operation::{Precision, Shape};
use crate::output;
use crate::session::Session;
use crate::trace::Value;

/// How programs are run.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// Precision of literals, constructors, and files without one of their own.
    pub precision: Precision,
    /// Digits of numbers.
    pub digits: Digits,
    /// Record only: nothing is shown, saved or forced.  Values that `copy` and `transposed` need are executed
    /// nevertheless.
    pub record_only: bool,
    /// With `record_only`: no matrix has memory or elements, and nothing at all is executed. The trace that remains has
    /// the shapes of the program behind the last `copy`.
    pub shapes_only: bool,
    /// Dry run, for a session whose engine computes nothing: matrices get their memory, and have no elements.
    /// Nothing is shown or saved. The run fails where a file is loaded that it cannot know, or can read only once.
    pub dry: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            precision: Precision::Double,
            digits: Digits::Exact,
            record_only: false,
            shapes_only: false,
            dry: false,
        }
    }
}

/// A value of a program.
#[derive(Debug, Clone)]
enum Datum {
    /// A number, known when it is written.
    Number(f64),
    /// Text: a file's name.
    Text(String),
    /// A matrix, or what will be one.
    Matrix(Value),
    /// Which elements of another value are taken; stands within subscripts only.
    Subscript(Subscript),
}

/// A program that is running.
pub struct Runner<'r> {
    session: &'r Session,
    options: RunOptions,
    out: &'r mut dyn Write,
    variables: HashMap<String, Datum>,
    file: String,
    /// Whether a result has been shown or saved.
    shown: bool,
    /// What would have been shown, if that is noted.
    stated: Option<Vec<Stated>>,
}

type Run<T> = Result<T, (Position, Cause)>;

impl std::fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner")
            .field("file", &self.file)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Reports what is wrong with an argument, in words.
fn argument<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::Argument(what.into()))
}

impl<'r> Runner<'r> {
    /// A runner without variables, which shows results on `out`.
    #[must_use]
    pub fn new(session: &'r Session, options: RunOptions, out: &'r mut dyn Write) -> Runner<'r> {
        Runner {
            session,
            options,
            out,
            variables: HashMap::new(),
            file: String::new(),
            shown: false,
            stated: None,
        }
    }

    /// Whether the program has shown or saved anything so far.
    #[must_use]
    pub fn has_shown(&self) -> bool {
        self.shown
    }

    /// Notes what programs would show while they are recorded only. What is noted counts as needed.
    pub fn note_stated(&mut self) {
        self.stated = Some(Vec::new());
    }

    /// What has been noted.
    #[must_use]
    pub fn take_stated(&mut self) -> Vec<Stated> {
        self.stated.take().unwrap_or_default()
    }

    /// Notes what would be shown.
    fn state(&mut self, name: Option<&str>, datum: &Datum) {
        let Some(all) = &mut self.stated else { return };
        let owned = name.map(str::to_owned);
        all.extend(match (datum, name) {
            (Datum::Text(text), Some(name)) => Some(Stated::Text(format!("{name} = {text}"))),
            (Datum::Text(text), None) => Some(Stated::Text(text.clone())),
            (Datum::Number(number), _) => Some(Stated::Number(owned, *number)),
            (Datum::Matrix(value), _) => Some(Stated::Value(owned, value.clone())),
            (Datum::Subscript(_), _) => None,
        });
    }

    /// Runs a program.  `progress` is called before each statement, with its index.
    ///
    /// # Errors
    /// The first statement that fails.  What was shown before it has been written.
    pub fn run(&mut self, program: &Program, mut progress: impl FnMut(usize)) -> Result<(), ProgramError> {
        self.file.clone_from(&program.file);
        for (index, statement) in program.statements.iter().enumerate() {
            progress(index);
            self.action(&statement.action, statement.position).map_err(|(position, cause)| {
                ProgramError::new(&program.file, &program.source, position, cause)
            })?;
        }
        Ok(())
    }

    fn action(&mut self, action: &Action, position: Position) -> Run<()> {
        match action {
            Action::Assign { name, expression, show } => {
                let datum = self.evaluate(expression)?;
                if *show {
                    self.show(name, &datum, position)?;
                }
                self.variables.insert(name.clone(), datum);
            }
            Action::Evaluate { expression, show } => {
                let datum = self.evaluate(expression)?;
                let variable = match expression.as_slice() {
                    [(Step::Name(name), _)] => Some(name.as_str()),
                    _ => None,
                };
                if *show {
                    self.show(variable.unwrap_or("ans"), &datum, position)?;
                }
                if variable.is_none() {
                    self.variables.insert("ans".into(), datum);
                }
            }
            Action::Print(expressions) => {
                for expression in expressions {
                    let datum = self.evaluate(expression)?;
                    self.print(&datum, position)?;
                }
            }
            Action::Force(expressions) => {
                let data: Vec<Datum> =
                    expressions.iter().map(|expression| self.evaluate(expression)).collect::<Run<_>>()?;
                if !self.options.record_only {
                    self.force(&data).map_err(|error| (position, Cause::Runtime(error)))?;
                }
            }
            Action::Save { file, value } => {
                let (file, datum) = (self.evaluate(file)?, self.evaluate(value)?);
                self.save(&file, &datum, position)?;
            }
        }
        Ok(())
    }

    fn show(&mut self, name: &str, datum: &Datum, position: Position) -> Run<()> {
        self.state(Some(name), datum);
        if let Some(done) = self.shows_nothing(datum, position) {
            return done;
        }
        self.shown = true;
        if let Datum::Text(text) = datum {
            return writeln!(self.out, "{name} = {text}").map_err(|error| (position, Cause::Output(error)));
        }
        let table = self.table(datum).map_err(|error| (position, Cause::Runtime(error)))?;
        write_named(self.out, name, &table, self.options.digits)
            .map_err(|error| (position, Cause::Output(error)))
    }

    fn print(&mut self, datum: &Datum, position: Position) -> Run<()> {
        self.state(None, datum);
        if let Some(done) = self.shows_nothing(datum, position) {
            return done;
        }
        self.shown = true;
        let table = match datum {
            Datum::Text(text) => {
                return writeln!(self.out, "{text}").map_err(|error| (position, Cause::Output(error)));
            }
            _ => self.table(datum).map_err(|error| (position, Cause::Runtime(error)))?,
        };
        write_rows(self.out, &table, self.options.digits).map_err(|error| (position, Cause::Output(error)))
    }

    fn save(&mut self, file: &Datum, datum: &Datum, position: Position) -> Run<()> {
        let Datum::Text(file) = file else {
            let what = "save: the first argument must be a file name".to_owned();
            return Err((position, Cause::Runtime(Error::Argument(what))));
        };
        self.shown |= self.options.dry;
        if let Some(done) = self.shows_nothing(datum, position) {
            return done;
        }
        self.shown = true;
        let path = Path::new(file);
        let bytes = self.table(datum).and_then(|table| files::to_bytes(path, &table));
        let bytes = bytes.map_err(|error| (position, Cause::Runtime(error)))?;
        output::replace(path, &bytes).map_err(|error| (position, Cause::Output(error)))
    }

    /// What happens to a value instead of being shown or saved; None where it is shown or saved.
    fn shows_nothing(&self, datum: &Datum, position: Position) -> Option<Run<()>> {
        if self.options.dry {
            let executed = self.force(std::slice::from_ref(datum));
            return Some(executed.map_err(|error| (position, Cause::Runtime(error))));
        }
        self.options.record_only.then_some(Ok(()))
    }

    /// Executes what a value needs, in a dry run.
    fn execute(&self, value: &Value) -> Result<()> {
        if !value.has_result() {
            self.session.start(&[value])?;
        }
        // A value that has no result then has failed, and waiting says why.
        if value.has_result() { Ok(()) } else { self.session.wait(value, None).map(drop) }
    }

    /// Computes all values among these data together.
    fn force(&self, data: &[Datum]) -> Result<()> {
        let values = data.iter().filter_map(|datum| match datum {
            Datum::Matrix(value) => Some(value),
            _ => None,
        });
        let values: Vec<_> = values.collect();
        if values.len() > 1 {
            self.session.start(&values)?;
        }
        values.into_iter().try_for_each(|value| match self.options.dry {
            true => self.execute(value),
            false => self.session.force(value).map(drop),
        })
    }

    /// The elements of a value, computed now if need be.
    fn table(&self, datum: &Datum) -> Result<Table> {
        match datum {
            Datum::Number(value) => {
                Ok(Table { shape: Shape::new(1, 1)?, class: None, elements: vec![*value] })
            }
            Datum::Matrix(value) => Table::from_matrix(&*self.session.force(value)?, value.class()),
            Datum::Text(_) | Datum::Subscript(_) => argument("a text is not a matrix"),
        }
    }

    /// A constant with the elements of a value, or of the value transposed.  An engine without arithmetic has no
    /// elements; zeros stand for them, since graphs and schedules depend on shapes alone.
    fn copied(&self, datum: &Datum, transposed: bool) -> Result<Datum> {
        let Datum::Matrix(value) = datum else { return self.constant(&self.table(datum)?) };
        let (shape, class) = (value.shape(), Some(value.class()));
        let shape = if transposed { Shape { rows: shape.columns, columns: shape.rows } } else { shape };
        if self.options.dry {
            self.execute(value)?;
            return self.made(shape, class, |_, _| 0.0);
        }
        if self.options.shapes_only {
            // What has been recorded so far prepares the input, unless the value is known. Nobody computes it.
            if value.matrix().is_none() {
                drop(self.session.take_trace());
            }
            return self.made(shape, class, |_, _| 0.0);
        }
        if self.options.record_only && self.session.engine_name() == "null" {
            if !value.has_result() {
                self.session.flush()?;
            }
            return self.made(shape, class, |_, _| 0.0);
        }
        let matrix = self.session.force(value)?;
        let element = |r: usize, c: usize| matrix.value(r as u32, c as u32);
        self.made(shape, class, |r, c| if transposed { element(c, r) } else { element(r, c) })
    }
}
