//! A small logger: one line a message on the standard error.

use std::io::Write;

use log::{LevelFilter, Log, Metadata, Record};

struct StandardError;

static LOGGER: StandardError = StandardError;

/// Starts to log: warnings and errors, with `verbose` 1 information as well, with more everything.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::Warn,
        1 => LevelFilter::Info,
        _ => LevelFilter::Trace,
    };
    // It fails only if there is a logger already, which then serves.
    if log::set_logger(&LOGGER).is_ok() {
        log::set_max_level(level);
    }
}

impl Log for StandardError {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let level = record.level().as_str().to_ascii_lowercase();
            // A message that nobody can read is lost.
            _ = writeln!(std::io::stderr(), "pmatrix: {level}: {}", record.args());
        }
    }

    fn flush(&self) {}
}
