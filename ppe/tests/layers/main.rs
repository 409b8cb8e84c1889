//! Who may use whom (ARCHITECTURE.md): each module names only modules to its right.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod safety;
mod uses;

use std::fs;
use std::path::{Path, PathBuf};

use uses::{Use, uses, words};

/// A module, and the modules that it may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("sync", &[]),
    ("operation", &[]),
    ("error", &["operation"]),
    ("process", &["sync"]),
    ("input", &[]),
    ("output", &[]),
    ("timeline", &["error", "operation", "output", "process"]),
    ("memory", &["error", "sync"]),
    ("pool", &["error", "memory", "process"]),
    ("matrix", &["error", "operation", "pool"]),
    ("trace", &["error", "matrix", "memory", "operation", "pool", "process", "sync", "timeline"]),
    ("time", &["error", "input", "operation"]),
    ("lower", &["error", "matrix", "memory", "operation", "pool", "time", "trace"]),
    ("solver", &[]),
    ("schedule", &["error", "lower", "operation", "solver", "time"]),
    ("engine", &["error", "lower", "matrix", "memory", "operation", "pool", "sync", "time", "timeline"]),
    ("wire", &["engine", "error", "lower", "matrix", "operation", "pool", "trace"]),
    ("ranks", &["engine", "error", "lower", "matrix", "operation", "pool", "process", "trace", "wire"]),
    ("immediate", &["engine", "error", "lower", "operation", "pool", "time", "trace"]),
    ("reference", &["error", "lower", "matrix", "operation", "pool", "trace"]),
    ("stats", &["lower", "trace"]),
    (
        "execute",
        &[
            "engine",
            "error",
            "lower",
            "matrix",
            "operation",
            "pool",
            "schedule",
            "stats",
            "sync",
            "timeline",
            "trace",
        ],
    ),
    (
        "session",
        &[
            "engine",
            "error",
            "execute",
            "lower",
            "matrix",
            "memory",
            "operation",
            "output",
            "pool",
            "process",
            "ranks",
            "reference",
            "schedule",
            "stats",
            "sync",
            "time",
            "timeline",
            "trace",
        ],
    ),
    ("lang", &["error", "input", "matrix", "operation", "output", "pool", "session", "trace", "wire"]),
    ("capi", &["error", "immediate", "matrix", "operation", "session", "trace"]),
];

/// Modules without a line of unsafe code.
const SAFE: &[&str] = &[
    "sync",
    "operation",
    "error",
    "input",
    "output",
    "timeline",
    "trace",
    "lower",
    "time",
    "schedule",
    "execute",
    "session",
    "stats",
    "lang",
];

fn sources(module: &str) -> Vec<PathBuf> {
    fn walk(path: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|n| n == "tests") {
                continue;
            }
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs")
                && path.file_name().is_some_and(|n| n != "tests.rs")
            {
                found.push(path);
            }
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let file = source.join(format!("{module}.rs"));
    let mut found = Vec::new();
    if source.join(module).is_dir() {
        walk(&source.join(module), &mut found);
    }
    if file.exists() {
        found.push(file);
    }
    found
}

/// The path of the module that a file holds.
fn module_of(file: &Path) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = file.strip_prefix(source).unwrap().with_extension("");
    let mut module: Vec<String> = inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    module.pop_if(|last| last == "mod");
    module
}

/// What a file of a module names against the rules.
fn violations(text: &str, module: &[&str], allowed: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for Use { path, exported } in uses(text, module) {
        let named = path[0].as_str();
        if named == module[0] {
            continue;
        }
        if !allowed.contains(&named) {
            found.push(format!("{} may not use {named}", module[0]));
        } else if exported {
            found.push(format!("{} gives {} a second path", module[0], path.join("::")));
        }
    }
    found
}

#[test]
fn modules_use_only_what_lies_below_them() {
    for (module, allowed) in LAYERS {
        let sources = sources(module);
        assert!(!sources.is_empty(), "there is no module {module}");
        for path in sources {
            let text = fs::read_to_string(&path).unwrap();
            let names = module_of(&path);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            assert_eq!(violations(&text, &names, allowed), [""; 0], "{}", path.display());
        }
    }
}

#[test]
fn a_layer_uses_only_layers_before_it() {
    for (number, (module, allowed)) in LAYERS.iter().enumerate() {
        for used in *allowed {
            let below = LAYERS[..number].iter().any(|(name, _)| name == used);
            assert!(below, "{module} uses {used}, which does not lie below it");
        }
    }
}

#[test]
fn a_planted_violation_is_found_in_each_form() {
    let names_session = [
        "use crate::session::Session;",
        "use crate::{error::Error, session::Session};",
        "use crate::{error, session};",
        "use crate::{error::{Error, Result}, session};",
        "use super::session;",
        "use super::super::session::Session;",
        "use super::{super::session::Session, graph};",
        "fn f(session: &crate::session::Session) {}",
        "fn f() { drop(super::super::session::Session::new()); }",
        "mod inner { use super::super::super::session::Session; }",
        "fn f() { println!(\"{}\", crate::session::NAME); }",
        "macro_rules! m { () => { $crate::session::f() }; }",
        "#[cfg(test)] mod tests {} use crate::session::Session;",
        "#[cfg(test)] use crate::error::Error; use crate::session::Session;",
        "pub use crate::session::Session;",
    ];
    for text in names_session {
        // `super` of a file reaches the root only from a module of the first level.
        let module: &[&str] = if text == "use super::session;" { &["trace"] } else { &["trace", "graph"] };
        assert_eq!(violations(text, module, &["error"]), ["trace may not use session"], "{text}");
    }
    for text in ["use crate::*;", "use crate as all;", "use super::super::*;", "use {crate as all};"] {
        assert_eq!(violations(text, &["trace", "graph"], &["error"]), ["trace may not use *"], "{text}");
    }
    let second_paths = [
        "pub use crate::error::Error;",
        "pub(crate) use crate::error::Error;",
        "pub use crate::{error::Error};",
        "pub(super) use super::super::error::Error;",
    ];
    for text in second_paths {
        let expected = ["trace gives error::Error a second path"];
        assert_eq!(violations(text, &["trace", "graph"], &["error"]), expected, "{text}");
    }
}

#[test]
fn what_is_allowed_is_no_violation() {
    let allowed = [
        "use crate::error::{Error, Result};",
        "pub(crate) fn f() -> crate::error::Error { crate::error::Error::Closed }",
        "use super::session; pub use super::value::Value; pub use self::inner::Inner;",
        "// crate::session",
        "/// [`crate::session`]\nstruct S;",
        "const S: &str = \"crate::session\";",
        "#[cfg(test)] mod tests { use crate::session::Session; }",
        "#[cfg(test)] use crate::session::Session;",
        "pub(in crate::trace) struct S;",
        "use std::{fmt, mem}; use session::Session;",
    ];
    for text in allowed {
        assert_eq!(violations(text, &["trace", "graph"], &["error"]), [""; 0], "{text}");
    }
}

#[test]
fn every_module_has_its_layer() {
    let front = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    for line in front.lines().filter_map(|line| line.trim().strip_prefix("pub mod ")) {
        let module = line.trim_end_matches(';');
        assert!(LAYERS.iter().any(|(name, _)| *name == module), "{module} has no layer");
    }
}

#[test]
fn the_architecture_tells_of_the_same_layers() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    for (module, allowed) in LAYERS {
        let row = format!("| `{module}` | ");
        let row = text.lines().find_map(|line| line.strip_prefix(&row));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no layer {module}"));
        let names = row.split(" | ").next().unwrap();
        // What is no module of the crate stands in backticks or parentheses, and every module may use error.
        let mut told: Vec<&str> = match names.strip_prefix("all of these but ") {
            Some(others) => {
                let before = LAYERS.iter().map(|(name, _)| *name).take_while(|name| name != module);
                before.filter(|name| !others.contains(&format!("`{name}`"))).collect()
            }
            None => names.split(", ").filter(|name| !name.contains(['`', '('])).collect(),
        };
        let mut allowed = allowed.to_vec();
        for names in [&mut told, &mut allowed] {
            names.retain(|name| *name != "error");
            names.sort_unstable();
        }
        assert_eq!(told, allowed, "{module}");
    }
}

#[test]
fn unsafe_code_stays_where_it_belongs() {
    for module in SAFE {
        for path in sources(module) {
            let words = words(&fs::read_to_string(&path).unwrap());
            assert!(!words.iter().any(|word| word == "unsafe"), "{} contains unsafe code", path.display());
        }
    }
}
