//! What can be wrong with a program, and where.

use std::fmt;
use std::io;

use crate::error::Error;

/// A place in a program, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// Why a program was refused, or stopped.
#[derive(Debug)]
pub enum Cause {
    /// It is not a program.
    Syntax(String),
    /// A statement could not be executed.
    Runtime(Error),
    /// Results could not be written.
    Output(io::Error),
}

/// An error in a program.
#[derive(Debug)]
pub struct ProgramError {
    /// The program's file.
    pub file: String,
    /// The place in it.
    pub position: Position,
    /// What is wrong.
    pub cause: Box<Cause>,
    /// The program's line at the place.
    pub line: String,
}

/// Most characters of a line that are shown before and after the place of an error.
const SHOWN: usize = 60;

impl ProgramError {
    /// An error in a program with this text.
    #[must_use]
    pub fn new(file: &str, source: &str, position: Position, cause: Cause) -> ProgramError {
        let line = source.lines().nth(position.line.saturating_sub(1) as usize).unwrap_or_default();
        ProgramError { file: file.to_owned(), position, cause: Box::new(cause), line: line.to_owned() }
    }

    /// The line, and below it a mark under the place; of a long line the part around the place.
    #[must_use]
    pub fn excerpt(&self) -> String {
        let at = self.position.column.saturating_sub(1) as usize;
        let from = at.saturating_sub(SHOWN);
        let shown: String = self.line.chars().skip(from).take(at - from + SHOWN).collect();
        // A tab stays one, so that the mark stands where the terminal has put the character.
        let below = shown.chars().map(|c| if c == '\t' { '\t' } else { ' ' });
        let below: String = below.chain(std::iter::repeat(' ')).take(at - from).collect();
        format!("  {}\n  {below}^", shown.trim_end())
    }

    /// True when the program itself, or a file that it loads, is missing or malformed.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        matches!(*self.cause, Cause::Syntax(_) | Cause::Runtime(Error::File { .. }))
    }

    /// True when whoever read the results has gone away, which is no failure of the program.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(&*self.cause, Cause::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Syntax(text) => f.write_str(text),
            Cause::Runtime(error) => error.fmt(f),
            Cause::Output(error) => write!(f, "results cannot be written: {error}"),
        }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.position, self.cause)
    }
}

impl std::error::Error for ProgramError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.cause {
            Cause::Syntax(_) => None,
            Cause::Runtime(error) => Some(error),
            Cause::Output(error) => Some(error),
        }
    }
}
