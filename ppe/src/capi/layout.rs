//! Checks that structures and numbers of `pmatrix.h` equal their twins in Rust. A C compiler compares them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use memoffset::offset_of;

use super::PmStatus;
use super::options::PmOptions;
use super::profile::PmTotal;
use super::session::{PmProgress, PmStatistics};
use super::small::PmSmall;
use super::value::PmInformation;
use crate::operation::OpKind;

const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");

/// Bytes of the field that a function picks.
fn bytes<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

/// Assertions in C that a structure of the header has the layout of its twin, all of whose fields have to be
/// listed.
macro_rules! assertions {
    ($c:literal is $rust:ident { $($field:ident),* $(,)? }) => {{
        let _ = |value: $rust| {
            let $rust { $($field: _),* } = value;
        };
        let mut text = format!("_Static_assert (sizeof ({0}) == {1}, \"{0}\");\n", $c, size_of::<$rust>());
        $(
            let (at, size) = (offset_of!($rust, $field), bytes(|value: &$rust| &value.$field));
            let field = stringify!($field);
            writeln!(text, "_Static_assert (offsetof ({0}, {field}) == {at}, \"{0}.{field}\");", $c).unwrap();
            writeln!(text, "_Static_assert (sizeof ((({0} *) 0)->{field}) == {size}, \"{0}.{field}\");", $c).unwrap();
        )*
        text
    }};
}

/// Assertions that constants of the header have these values.
fn numbers(constants: impl Iterator<Item = (String, u32)>) -> String {
    constants.map(|(name, value)| format!("_Static_assert ({name} == {value}, \"{name}\");\n")).collect()
}

/// The header's names of operations, found by the name without underscores.
fn names(header: &str) -> HashMap<String, &str> {
    let words = header.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("PM_")).map(|word| (word.replace('_', ""), word)).collect()
}

#[test]
fn the_c_interface_has_the_layout_of_its_header() {
    let mut text = String::from("#include <stddef.h>\n#include \"pmatrix.h\"\n");
    text += &assertions!("pm_options" is PmOptions {
        engine, scheduler, model, meus, overlap, immediate, common, max_operations, max_depth, max_bytes, profile,
        ranks, shard, ranks_work_ms, hostfile, ranks_memory,
    });
    text += &assertions!("pm_statistics" is PmStatistics {
        operations_recorded, operations_executed, operations_dropped, operations_pending, block_operations, block_edges, traces,
        flushes_forced, flushes_operations, flushes_depth, flushes_bytes, lower_ns, schedule_ns, execute_ns, bytes_pinned,
        bytes_peak,
    });
    text += &assertions!("pm_progress" is PmProgress {
        operations_pending, operations_in_flight, block_operations_lowered, block_operations_executed, chunks_lowered,
        chunks_begun, work_executed, work_in_flight, meus,
    });
    text += &assertions!("pm_information" is PmInformation { operations, bytes, line, file });
    text += &assertions!("pm_total" is PmTotal {
        file, line, operation, recorded, computed_at_once, blocks_at_once, blocks_on_meus, ns,
    });
    text += &assertions!("pm_small" is PmSmall { data, rows, columns, value_class, transposed });
    text += &numbers(
        [
            ("PM_OK", PmStatus::Ok),
            ("PM_ERROR_NULL", PmStatus::Null),
            ("PM_ERROR_ARGUMENT", PmStatus::Argument),
            ("PM_ERROR_NONCONFORMANT", PmStatus::Nonconformant),
            ("PM_ERROR_DOMAIN", PmStatus::Domain),
            ("PM_ERROR_EXECUTION", PmStatus::Execution),
            ("PM_ERROR_MEMORY", PmStatus::Memory),
            ("PM_ERROR_FILE", PmStatus::File),
            ("PM_ERROR_FORK", PmStatus::Fork),
            ("PM_ERROR_PANIC", PmStatus::Panic),
            ("PM_ERROR_CANCELLED", PmStatus::Cancelled),
        ]
        .map(|(name, status)| (name.to_owned(), status as u32))
        .into_iter(),
    );
    let header = std::fs::read_to_string(format!("{INCLUDE}/pmatrix.h")).unwrap();
    let names = names(&header);
    text += &numbers(OpKind::ALL.into_iter().enumerate().map(|(number, kind)| {
        let plain = match kind {
            OpKind::SumSquares => "PMSUMOFSQUARES".to_owned(),
            kind => format!("PM{kind:?}").to_uppercase(),
        };
        let name = names.get(&plain).unwrap_or_else(|| panic!("pmatrix.h has no operation {kind:?}"));
        ((*name).to_owned(), number as u32)
    }));

    let variable = |name| std::env::var(name).ok();
    let compiler = variable("TARGET_CC").or_else(|| variable("CC")).unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-x", "c", "-std=c11", "-fsyntax-only", "-I", INCLUDE, "-"]).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "pmatrix.h and its twins differ (see above)");
}
