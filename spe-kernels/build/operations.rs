//! The table of operations as a macro of Rust.
//!
//! Each line of `include/operations.def` becomes a row in parentheses. The macro hands all rows to another macro, which makes
//! an enumeration or a table of them.

use std::fmt::Write;
use std::path::Path;

/// Writes `operations.rs` with the macro `for_each_operation` into a folder.
pub(crate) fn generate(out: &Path) {
    let table = std::fs::read_to_string("include/operations.def").expect("include/operations.def is there");
    let mut text = String::from(
        "/// Calls a macro with the rows of `include/operations.def`, which explains them.\n\
         #[macro_export]\nmacro_rules! for_each_operation {\n    ($callback:ident) => {\n        $callback! {\n",
    );
    for (section, name) in [("elementwise", "OPERATION ("), ("direct", "DIRECT_OPERATION (")] {
        writeln!(text, "            {section} {{").expect("a String takes all");
        for line in table.lines().filter_map(|line| line.strip_prefix(name)) {
            let row = line.strip_suffix(')').expect("a row ends with a parenthesis");
            writeln!(text, "                ({})", row_of(row)).expect("a String takes all");
        }
        text.push_str("            }\n");
    }
    text.push_str("        }\n    };\n}\n");
    std::fs::write(out.join("operations.rs"), text).expect("OUT_DIR is writable");
}

/// A row without what concerns C alone: the name in constants, and the name in functions as a word with hyphens, which is the name
/// in dumps, time models and messages.
fn row_of(row: &str) -> String {
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
    columns[2] = format!("\"{}\"", columns[2].replace('_', "-"));
    columns.remove(1);
    columns.join(", ")
}
