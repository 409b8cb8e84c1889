//! The logs of a process by their files, and saving them when the process ends.

use std::io::{self, Write};
use std::path::{Path, PathBuf, absolute};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};

use super::{Log, lock};
use crate::process::{at_exit, generation};

/// All logs of the process, and the process that they belong to. A forked child does not lock them: its parent may
/// have had them locked at the fork.
#[derive(Debug)]
struct Logs {
    generation: u32,
    logs: Mutex<Vec<Arc<Log>>>,
}

fn logs() -> &'static Logs {
    static LOGS: OnceLock<Logs> = OnceLock::new();
    LOGS.get_or_init(|| Logs { generation: generation(), logs: Mutex::default() })
}

/// The log of a file, or the log of all sessions without a file. A forked child gets a log of its own without
/// a file, which is off: the file belongs to the parent.
pub(super) fn log(file: Option<&Path>) -> io::Result<Arc<Log>> {
    let Logs { generation: of_parent, logs } = logs();
    if generation() != *of_parent {
        return Ok(Arc::new(Log::new(None, false)));
    }
    let mut logs = lock(logs);
    // The program may change its folder later.
    let file: Option<PathBuf> = file.map(absolute).transpose()?;
    if let Some(log) = logs.iter().find(|log| log.file == file) {
        return Ok(Arc::clone(log));
    }
    let log = Log::new(file, false);
    if let Some(file) = &log.file {
        log.save(file)?;
        log.on.store(true, Ordering::Relaxed);
        at_exit(save_all);
    }
    let log = Arc::new(log);
    logs.push(Arc::clone(&log));
    Ok(log)
}

/// Saves all logs that have files. A child has nothing to save.
extern "C" fn save_all() {
    let Logs { generation: of_parent, logs } = logs();
    if generation() != *of_parent {
        return;
    }
    let logs = lock(logs).clone();
    for log in logs {
        if let Err(error) = log.save_own() {
            // Nobody may be there to read it.
            _ = writeln!(io::stderr(), "pmatrix: the timeline was not saved: {error}");
        }
    }
}
