//! The table of operations in Rust.
//!
//! Each line of `include/operations.def` becomes a row in parentheses. The macro `for_each_operation` hands
//! all rows to another macro, which makes an enumeration or a table of them. The functions of the C library
//! get declarations.

use std::fmt::Write;
use std::path::Path;

/// Writes `operations.rs` with the macro `for_each_operation`, and `library.rs`, into a folder.
pub(crate) fn generate(out: &Path) {
    let table = std::fs::read_to_string("include/operations.def").expect("include/operations.def is there");
    let elementwise = rows(&table, "OPERATION (");
    let direct = rows(&table, "DIRECT_OPERATION (");
    std::fs::write(out.join("operations.rs"), macro_of(&elementwise, &direct)).expect("OUT_DIR is writable");
    std::fs::write(out.join("library.rs"), library(&elementwise)).expect("OUT_DIR is writable");
}

/// The columns of the lines that begin so.
fn rows(table: &str, begin: &str) -> Vec<Vec<String>> {
    table
        .lines()
        .filter_map(|line| line.strip_prefix(begin))
        .map(|line| columns(line.strip_suffix(')').expect("a row ends with a parenthesis")))
        .collect()
}

fn columns(row: &str) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    let mut rest = row;
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"') {
            Some(text) => text.find('"').expect("a text ends") + 2,
            None => rest.find(',').unwrap_or(rest.len()),
        };
        columns.push(rest[..end].to_string());
        rest = rest[end..].trim_start_matches([',', ' ']);
    }
    columns
}

fn macro_of(elementwise: &[Vec<String>], direct: &[Vec<String>]) -> String {
    let mut text = String::from(
        "/// Calls a macro with the rows of `include/operations.def`, which explains them.\n\
         #[macro_export]\nmacro_rules! for_each_operation {\n    ($callback:ident) => {\n        $callback! {\n",
    );
    for (section, rows) in [("elementwise", elementwise), ("direct", direct)] {
        writeln!(text, "            {section} {{").expect("a String takes all");
        for row in rows {
            // The name in constants of C concerns C alone.  The name in functions becomes a word with
            // hyphens, which is the name in dumps, time models and messages.
            let word = row[1].replace('_', "-");
            writeln!(text, "                (\"{word}\", {})", row[2..].join(", "))
                .expect("a String takes all");
        }
        text.push_str("            }\n");
    }
    text + "        }\n    };\n}\n"
}

/// The functions of the C library: their declarations, a pattern of their opcodes, and a function for each
/// precision that calls one of them.
fn library(elementwise: &[Vec<String>]) -> String {
    let functions: Vec<(&str, &str, bool)> = elementwise
        .iter()
        .filter(|row| row.iter().any(|column| column == "LIBRARY"))
        .map(|row| (row[1].as_str(), row[2].as_str(), row.iter().any(|column| column == "TWO")))
        .collect();
    let mut text = String::from("unsafe extern \"C\" {\n");
    for (suffix, float) in [("", "f64"), ("f", "f32")] {
        for (name, _, two) in &functions {
            if *name == "cbrt" {
                // As in `kernels/host/library.c`.
                let own = float.replace('f', "cbrtf");
                writeln!(text, "    #[cfg_attr(target_env = \"gnu\", link_name = \"{own}\")]")
                    .expect("a String takes all");
            }
            let second = if *two { format!(", b: {float}") } else { String::new() };
            writeln!(text, "    safe fn {name}{suffix}(a: {float}{second}) -> {float};")
                .expect("a String takes all");
        }
    }
    let opcodes: Vec<String> = functions.iter().map(|(_, opcode, _)| format!("Opcode::{opcode}")).collect();
    let pattern = opcodes.join(" | ");
    writeln!(
        text,
        "}}\n\nmacro_rules! library {{\n    () => {{\n        {pattern}\n    }};\n}}\npub(super) use library;"
    )
    .expect("a String takes all");
    for (precision, suffix, float) in [("single", "f", "f32"), ("double", "", "f64")] {
        writeln!(text, "\npub(super) fn {precision}(opcode: Opcode, a: {float}, b: {float}) -> {float} {{\n    match opcode {{")
            .expect("a String takes all");
        for (name, opcode, two) in &functions {
            let second = if *two { ", b" } else { "" };
            writeln!(text, "        Opcode::{opcode} => {name}{suffix}(a{second}),")
                .expect("a String takes all");
        }
        text.push_str("        _ => panic!(\"{opcode:?} is no function of the C library\"),\n    }\n}\n");
    }
    text
}
