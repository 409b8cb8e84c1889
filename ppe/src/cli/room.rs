//! Whether a program has the memory that it needs, before anything of it is executed.

use std::io::sink;

use pmatrix::engine::Null;
use pmatrix::error::Error;
use pmatrix::lang::ast::Program;
use pmatrix::lang::{Cause, ProgramError, RunOptions, Runner};
use pmatrix::operation::Precision;
use pmatrix::session::{Options, Session};

use super::Failure;

/// Whether a program has the memory that it needs.
pub(super) enum Room {
    /// Its matrices take at most so many bytes at a time.
    Enough { bytes: usize },
    /// The first statement that needs more.
    TooLittle(ProgramError),
    /// The program fails for another reason, which a run shows with what comes before; or ranks hold its matrices.
    Unknown,
}

/// Refuses a program that has not the memory which it needs, as [`room_for`] finds.
///
/// # Errors
/// [`Error::Memory`] of the first statement that needs more than `most_bytes` together with the matrices that exist
/// then.
pub(super) fn check_room(
    program: &Program,
    options: &Options,
    session: &Session,
    precision: Precision,
    most_bytes: u64,
) -> Result<(), Failure> {
    match room_for(program, options, session, precision, most_bytes)? {
        Room::TooLittle(failure) => Err(failure.into()),
        Room::Enough { .. } | Room::Unknown => Ok(()),
    }
}

/// Runs a program dry: cut and scheduled for the engine of `session`, whose options these are, with matrices that
/// take memory and have no elements. The system gives no memory to what nobody writes.
///
/// # Errors
/// Those of a new session.
pub(super) fn room_for(
    program: &Program,
    options: &Options,
    session: &Session,
    precision: Precision,
    most_bytes: u64,
) -> Result<Room, Failure> {
    if options.has_ranks() {
        // What does not fit this machine is held by ranks.
        return Ok(Room::Unknown);
    }
    let options = Options {
        // What a run needs does not depend on which thread comes first.
        overlap: false,
        immediate: false,
        poison: false,
        profile: None,
        compute: true,
        most_bytes: usize::try_from(most_bytes).unwrap_or(usize::MAX),
        ..options.clone()
    };
    let null = Box::new(Null::new(*session.target()));
    let dry = Session::with_engine(null, &options).map_err(Failure::of_session)?;
    let mut unread = sink();
    let mut runner =
        Runner::new(&dry, RunOptions { precision, dry: true, ..RunOptions::default() }, &mut unread);
    // What fails here is reported once, as the failure of the program.
    let level = log::max_level();
    log::set_max_level(log::LevelFilter::Off);
    let outcome = runner.run(program, |_| {});
    log::set_max_level(level);
    let Err(failure) = outcome else { return Ok(Room::Enough { bytes: dry.pool().used_bytes().1 }) };
    let Cause::Runtime(Error::Memory { bytes, purpose }) = *failure.cause else { return Ok(Room::Unknown) };
    let taken = dry.pool().used_bytes().0;
    let purpose = format!(
        "{purpose}: the other matrices of the program take {taken} bytes then, and all together may take \
         {most_bytes} (--memory; with fewer --max-bytes operations are executed earlier)"
    );
    let cause = Box::new(Cause::Runtime(Error::Memory { bytes, purpose }));
    Ok(Room::TooLittle(ProgramError { cause, ..failure }))
}
