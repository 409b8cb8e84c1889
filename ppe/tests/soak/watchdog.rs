//! What ends a run that does not end, and says which.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::program::Case;
use crate::setting::Setting;

/// Longest time of a run, beside the time in which threads of the process wait for a processor.
const LONGEST: Duration = Duration::from_secs(300);

/// Longest time of a run on any machine.
const LONGEST_EVER: Duration = Duration::from_secs(3600);

#[derive(Debug)]
struct Running {
    since: Instant,
    /// How long threads have waited for a processor meanwhile.
    waited: Duration,
    text: String,
    seed: u64,
}

/// How long the threads of this process were ready and had no processor.
fn waited_for_processors() -> Duration {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let waited = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    Duration::from_nanos(waited.sum())
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
            let mut waited = waited_for_processors();
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let before = std::mem::replace(&mut waited, waited_for_processors());
                let mut running = watched.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(running) = running.as_mut() else { continue };
                running.waited += waited.saturating_sub(before);
                if running.since.elapsed() > LONGEST_EVER.min(LONGEST + running.waited) {
                    let Running { text, seed, .. } = running;
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
        let running = Running { since: Instant::now(), waited: Duration::ZERO, text, seed: case.seed };
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
    }

    /// No run goes on.
    pub(crate) fn end(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
