//! What takes the place of MEUs that are lost: another engine with one MEU, which executes one operation at a
//! time.  It is made when it is first needed.

use std::time::{Duration, Instant};

use super::{Command, Engine, Fault};
use crate::error::{Error, Result};

/// How long one operation may take: a simulated SPE is a thousand times slower than an SPE.
const PATIENCE: Duration = Duration::from_secs(600);

/// How long a look at the completion record may be put off.
const LOOK: Duration = Duration::from_millis(100);

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct StandIn<E>(Option<Box<E>>);

impl<E> Default for StandIn<E> {
    fn default() -> StandIn<E> {
        StandIn(None)
    }
}

impl<E: Engine> StandIn<E> {
    /// Executes an operation, and waits for its end. `make` makes the engine.
    ///
    /// # Errors
    /// As [`Engine::stand_in`]. After an error the next operation gets an engine of its own.
    pub(super) fn execute(
        &mut self,
        command: &Command<'_>,
        make: impl FnOnce() -> Result<E>,
    ) -> Result<Result<(), Fault>> {
        let mut engine = match self.0.take() {
            Some(engine) => engine,
            None => Box::new(make()?),
        };
        let outcome = execute(&mut *engine, command)?;
        if outcome.is_ok() {
            self.0 = Some(engine);
        }
        Ok(outcome)
    }
}

fn execute(engine: &mut impl Engine, command: &Command<'_>) -> Result<Result<(), Fault>> {
    let before = match engine.completed(0) {
        Ok(completed) => completed,
        Err(fault) => return Ok(Err(fault)),
    };
    engine.offer(0, command);
    let begin = Instant::now();
    loop {
        match engine.completed(0) {
            Ok(completed) if completed > before => return Ok(Ok(())),
            Ok(_) if begin.elapsed() > PATIENCE => {
                let what = "what takes the place of lost MEUs hangs".into();
                return Err(Error::Engine { engine: engine.name(), what });
            }
            Ok(_) => engine.wait(LOOK),
            Err(fault) => return Ok(Err(fault)),
        }
    }
}
