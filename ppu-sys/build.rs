//! Tells dependents where the headers are, and links against the library if the feature `link` asks for it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    // Build scripts of dependents read it as DEP_SPE2_INCLUDE.
    println!("cargo::metadata=include={root}/include");
    if std::env::var_os("CARGO_FEATURE_LINK").is_some() {
        println!("cargo::rustc-link-lib=dylib=spe2");
    }
}
