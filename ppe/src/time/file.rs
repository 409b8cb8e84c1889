//! Model files: a header, comments, and a line for each stage or kind of operation and each precision.

use std::fmt::Write as _;
use std::path::Path;

use super::{Coefficients, TERMS, TimeModel};
use crate::error::{Error, Result};
use crate::operation::{OpKind, Precision};

/// Largest file that is read; every time model is far smaller.
const MOST_BYTES: u64 = 1 << 20;

const HEADER: &str = "pmatrix-time-model 1";

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
        match lines.next() {
            Some((_, HEADER)) => {}
            _ => return Err(fail(1, format!("a time model begins with the line '{HEADER}'"))),
        }
        for (number, line) in lines {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
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
            if count < 2 {
                return Err(fail(number, "at least two coefficients are needed".into()));
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
        let (fetch, write) = (needed(FETCH)?, needed(WRITE)?);
        let mut execute = [[[0.0; TERMS]; 2]; OpKind::ALL.len()];
        for kind in OpKind::ALL {
            execute[kind as usize] = match row(row_of_kind(kind))? {
                Some(coefficients) => coefficients,
                None => needed(row_of_kind(stand_in(kind)))?,
            };
        }
        Ok(TimeModel { fetch, write, execute })
    }

    /// The text of a model file.
    #[must_use]
    pub fn to_text(&self, comment: &str) -> String {
        let mut text = format!("{HEADER}\n");
        for line in comment.lines() {
            _ = writeln!(text, "# {line}");
        }
        for row in 0..KINDS + OpKind::ALL.len() {
            for precision in Precision::ALL {
                let coefficients = match row {
                    FETCH => self.fetch[precision as usize],
                    WRITE => self.write[precision as usize],
                    kind => self.execute[kind - KINDS][precision as usize],
                };
                let [a, b, c, d] = coefficients;
                _ = writeln!(text, "{} {} {a:.6} {b:.9} {c:.9} {d:.9}", row_name(row), precision.name());
            }
        }
        text
    }
}

/// Rows of a model file: fetch, write, and then one row for each kind of operation.
const FETCH: usize = 0;
const WRITE: usize = 1;
const KINDS: usize = 2;

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
    match row {
        FETCH => "fetch",
        WRITE => "write",
        kind => OpKind::ALL[kind - KINDS].name(),
    }
}

fn row_of(name: &str) -> Option<usize> {
    (0..KINDS + OpKind::ALL.len()).find(|&row| row_name(row) == name)
}

#[cfg(test)]
mod tests {
    use super::super::tests::model;
    use super::*;

    #[test]
    fn files_come_back_as_they_were_written() {
        let model = model();
        assert_eq!(TimeModel::parse(&model.to_text("a comment\nof two lines"), "m").unwrap(), model);
        TimeModel::of_host().unwrap();
    }

    #[test]
    fn a_kind_that_a_model_does_not_know_has_the_coefficients_of_a_similar_one() {
        let mut model = model();
        for (kind, constant) in [(OpKind::Exp, 1.0), (OpKind::Sum, 2.0), (OpKind::Repeat, 3.0)] {
            model.execute[kind as usize] = [[constant, 7.0, 0.0, 0.0], [constant, 8.0, 0.0, 0.0]];
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
        check(
            &text.replace("abs single 10.000000 0.500000000 0.000000000 0.000000000", "abs single 1"),
            "at least two",
        );
        let missing = TimeModel::load(Path::new("/nonexistent/model")).unwrap_err().to_string();
        assert!(missing.starts_with("/nonexistent/model: "), "{missing}");
    }
}
