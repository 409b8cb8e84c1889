//! Builds the MEU and its kernels for the host and for SPEs.

#[path = "build/images.rs"]
mod images;
#[path = "build/operations.rs"]
mod operations;

use std::env;
use std::path::PathBuf;

/// Sources that are compiled once for each vector width, and as an SPE computes them.
const KERNELS: &[&str] = &[
    "kernels/table.c",
    "kernels/ref/arithmetic.c",
    "kernels/ref/extrema.c",
    "kernels/ref/logic.c",
    "kernels/ref/mod.c",
    "kernels/ref/power.c",
    "kernels/ref/rem.c",
    "kernels/ref/root.c",
    "kernels/ref/rounding.c",
    "kernels/ref/sign.c",
    "kernels/ref/trigonometry.c",
];

/// Vector code of an SPE for functions of the C library.
const FUNCTIONS: &[&str] = &[
    "kernels/functions/arc.c",
    "kernels/functions/cube_root.c",
    "kernels/functions/error.c",
    "kernels/functions/exponential.c",
    "kernels/functions/logarithm.c",
];

/// Products: sources that are compiled once for each vector width and element type. Vectors of 64 bytes use
/// the narrower kernels of the last two, which transpose elements in registers.
const PRODUCTS: [&str; 3] = ["kernels/host/thin.c", "kernels/host/dots.c", "kernels/host/transpose.c"];

/// Direct operations: sources that are compiled once for each element type.
const DIRECT: &[&str] = &["kernels/direct/move.c", "kernels/direct/reduce.c"];

/// The direct operations on bytes.
const DIRECT_BYTES: [&str; 2] = ["kernels/direct/move.c", "kernels/direct/bytes.c"];

/// Reductions in vectors: sources that are compiled once for each element type and vector width.
const REDUCTIONS: [&str; 3] =
    ["kernels/direct/reduce_wide.c", "kernels/direct/extrema.c", "kernels/direct/truth.c"];

/// The MEU and what surrounds it.
const MEU: &[&str] = &[
    "host/mfc.c",
    "host/run.c",
    "kernels/direct/blocks.c",
    "kernels/direct/check.c",
    "kernels/host/masks.c",
    "kernels/host/memory_product.c",
    "kernels/opcodes.c",
    "kernels/product.c",
    "kernels/program.c",
    "kernels/step.c",
    "kernels/ref/reduce.c",
    "meu/dma.c",
    "meu/gather.c",
    "meu/main.c",
    "meu/profile.c",
    "meu/record.c",
];

fn main() {
    for directory in ["include", "host", "meu", "kernels", "build"] {
        println!("cargo::rerun-if-changed={directory}");
    }
    println!("cargo::rerun-if-env-changed=DENY_WARNINGS");
    let wide = is("CARGO_CFG_TARGET_ARCH", "x86_64");

    build_meu(wide);
    for omit in ["1", "2", "3"] {
        let mut build = c_build();
        build.define("MEU_OMIT", omit).file("host/omitted.c");
        build.compile(&format!("meu_omit{omit}"));
    }
    c_build().file("kernels/host/spu_single.c").compile("spu_single");
    for (name, flush) in [("cell", "1"), ("celledp", "0")] {
        let mut build = c_build();
        build.define("VEC_SPU", name).define("VEC_SPU_FLUSH", flush);
        build.files(KERNELS).files(FUNCTIONS).compile(&format!("kernels_{name}"));
    }
    build_typed("direct_single", None, DIRECT);
    build_typed("direct_double", Some("DIRECT_DOUBLE"), DIRECT);
    build_typed("direct_byte", Some("DIRECT_BYTE"), &DIRECT_BYTES);
    build_typed("library_single", None, &["kernels/host/library.c"]);
    build_typed("library_double", Some("KERNEL_DOUBLE"), &["kernels/host/library.c"]);
    build_wide(16, &[]);
    if wide {
        build_wide(32, &["-mavx2", "-mfma"]);
        build_wide(
            64,
            &["-mavx2", "-mfma", "-mavx512f", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"],
        );
    }
    // Many kernels are functions of the C library, and so is fma on machines without a fused multiply-add.
    if is("CARGO_CFG_TARGET_FAMILY", "unix") {
        println!("cargo::rustc-link-lib=m");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    operations::generate(&out);
    images::embed(&out);
}

/// Whether cargo says this of the target.
fn is(variable: &str, value: &str) -> bool {
    env::var(variable).is_ok_and(|found| found == value)
}

/// The flags of all C sources.  No -ffast-math: results are defined to the bit.
fn c_build() -> cc::Build {
    let mut build = cc::Build::new();
    build
        .opt_level(3)
        .std("gnu11")
        // Tests set it. Another compiler may warn of what ours does not, and nobody's build shall end for that.
        .warnings_into_errors(env::var_os("DENY_WARNINGS").is_some())
        .includes(["include", "host", "meu", "kernels", "kernels/ref", "kernels/direct"])
        .flag("-ffp-contract=off")
        .flag("-fno-math-errno")
        .flag("-fno-trapping-math")
        .flag_if_supported("-Wno-psabi");
    if is("CARGO_CFG_TARGET_ARCH", "powerpc64") && is("CARGO_CFG_TARGET_ENDIAN", "big") {
        // The PPE of a Cell.  Its AltiVec is not used: Linux starts every program with denormal numbers
        // flushed to zero there, while results are defined to the bit.
        build.flag("-mcpu=cell").flag("-mno-altivec");
    }
    build
}

fn build_meu(wide: bool) {
    let mut build = c_build();
    if wide {
        build.define("MEU_HOST_WIDE", None);
    }
    build.files(MEU).compile("meu");
}

/// What is compiled for the element type that a definition chooses.
fn build_typed(name: &str, define: Option<&str>, files: &[&str]) {
    let mut build = c_build();
    if let Some(define) = define {
        build.define(define, None);
    }
    build.files(files).compile(name);
}

/// What is compiled for each vector width.
fn build_wide(vector_bytes: u32, flags: &[&str]) {
    build_kernels(vector_bytes, flags);
    for (name, double) in [("single", false), ("double", true)] {
        let mut build = wide_build(vector_bytes, flags);
        build.files(REDUCTIONS);
        if double {
            build.define("DIRECT_DOUBLE", None);
        }
        build.compile(&format!("reduce_{name}{vector_bytes}"));
    }
}

/// The flags of sources with vectors of this width.
fn wide_build(vector_bytes: u32, flags: &[&str]) -> cc::Build {
    let mut build = c_build();
    build.define("VEC_BYTES", vector_bytes.to_string().as_str());
    for flag in flags {
        build.flag(flag);
    }
    build
}

/// Products in vectors of 32 bytes with the masks of AVX-512, for what is left of rows beside vectors of 64 bytes.
fn build_masked(name: &str, double: bool, flags: &[&str]) {
    let mut build = wide_build(32, flags);
    build.define("KERNEL_MASKED", None).file("kernels/host/multiply.c");
    if double {
        build.define("KERNEL_DOUBLE", None);
    }
    build.compile(&format!("products_{name}_masked"));
}

fn build_kernels(vector_bytes: u32, flags: &[&str]) {
    for (name, double) in [("single", false), ("double", true)] {
        let mut build = wide_build(vector_bytes, flags);
        build.files(&PRODUCTS[..if vector_bytes == 64 { 2 } else { PRODUCTS.len() }]);
        build.file(if vector_bytes > 16 { "kernels/host/multiply.c" } else { "kernels/ref/multiply.c" });
        build.file("kernels/host/widen.c");
        if double {
            build.define("KERNEL_DOUBLE", None);
        }
        build.compile(&format!("products_{name}{vector_bytes}"));
        if vector_bytes == 64 {
            build_masked(name, double, flags);
        }
    }
    let mut build = wide_build(vector_bytes, flags);
    build.files(KERNELS).file("kernels/host/bytes.c").compile(&format!("kernels{vector_bytes}"));
}
