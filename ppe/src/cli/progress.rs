//! How far a command is, on the standard error while it runs.
//!
//! A bar on a terminal once a command takes long; nothing in files and pipes, unless `--progress` asks for
//! lines. The figures are read by a thread of its own from counters that the session keeps anyway, so that
//! watching costs the work nothing.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use pmatrix::session::Session;
use pmatrix::stats::Headway;

/// Commands that end sooner show no bar.
const DELAY: Duration = Duration::from_secs(1);

/// Between two looks at the counters; lines for files come less often.
const PERIOD: Duration = Duration::from_millis(200);

/// Between two lines, where there is no terminal.
const LINES: Duration = Duration::from_secs(2);

/// Steps of the bar.
const STEPS: u64 = 1000;

/// What of a command's progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// A bar on a terminal, once the command takes long.
    WhenLong,
    /// From the beginning: a bar on a terminal, lines elsewhere.
    Always,
    /// Nothing.
    Never,
}

/// The bar that stands on the terminal, for what writes there as well.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn bar() -> MutexGuard<'static, Option<ProgressBar>> {
    // What is in it is whole whenever the lock is free.
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A writer to a terminal that may have a bar, which makes room for what is written.
#[derive(Debug)]
pub(super) struct BesideBar<W>(pub(super) W);

impl<W: std::io::Write> std::io::Write for BesideBar<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let Some(bar) = &*bar() else { return self.0.write(bytes) };
        bar.suspend(|| {
            let written = self.0.write(bytes)?;
            self.0.flush()?;
            Ok(written)
        })
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// A bar or lines, for a command that tells itself how far it is.
pub(super) struct Progress {
    show: Show,
    terminal: bool,
    start: Instant,
    last_line: Option<Instant>,
    share: f64,
}

impl Progress {
    pub(super) fn new(show: Show) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        Progress { show, terminal, start: Instant::now(), last_line: None, share: 0.0 }
    }

    /// Shows the share that is done, from 0 to 1, and what more there is to say.
    pub(super) fn update(&mut self, share: f64, text: &str) {
        // An estimate may fall; a bar that goes backwards would only confuse.
        self.share = self.share.max(share.clamp(0.0, 1.0));
        let elapsed = self.start.elapsed();
        let shown = match self.show {
            Show::Never => false,
            Show::Always => true,
            Show::WhenLong => self.terminal && elapsed >= DELAY,
        };
        if !shown {
            return;
        }
        let text = format!("{text}{}", time_left(elapsed, self.share));
        if self.terminal {
            let mut shown = bar();
            let bar = shown.get_or_insert_with(new_bar);
            bar.set_message(text);
            bar.set_position((self.share * STEPS as f64) as u64);
            bar.tick();
        } else if self.last_line.is_none_or(|last| last.elapsed() >= LINES) {
            self.last_line = Some(Instant::now());
            _ = writeln!(std::io::stderr(), "{:3.0} %  {text}", self.share * 100.0);
        }
    }

    /// Takes the bar away; what was shown as lines gets its last one.
    pub(super) fn end(self, text: &str) {
        if let Some(bar) = bar().take() {
            bar.finish_and_clear();
        }
        if self.show == Show::Always {
            let seconds = self.start.elapsed().as_secs_f64();
            _ = writeln!(std::io::stderr(), "{text}, {seconds:.1} s");
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(STEPS);
    if let Ok(style) = ProgressStyle::with_template("{elapsed} {bar:24} {percent:>3} %  {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// What is to be expected from the share that is done; empty while that says too little.
fn time_left(elapsed: Duration, share: f64) -> String {
    if !(0.02..1.0).contains(&share) {
        return String::new();
    }
    let seconds = elapsed.as_secs_f64() * (1.0 - share) / share;
    match seconds.round() as u64 {
        left @ 0..120 => format!(", {left} s left"),
        left @ 120..7200 => format!(", {} min left", left.div_ceil(60)),
        left => format!(", {} h left", left.div_ceil(3600)),
    }
}

/// Runs `work` and shows how far the session is. `work` is given a counter for the statements that it has
/// begun, of `statements`.
pub(super) fn watch<R>(
    show: Show,
    session: &Session,
    statements: usize,
    work: impl FnOnce(&AtomicUsize) -> R,
) -> R {
    let begun = AtomicUsize::new(0);
    if show == Show::Never || (show == Show::WhenLong && !std::io::stderr().is_terminal()) {
        return work(&begun);
    }
    let (ended, wait) = channel::<()>();
    std::thread::scope(|scope| {
        let watcher = std::thread::Builder::new().name("pmatrix-watch".into());
        let begun = &begun;
        // Without a thread nothing is shown, and nothing else is lost.
        _ = watcher.spawn_scoped(scope, move || {
            let mut progress = Progress::new(show);
            loop {
                let now = session.headway();
                progress.update(share(&now, begun.load(Ordering::Relaxed), statements), &text(&now));
                if wait.recv_timeout(PERIOD) != Err(RecvTimeoutError::Timeout) {
                    break progress.end(&text(&session.headway()));
                }
            }
        });
        let result = work(begun);
        drop(ended);
        result
    })
}

/// The share of a program that has been executed: the share of statements that were recorded, times the share
/// of their work that has been computed.
fn share(now: &Headway, begun: usize, statements: usize) -> f64 {
    let (executed, left) = (now.work_executed as f64, now.work_in_flight as f64);
    let computed = if executed + left > 0.0 { executed / (executed + left) } else { 0.0 };
    begun as f64 / statements.max(1) as f64 * computed
}

fn text(now: &Headway) -> String {
    if now.block_operations_lowered == 0 {
        // The reference engine has none.
        return format!("{} elements computed", now.work_executed);
    }
    let mut text = String::new();
    // Writing to a String does not fail.
    _ = write!(
        text,
        "{} of {} block operations",
        now.block_operations_executed, now.block_operations_lowered
    );
    _ = write!(
        text,
        ", chunk {}, {} MEU{}",
        now.chunks_begun,
        now.meus,
        if now.meus == 1 { "" } else { "s" }
    );
    let waiting = now.operations_in_flight + now.operations_pending;
    if waiting > 0 {
        _ = write!(text, ", {waiting} operations under way");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_in_units_that_fit() {
        let left = |seconds, share| time_left(Duration::from_secs(seconds), share);
        assert_eq!(left(10, 0.5), ", 10 s left");
        assert_eq!(left(60, 0.1), ", 9 min left");
        assert_eq!(left(3600, 0.25), ", 3 h left");
        assert_eq!((left(10, 0.01), left(10, 1.0)), (String::new(), String::new()));
    }

    #[test]
    fn the_share_counts_statements_and_work() {
        let now = Headway { work_executed: 30, work_in_flight: 70, ..Headway::default() };
        assert_eq!(share(&now, 10, 10), 0.3);
        assert_eq!(share(&now, 5, 10), 0.15);
        assert_eq!(share(&Headway::default(), 3, 0), 0.0);
    }
}
