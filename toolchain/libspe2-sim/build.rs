//! Compiles what deals with signals, and names the shared library as the real one is named.

fn main() {
    println!("cargo::rerun-if-changed=guard");
    println!("cargo::rerun-if-env-changed=DENY_WARNINGS");
    cc::Build::new()
        .std("gnu11")
        .opt_level(2)
        .warnings_into_errors(std::env::var_os("DENY_WARNINGS").is_some())
        .flags(["-Wall", "-Wextra", "-fno-strict-aliasing"])
        .include("guard")
        .files(["guard/guard.c", "guard/trap.c"])
        .compile("spe2_guard");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libspe2.so.2");
    // Its signal handlers stay installed, so it cannot be unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
