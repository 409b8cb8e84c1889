//! Builds the MEU for both SPU processors, if there is a compiler, and embeds the images.

use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `build-spu.sh` calls the processors, and the names of the constants.
const PROCESSORS: [(&str, &str); 2] = [("cell", "CELL"), ("celledp", "CELLEDP")];

/// Writes `images.rs`: for each processor constants with its image and its overlays, or why there are none.
pub(crate) fn embed(out: &Path) {
    println!("cargo::rerun-if-env-changed=SPU_PREFIX");
    println!("cargo::rerun-if-env-changed=SPU_ARCHIVE");
    println!("cargo::rerun-if-changed=build-spu.sh");
    let compiler = find_compiler();
    if let Err(reason) = &compiler {
        println!("cargo::warning=no MEU images for SPEs: {reason}");
    }
    let mut text = String::new();
    for (cpu, name) in PROCESSORS {
        if let Ok(prefix) = &compiler {
            build(prefix, cpu, &out.join(cpu));
        }
        for (constant, file) in [(name.to_owned(), "meu.elf"), (format!("{name}_OVERLAYS"), "overlays.bin")] {
            let contents = match &compiler {
                Ok(_) => {
                    format!("Ok(&Lines(*include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{cpu}/{file}\"))))")
                }
                Err(reason) => format!("Err({reason:?})"),
            };
            // Writing to a string does not fail.
            _ = writeln!(text, "const {constant}: Result<&Lines<[u8]>, &str> = {contents};");
        }
    }
    std::fs::write(out.join("images.rs"), text).expect("OUT_DIR is writable");
}

/// The directory with `bin/spu-elf-gcc`, or why there is none.
fn find_compiler() -> Result<PathBuf, String> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let script = root.join("../toolchain/spu-gcc.sh");
    let prefix = match env::var_os("SPU_PREFIX").filter(|prefix| !prefix.is_empty()) {
        Some(prefix) => PathBuf::from(prefix),
        None if script.exists() => {
            println!("cargo::rerun-if-changed={}", script.display());
            let found = Command::new(&script).arg("--find").output();
            let found = found.map_err(|error| format!("{} does not run: {error}", script.display()))?;
            if !found.status.success() {
                return Err("there is no spu-elf-gcc".to_owned());
            }
            PathBuf::from(String::from_utf8_lossy(&found.stdout).trim())
        }
        None => return Err("SPU_PREFIX names no toolchain".to_owned()),
    };
    let gcc = prefix.join("bin/spu-elf-gcc");
    match Command::new(&gcc).arg("--version").output() {
        Ok(version) if version.status.success() => Ok(prefix),
        Ok(version) => {
            Err(format!("{} fails: {}", gcc.display(), String::from_utf8_lossy(&version.stderr).trim()))
        }
        Err(error) => Err(format!("{} does not run: {error}", gcc.display())),
    }
}

fn build(prefix: &Path, cpu: &str, directory: &Path) {
    let mut command = Command::new("./build-spu.sh");
    let output = command.arg(cpu).arg(directory).env("SPU_PREFIX", prefix).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}
