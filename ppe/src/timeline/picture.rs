//! A log as a picture: an SVG with a row a thread and a processor, for a page that nothing has to be installed for.
//!
//! Events narrower than a pixel are drawn together, so the size of a picture does not depend on the number of events.
//! Colours follow the reader's choice of a light or a dark page. Times of this machine and virtual times have a
//! picture each, one below the other.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::{self, Write};

use super::chrome::{Track, name_of, track_of};
use super::event::{Event, Stage, What};
use super::{Log, lock};

/// Width of the names of the rows, of the rows, and of both.
const NAMES: f64 = 90.0;
const ROWS: f64 = 900.0;
const WIDTH: f64 = NAMES + ROWS + 10.0;

/// Height of a bar, of a gap between rows, and of the axis.
const BAR: f64 = 13.0;
const GAP: f64 = 7.0;
const AXIS: f64 = 22.0;

/// The least width of a bar, and the widest gap between bars that are drawn as one.
const LEAST: f64 = 0.7;

/// Colours of the classes of bars, on a light and on a dark page.
const CLASSES: [(&str, &str, &str, &str); 7] = [
    ("product", "products", "#1b6ca8", "#5aa9e6"),
    ("other", "other operations", "#2e8b57", "#6cc08b"),
    ("stated", "computed when stated", "#8a6d00", "#d9b640"),
    ("record", "recording", "#7a7a7a", "#9a9a9a"),
    ("stage", "lowering and scheduling", "#7b4fa3", "#b58ad9"),
    ("execute", "executing", "#b9c7d6", "#46586b"),
    ("force", "waiting", "#c0504d", "#e08a87"),
];

/// A bar before it is drawn: times, class, and what it says.
struct Bar {
    start_ns: u64,
    end_ns: u64,
    class: &'static str,
    text: String,
}

/// Rows by process and thread, with their names.
type Rows = BTreeMap<Track, (String, Vec<Bar>)>;

/// Writes a log.
pub(super) fn write(log: &Log, to: &mut dyn Write) -> io::Result<()> {
    let mut pictures = [Rows::new(), Rows::new()];
    for (number, thread) in lock(&log.threads).iter().enumerate() {
        for event in &lock(&thread.notes).events {
            let (Some(track), Some(bar)) = (track_of(event, number), bar_of(event)) else { continue };
            let is_virtual = matches!(event.what, What::Operation { is_virtual: true, .. });
            let row = pictures[usize::from(is_virtual)].entry(track);
            row.or_insert_with(|| (name_of(event, &thread.name), Vec::new())).1.push(bar);
        }
    }
    let mut body = String::new();
    let mut top = 0.0;
    for (rows, title) in pictures.into_iter().zip(["", "virtual time"]) {
        if !rows.is_empty() {
            // Writing to a String does not fail.
            _ = draw(rows, title, &mut body, &mut top);
        }
    }
    if body.is_empty() {
        top = AXIS;
        body.push_str("<text x=\"0\" y=\"15\">Nothing was noted.</text>\n");
    }
    _ = legend(&mut body, &mut top);
    write!(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pm-timeline\" viewBox=\"0 0 {WIDTH} {top}\" "
    )?;
    writeln!(to, "role=\"img\" aria-label=\"What each thread and each MEU did, and when\">")?;
    writeln!(to, "<style>\n.pm-timeline {{ font: 11px sans-serif; color: #222; }}")?;
    writeln!(
        to,
        ".pm-timeline text {{ fill: currentColor; }} .pm-timeline line {{ stroke: currentColor; opacity: .2; }}"
    )?;
    CLASSES.iter().try_for_each(|(class, _, light, _)| writeln!(to, ".pm-{class} {{ fill: {light}; }}"))?;
    writeln!(to, "@media screen and (prefers-color-scheme: dark) {{ .pm-timeline {{ color: #ddd; }}")?;
    CLASSES.iter().try_for_each(|(class, _, _, dark)| writeln!(to, ".pm-{class} {{ fill: {dark}; }}"))?;
    writeln!(to, "}}\n</style>\n{body}</svg>")
}

fn bar_of(event: &Event) -> Option<Bar> {
    let (class, what) = match &event.what {
        What::Stage { stage: Stage::Force, .. } => ("force", "waiting for a value".to_owned()),
        What::Stage { stage, size, .. } => {
            let class = if *stage == Stage::Execute { "execute" } else { "stage" };
            (class, format!("{}: {size} block operations", stage.name()))
        }
        What::Stated { kind, shape, computed, site } => {
            let (class, verb) = if *computed { ("stated", "computed") } else { ("record", "recorded") };
            (class, format!("{} {verb}, {shape}, {site}", kind.name()))
        }
        What::Operation { noted, kinds, .. } => {
            let name = kinds.name();
            let class = if name.starts_with("multiply") { "product" } else { "other" };
            let (rows, columns) = noted.block;
            (class, format!("{name}, {rows}x{columns} of {}, {}", noted.shape, noted.site))
        }
        What::Count { .. } => return None,
    };
    let text = format!("{what}, {}", Time(event.end_ns - event.start_ns));
    Some(Bar { start_ns: event.start_ns, end_ns: event.end_ns, class, text })
}

/// Draws rows from `top` on.
fn draw(rows: Rows, title: &str, body: &mut String, top: &mut f64) -> fmt::Result {
    let bars = || rows.values().flat_map(|(_, bars)| bars);
    let first_ns = bars().map(|bar| bar.start_ns).min().unwrap_or(0);
    let length_ns = (bars().map(|bar| bar.end_ns).max().unwrap_or(0) - first_ns).max(1);
    let at = |ns: u64| NAMES + ROWS * (ns - first_ns) as f64 / length_ns as f64;
    let (axis, mut below) = (*top + AXIS, *top + AXIS);
    let mut drawn = String::new();
    for (name, mut bars) in rows.into_values() {
        bars.sort_by_key(|bar| (bar.start_ns, u64::MAX - bar.end_ns));
        writeln!(drawn, "<text x=\"0\" y=\"{:.1}\">{}</text>", below + BAR - 3.0, Escaped(&name))?;
        let mut layers: Vec<Layer> = Vec::new();
        let mut open: Vec<u64> = Vec::new();
        for bar in bars {
            while open.last().is_some_and(|&end_ns| end_ns <= bar.start_ns) {
                open.pop();
            }
            if open.len() == layers.len() {
                layers.push(Layer { top: below + BAR * open.len() as f64, run: None });
            }
            let layer = open.len();
            open.push(bar.end_ns);
            layers[layer].add((at(bar.start_ns), at(bar.end_ns)), bar, &mut drawn)?;
        }
        for layer in &mut layers {
            layer.finish(&mut drawn)?;
        }
        below += BAR * layers.len() as f64 + GAP;
    }
    let step_ns = tick_ns(length_ns);
    for tick in 0..=length_ns / step_ns {
        let x = at(first_ns + tick * step_ns);
        writeln!(body, "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{axis:.1}\" y2=\"{below:.1}\"/>")?;
        let y = axis - 6.0;
        writeln!(
            body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
            Time(tick * step_ns)
        )?;
    }
    writeln!(body, "<text x=\"0\" y=\"{:.1}\">{title}</text>", axis - 6.0)?;
    body.push_str(&drawn);
    *top = below + GAP;
    Ok(())
}

/// Bars at one height of a row.
struct Layer {
    top: f64,
    /// Bars that are drawn as one: left, right, class, what the first says, and how many they are.
    run: Option<(f64, f64, &'static str, String, u64)>,
}

impl Layer {
    fn add(&mut self, (left, right): (f64, f64), bar: Bar, drawn: &mut String) -> fmt::Result {
        if let Some((_, last, class, _, count)) = &mut self.run
            && *class == bar.class
            && left - *last < LEAST
            && right - left < LEAST
        {
            *last = last.max(right);
            *count += 1;
            return Ok(());
        }
        self.finish(drawn)?;
        self.run = Some((left, right, bar.class, bar.text, 1));
        Ok(())
    }

    fn finish(&mut self, drawn: &mut String) -> fmt::Result {
        let Some((left, right, class, text, count)) = self.run.take() else { return Ok(()) };
        let width = (right - left).max(LEAST);
        write!(
            drawn,
            "<rect class=\"pm-{class}\" x=\"{left:.2}\" y=\"{:.1}\" width=\"{width:.2}\" ",
            self.top
        )?;
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        writeln!(drawn, "height=\"{:.1}\"><title>{}{more}</title></rect>", BAR - 1.0, Escaped(&text))
    }
}

fn legend(body: &mut String, top: &mut f64) -> fmt::Result {
    let mut x = NAMES;
    for (class, meaning, ..) in CLASSES {
        let y = *top;
        writeln!(body, "<rect class=\"pm-{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"10\" height=\"10\"/>")?;
        writeln!(body, "<text x=\"{:.1}\" y=\"{:.1}\">{meaning}</text>", x + 14.0, y + 9.0)?;
        x += 32.0 + 6.2 * meaning.len() as f64;
    }
    *top += BAR + GAP;
    Ok(())
}

/// The distance of ticks: 1, 2 or 5 of a unit, and some ten ticks.
fn tick_ns(length_ns: u64) -> u64 {
    let mut unit_ns = 1;
    loop {
        for step_ns in [unit_ns, 2 * unit_ns, 5 * unit_ns] {
            if length_ns / step_ns <= 10 {
                return step_ns;
            }
        }
        unit_ns *= 10;
    }
}

/// Nanoseconds in a unit that fits.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (divisor, unit) = match self.0 {
            0 => return f.write_str("0"),
            1..1_000 => (1.0, "ns"),
            1_000..1_000_000 => (1e3, "us"),
            1_000_000..1_000_000_000 => (1e6, "ms"),
            _ => (1e9, "s"),
        };
        let number = format!("{:.2}", self.0 as f64 / divisor);
        write!(f, "{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// A text between tags.
struct Escaped<'t>(&'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                // XML has no other characters below a blank.
                character if character < ' ' => f.write_str(" ")?,
                character => f.write_char(character)?,
            }
        }
        Ok(())
    }
}
