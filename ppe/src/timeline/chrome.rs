//! A log as Chrome trace events, in JSON: the "Trace Event Format" of the Chromium project, which Perfetto and
//! chrome://tracing open.
//!
//! A session is a process of the format. Its threads are the threads that have noted something, then its MEUs
//! and its PPE. MEUs that run in virtual time are the threads of another process, because their times cannot
//! be compared with times of this machine. An arrow (a flow) leads from a force to the block operation of its
//! trace that was completed last.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};
use std::io::{self, Write};

use super::event::{Event, Stage, What};
use super::{Log, MOST_EVENTS, lock};

/// The first thread number of MEUs. Threads of the process have smaller numbers.
const FIRST_MEU: u64 = 1 << 16;

/// What is added to a session's number for its MEUs in virtual time.
const VIRTUAL: u64 = 1 << 16;

/// Where an event is shown: process and thread.
pub(super) type Track = (u64, u64);

/// Writes a log.
pub(super) fn write(log: &Log, to: &mut dyn Write) -> io::Result<()> {
    // Nobody clears the log or adds a thread meanwhile. Threads go on noting; what comes after the first look
    // is not written, so that everything which refers to an event finds it.
    let threads = lock(&log.threads);
    let lengths: Vec<_> = threads.iter().map(|thread| lock(&thread.notes).events.len()).collect();
    let mut tracks = BTreeMap::new();
    // The block operation of each trace that was completed last: its end, its beginning and its track.
    let mut last: HashMap<(u32, u64), (u64, u64, Track)> = HashMap::new();
    for (number, (thread, &length)) in threads.iter().zip(&lengths).enumerate() {
        for event in &lock(&thread.notes).events[..length] {
            let Some(track) = track_of(event, number) else { continue };
            tracks.entry(track).or_insert_with(|| name_of(event, &thread.name));
            if let What::Operation { noted, is_virtual: false, .. } = &event.what {
                let latest = last.entry((event.session, noted.trace)).or_default();
                *latest = (*latest).max((event.end_ns, event.start_ns, track));
            }
        }
    }
    write!(
        to,
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"program\":\"pmatrix {}\",",
        env!("CARGO_PKG_VERSION")
    )?;
    writeln!(to, "\"most events\":{MOST_EVENTS},\"dropped events\":{}}},\"traceEvents\":[", log.dropped())?;
    let mut events = Events { to, first: true };
    for (session, title) in lock(&log.sessions).iter() {
        let process = u64::from(*session);
        events.metadata("process_name", (process, 0), title)?;
        if tracks.keys().any(|track| track.0 == process + VIRTUAL) {
            events.metadata("process_name", (process + VIRTUAL, 0), &format!("{title}: virtual time"))?;
        }
    }
    for (track, name) in &tracks {
        events.metadata("thread_name", *track, name)?;
    }
    let mut flows = 0u64;
    for (number, (thread, &length)) in threads.iter().zip(&lengths).enumerate() {
        for event in &lock(&thread.notes).events[..length] {
            events.event(event, track_of(event, number))?;
            if let What::Stage { stage: Stage::Force, trace, .. } = event.what
                && let Some(&(_, start_ns, track)) = last.get(&(event.session, trace))
            {
                flows += 1;
                let from = (u64::from(event.session), number as u64 + 1);
                events.flow(flows, ("s", from, event.start_ns), ("f", track, start_ns))?;
            }
        }
    }
    writeln!(to, "\n]}}")
}

/// Where an event of the thread with this number is shown. A counter has no track of its own.
pub(super) fn track_of(event: &Event, thread: usize) -> Option<Track> {
    let process = u64::from(event.session);
    match &event.what {
        What::Count { .. } => None,
        What::Operation { noted, is_virtual, .. } if noted.processor.is_some() => {
            let processor = noted.processor.unwrap_or_default();
            Some((process + if *is_virtual { VIRTUAL } else { 0 }, FIRST_MEU + u64::from(processor)))
        }
        _ => Some((process, thread as u64 + 1)),
    }
}

/// The name of the track of an event of this thread.
pub(super) fn name_of(event: &Event, thread: &str) -> String {
    match &event.what {
        What::Operation { noted, .. } if noted.is_ppe => "PPE".into(),
        What::Operation { noted, .. } => match noted.processor {
            Some(number) => format!("MEU {number}"),
            None => thread.into(),
        },
        _ => thread.into(),
    }
}

/// The list of events.
struct Events<'w> {
    to: &'w mut dyn Write,
    first: bool,
}

impl Events<'_> {
    /// Begins an event.
    fn begin(&mut self, phase: &str, (process, thread): Track) -> io::Result<()> {
        let between = if std::mem::take(&mut self.first) { "" } else { ",\n" };
        write!(self.to, "{between}{{\"ph\":\"{phase}\",\"pid\":{process},\"tid\":{thread}")
    }

    fn metadata(&mut self, what: &str, track: Track, name: &str) -> io::Result<()> {
        self.begin("M", track)?;
        write!(self.to, ",\"name\":\"{what}\",\"args\":{{\"name\":{}}}}}", Text(name))
    }

    /// A slice of time; its arguments and the closing brackets are still to be written.
    fn slice(
        &mut self,
        track: Track,
        (start_ns, end_ns): (u64, u64),
        category: &str,
        name: &str,
    ) -> io::Result<()> {
        self.begin("X", track)?;
        let (start, length) = (Microseconds(start_ns), Microseconds(end_ns - start_ns));
        let name = Text(name);
        write!(self.to, ",\"ts\":{start},\"dur\":{length},\"cat\":\"{category}\",\"name\":{name},\"args\":{{")
    }

    fn event(&mut self, event: &Event, track: Option<Track>) -> io::Result<()> {
        let track = track.unwrap_or((event.session.into(), 0));
        let times = (event.start_ns, event.end_ns);
        match &event.what {
            What::Stage { stage, trace, size } => {
                self.slice(track, times, "stage", stage.name())?;
                write!(self.to, "\"trace\":{trace},\"operations\":{size}}}}}")
            }
            What::Stated { kind, shape, computed, site } => {
                let category = if *computed { "operation computed at once" } else { "record" };
                self.slice(track, times, category, kind.name())?;
                let (file, line) = (Text(&site.file), site.line);
                write!(self.to, "\"result\":\"{shape}\",\"file\":{file},\"line\":{line}}}}}")
            }
            What::Operation { noted, kinds, stages_ns, .. } => {
                self.slice(track, times, "block operation", &kinds.name())?;
                let (rows, columns) = noted.block;
                let (file, line) = (Text(&noted.site.file), noted.site.line);
                write!(self.to, "\"result\":\"{}\",\"block\":\"{rows}x{columns}\"", noted.shape)?;
                write!(self.to, ",\"file\":{file},\"line\":{line},\"steps\":{}", kinds.count())?;
                write!(self.to, ",\"trace\":{},\"operation\":{}}}}}", noted.trace, noted.index)?;
                stages_ns.map_or(Ok(()), |stages| self.stages(track, times, stages))
            }
            What::Count { counter, value } => {
                let (name, unit) = counter.name();
                self.begin("C", track)?;
                let at = Microseconds(event.start_ns);
                write!(self.to, ",\"ts\":{at},\"name\":\"{name}\",\"args\":{{\"{unit}\":{value}}}}}")
            }
        }
    }

    /// The stages of a block operation, inside of it. They end with the operation. What comes before them, such
    /// as the earlier parts of a chain of products, has no name of its own.
    fn stages(&mut self, track: Track, (start_ns, end_ns): (u64, u64), stages: [u32; 3]) -> io::Result<()> {
        let mut end_ns = end_ns;
        for (name, ns) in ["fetch", "execute", "write back"].into_iter().zip(stages).rev() {
            let begin_ns = end_ns.saturating_sub(ns.into()).max(start_ns);
            if begin_ns < end_ns {
                self.slice(track, (begin_ns, end_ns), "stage of an MEU", name)?;
                write!(self.to, "}}}}")?;
            }
            end_ns = begin_ns;
        }
        Ok(())
    }

    fn flow(&mut self, number: u64, from: (&str, Track, u64), to: (&str, Track, u64)) -> io::Result<()> {
        for (phase, track, at_ns) in [from, to] {
            self.begin(phase, track)?;
            let at = Microseconds(at_ns);
            write!(
                self.to,
                ",\"ts\":{at},\"id\":{number},\"cat\":\"force\",\"name\":\"waits for\",\"bp\":\"e\"}}"
            )?;
        }
        Ok(())
    }
}

/// Nanoseconds, written as microseconds.
struct Microseconds(u64);

impl Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// A text, written as a string of JSON.
struct Text<'t>(&'t str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                character if character < ' ' => write!(f, "\\u{:04x}", character as u32)?,
                character => write!(f, "{character}")?,
            }
        }
        f.write_str("\"")
    }
}
