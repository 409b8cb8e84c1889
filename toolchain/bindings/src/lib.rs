//! Bindings of C headers are committed, so that a build needs no libclang. The tests of this crate generate
//! them anew and compare; `UPDATE_BINDINGS=1 cargo test -p bindings` replaces them.
//!
//! Only this crate depends on bindgen: neither a build nor the tests of another crate compile it.

use std::path::Path;
use std::{env, fs, panic};

use bindgen::{EnumVariation, Formatter, RustEdition, RustTarget};

pub use bindgen::Builder;

/// A PC, and the PPE of a Cell, which has the other byte order and another C ABI. The bindings of both have
/// to be equal.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "powerpc64-unknown-linux-gnu"];

/// A header, and the file with its bindings.
#[derive(Debug, Clone, Copy)]
pub struct Committed<'a> {
    /// The folder of the crate with the bindings, from the repository's root.
    pub folder: &'a str,
    /// The header, from that folder.
    pub header: &'a str,
    /// The committed bindings, from that folder.
    pub bindings: &'a str,
}

impl Committed<'_> {
    /// Compares the committed bindings with the generated ones, which `rewrite` may change.
    ///
    /// Without libclang nothing is compared, unless `REQUIRE_ALL` is set.
    ///
    /// # Panics
    /// The bindings differ, or they cannot be made.
    pub fn check(&self, configure: impl Fn(Builder) -> Builder, rewrite: impl Fn(String) -> String) {
        let [pc, ppe] = TARGETS.map(|target| self.generate(target, &configure));
        let (Some(pc), Some(ppe)) = (pc, ppe) else {
            assert!(env::var_os("REQUIRE_ALL").is_none(), "there is no libclang");
            eprintln!("skipped: there is no libclang (`scripts/setup test` installs it)");
            return;
        };
        assert!(pc == ppe, "the bindings of {} differ for {TARGETS:?}", self.header);

        let head = format!(
            "// Generated from {} by toolchain/bindings (UPDATE_BINDINGS=1 cargo test -p bindings replaces it).\n\n",
            self.header
        );
        let text = head + &rewrite(pc);
        let path = self.path(self.bindings);
        if env::var_os("UPDATE_BINDINGS").is_some() {
            fs::write(&path, &text).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "{path} is out of date: UPDATE_BINDINGS=1 cargo test -p bindings replaces it"
        );
    }

    /// A path in the folder of the crate.
    pub fn path(&self, inside: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        root.join(self.folder).join(inside).to_string_lossy().into_owned()
    }

    /// The bindings for a target; `None` without libclang.
    fn generate(&self, target: &str, configure: impl Fn(Builder) -> Builder) -> Option<String> {
        let builder = Builder::default()
            .header(self.path(self.header))
            // Headers of the compiler itself do for freestanding programs: no C library of the target is
            // needed.
            .clang_args([&format!("--target={target}"), "-ffreestanding"])
            .rust_target(
                RustTarget::stable(85, 0).unwrap_or_else(|_| unreachable!("bindgen knows Rust 1.85")),
            )
            .rust_edition(RustEdition::Edition2024)
            .default_enum_style(EnumVariation::Consts)
            .prepend_enum_name(false)
            .merge_extern_blocks(true)
            .use_core()
            .ctypes_prefix("::core::ffi")
            .disable_header_comment()
            .formatter(Formatter::Prettyplease);
        let builder = configure(builder);
        // bindgen panics when it does not find libclang.
        match panic::catch_unwind(panic::AssertUnwindSafe(|| builder.generate())) {
            Ok(Ok(bindings)) => Some(bindings.to_string()),
            Ok(Err(error)) => panic!("bindgen refuses {}: {error}", self.header),
            Err(reason) => {
                let text = reason.downcast_ref::<String>().cloned().unwrap_or_default();
                assert!(text.contains("libclang"), "bindgen failed: {text}");
                None
            }
        }
    }
}
