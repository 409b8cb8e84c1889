//! An SPE program that crashes, issues an invalid DMA command, or hangs: its MEU is lost, the text names the MEU,
//! the operation and the reason, and the results are those of the MEUs that are left. With the only MEU gone the
//! PPE simulates an SPE.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use qemu_tests::{Emulated, root};

/// What a compiler or a program prints, which has to succeed.
fn output(command: &mut Command) -> String {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&stdout).into_owned();
    assert!(status.success(), "{command:?}: {status}\n{text}{}", String::from_utf8_lossy(&stderr));
    text
}

fn source(name: &str) -> PathBuf {
    root().join("qemu-tests/tests/recovery").join(name)
}

/// Compiles for the PPE; `extra` is what the compiler needs besides the source.
fn for_ppe<S: AsRef<OsStr>>(name: &str, to: &Path, extra: &[S]) {
    let include = |directory: &str| format!("-I{}", root().join(directory).display());
    output(
        Command::new("powerpc64-linux-gnu-gcc")
            .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(to)
            .args([include("ppu-sys/include"), include("ppe/include")])
            .arg(source(name))
            .args(extra),
    );
}

#[test]
fn what_a_lost_spe_leaves_is_computed_by_the_others() {
    let Some(pmatrix) = Emulated::find() else { return };
    let compiler = output(Command::new(root().join("toolchain/spu-gcc.sh")).arg("--prefix"));
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recovery");
    fs::create_dir_all(&directory).unwrap_or_else(|error| panic!("{error}"));
    let (built, program, library) =
        (PathBuf::from(pmatrix.libspe2()), directory.join("ppe"), directory.join("libfaulty.so"));
    fs::copy(&built, directory.join("libspe2.so.2")).unwrap_or_else(|error| panic!("{error}"));
    let beside = directory.join("libspe2.so.2").display().to_string();
    for_ppe("faulty.c", &library, &["-shared", "-fPIC", &beside, "-ldl", "-Wl,-rpath,$ORIGIN"]);
    let archive = built.with_file_name("libpmatrix.a").display().to_string();
    for_ppe("ppe.c", &program, &[archive.as_str(), "-lpthread", "-ldl", "-lm"]);
    let faults = [
        "invalid instruction",
        "the SPE has halted",
        "was not aligned",
        "memory that cannot be accessed",
        "the SPE cannot be run",
    ];
    for (index, reason) in faults.into_iter().enumerate() {
        let image = directory.join(format!("fault{}", index + 1));
        output(
            Command::new(format!("{}/bin/spu-elf-gcc", compiler.trim()))
                .args(["-O1", &format!("-DFAULT={}", index + 1), "-o"])
                .arg(&image)
                .arg(source("spe.c")),
        );
        for (meus, lost, rest) in [("3", "1", "2 of 3 MEUs are left"), ("1", "0", "no MEU is left")] {
            // What hangs is ended by the library, after more instructions than the other MEUs execute.
            let text = output(
                Command::new("timeout")
                    .args(["120", "qemu-ppc64", "-L", "/usr/powerpc64-linux-gnu"])
                    .arg(&program)
                    .arg(meus)
                    .env("PMATRIX_LIBSPE2", &library)
                    .env("FAULTY_PROGRAM", &image)
                    .env("FAULTY_LOAD", lost)
                    .env("LIBSPE2_SIM_QUIET", "1")
                    .env("LIBSPE2_SIM_LIMIT", "20000000"),
            );
            let lines: Vec<_> = text.lines().collect();
            assert!(lines.len() == 2 && lines[1] == "computed", "{reason}: {text}");
            let begin = format!("MEU {lost} is lost: ");
            assert!(lines[0].starts_with(&begin) && lines[0].contains("program:"), "{}", lines[0]);
            assert!(lines[0].contains(reason) && lines[0].contains(rest), "{reason}: {}", lines[0]);
        }
    }
}
