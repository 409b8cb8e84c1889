//! What ends a run that does not end, and says which.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::program::Case;
use crate::setting::Setting;

/// Longest time of a run, on a busy machine.
const LONGEST: Duration = Duration::from_secs(300);

#[derive(Debug)]
struct Running {
    since: Instant,
    text: String,
    seed: u64,
}

/// Knows the run that goes on.
#[derive(Debug)]
pub(crate) struct Watchdog {
    running: Arc<Mutex<Option<Running>>>,
    folder: PathBuf,
}

impl Watchdog {
    pub(crate) fn start(folder: PathBuf) -> Watchdog {
        let running: Arc<Mutex<Option<Running>>> = Arc::default();
        let (watched, files) = (Arc::clone(&running), folder.clone());
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let running = watched.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(Running { text, seed, .. }) =
                    running.as_ref().filter(|running| running.since.elapsed() > LONGEST)
                {
                    let path = files.join(format!("stuck-{seed}.trace"));
                    _ = fs::write(&path, text);
                    eprintln!("seed {seed}: a run does not end; the program: {}", path.display());
                    // A stack of every thread is in the core.
                    std::process::abort();
                }
            }
        });
        Watchdog { running, folder }
    }

    /// A run begins. Its program is in the file `running.trace`, should the process end.
    pub(crate) fn begin(&self, case: &Case, number: u64, setting: &Setting) {
        let text = case.to_file(number, &setting.to_string());
        _ = fs::write(self.folder.join("running.trace"), &text);
        let running = Running { since: Instant::now(), text, seed: case.seed };
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
    }

    /// No run goes on.
    pub(crate) fn end(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
