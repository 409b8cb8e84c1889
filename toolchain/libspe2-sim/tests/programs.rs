//! Programs written against libspe2 run on this library: C compilers for both sides, `programs/run`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The C compiler for SPEs is there, or the test says that it cannot run.
fn compiler_is_there() -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spu-gcc.sh");
    let found = Command::new(script).arg("--find").output().is_ok_and(|output| output.status.success());
    if !found {
        assert!(env::var_os("REQUIRE_ALL").is_none(), "there is no SPU compiler (toolchain/spu-gcc.sh)");
        eprintln!("skipped: there is no SPU compiler (toolchain/spu-gcc.sh builds one)");
    }
    found
}

/// Runs programs (all, if none is named) in a directory of their own. Gives the output of the script, as an
/// error if one did not end as expected.
fn run(directory: &str, names: &[&str], environment: &[(&str, &str)]) -> Result<String, String> {
    // The library lies beside this test's executable.
    let executable = env::current_exe().unwrap();
    let library = executable.with_file_name("libspe2.so");
    let out = env::temp_dir().join(format!("libspe2-sim-{directory}-{}", std::process::id()));
    let output = Command::new(programs().join("run"))
        .args(names)
        .envs(environment.iter().copied())
        .env("LIBRARY", library)
        .env("OUT", &out)
        .output()
        .unwrap();
    fs::remove_dir_all(&out).unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if output.status.success() { Ok(text) } else { Err(text) }
}

#[test]
fn programs_end_as_expected() {
    if compiler_is_there() {
        run("all", &[], &[]).unwrap();
    }
}

#[test]
fn programs_do_not_depend_on_the_order_of_dma_or_on_the_machine() {
    const DMA: [&str; 5] = ["atomic", "dma_lists", "gang", "hello", "signals"];
    if !compiler_is_there() {
        return;
    }
    for seed in ["1", "2", "3"] {
        run("reordered", &DMA, &[("LIBSPE2_SIM_REORDER", seed)]).unwrap();
    }
    run("console", &["gang"], &[("LIBSPE2_SIM_SPES", "6"), ("LIBSPE2_SIM_CPU", "cell")]).unwrap();
    run("blade", &["gang"], &[("LIBSPE2_SIM_SPES", "16")]).unwrap();
    let text = run("timed", &["gang", "mailboxes"], &[("LIBSPE2_SIM_TIMING", "1")]).unwrap();
    assert!(text.contains("instructions in ") && text.contains(" cycles, "), "{text}");
}

#[test]
fn an_endless_program_ends_at_the_limit() {
    if compiler_is_there() {
        // The program that fails on purpose expects its endless loop to be ended otherwise, and says where.
        let text = run("limit", &["faults"], &[("LIBSPE2_SIM_LIMIT", "1000")]).unwrap_err();
        assert!(text.contains("reached the instruction limit"), "{text}");
    }
}

#[test]
fn the_programs_use_every_function() {
    let mut sources = String::new();
    for entry in fs::read_dir(programs()).unwrap() {
        let file = entry.unwrap().path().join("ppe.c");
        sources += &fs::read_to_string(file).unwrap_or_default();
    }
    sources += &fs::read_to_string(programs().join("common.h")).unwrap();
    let unused: Vec<_> =
        ppu_sys::Functions::NAMES.iter().filter(|name| !sources.contains(&format!("{name}("))).collect();
    assert!(unused.is_empty(), "no program uses {unused:?}");
}
