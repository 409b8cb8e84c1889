//! Errors: misuse by the caller, and failures of execution. Each error names the place in the program.

use std::fmt;

use crate::operation::{OpId, OpKind, Shape, SideTooLong, UnknownKind};

/// Where a user's program recorded an operation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Site {
    /// Source file, empty when unknown.
    pub file: String,
    /// Line, 0 when unknown.
    pub line: u32,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.is_empty(), self.line) {
            (true, 0) => f.write_str("an unknown place"),
            (true, line) => write!(f, "line {line}"),
            (false, 0) => f.write_str(&self.file),
            (false, line) => write!(f, "{}:{line}", self.file),
        }
    }
}

/// The operation that an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    /// What was computed.
    pub kind: OpKind,
    /// The shape of its result.
    pub shape: Shape,
    /// Where it was recorded.
    pub site: Site,
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with a {} result", self.kind.name(), self.shape)?;
        match self.site == Site::default() {
            true => Ok(()),
            false => write!(f, ", recorded at {}", self.site),
        }
    }
}

/// Every failure that a caller of this crate can see.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Shapes that do not fit, found when the operation was recorded.
    #[error("{}: nonconformant arguments (op1 is {left}, op2 is {right})", .kind.octave_name())]
    Nonconformant {
        /// The operation.
        kind: OpKind,
        /// Shape of the first operand.
        left: Shape,
        /// Shape of the second operand.
        right: Shape,
    },
    /// An option, size, class or number out of range.
    #[error("{0}")]
    Argument(String),
    /// An element is outside of the operation's domain: the result would be complex, or NaN a truth value.
    #[error("{blame}: {}", .blame.kind.domain())]
    Domain {
        /// The operation that found it.
        blame: Blame,
    },
    /// An MEU, or the PPE, failed.
    #[error("{what} ({processor}) in {blame}")]
    Meu {
        /// What happened.
        what: String,
        /// The name of the processor.
        processor: Box<str>,
        /// The operation that the processor was executing.
        blame: Blame,
    },
    /// An engine failed, and no operation was the reason.
    #[error("{engine} engine: {what}")]
    Engine {
        /// Name of the engine.
        engine: &'static str,
        /// What happened.
        what: String,
    },
    /// Memory could not be had.
    #[error("out of memory: {bytes} bytes for {purpose}")]
    Memory {
        /// How much was asked for.
        bytes: usize,
        /// What for.
        purpose: String,
    },
    /// A file is missing or malformed.
    #[error("{path}{}: {what}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
    File {
        /// The file.
        path: String,
        /// Line in it, where there is one.
        line: Option<usize>,
        /// What is wrong.
        what: String,
    },
    /// The session was used in a child of the process that made it; its threads do not exist there.
    #[error("this session belongs to the parent process: make a new one after fork")]
    Fork,
    /// The execution was cancelled by request.
    #[error("the execution was cancelled")]
    Cancelled,
    /// The session has been closed.
    #[error("the session is closed")]
    Closed,
}

impl Error {
    /// Octave's identifier for this error, or an empty string.
    #[must_use]
    pub fn octave_id(&self) -> &'static str {
        match self {
            Error::Nonconformant { .. } => "Octave:nonconformant-args",
            Error::Domain { .. } => "pmatrix:domain",
            Error::Meu { .. } | Error::Engine { .. } => "pmatrix:execution",
            Error::Memory { .. } => "Octave:bad-alloc",
            Error::Argument(_) => "pmatrix:argument",
            Error::File { .. } => "pmatrix:file",
            Error::Fork | Error::Closed | Error::Cancelled => "pmatrix:session",
        }
    }
}

impl Error {
    /// True when another attempt cannot succeed, because the elements themselves are the reason.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        matches!(self, Error::Domain { .. })
    }
}

impl From<SideTooLong> for Error {
    fn from(shape: SideTooLong) -> Error {
        Error::Memory { bytes: usize::MAX, purpose: shape.to_string() }
    }
}

impl From<UnknownKind> for Error {
    fn from(kind: UnknownKind) -> Error {
        Error::Argument(kind.to_string())
    }
}

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A trace, or a part of it, could not be executed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Why.
    pub error: Error,
    /// The operation of the trace that has failed. None when the failure concerns the whole trace.
    pub operation: Option<OpId>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, operation: None }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}
