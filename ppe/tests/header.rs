//! The operations of pmatrix.h are those of the table of operations.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write;
use std::{env, fs};

use pmatrix::operation::OpKind;

const BEGIN: &str = "/* Made of spe-kernels/include/operations.def (UPDATE_HEADER=1 cargo test -p pmatrix --test header). */\n";
const END: &str = "/* End of what is made of operations.def. */\n";

/// The class of the result and the domain of an operation, in the words of the table; those of direct operations are not in it.
fn result_and_domain(kind: OpKind) -> (String, String) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spe-kernels/include/operations.def");
    let table = fs::read_to_string(path).unwrap();
    for line in table.lines() {
        if let Some(fields) = line.strip_prefix("OPERATION (") {
            let fields: Vec<&str> = fields.split(',').map(str::trim).collect();
            if fields[0] == (kind as u8).to_string() {
                return (fields[7].to_owned(), fields[8].to_owned());
            }
        }
    }
    ("DIRECT".to_owned(), "ANY".to_owned())
}

fn constant(kind: OpKind) -> String {
    format!("PM_{}", kind.name().replace('-', "_").to_uppercase())
}

/// The enumeration, and the list that a program makes tables of its own of.
fn operations() -> String {
    let mut text = String::from("typedef enum pm_operation {\n");
    for kind in OpKind::ALL {
        let comma = if kind as usize + 1 < OpKind::ALL.len() { "," } else { "" };
        let name = format!("{} = {}{comma}", constant(kind), kind as u8);
        writeln!(text, "  {name:<26} /* {} */", kind.meaning()).unwrap();
    }
    text.push_str("} pm_operation;\n\n#define PM_OPERATIONS(X)");
    for kind in OpKind::ALL {
        let (gives, domain) = result_and_domain(kind);
        let (name, function, operands) = (constant(kind), kind.function(), kind.operand_count());
        write!(text, " \\\n  X ({name}, \"{function}\", {operands}, {gives}, {domain})").unwrap();
    }
    text + "\n"
}

#[test]
fn the_operations_of_the_header_are_those_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/include/pmatrix.h");
    let header = fs::read_to_string(path).unwrap();
    let (before, rest) = header.split_once(BEGIN).unwrap();
    let (made, after) = rest.split_once(END).unwrap();
    let right = operations();
    if env::var_os("UPDATE_HEADER").is_some() {
        fs::write(path, [before, BEGIN, &right, END, after].concat()).unwrap();
    } else {
        assert!(
            made == right,
            "pmatrix.h is out of date: UPDATE_HEADER=1 cargo test -p pmatrix --test header replaces it"
        );
    }
}
