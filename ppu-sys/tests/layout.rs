//! The headers have the layout of the binary interface for 32-bit and 64-bit targets: every C compiler that
//! is here checks `layout.c`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Stdio};

/// Compilers with their options, and the width of their pointers in bits.
const COMPILERS: [(&str, u32); 8] = [
    ("gcc -m32", 32),
    ("clang -m32", 32),
    ("clang --target=powerpc-linux-gnu", 32),
    ("powerpc-linux-gnu-gcc", 32),
    ("gcc -m64", 64),
    ("clang -m64", 64),
    ("clang --target=powerpc64-linux-gnu", 64),
    ("powerpc64-linux-gnu-gcc", 64),
];

/// Compiles a file to nothing; `None` if there is no such compiler or it knows no such target.
fn compile(compiler: &str, file: &Path) -> Option<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut words = compiler.split(' ');
    let program = words.next()?;
    let options: Vec<&str> = words.collect();
    let run = |file: &Path| {
        let mut command = Command::new(program);
        command.args(&options).args(["-x", "c", "-std=c11", "-ffreestanding", "-fsyntax-only", "-I"]);
        command.arg(root.join("include")).arg(file).stderr(Stdio::inherit()).status().ok()
    };
    let known = run(Path::new("/dev/null")).is_some_and(|status| status.success());
    known.then(|| run(file).is_some_and(|status| status.success()))
}

#[test]
fn every_compiler_agrees_on_the_layout() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/layout.c");
    let mut checked = [0, 0];
    for (compiler, bits) in COMPILERS {
        match compile(compiler, &file) {
            Some(agrees) => {
                assert!(agrees, "{compiler} does not agree");
                checked[usize::from(bits == 64)] += 1;
            }
            None => eprintln!("not here: {compiler}"),
        }
    }
    let [narrow, wide] = checked;
    eprintln!("checked by {narrow} compilers for 32 bits and {wide} for 64");
    assert!(wide > 0, "no C compiler for 64 bits");
    assert!(narrow > 0 || std::env::var_os("REQUIRE_ALL").is_none(), "no C compiler for 32 bits");
}

#[test]
fn the_header_is_one_of_cplusplus_too() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/libspe2.h");
    let mut command = Command::new("c++");
    command.args(["-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(header);
    match command.status() {
        Ok(status) => assert!(status.success(), "c++ refuses the header"),
        Err(_) => assert!(std::env::var_os("REQUIRE_ALL").is_none(), "there is no C++ compiler"),
    }
}
