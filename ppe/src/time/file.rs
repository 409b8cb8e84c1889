//! Model files: a header, comments, the figures of the memory if an MFC moves blocks, and a line for each row
//! (fetch, write, turn, part, program, in-memory, kinds of operations) and each precision.
//!
//! The header has the version of the forms. Coefficients of another version mean something else, so a file of
//! another version is refused.

use std::fmt::Write as _;
use std::path::Path;

use super::memory::{FIGURES, Memory};
use super::terms::{Coefficients, TERMS};
use super::{Row, TimeModel};
use crate::error::{Error, Result};
use crate::operation::{OpKind, Precision};

/// Largest file that is read; every time model is far smaller.
const MOST_BYTES: u64 = 1 << 20;

/// The first line, with the version of the forms.
const HEADER: &str = "pmatrix-time-model 3";

/// What the first line of every version begins with.
const ANY_HEADER: &str = "pmatrix-time-model ";

/// The line with the figures of the memory.
const MEMORY: &str = "memory";

impl TimeModel {
    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::File`] names the line.
    pub fn load(path: &Path) -> Result<TimeModel> {
        let name = path.display().to_string();
        let fail = |what: String| Error::File { path: name.clone(), line: None, what };
        let bytes = crate::input::read(path, MOST_BYTES).map_err(|error| fail(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| fail("it is no text".into()))?;
        TimeModel::parse(&text, &name)
    }

    /// Parses the text of a model file; `name` is for messages. A kind of operation that the model does not
    /// know has the coefficients of another kind (`stand_in`).
    ///
    /// # Errors
    /// [`Error::File`] names the line.
    pub fn parse(text: &str, name: &str) -> Result<TimeModel> {
        let fail = |line: usize, what: String| Error::File { path: name.to_owned(), line: Some(line), what };
        let missing = |what: String| Error::File {
            path: name.to_owned(),
            line: None,
            what: format!("'{what}' is missing"),
        };
        let mut slots: [[Option<Coefficients>; 2]; KINDS + OpKind::ALL.len()] =
            [[None; 2]; KINDS + OpKind::ALL.len()];
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let mut memory = None;
        match lines.next() {
            Some((_, HEADER)) => {}
            Some((_, line)) if line.starts_with(ANY_HEADER) => {
                return Err(fail(
                    1,
                    format!(
                        "'{line}' has forms of another version than '{HEADER}': measure the model again by pmatrix profile"
                    ),
                ));
            }
            _ => return Err(fail(1, format!("a time model begins with the line '{HEADER}'"))),
        }
        for (number, line) in lines {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            if let Some(figures) = line.strip_prefix(MEMORY).filter(|rest| rest.starts_with(' ')) {
                let figures: Vec<f64> =
                    figures.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                let known = <[f64; FIGURES]>::try_from(figures).ok().and_then(Memory::from_figures);
                let Some(known) = known else {
                    return Err(fail(number, format!("'{MEMORY}' needs {FIGURES} figures that make sense")));
                };
                if memory.replace(known).is_some() {
                    return Err(fail(number, format!("'{MEMORY}' stands here a second time")));
                }
                continue;
            }
            let (stage, precision) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let row =
                row_of(stage).ok_or_else(|| fail(number, format!("unknown stage or operation '{stage}'")))?;
            let precision = Precision::ALL
                .into_iter()
                .find(|p| p.name() == precision)
                .ok_or_else(|| fail(number, format!("unknown precision '{precision}'")))?;
            let mut coefficients = [0.0; TERMS];
            let mut count = 0;
            for word in words {
                let value: f64 =
                    word.parse().map_err(|_| fail(number, format!("'{word}' is not a number")))?;
                if !value.is_finite() || count == TERMS {
                    return Err(fail(number, format!("'{word}' is one coefficient too many, or not finite")));
                }
                coefficients[count] = value;
                count += 1;
            }
            if count == 0 {
                return Err(fail(number, "a coefficient is needed".into()));
            }
            if slots[row][precision as usize].replace(coefficients).is_some() {
                return Err(fail(
                    number,
                    format!("'{stage} {}' stands here a second time", precision.name()),
                ));
            }
        }
        let row = |row: usize| match &slots[row] {
            [Some(single), Some(double)] => Ok(Some([*single, *double])),
            [None, None] => Ok(None),
            [single, _] => Err(missing(format!(
                "{} {}",
                row_name(row),
                Precision::ALL[usize::from(single.is_some())].name()
            ))),
        };
        let needed = |name: usize| row(name)?.ok_or_else(|| missing(row_name(name).to_owned()));
        let [fetch, write, turn, part, program] =
            [needed(0)?, needed(1)?, needed(2)?, needed(3)?, needed(4)?];
        // SPEs execute nothing in main memory.
        let in_memory = row(5)?.unwrap_or_default();
        let mut execute: [Row; OpKind::ALL.len()] = [[[0.0; TERMS]; 2]; OpKind::ALL.len()];
        for kind in OpKind::ALL {
            execute[kind as usize] = match row(row_of_kind(kind))? {
                Some(coefficients) => coefficients,
                None => needed(row_of_kind(stand_in(kind)))?,
            };
        }
        Ok(TimeModel { memory, fetch, write, turn, part, program, in_memory, execute })
    }

    /// The text of a model file.
    #[must_use]
    pub fn to_text(&self, comment: &str) -> String {
        let mut text = format!("{HEADER}\n");
        for line in comment.lines() {
            _ = writeln!(text, "# {line}");
        }
        if let Some(memory) = &self.memory {
            let figures: Vec<String> = memory.figures().iter().map(ToString::to_string).collect();
            _ = writeln!(
                text,
                "# latency, a line, a list element, a command, decoding, a line for all SPEs, most lines"
            );
            _ = writeln!(text, "{MEMORY} {}", figures.join(" "));
        }
        let stages = [&self.fetch, &self.write, &self.turn, &self.part, &self.program, &self.in_memory];
        for (number, row) in stages.into_iter().chain(&self.execute).enumerate() {
            if row_name(number) == IN_MEMORY && *row == Row::default() {
                continue;
            }
            for (precision, coefficients) in Precision::ALL.into_iter().zip(row) {
                _ = write!(text, "{} {}", row_name(number), precision.name());
                let used = coefficients.iter().rposition(|&coefficient| coefficient != 0.0).unwrap_or(0);
                for coefficient in &coefficients[..=used] {
                    _ = write!(text, " {coefficient:.6}");
                }
                text.push('\n');
            }
        }
        text
    }
}

/// Rows of a model file that are no kinds, in their order. One row for each kind of operation follows.
const STAGES: [&str; 6] = ["fetch", "write", "turn", "part", "program", IN_MEMORY];
const IN_MEMORY: &str = "in-memory";
const KINDS: usize = STAGES.len();

fn row_of_kind(kind: OpKind) -> usize {
    KINDS + kind as usize
}

/// The kind whose coefficients `kind` has in a model that was made before `kind` existed: `exp`, a function
/// of the C library, for an element-wise operation; `repeat` for a move; `sum` for a reduction.
fn stand_in(kind: OpKind) -> OpKind {
    match kind {
        OpKind::Multiply => OpKind::Multiply,
        kind if kind.is_move() => OpKind::Repeat,
        kind if kind.is_direct() => OpKind::Sum,
        _ => OpKind::Exp,
    }
}

fn row_name(row: usize) -> &'static str {
    STAGES.get(row).copied().unwrap_or_else(|| OpKind::ALL[row - KINDS].name())
}

fn row_of(name: &str) -> Option<usize> {
    (0..KINDS + OpKind::ALL.len()).find(|&row| row_name(row) == name)
}

#[cfg(test)]
mod tests {
    use super::super::memory::tests::MEMORY;
    use super::super::tests::model;
    use super::*;

    #[test]
    fn files_come_back_as_they_were_written() {
        for memory in [None, Some(MEMORY)] {
            let model = TimeModel { memory, ..model() };
            assert_eq!(TimeModel::parse(&model.to_text("a comment\nof two lines"), "m").unwrap(), model);
        }
        TimeModel::of_host().unwrap();
    }

    #[test]
    fn a_kind_that_a_model_does_not_know_has_the_coefficients_of_a_similar_one() {
        let mut model = model();
        for (kind, constant) in [(OpKind::Exp, 1.0), (OpKind::Sum, 2.0), (OpKind::Repeat, 3.0)] {
            model.execute[kind as usize] = [[constant, 7.0, 0.0, 0.0, 0.0, 0.0]; 2];
        }
        let known = model.to_text("");
        let without = |kind: OpKind| {
            let line = |line: &&str| line.split(' ').next() != Some(kind.name());
            let text: Vec<&str> = known.lines().filter(line).collect();
            TimeModel::parse(&text.join("\n"), "m")
        };
        for (kind, like) in [
            (OpKind::Sin, OpKind::Exp),
            (OpKind::Hypot, OpKind::Exp),
            (OpKind::Band, OpKind::Repeat),
            (OpKind::CumulativeSum, OpKind::Sum),
        ] {
            let mut expected = model.clone();
            expected.execute[kind as usize] = model.execute[like as usize];
            assert_eq!(without(kind).unwrap(), expected, "{kind:?}");
        }
        for kind in [OpKind::Multiply, OpKind::Exp, OpKind::Repeat, OpKind::Sum] {
            let error = without(kind).unwrap_err().to_string();
            assert!(error.contains(&format!("'{}' is missing", kind.name())), "{error}");
        }
    }

    #[test]
    fn malformed_files_name_the_line() {
        let text = model().to_text("");
        let check = |text: &str, expected: &str| {
            let error = TimeModel::parse(text, "m").unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "m:1: a time model begins");
        check(&text.replace("\nsin single", "\nsinc single"), "unknown stage or operation 'sinc'");
        check(&text.replace("\nsin single 1", "\nsin single x"), "is not a number");
        check(&text.replace("\nsin single 1", "\nsin single inf 1"), "not finite");
        check(&text.replace("\nsin single", "\nsin half"), "unknown precision 'half'");
        check(&text.replace("\nsin single", "\n#"), "'sin single' is missing");
        check(&format!("{text}sin single 1 2\n"), "a second time");
        check(&text.replace("abs single 10.000000 0.500000", "abs single"), "a coefficient is needed");
        check(&text.replace("model 3", "model 2"), "measure the model again by pmatrix profile");
        check(&format!("{text}memory 1 2 3\n"), "'memory' needs 7 figures");
        check(&format!("{text}memory 1 0 1 1 1 1 1\n"), "'memory' needs 7 figures");
        let missing = TimeModel::load(Path::new("/nonexistent/model")).unwrap_err().to_string();
        assert!(missing.starts_with("/nonexistent/model: "), "{missing}");
    }
}
