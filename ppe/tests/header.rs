//! The operations of pmatrix.h equal the table of operations.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write;
use std::{env, fs};

use pmatrix::operation::OpKind;

const BEGIN: &str = "/* Made of spe-kernels/include/operations.def (UPDATE_HEADER=1 cargo test -p pmatrix --test header). */\n";
const END: &str = "/* End of what is made of operations.def. */\n";

macro_rules! words {
    (
        elementwise { $(($word:literal, $kind:ident, $function:literal, $conforms:literal, $takes:ident, $gives:ident,
            $domain:ident, $complex:ident, $kernel:ident, $resident:ident, $meaning:literal))* }
        direct { $(($direct_word:literal, $direct:ident, $direct_function:literal, $direct_complex:ident,
            $direct_resident:ident, $direct_meaning:literal))* }
    ) => {
        /// The class of the result, the domain, and what complex operands give, in the words of the table.
        /// Classes and domains of direct operations are not in the table.
        fn words(kind: OpKind) -> [&'static str; 3] {
            match kind {
                $(OpKind::$kind => [stringify!($gives), stringify!($domain), stringify!($complex)],)*
                $(OpKind::$direct => ["DIRECT", "ANY", stringify!($direct_complex)],)*
            }
        }
    };
}

spe_kernels::for_each_operation!(words);

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
        let [gives, domain, complex] = words(kind);
        let (name, function, operands) = (constant(kind), kind.function(), kind.operand_count());
        write!(text, " \\\n  X ({name}, \"{function}\", {operands}, {gives}, {domain}, {complex})").unwrap();
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
