//! The programs in TRACE_LANGUAGE.md do what stands there.
//!
//! `UPDATE_GOLDEN=1 cargo test --test trace_language` writes what they print, and the lists of element-wise
//! functions, into the document.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod built;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pmatrix::lang::MAX_NESTING;
use pmatrix::lang::functions::{Meaning, STATEMENTS, functions};
use pmatrix::lang::table::MAX_ELEMENTS;
use pmatrix::operation::{MAX_SIDE, OpKind};

fn document() -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("TRACE_LANGUAGE.md");
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

/// The blocks of the document, each with what stands behind its first fence.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut lines = text.lines();
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let body = lines.by_ref().take_while(|&line| line != "```");
            blocks.push((kind, body.map(|line| format!("{line}\n")).collect()));
        }
    }
    blocks
}

/// Exit code and what a program prints, on the standard output or as its error.
fn run(program: &str, directory: &Path) -> (i32, String) {
    fs::write(directory.join("program"), program).unwrap();
    let mut command = built::command(env!("CARGO_BIN_EXE_pmatrix"));
    command.args(["run", "--format", "short", "--engine", "host", "program"]).current_dir(directory);
    let output = command.output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap() + &error)
}

#[test]
fn every_program_of_the_document_prints_what_it_says() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trace_language");
    fs::create_dir_all(&directory).unwrap();
    let (path, text) = document();
    let blocks = blocks(&text);
    let mut found = Vec::new();
    for (index, (kind, body)) in blocks.iter().enumerate() {
        match kind.split_once(' ').unwrap_or((kind, "")) {
            ("file", name) => fs::write(directory.join(name), body).unwrap(),
            ("trace", _) => {
                let (code, printed) = run(body, &directory);
                let (wanted, expected) = &blocks[index + 1];
                assert_eq!(code == 0, *wanted == "output", "{body}\n{printed}");
                assert!(["output", "error"].contains(wanted), "{body}");
                found.push((expected, printed));
            }
            _ => {}
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        return update(
            &path,
            &with_lists(&text),
            &found.into_iter().map(|(_, printed)| printed).collect::<Vec<_>>(),
        );
    }
    assert!(found.len() > 15);
    for (expected, printed) in found {
        assert_eq!(printed, *expected);
    }
}

/// Beginnings of the two paragraphs that list Octave's element-wise functions.
const LISTS: [&str; 2] = ["With two operands: ", "With one: "];

/// The paragraph that begins so, from the table of operations.
fn list(beginning: &str) -> String {
    let wanted = |meaning| match meaning {
        Meaning::Unary(_) => beginning == LISTS[1],
        Meaning::Binary(kind, _) => beginning == LISTS[0] && kind != OpKind::Multiply,
        _ => false,
    };
    // Names in capitals are the paper's.
    let names = functions().filter(|function| wanted(function.meaning)).map(|function| function.name);
    let names: Vec<&str> = names.filter(|name| name.starts_with(char::is_lowercase)).collect();
    let (mut text, mut width) = (format!("{beginning}`"), beginning.len());
    for (index, name) in names.iter().enumerate() {
        width += name.len() + 1;
        if index > 0 {
            text.push(if width < 120 { ' ' } else { '\n' });
        }
        width = if width < 120 { width } else { name.len() };
        text.push_str(name);
    }
    text + "`."
}

/// The document with the lists as they have to be.
fn with_lists(text: &str) -> String {
    let paragraph = |old: &str| match LISTS.into_iter().find(|beginning| old.starts_with(beginning)) {
        Some(beginning) => list(beginning),
        None => old.to_owned(),
    };
    text.split("\n\n").map(paragraph).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn the_lists_of_element_wise_functions_are_those_of_the_table() {
    let text = document().1;
    for beginning in LISTS {
        assert!(text.contains(&format!("\n\n{beginning}")), "{beginning}");
    }
    assert!(
        std::env::var_os("UPDATE_GOLDEN").is_some() || text == with_lists(&text),
        "TRACE_LANGUAGE.md is out of date: UPDATE_GOLDEN=1 cargo test -p pmatrix --test trace_language mends it"
    );
}

fn update(path: &Path, text: &str, printed: &[String]) {
    let mut printed = printed.iter();
    let mut updated = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(updated, "{line}").unwrap();
        if ["```output", "```error"].contains(&line) {
            lines.by_ref().find(|&line| line == "```").unwrap();
            writeln!(updated, "{}```", printed.next().unwrap()).unwrap();
        }
    }
    fs::write(path, updated).unwrap();
}

#[test]
fn every_statement_function_and_operator_has_an_example() {
    let text = document().1;
    let programs: String =
        blocks(&text).into_iter().filter(|(kind, _)| *kind == "trace").map(|(_, body)| body).collect();
    let called = |name: &str| {
        let mut before = ' ';
        programs.match_indices(&format!("{name}(")).any(|(at, _)| {
            before = programs[..at].chars().next_back().unwrap_or(' ');
            !before.is_alphanumeric()
        })
    };
    for name in functions().map(|function| function.name).chain(STATEMENTS) {
        assert!(called(name), "{name} has no example");
    }
    for operator in [
        "|", "&", "==", "!=", "~=", "<", "<=", ">", ">=", "+", "-", "*", "/", ".*", "./", ".^", "!(", "~(",
        "'", ".'",
    ] {
        assert!(programs.contains(operator), "{operator} has no example");
    }
}

#[test]
fn the_limits_are_those_of_the_document() {
    let text = document().1;
    let limits = text.split("## Limits").nth(1).unwrap().split("##").next().unwrap();
    for number in [MAX_SIDE, MAX_ELEMENTS, MAX_NESTING.into(), u64::from(u32::MAX)] {
        assert!(limits.contains(&format!(" {number} ")), "{number}");
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let fails = |program: &str, message: &str| {
        let (code, printed) = run(program, directory);
        assert!(code != 0 && printed.contains(message), "{program}: {printed}");
    };
    let works = |program: &str| {
        let (code, printed) = run(program, directory);
        assert_eq!(code, 0, "{program}: {printed}");
    };
    works(&format!("A = zeros({MAX_SIDE}, 0);"));
    fails(&format!("A = zeros({}, 0);", MAX_SIDE + 1), "must be a whole number from 0 to 1073741824");
    fails(&format!("A = zeros({}, 1);", MAX_ELEMENTS + 1), "is too large (at most 268435456 elements)");
    works("x = rand(1, 1, 4294967295);");
    fails("x = rand(1, 1, 4294967296);", "the seed must be a whole number from 0 to 4294967295");
    let nested = |levels: usize| format!("x = {}1{};", "(".repeat(levels), ")".repeat(levels));
    works(&nested(MAX_NESTING as usize / 2));
    fails(&nested(MAX_NESTING as usize + 1), "more than 200 levels within each other");
    works(&format!("x = 1{};", " + 1".repeat(100_000)));
}
