//! The committed bindings are those that bindgen makes of the headers.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::{env, fs, panic};

use bindgen::{EnumVariation, Formatter, RustEdition, RustTarget};

/// What stands at the top of the file.
const HEAD: &str =
    "// Generated from include/libspe2.h by tests/bindings.rs (UPDATE_BINDINGS=1 replaces it).\n";

/// The bindings of the headers; `None` without libclang.
fn generate() -> Option<String> {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let generated = panic::catch_unwind(|| {
        bindgen::Builder::default()
            .header(include.join("libspe2.h").to_str().unwrap())
            .clang_arg("-fparse-all-comments")
            .allowlist_file(".*/(libspe2|libspe2-types|cbea_map)\\.h")
            .rust_target(RustTarget::stable(85, 0).ok().unwrap())
            .rust_edition(RustEdition::Edition2024)
            .ctypes_prefix("::std::ffi")
            .default_enum_style(EnumVariation::Consts)
            .prepend_enum_name(false)
            .merge_extern_blocks(true)
            // The sizes would be those of the machine that generated them; src/layout.rs checks both widths.
            .layout_tests(false)
            .disable_header_comment()
            .formatter(Formatter::Prettyplease)
            .generate()
    });
    match generated {
        Ok(bindings) => Some(bindings.unwrap().to_string()),
        Err(reason) => {
            let text = reason.downcast_ref::<String>().cloned().unwrap_or_default();
            assert!(text.contains("libclang"), "bindgen failed: {text}");
            None
        }
    }
}

#[test]
fn the_committed_bindings_are_those_of_the_headers() {
    let Some(generated) = generate() else {
        assert!(env::var_os("REQUIRE_ALL").is_none(), "there is no libclang");
        eprintln!("skipped: there is no libclang (scripts/setup installs it)");
        return;
    };
    // The functions become a table that is filled at run time.
    let (types, functions) = generated.split_once("unsafe extern \"C\" {\n").unwrap();
    assert!(!functions.contains("extern \"C\""), "the functions are not in one block");
    let text = format!("{HEAD}\n{types}functions! {{\n{functions}");

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bindings.rs");
    if env::var_os("UPDATE_BINDINGS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(
        committed == text,
        "src/bindings.rs is out of date: UPDATE_BINDINGS=1 cargo test -p ppu-sys replaces it"
    );
}
